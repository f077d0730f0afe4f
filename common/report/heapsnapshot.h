/* SPDX-License-Identifier: MIT */
/*
 * A heap shot in the format of Chrome's developer tools (.heapsnapshot, JSON). Node 0 is the root;
 * below stands "(GC roots)" with a node for each kind of root, with edges to the objects held,
 * named after root areas. Array elements are numbered by byte offset, other fields named by offset
 * ("+0x18"). Objects not reached by a root are below a node of their own, weak roots have weak
 * edges. Any thread.
 */
#ifndef PV_REPORT_HEAPSNAPSHOT_H
#define PV_REPORT_HEAPSNAPSHOT_H

#include <stdio.h>

#include "common/base/status.h"

struct pv_heap;

/* PV_ENOMEM, or PV_EIO when `out` could not be written. `out` is flushed, not closed. */
bool pv_heapsnapshot_write(const struct pv_heap *h, FILE *out, struct pv_error *reterr);
/* Into a new file; PV_EUSAGE if the file exists. */
bool pv_heapsnapshot_file(const struct pv_heap *h, const char *path, struct pv_error *reterr);

#endif
