/* SPDX-License-Identifier: MIT */
/*
 * The stack of a waiting thread of the target (target.h), copied by the system, so that unmapped
 * memory does no harm, and walked in the copy. Used by one thread at a time.
 */
#ifndef PV_PROBE_STACK_COPY_H
#define PV_PROBE_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/unwind/unwind_walk.h"

/* Room for copies, mapped once; false: out of memory. */
bool pvp_stack_copy_init(void);

/*
 * Callers of the thread at `pc` with stack pointer `sp`, as from pvp_unwind_walk(). At most
 * PVP_STACK_MOST bytes are copied; the stack above is PVP_WALK_UNREADABLE, of another process
 * PVP_WALK_NOT_COPIED. The caller makes sure that the thread does not run meanwhile.
 */
enum { PVP_STACK_MOST = 64 << 10 };
unsigned pvp_stack_copy_walk(
	uintptr_t pc, uintptr_t sp, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop);

#endif
