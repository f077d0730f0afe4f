/* Waiting threads that a stop of all threads holds up, and those that wait for something else. */
#ifndef PV_PROBE_WAIT_HELD_H
#define PV_PROBE_WAIT_HELD_H

#include "probe/code/wait_state.h"

/*
 * The state of a thread that was met waiting: frames[0] is where it is, callers follow. `before`: the
 * state of the wait that it was in at the last look, PV_WAIT_LOCK if it was in none; `stop`: of
 * pvp_world_stop() before it was looked at. Out of stops w->state. The helper's thread only.
 */
enum pv_wait_state pvp_wait_state_in_stop(pid_t tid, const struct pvp_waiting *w,
	const uint64_t *frame, uint32_t n, enum pv_wait_state before, uint64_t stop);

#endif
