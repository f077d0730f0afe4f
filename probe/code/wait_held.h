/* SPDX-License-Identifier: MIT */
/* Tells waiting threads held up by a stop of all threads from threads that wait otherwise. */
#ifndef PV_PROBE_WAIT_HELD_H
#define PV_PROBE_WAIT_HELD_H

#include "probe/code/wait_state.h"

/*
 * The state of a thread found waiting: frame[0] is its place, callers follow. `before`: the state
 * of its wait at the last look, PV_WAIT_LOCK if not waiting; `stop`: pvp_world_stop() from before
 * the look. Outside of stops w->state. The helper's thread only.
 */
enum pv_wait_state pvp_wait_state_in_stop(pid_t tid, const struct pvp_waiting *w,
	const uint64_t *frame, uint32_t n, enum pv_wait_state before, uint64_t stop);

#endif
