/*
 * The hooks that the JIT compiler's code calls itself when a method begins or ends. All registers
 * are live there, those of vectors too: clr_stubs.S keeps them, and clr_hot.c is compiled without
 * vector registers.
 */
#ifndef PV_PROBE_CLR_HOT_H
#define PV_PROBE_CLR_HOT_H

#include <stdbool.h>
#include <stdint.h>

/* What the runtime is given. */
void pvp_clr_enter_hook(void);
void pvp_clr_leave_hook(void);
void pvp_clr_tail_hook(void);
void pvp_clr_empty_hook(void);

/* Called by the stubs. The first two keep all registers but the one that the result is in. */
#define PVP_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
bool pvp_clr_entered(uint64_t method) PVP_KEEPS_REGISTERS; /* false: the slow way */
bool pvp_clr_left(uint64_t method) PVP_KEEPS_REGISTERS;
void pvp_clr_entered_slow(uint64_t method); /* like any function */
void pvp_clr_left_slow(uint64_t method);

/* Whether this processor can save its vector registers as the stubs do. */
bool pvp_clr_stubs_work(void);

#endif
