/*
 * Frames of code that .NET compiled, for which there are no tables, by what their calls and their
 * prologues look like; x86-64.
 *
 * On-stack replacement: a method that loops for long in its first code calls the runtime, which
 * jumps into better code of it and leaves the first frame where it is. To the new code the
 * return address of that call is its own, and rbp the caller's (jithelpers.cpp, JIT_Patchpoint), so
 * that a chain of frame pointers shows the method twice and its caller not at all.
 *
 * Small methods with one call have no frame pointer (compiler.cpp, rpMustCreateEBPFrame): the chain
 * leaves out their callers.
 */
#ifndef PV_PROBE_UNWIND_COMPILED_H
#define PV_PROBE_UNWIND_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_unwind_set;

struct pvp_compiled_frame {
	bool replaced;  /* it was left: its return address is none of the code that went on */
	unsigned words; /* its size; 0: it has a frame pointer, or is not known */
	unsigned rbp;   /* the caller's is the nth word below the return address; 0: in rbp */
	unsigned saved; /* with a frame pointer: words below the caller's, and one; 0: not known */
};

/* An address in the runtime's own code; 0: nothing is compiled. Before the first walk. */
void pvp_unwind_runtime(uintptr_t address);

/*
 * The frame that a return address is of. Calls of helpers are seen at once, prologues once they
 * were learned. Within pvp_unwind_enter(). Async-signal-safe; code that is gone is not read, but
 * errno is lost.
 */
struct pvp_compiled_frame pvp_unwind_compiled(const struct pvp_unwind_set *set, uintptr_t pc);

/*
 * The writer's thread: whether the prologue of a return address is not known, though a walk met
 * it; and, then, where the function that holds it begins.
 */
bool pvp_unwind_asks(uintptr_t pc);
void pvp_unwind_learn(uintptr_t pc, uintptr_t start);
/* Some code is gone, and other may come to its place. Any thread. */
void pvp_unwind_unlearn(void);

/*
 * Code of the runtime's that is no method and has no frame: jumps to methods, interface dispatch, write
 * barriers. It lies in pages of its own. stub(): the runtime was asked whose code this is and knows no
 * method; one thread at a time. is_stub(): async-signal-safe.
 */
void pvp_unwind_stub(uintptr_t pc);
bool pvp_unwind_is_stub(uintptr_t pc);
/* Its kind, "[.NET write barrier]" or "[.NET stub]", never NULL. Any thread but in handlers. */
const char *pvp_unwind_stub_name(uintptr_t pc);
/* Whether the bytes in front of a return address are a call. Async-signal-safe; errno is lost. */
bool pvp_unwind_follows_call(uintptr_t pc);

/*
 * Reads a prologue. False: no frame is seen in it; *ret is as if nothing were known then.
 */
bool pvp_unwind_prologue(const uint8_t *code, unsigned n, struct pvp_compiled_frame *ret);

#endif
