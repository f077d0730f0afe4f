/* SPDX-License-Identifier: MIT */
/*
 * The kernel's functions in which a thread spends time, if the system lets this process see them
 * (perf_event_paranoid at most 1, or the capability). A perf event of the thread's processor time
 * in the kernel writes stacks, each with the place in the program that entered the kernel, into a
 * page mapped here. The event never sends a signal, so no system call is cut short, and holds no
 * descriptor. A thread sampled on return from the kernel finds in the page what the kernel did.
 * Kernel facts: perf_event_open(2).
 */
#ifndef PV_PROBE_KERNEL_STACK_H
#define PV_PROBE_KERNEL_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PVP_KERNEL_FRAMES = 32 }; /* of deeper stacks the innermost */

/* Zeros at first. */
struct pvp_kernel_stack {
	void *_Atomic page; /* NULL: none */
	_Atomic bool busy;  /* the handler reads the page */
	void *left;         /* the handler was reading at the close */
	uint64_t last;      /* time of the newest stack taken; the handler's */
};

/* Any thread: whether threads armed from now on have such pages. False: refused here. */
bool pvp_kernel_want(bool wanted);
/* pvp_kernel_want(), and its outcome for the header, never NULL: "kernel", "kernel=refused", "". */
const char *pvp_kernel_want_word(bool on);

/* For a thread of this process; no effect if refused, or if no memory may be locked. */
void pvp_kernel_open(struct pvp_kernel_stack *k, pid_t tid);
/* Also while the thread is in a handler. */
void pvp_kernel_close(struct pvp_kernel_stack *k);
/* In a child of fork, where the page is not mapped. */
void pvp_kernel_forget(struct pvp_kernel_stack *k);

/*
 * In a handler that interrupted the thread at pc, stack pointer sp: the kernel's functions then,
 * innermost first, if the kernel was entered at pc. 0: it was not, or unknown. Async-signal-safe.
 */
unsigned pvp_kernel_take(
	struct pvp_kernel_stack *k, uintptr_t pc, uintptr_t sp, uint64_t to[PVP_KERNEL_FRAMES]);

/* An address of the kernel's half. */
static inline bool pvp_is_kernel(uint64_t address)
{
	return address >> 63;
}

#endif
