/* SPDX-License-Identifier: MIT */
/*
 * Hooks called by the JIT compiler's code at the begin and end of a method. All registers are live
 * there, vector registers too: clr_stubs.S keeps them, and clr_hot.c is compiled without vector
 * registers.
 */
#ifndef PV_PROBE_CLR_HOT_H
#define PV_PROBE_CLR_HOT_H

#include <stdbool.h>
#include <stdint.h>

/* Functions given to the runtime. */
void pvp_clr_enter_hook(void);
void pvp_clr_leave_hook(void);
void pvp_clr_tail_hook(void);
void pvp_clr_empty_hook(void);
/* The same where some methods are distinguished: their number has more than 32 bits. */
void pvp_clr_enter_some_hook(void);
void pvp_clr_leave_some_hook(void);
void pvp_clr_tail_some_hook(void);
/* Likewise; calls are summed up in the thread's tree. */
void pvp_clr_enter_tree_hook(void);
void pvp_clr_leave_tree_hook(void);
void pvp_clr_tail_tree_hook(void);

/* Called by the stubs. Keep all registers but the result's. False: the slow way. */
#define PVP_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
bool pvp_clr_entered(uint64_t method) PVP_KEEPS_REGISTERS; /* false: the slow way */
bool pvp_clr_left(uint64_t method) PVP_KEEPS_REGISTERS;
bool pvp_clr_entered_some(uint64_t method) PVP_KEEPS_REGISTERS;
bool pvp_clr_left_some(uint64_t method) PVP_KEEPS_REGISTERS;
bool pvp_clr_entered_tree(uint64_t method) PVP_KEEPS_REGISTERS;
bool pvp_clr_left_tree(uint64_t method) PVP_KEEPS_REGISTERS;

/* Registers saved on the stack by a stub on the slow path. */
struct pvp_clr_hooked {
	uint64_t frame; /* frame pointer of the method */
	uint64_t stub, unused;
	uint64_t argument; /* the method's first argument, at an enter */
	uint64_t rax;
	uint64_t ip; /* in the method */
};

/* Like any function. */
void pvp_clr_entered_slow(uint64_t method, const struct pvp_clr_hooked *at);
void pvp_clr_left_slow(uint64_t method, const struct pvp_clr_hooked *at);
void pvp_clr_entered_some_slow(uint64_t method, const struct pvp_clr_hooked *at);
void pvp_clr_left_some_slow(uint64_t method, const struct pvp_clr_hooked *at);
void pvp_clr_entered_tree_slow(uint64_t method, const struct pvp_clr_hooked *at);
void pvp_clr_left_tree_slow(uint64_t method, const struct pvp_clr_hooked *at);

#endif
