/*
 * Timers over the kernel's perf events: a signal each so many ns that one thread spends in its own
 * code. They run at any rate, and as the kernel's part of a call is not counted (exclude_kernel),
 * no signal is ever raised inside a system call: no wait is cut short.
 *
 * Kernel facts: perf_event_open(2), fcntl(2) F_SETSIG, signal(7). When the queue of real-time
 * signals is full (RLIMIT_SIGPENDING, all processes of the user together) the kernel sends SIGIO
 * instead, which kills a program that does not handle it: pvp_perf_watch().
 *
 * All but pvp_perf_next() and pvp_perf_period() is for one thread at a time.
 */
#ifndef PV_PROBE_PERF_CLOCK_H
#define PV_PROBE_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether the system lets this process have such timers; asked once. False under a seccomp filter
 * (which may kill for the question), while the program handles SIGIO itself, where few signals may
 * be pending, and after pvp_perf_watch() gave them up.
 */
bool pvp_perf_allowed(void);
/* Whether asking is safe: no seccomp filter. */
bool pvp_perf_unfiltered(void);

/*
 * A timer of thread `tid` of this process, not yet started: `signal` will come to it after `period`
 * ns of its own code, once for each pvp_perf_next(). -1: refused, or a quarter of the descriptors
 * that the program may have are taken already.
 */
int pvp_perf_open(pid_t tid, uint64_t period, int signal);
/* Starts it for one signal. Async-signal-safe. */
void pvp_perf_next(int fd);
/* Another period, ns, from the next start on. Async-signal-safe. */
void pvp_perf_period(int fd, uint64_t period);
/* Whether the descriptor is still the timer: a program may close what it did not open. */
bool pvp_perf_is_open(int fd, pid_t tid, int signal);
/* Stops and closes it, if it is still one. */
void pvp_perf_close(int fd, pid_t tid, int signal);

/*
 * Each round: takes SIGIO back from the default that would kill. False, once: the timers are given
 * up, because the queue of signals was full or the program began to handle SIGIO.
 */
bool pvp_perf_watch(void);

/* In a child of fork: what the parent had open is no timer here. */
void pvp_perf_forget(int fd);

#endif
