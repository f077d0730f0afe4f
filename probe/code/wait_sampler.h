/*
 * Threads that wait, sampled from outside: a helper thread of the probe reads what the system
 * tells of each and walks a copy of its stack. The program's threads are not interrupted, and what
 * the helper takes is bounded: PVP_WAITS_PERCENT of one processor, however many threads there are
 * (with many of them more rarely). How long a thread waited comes from the scheduler's own sums, so
 * it does not depend on how often is looked; only what it waited for does. Times are ns.
 */
#ifndef PV_PROBE_WAIT_SAMPLER_H
#define PV_PROBE_WAIT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/code/native_walk.h"
#include "probe/code/probe_frames.h"
#include "probe/core/sample_rate.h"

struct pvp_writer;
struct pvp_out_buffer;

enum { PVP_WAITS_PERCENT = 2, PVP_WAITS_MOST = 100 /* a second */ };

/*
 * Any thread: waits are logged in samples of this rate from now on. An order that is not for waits
 * changes their rate where there are some, or ends them.
 */
void pvp_waits_follow(struct pvp_sample_order order);

/*
 * The writer's thread: begins or ends the helper, writes what it found; `ended`: so many samples
 * have stacks that end there, may be NULL.
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
