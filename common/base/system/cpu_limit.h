/* SPDX-License-Identifier: MIT */
/*
 * A limit of processor time for a call into a library with foreign bytes, whose number does not
 * bound the time. siglongjmp() out of a signal handler leaves the call, so the call must neither
 * allocate nor lock. The signal is a real-time signal to this thread only; the handler is set at
 * the first use and does nothing at other times. Any thread.
 */
#ifndef PV_BASE_CPU_LIMIT_H
#define PV_BASE_CPU_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls work(ctx) on this thread. False: left after `ns` of processor time, or not called because
 * the kernel gave no timer. *ret_ns: processor time used, to a tick.
 */
bool pv_cpu_limit(int64_t ns, void (*work)(void *ctx), void *ctx, int64_t *ret_ns);

#endif
