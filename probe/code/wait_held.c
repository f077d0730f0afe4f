#include "probe/code/wait_held.h"

#include <string.h>

#include "probe/code/own_memory.h"
#include "probe/code/world_stop.h"

/*
 * The C library's way into the kernel, and the place in the runtime that waits. Where the library's
 * part is longer, threads that wait for other semaphores look alike: that is asked in stops only.
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

static void learn(const uint64_t *frame)
{
	if (is_known(frame))
		return;
	memcpy(places[next].frame, frame, sizeof places[next].frame);
	next = (next + 1) % PLACES;
	known += known < PLACES;
}

/* A system call is among the callers: that is where a signal met it. */
static bool was_in_call(const uint64_t *frame, uint32_t n)
{
	static const uint8_t call[] = { 0x0f, 0x05 };
	enum { BEFORE = 3, AFTER = 2 }; /* a place that was interrupted is written plus one */
	uint8_t at[BEFORE - 1 + AFTER];
	for (uint32_t i = 1; i < n; i++)
		if (pvp_memory_read(at, frame[i] - BEFORE, sizeof at) &&
			(memcmp(at, call, sizeof call) == 0 ||
				memcmp(at + AFTER, call, sizeof call) == 0))
			return true;
	return false;
}

/*
 * When all are stopped, a thread that is in a system call of its own has been met in it by the
 * runtime's signal and is in its handler; one that is in no handler has stopped by itself. Before
 * and after it is known by the place.
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
		learn(frame);
	return w->in_futex && is_known(frame) ? PV_WAIT_GC : w->state;
}
