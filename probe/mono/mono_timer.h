/* SPDX-License-Identifier: MIT */
/*
 * Timers of Mono's threads for samples above the system's ticks, as far as the system allows them.
 * No function fails: without timers the runtime's own sampler is left.
 */
#ifndef PV_PROBE_MONO_TIMER_H
#define PV_PROBE_MONO_TIMER_H

#include "probe/core/writer.h"

/* In the handler of a sample, with its context: finds the runtime's signal. */
void pvp_mono_timer_learn(const void *context);
/* Any thread: so many a second from the next round on; 0 or no more than the ticks: no timers. */
void pvp_mono_timer_rate(unsigned rate);
/* The writer's, each round: gives timers to new threads, and takes ended threads' timers. */
void pvp_mono_timer_round(const struct pvp_writer *w);
/* Any thread, before the runtime goes: all timers end. */
void pvp_mono_timer_stop(void);
/* In a child of fork, without timers. */
void pvp_mono_timer_forget(void);

#endif
