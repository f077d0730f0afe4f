/* The stack by unwind tables, and by frame pointers where code has no table; from anywhere. */
#ifndef PV_PROBE_UNWIND_WALK_H
#define PV_PROBE_UNWIND_WALK_H

#include "probe/code/native_walk.h"

/* Of a thread, where it is. */
struct pvp_registers {
	uintptr_t pc, sp, fp;
	bool called; /* pc is a return address, sp and fp are what they are behind it */
};

/*
 * Callers, innermost first, at most `most`: return addresses, so that one less lies in the call. A
 * function that a signal interrupted is where it was, plus one. No memory is read but the stack's,
 * upwards from sp (from the interrupted one's after a signal's frame), and that of code without a
 * table: where sp begins, and calls in it by the system (unwind_compiled.h). Async-signal-safe; keeps errno. *ret_stop: why and where it ended.
 */
unsigned pvp_unwind_walk(const struct pvp_registers *at, uint64_t *to, unsigned most,
	struct pvp_walk_stop *ret_stop);

#endif
