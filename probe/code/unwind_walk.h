/* The stack by unwind tables, and by frame pointers where code has no table; from anywhere. */
#ifndef PV_PROBE_UNWIND_WALK_H
#define PV_PROBE_UNWIND_WALK_H

#include "probe/code/native_walk.h"

/* Of a thread, where it is. */
enum { PVP_WALK_KEPT = 64 };

struct pvp_registers {
	uintptr_t pc, sp, fp;
	bool called; /* pc is a return address, sp and fp are those after it */
};

/*
 * Callers, innermost first, at most `most`: return addresses, so that one less lies in the call. A
 * function that a signal interrupted is where it was, plus one. No memory is read but the stack's,
 * upwards from sp (from the interrupted one's after a signal's frame), and that of code without a
 * table: where sp begins, and calls in it by the system (unwind_compiled.h). Async-signal-safe; keeps errno. *ret_stop: why and where it ended.
 */
unsigned pvp_unwind_walk(const struct pvp_registers *at, uint64_t *to, unsigned most,
	struct pvp_walk_stop *ret_stop);

/*
 * The same as far as code of files goes: the first caller that lies in none (a runtime has made it)
 * ends it and is no part; so does code of a file without a table, which is not guessed at. None, where
 * the walk begins there. Why it ended otherwise is not said.
 */
unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most);

/*
 * The walk of a thread before: its next one meets most of the same frames. Zeros at first; used by
 * one walk at a time. Times and sizes are none of the caller's.
 */
struct pvp_walk_memory {
	uint64_t set;        /* the number of the tables that it was made with */
	uintptr_t low, high; /* of the thread's stack: known to be readable as long as it lives */
	unsigned n, newer;   /* frames of the last walk, and which half they are in */
	struct pvp_walked {  /* a frame, innermost first; pc 0: it cannot be taken up */
		uintptr_t pc, sp, fp;
		uintptr_t fp_at; /* its caller's rbp is saved there; 0: is the same; 1: unknown */
	} frame[2]
	       [PVP_WALK_KEPT]; /* the other half is the next walk's: not on a stack, which may be small */
};

/*
 * As pvp_unwind_walk(), from a return address of the calling thread, outside of signal handlers.
 * Where a frame is as it was (place, rbp, code), and so are the words of the stack that lead on
 * from it, so are its callers: they are looked at instead of looked up.
 */
unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop);

#endif
