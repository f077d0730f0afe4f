/* SPDX-License-Identifier: MIT */
/*
 * The kernel's functions in samples of Mono's threads, whose signals are the runtime's: each thread
 * has a page for them (kernel_stack.h), from the first round of the writer after its start. No
 * function fails: without a page a sample lacks the kernel's functions.
 */
#ifndef PV_PROBE_MONO_KERNEL_H
#define PV_PROBE_MONO_KERNEL_H

#include <stdint.h>

#include "probe/core/writer.h"

/* In the handler of a sample, as pvp_kernel_take(). Async-signal-safe. */
unsigned pvp_mono_kernel_take(uintptr_t pc, uintptr_t sp, uint64_t *to);

/* The writer's, each round: gives new threads pages, closes ended threads'; all if not `wanted`. */
void pvp_mono_kernel_round(const struct pvp_writer *w, bool wanted);
/* Any thread, when no sample is asked for any more. */
void pvp_mono_kernel_stop(void);
/* In a child of fork, where no page is mapped. */
void pvp_mono_kernel_forget(void);

#endif
