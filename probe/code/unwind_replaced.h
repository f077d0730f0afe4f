/*
 * On-stack replacement of .NET: a method that loops for long in its first code calls the runtime,
 * which jumps into better code of it and leaves the first frame where it is. To the new code the
 * return address of that call is its own, and rbp the caller's (jithelpers.cpp, JIT_Patchpoint), so
 * that a chain of frame pointers shows the method twice and its caller not at all.
 */
#ifndef PV_PROBE_UNWIND_REPLACED_H
#define PV_PROBE_UNWIND_REPLACED_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_unwind_set;

/* An address in the runtime's own code; 0: code is not replaced. Before the first walk. */
void pvp_unwind_runtime(uintptr_t address);

/*
 * Whether a return address in compiled code is of a call straight into the runtime, as compiled
 * methods call nothing else than its helpers. Within pvp_unwind_enter(). Async-signal-safe; code
 * that is gone is not read, but errno is lost.
 */
bool pvp_unwind_replaced(const struct pvp_unwind_set *set, uintptr_t pc);

#endif
