/* SPDX-License-Identifier: MIT */
/* Processor time of threads, in their own code and in the kernel. */
#ifndef PV_PROBE_THREAD_USAGE_H
#define PV_PROBE_THREAD_USAGE_H

#include <stdint.h>
#include <sys/types.h>

struct pvp_usage {
	uint64_t user_ns, kernel_ns;
};

/*
 * The calling thread's time since `last`, then sets `last` to now; 0: unknown. Also in a signal's
 * handler; keeps errno.
 */
struct pvp_usage pvp_usage_since(struct pvp_usage *last);

/* Another thread's time so far, in the system's ticks (mostly 10 ms); 0: the thread is gone. */
struct pvp_usage pvp_usage_of(pid_t tid);

#endif
