/* SPDX-License-Identifier: MIT */
/* The stack by unwind tables, and by frame pointers where code has no table; from anywhere. */
#ifndef PV_PROBE_UNWIND_WALK_H
#define PV_PROBE_UNWIND_WALK_H

#include <stddef.h>

#include "probe/unwind/native_walk.h"

/* Registers of a thread at a place. */
enum { PVP_WALK_KEPT = 64 };

struct pvp_registers {
	uintptr_t pc, sp, fp;
	bool called; /* pc is a return address, sp and fp as after the return */
};

/*
 * Callers, innermost first, at most `most`: return addresses, so address - 1 lies in the call. A
 * function interrupted by a signal has its place, plus 1. Reads only the stack, upwards from sp
 * (after a signal's frame from the interrupted sp), and code without a table: at the pc, and calls
 * by the system (unwind_compiled.h). Async-signal-safe; keeps errno. *ret_stop: why and where the
 * walk ended.
 */
unsigned pvp_unwind_walk(const struct pvp_registers *at, uint64_t *to, unsigned most,
	struct pvp_walk_stop *ret_stop);

/* A copy of a stack from `low` on: n bytes; low, n and `bytes` are multiples of a word. */
struct pvp_stack_view {
	uintptr_t low;
	size_t n;
	const uint8_t *bytes;
};

/*
 * The same for a thread of the target (target.h) with a copied stack: memory outside of the copy is
 * unreadable.
 */
unsigned pvp_unwind_walk_copy(const struct pvp_registers *at, const struct pvp_stack_view *v,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop);

/*
 * The same up to the first caller outside of files (code made by a runtime), left out; code of a
 * file without a table ends the walk, too, without guessing. No callers if the walk begins there.
 * No other reason of the end is reported.
 */
unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most);

/*
 * The last walk of a thread: the next walk meets mostly the same frames. Zeros at first; used by
 * one walk at a time. Times and sizes are none of the caller's.
 */
struct pvp_walk_memory {
	bool no_guess;       /* unlearned code outside of files (unwind_compiled.h) ends the walk */
	uint64_t set;        /* number of the set used */
	uintptr_t low, high; /* readable part of the thread's stack, as long as it lives */
	unsigned n, newer;   /* frames of the last walk, and their half */
	struct pvp_walked {  /* a frame, innermost first; pc 0: not to be continued */
		uintptr_t pc, sp, fp;
		uintptr_t fp_at; /* address of the caller's saved rbp; 0: the same; 1: unknown */
	} frame[2]
	       [PVP_WALK_KEPT]; /* the other half is the next walk's: not on a stack, which may be small */
};

/*
 * As pvp_unwind_walk(), from a return address of the calling thread, outside of signal handlers. If
 * a frame is unchanged (place, rbp, code), and so are the stack's words that lead on, its callers
 * are unchanged: they are checked in place of looked up.
 */
unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop);

#endif
