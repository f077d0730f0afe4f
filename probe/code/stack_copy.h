/*
 * The stack of another thread of this process, which waits: copied by the system, so that no memory
 * is read that is not there any more, and walked in the copy. One thread at a time.
 */
#ifndef PV_PROBE_STACK_COPY_H
#define PV_PROBE_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/unwind_walk.h"

/* Room for copies, mapped once; false: out of memory. */
bool pvp_stack_copy_init(void);

/*
 * Callers of the thread at `pc` with its stack pointer `sp`, as pvp_unwind_walk() gives them. Only
 * so much of its stack as PVP_STACK_MOST is looked at: what lies above is PVP_WALK_UNREADABLE. The
 * caller makes sure that the thread has not run meanwhile.
 */
enum { PVP_STACK_MOST = 64 << 10 };
unsigned pvp_stack_copy_walk(
	uintptr_t pc, uintptr_t sp, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop);

#endif
