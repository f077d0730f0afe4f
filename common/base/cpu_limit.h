/*
 * A limit of processor time for a call into a library that is given foreign bytes, where their
 * number does not say how long that takes. The call is left by siglongjmp() out of a signal
 * handler, so it must neither allocate nor lock. The signal is one of the real-time signals and
 * reaches this thread only; its handler is set at the first use and does nothing at other times.
 * Any thread.
 */
#ifndef PV_BASE_CPU_LIMIT_H
#define PV_BASE_CPU_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls work(ctx) on this thread. False: it took more than `ns` of processor time and was left, or
 * the kernel gave no timer and it was not called. *ret_ns: the processor time it took, to a tick.
 */
bool pv_cpu_limit(int64_t ns, void (*work)(void *ctx), void *ctx, int64_t *ret_ns);

#endif
