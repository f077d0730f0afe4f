/*
 * The kernel's functions in which a thread spends its time, where the system lets this process see
 * them (perf_event_paranoid at most 1, or the capability): a perf event of the thread's processor
 * time in the kernel writes them, each with the place in the program from which the kernel was
 * entered, into a page that is mapped here. It never signals, so that no system call is cut short,
 * and holds no descriptor. A thread that is sampled when it comes back from the kernel has there what it
 * did. Kernel facts: perf_event_open(2).
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
	_Atomic bool busy;  /* the handler reads in it */
	void *left;         /* it did when it was to be closed */
	uint64_t last;      /* time of the newest stack that was taken; the handler's */
};

/* Any thread: whether threads that are armed from now on have such pages. False: refused here. */
bool pvp_kernel_want(bool wanted);
/* pvp_kernel_want(), as the log's header says what came of it: "kernel", "kernel=refused"; "": not wanted. */
const char *pvp_kernel_want_word(bool on);

/* Of a thread of this process; nothing where it is refused, or where no memory may be locked. */
void pvp_kernel_open(struct pvp_kernel_stack *k, pid_t tid);
/* Also while the thread is in a handler. */
void pvp_kernel_close(struct pvp_kernel_stack *k);
/* In a child of fork, where the page is not mapped. */
void pvp_kernel_forget(struct pvp_kernel_stack *k);

/*
 * In a handler on the thread, which interrupted it at pc with that stack pointer: where in the kernel it was
 * if it entered it there; innermost first. 0: it was not, or nothing is known. Async-signal-safe.
 */
unsigned pvp_kernel_take(
	struct pvp_kernel_stack *k, uintptr_t pc, uintptr_t sp, uint64_t to[PVP_KERNEL_FRAMES]);

/* An address of the kernel's half. */
static inline bool pvp_is_kernel(uint64_t address)
{
	return address >> 63;
}

#endif
