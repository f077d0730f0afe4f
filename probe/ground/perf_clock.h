/* SPDX-License-Identifier: MIT */
/*
 * Timers over the kernel's perf events: a signal after so many ns of a thread's own code. They run
 * at any rate. The kernel's part of a call is not counted (exclude_kernel), so no signal is raised
 * inside a system call and no wait is cut short.
 *
 * Kernel facts: perf_event_open(2), fcntl(2) F_SETSIG, signal(7). When the queue of real-time
 * signals is full (RLIMIT_SIGPENDING, all processes of the user together) the kernel sends SIGIO
 * instead, and SIGIO kills a program without a handler: pvp_perf_watch().
 *
 * All but pvp_perf_next() and pvp_perf_period() is for a single thread at a time.
 */
#ifndef PV_PROBE_PERF_CLOCK_H
#define PV_PROBE_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether the system allows this process such timers; asked once. False under a seccomp filter
 * (which may kill the process for asking), while the program handles SIGIO itself, where few
 * signals may be pending, and after pvp_perf_watch() gave the timers up.
 */
bool pvp_perf_allowed(void);
/* Whether asking is safe: no seccomp filter. */
bool pvp_perf_unfiltered(void);

/*
 * Opens a timer of thread `tid` of this process, not yet started: after `period` ns of the thread's
 * own code `signal` comes to the thread, once for each pvp_perf_next(). -1: refused, or a quarter
 * of the descriptors allowed to the program is in use.
 */
int pvp_perf_open(pid_t tid, uint64_t period, int signal);
/* Starts the timer for a single signal. Async-signal-safe. */
void pvp_perf_next(int fd);
/* Another period, ns, from the next start on. Async-signal-safe. */
void pvp_perf_period(int fd, uint64_t period);
/* Whether the descriptor is still the timer: a program may close descriptors of others. */
bool pvp_perf_is_open(int fd, pid_t tid, int signal);
/* Stops and closes the timer, unless the descriptor is something else by now. */
void pvp_perf_close(int fd, pid_t tid, int signal);

/*
 * Each round: handles SIGIO in place of the default action, which kills. False, once: the timers
 * are given up, because the queue of signals was full or the program began to handle SIGIO.
 */
bool pvp_perf_watch(void);

/* In a child of fork: the parent's descriptor is no timer here. */
void pvp_perf_forget(int fd);

#endif
