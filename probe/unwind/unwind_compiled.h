/* SPDX-License-Identifier: MIT */
/*
 * Frames of code compiled by .NET, for which there are no tables, recognized by calls and
 * prologues; x86-64.
 *
 * On-stack replacement: a method that loops for long in its first code calls the runtime, which
 * jumps into better code of the method and leaves the first frame in place. The new code uses this
 * call's return address as its own, and the caller's rbp (jithelpers.cpp, JIT_Patchpoint), so a
 * chain of frame pointers shows the method twice and its caller never.
 *
 * Small methods with a single call have no frame pointer (compiler.cpp, rpMustCreateEBPFrame): the
 * chain leaves out their callers.
 */
#ifndef PV_PROBE_UNWIND_COMPILED_H
#define PV_PROBE_UNWIND_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_unwind_set;

struct pvp_compiled_frame {
	bool replaced;  /* was left: the return address is not the new code's */
	unsigned words; /* size; 0: has a frame pointer, or unknown */
	unsigned rbp;   /* the caller's rbp: nth word below the return address; 0: in rbp */
	unsigned saved; /* with a frame pointer: words below the caller's, plus 1; 0: unknown */
};

/* An address in the runtime's own code; 0: nothing is compiled. Before the first walk. */
void pvp_unwind_runtime(uintptr_t address);

/*
 * The frame of a return address. Calls of helpers are seen at once, prologues once learned. Within
 * pvp_unwind_enter(). Async-signal-safe; unloaded code is not read, but errno is lost.
 */
struct pvp_compiled_frame pvp_unwind_compiled(const struct pvp_unwind_set *set, uintptr_t pc);

/*
 * The writer's thread: asks() says whether a walk met the return address but the prologue is not
 * known; learn() is then given the start of the function.
 */
bool pvp_unwind_asks(uintptr_t pc);
void pvp_unwind_learn(uintptr_t pc, uintptr_t start);
/*
 * The same on a thread that executes the function: false: prologue not understood. learned():
 * whether it was, and the frame. Not in a handler; learned() is async-signal-safe.
 */
bool pvp_unwind_learn_caller(uintptr_t pc, uintptr_t start);
bool pvp_unwind_learned(uintptr_t pc, struct pvp_compiled_frame *ret);
/* Some code is gone, and other code may take its place. Any thread. */
void pvp_unwind_unlearn(void);

/*
 * Code of the runtime without a frame that is no method: jumps to methods, interface dispatch,
 * write barriers, on pages of their own. stub(): the runtime knows no method for this address; for
 * one thread at a time. is_stub(): async-signal-safe.
 */
void pvp_unwind_stub(uintptr_t pc);
bool pvp_unwind_is_stub(uintptr_t pc);
/* The kind, "[.NET write barrier]" or "[.NET stub]", never NULL. Any thread but in handlers. */
const char *pvp_unwind_stub_name(uintptr_t pc);
/* Whether the bytes in front of a return address are a call. Async-signal-safe; errno is lost. */
bool pvp_unwind_follows_call(uintptr_t pc);

/* Reads a prologue. False: no frame is recognized; *ret is then as if nothing were known. */
bool pvp_unwind_prologue(const uint8_t *code, unsigned n, struct pvp_compiled_frame *ret);

#endif
