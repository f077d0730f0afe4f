/* SPDX-License-Identifier: MIT */
/*
 * Samples of waiting threads, from outside: a helper thread of the probe reads the system's facts
 * about each thread and walks a copy of the stack. The program's threads are not interrupted, and
 * the helper's time is bounded: PVP_WAITS_PERCENT of a processor for any number of threads (with
 * many of them samples are rarer). The length of a wait comes from the scheduler's sums, whatever
 * the rate; only the cause depends on it. Times are ns.
 */
#ifndef PV_PROBE_WAIT_SAMPLER_H
#define PV_PROBE_WAIT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/unwind/native_walk.h"
#include "probe/code/probe_frames.h"
#include "probe/ground/sample_rate.h"

struct pvp_writer;
struct pvp_out_buffer;

enum { PVP_WAITS_PERCENT = 2, PVP_WAITS_MOST = 100 /* a second */ };

/*
 * Any thread: waits are logged in samples of this rate from now on. An order not for waits changes
 * the rate if waits are logged, or ends them.
 */
void pvp_waits_follow(struct pvp_sample_order order);

/*
 * The writer's thread: begins or ends the helper, writes the samples found; `ended`: this many
 * samples have stacks with this end, may be NULL.
 */
void pvp_waits_tell(struct pvp_writer *w, struct pvp_out_buffer *page, pvp_frame_key *key,
	void (*ended)(const struct pvp_walk_stop *stop, uint64_t times));
void pvp_waits_each(void (*each)(uint64_t address)); /* as pvp_native_samples_each() */
void pvp_waits_stop(void);
/* Ends the thread until the next pvp_waits_tell(). */
void pvp_waits_park(void);

/* In a child of fork: there is no helper here. */
void pvp_waits_forget(void);

#endif
