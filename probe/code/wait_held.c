/* SPDX-License-Identifier: MIT */
/* Tells threads held up by a stop of all threads from threads that wait for something else. */
#include "probe/code/wait_held.h"

#include <string.h>

#include "probe/code/call_code.h"
#include "probe/unwind/own_memory.h"
#include "probe/code/world_stop.h"

/*
 * Frames of a thread held by a stop: the C library's way into the kernel, and the waiting place in
 * the runtime. With a longer way other waits for semaphores look the same: asked in stops only.
 */
enum { PLACE = 4, PLACES = 16 };

struct place {
	uint64_t frame[PLACE];
};

static struct place places[PLACES];
static unsigned known, next;

static bool is_known(const uint64_t *frame)
{
	for (unsigned i = 0; i < known; i++)
		if (memcmp(places[i].frame, frame, sizeof places[i].frame) == 0)
			return true;
	return false;
}

static void learn_place(const uint64_t *frame)
{
	if (is_known(frame))
		return;
	memcpy(places[next].frame, frame, sizeof places[next].frame);
	next = (next + 1) % PLACES;
	known += known < PLACES;
}

static bool returns_from_signal(uint64_t frame)
{
	uint8_t at[sizeof pvp_sigreturn_code];
	return pvp_memory_read(at, frame, sizeof at) &&
	       memcmp(at, pvp_sigreturn_code, sizeof at) == 0;
}

/*
 * Whether a signal met the thread in a system call. Only the interrupted place tells: a caller
 * further out, or what is left of one on the stack, may follow a call at any time.
 */
static bool was_in_call(const uint64_t *frame, uint32_t n)
{
	enum {
		CALL = sizeof pvp_call_code,
		BEFORE = CALL + 1
	}; /* an interrupted place is stored plus 1 */
	uint8_t at[2 * CALL];
	uint32_t i = 1;
	while (i < n && !returns_from_signal(frame[i - 1]))
		i++;
	return i < n && pvp_memory_read(at, frame[i] - BEFORE, sizeof at) &&
	       (memcmp(at, pvp_call_code, CALL) == 0 ||
		       memcmp(at + CALL, pvp_call_code, CALL) == 0);
}

/*
 * In a complete stop, a thread in a system call was met there by the runtime's signal and is in the
 * signal's handler; a thread in no handler has stopped by itself. Before and after the complete
 * stop, only the place tells.
 */
enum pv_wait_state pvp_wait_state_in_stop(pid_t tid, const struct pvp_waiting *w,
	const uint64_t *frame, uint32_t n, enum pv_wait_state before, uint64_t stop)
{
	uint64_t now = pvp_world_stop();
	if (!stop || !now || !pvp_world_has(tid) || n < PLACE || w->state != PV_WAIT_LOCK)
		return w->state;
	if (w->in_handler) {
		if (!was_in_call(frame, n))
			return PV_WAIT_GC;
		return before == PV_WAIT_GC ? w->state : before;
	}
	if (w->in_futex && now == stop && pvp_world_is_still(stop))
		learn_place(frame);
	return w->in_futex && is_known(frame) ? PV_WAIT_GC : w->state;
}
