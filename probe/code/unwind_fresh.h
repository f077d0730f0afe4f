/*
 * The rule for one address of a file that has no table yet, read from the file's own .eh_frame where
 * it lies in memory: what was loaded since the writer looked. Slower than a table (some microseconds)
 * and without functions of more than PVP_FRESH_MOST bytes of instructions.
 */
#ifndef PV_PROBE_UNWIND_FRESH_H
#define PV_PROBE_UNWIND_FRESH_H

#include "probe/code/unwind_table.h"

enum { PVP_FRESH_MOST = 640 };

/*
 * `header`: the address of .eh_frame_hdr, which as all that it refers to lies in [from, to). pc is an
 * address; that in *ret is 0. False: none, or not in so few bytes. The system copies what is looked at:
 * memory that is gone, or damaged, is no error of the caller's. Async-signal-safe; errno is lost.
 */
bool pvp_unwind_fresh(
	uint64_t header, uint64_t from, uint64_t to, uint64_t pc, struct pvp_row *ret);

#endif
