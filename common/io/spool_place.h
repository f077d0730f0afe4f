/* SPDX-License-Identifier: MIT */
/* Location of the spool's ring on disk. Private to common/io. Any thread. */
#ifndef PV_IO_SPOOL_PLACE_H
#define PV_IO_SPOOL_PLACE_H

#include <stdint.h>

#include "common/base/status.h"

/*
 * A new file without a name, in profview's folder in the user's cache, else in /var/tmp or /tmp; -1
 * and PV_EIO when there is no place. File systems in memory are a last resort, for which *limit
 * (bytes) is lowered.
 */
int pv_spool_place(uint64_t *limit, struct pv_error *reterr);

#endif
