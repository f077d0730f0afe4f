#include "probe/crowd.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/thread_buf.h"

enum {
	ROOM_NAP_NS = 200000,
	STUCK_NS = 2000000000, /* no writer needs that between two chunks, except at its sink */
	SLOW_NS = 10000000,    /* a reader that takes nothing for so long is not waited for */
	BARRIER_NS = 1000000,  /* every processor has shown its stores by then */
};

struct pvp_crowd pvp_crowd;

void pvp_crowd_reset(void)
{
	pvp_crowd.joined = 0;
	atomic_store(&pvp_crowd.crowded, false);
	atomic_store(&pvp_crowd.wanted, false);
	atomic_store(&pvp_crowd.stuck_since, 0);
}

void pvp_crowd_joins(void)
{
	size_t chunks = pvp_core.pool ? pvp_pool_chunks(pvp_core.pool) : SIZE_MAX;
	if (++pvp_crowd.joined > chunks / 2)
		atomic_store_explicit(&pvp_crowd.crowded, true, memory_order_relaxed);
}

void pvp_crowd_leaves(void)
{
	pvp_crowd.joined--; /* once crowded, always: the chunks of those that end come late */
}

void pvp_crowd_stuck(bool stuck)
{
	if (!stuck)
		atomic_store(&pvp_crowd.stuck_since, 0);
	else if (!atomic_load_explicit(&pvp_crowd.stuck_since, memory_order_relaxed))
		atomic_store(&pvp_crowd.stuck_since, pvp_monotonic());
}

void pvp_crowd_barrier(void)
{
	const struct timespec nap = { .tv_nsec = BARRIER_NS };
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
		return;
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
		nanosleep(&nap, NULL);
}

/* Losses are forbidden, or those that only come of many threads can be helped. */
static bool may_wait(void)
{
	if (atomic_load_explicit(&pvp_core.block, memory_order_relaxed))
		return true;
	uint64_t stuck = atomic_load_explicit(&pvp_crowd.stuck_since, memory_order_relaxed);
	return atomic_load_explicit(&pvp_crowd.crowded, memory_order_relaxed) &&
	       (!stuck || pvp_monotonic() - stuck < SLOW_NS);
}

bool pvp_crowd_wait(void)
{
	const struct timespec nap = { .tv_nsec = ROOM_NAP_NS };
	uint64_t since = pvp_monotonic(), before = pvp_chunks_returned();
	uint32_t session = atomic_load(&pvp_core.session);
	if (pvp_tls.vain > before)
		return false;
	while (may_wait() && atomic_load(&pvp_core.session) == session && !pvp_paused()) {
		if (pvp_chunks_free() > 0)
			return true;
		atomic_store_explicit(&pvp_crowd.wanted, true, memory_order_relaxed);
		pthread_cond_signal(&pvp_core.wake);
		uint64_t now = pvp_monotonic(), returned = pvp_chunks_returned();
		bool block = atomic_load(&pvp_core.block);
		if (returned != before || (block && atomic_load(&pvp_core.sending))) {
			before = returned;
			since = now;
		} else if (now - since > STUCK_NS) {
			pvp_tls.vain = before + 1;
			return false;
		}
		nanosleep(&nap, NULL);
	}
	return false;
}
