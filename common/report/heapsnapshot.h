/*
 * A heap shot as Chrome's developer tools save one (.heapsnapshot, JSON). Node 0 is the root; below
 * it stands "(GC roots)" with a node for each kind of root, and these refer to the objects that
 * such roots hold, by the names of their areas. An array's elements are numbered by their byte
 * offsets, other fields are named by theirs ("+0x18"). Objects that no root reaches are below a
 * node of their own, weak roots have weak edges. Any thread.
 */
#ifndef PV_REPORT_HEAPSNAPSHOT_H
#define PV_REPORT_HEAPSNAPSHOT_H

#include <stdio.h>

#include "common/base/status.h"

struct pv_heap;

/* PV_ENOMEM, or PV_EIO when `out` could not be written. `out` is flushed, not closed. */
bool pv_heapsnapshot_write(const struct pv_heap *h, FILE *out, struct pv_error *reterr);
/* Into a new file; PV_EUSAGE when there is one already. */
bool pv_heapsnapshot_file(const struct pv_heap *h, const char *path, struct pv_error *reterr);

#endif
