/* SPDX-License-Identifier: MIT */
/*
 * The rule for an address in a file without a table yet, from the file's .eh_frame in memory: for
 * files loaded since the writer's last look. Slower than a table (some microseconds), and without
 * functions of more than PVP_FRESH_MOST bytes of instructions.
 */
#ifndef PV_PROBE_UNWIND_FRESH_H
#define PV_PROBE_UNWIND_FRESH_H

#include "probe/unwind/unwind_table.h"

enum { PVP_FRESH_MOST = 640 };

/*
 * `header`: the address of .eh_frame_hdr, which lies in [from, to) like all it refers to. pc is an
 * address; ret->pc is 0. False: none, or too long. The system copies the bytes: missing or damaged
 * memory is no error of the caller's. Async-signal-safe; errno is lost.
 */
bool pvp_unwind_fresh(
	uint64_t header, uint64_t from, uint64_t to, uint64_t pc, struct pvp_row *ret);

#endif
