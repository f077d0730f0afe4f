/* SPDX-License-Identifier: MIT */
/* Threads without room for their events wait for the writer here, and find out when not to. */
#include "probe/core/backpressure.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/core/thread_buf.h"

enum {
	ROOM_NAP_NS = 200000, /* at first; then ever longer, to leave the writer a processor */
	LONGEST_NAP_NS = 5000000,
	LOOK_NS = 50000000,       /* between two checks of the writer */
	OVERSLEPT_NS = 200000000, /* so long after a check was due */
	STUCK_NS = 2000000000,    /* ns: a running writer needs less between two chunks */
	SLOW_NS = 50000000,       /* ns: a reader idle for so long is not waited for */
	TRIED_NS = 300000000, /* ns: the writer tries again sooner, unless it has no processor */
	BARRIER_NS = 1000000, /* ns: by then the stores of all processors are visible */
	JUDGED_NS =
		100000000, /* ns of waiting threads, after which judge_reader() decides who was slow */
	SLOW_BYTES = 1600000,  /* taken in JUDGED_NS: 16 MB/s, a reader fast enough to wait for */
	AGAIN_NS = 2000000000, /* so long no thread waits for a reader found to be slow */
};

struct pvp_backpressure pvp_backpressure;

void pvp_backpressure_reset(void)
{
	pvp_backpressure.joined = 0;
	atomic_store(&pvp_backpressure.crowded, false);
	atomic_store(&pvp_backpressure.wanted, false);
	atomic_store(&pvp_backpressure.waiting, 0);
	atomic_store(&pvp_backpressure.slow_until, 0);
	pvp_backpressure.last = pvp_backpressure.waited = 0;
	pvp_backpressure.stuck = pvp_backpressure.taken = 0;
	pvp_backpressure.held_up = false;
	atomic_store(&pvp_backpressure.stuck_since, 0);
	atomic_store(&pvp_backpressure.writer, 0);
}

void pvp_backpressure_joins(void)
{
	size_t chunks = pvp_core.pool ? pvp_pool_chunks(pvp_core.pool) : SIZE_MAX;
	if (++pvp_backpressure.joined > chunks / 2)
		atomic_store_explicit(&pvp_backpressure.crowded, true, memory_order_relaxed);
}

void pvp_backpressure_leaves(void)
{
	pvp_backpressure.joined--; /* once set, always: the chunks of ended threads are handed over
				      after a delay */
}

/*
 * Judges the reader only by the time in which threads waited: then the writer has all processors
 * needed.
 */
static void judge_reader(bool stuck, size_t taken, uint64_t now)
{
	struct pvp_backpressure *b = &pvp_backpressure;
	uint64_t passed = b->last ? now - b->last : 0;
	bool was = b->held_up;
	b->last = now;
	b->held_up = stuck;
	if (!atomic_load_explicit(&b->waiting, memory_order_relaxed))
		return;
	b->taken += taken;
	b->waited += passed;
	b->stuck += was ? passed : 0;
	if (b->waited < JUDGED_NS)
		return;
	if (b->stuck > b->waited / 2 && b->taken / (b->waited / JUDGED_NS) < SLOW_BYTES)
		atomic_store(&b->slow_until, now + AGAIN_NS);
	b->waited = b->stuck = b->taken = 0;
}

void pvp_backpressure_sink(bool stuck, size_t taken)
{
	uint64_t now = pvp_monotonic();
	judge_reader(stuck, taken, now);
	now = stuck ? now : 0;
	atomic_store(&pvp_backpressure.stuck_seen, now);
	if (!stuck || !atomic_load_explicit(&pvp_backpressure.stuck_since, memory_order_relaxed))
		atomic_store(&pvp_backpressure.stuck_since, now);
}

void pvp_backpressure_barrier(void)
{
	const struct timespec nap = { .tv_nsec = BARRIER_NS };
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
		return;
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
		nanosleep(&nap, NULL);
}

/* Losses are forbidden, or they come of the machine or of many threads. */
static bool may_wait(void)
{
	struct pvp_backpressure *b = &pvp_backpressure;
	if (atomic_load_explicit(&pvp_core.block, memory_order_relaxed))
		return true;
	uint64_t since = atomic_load_explicit(&b->stuck_since, memory_order_relaxed);
	uint64_t seen = atomic_load_explicit(&b->stuck_seen, memory_order_relaxed);
	uint64_t now = pvp_monotonic();
	if (!atomic_load_explicit(&b->crowded, memory_order_relaxed) &&
		now < atomic_load_explicit(&b->slow_until, memory_order_relaxed))
		return false;
	return !since || now - since < SLOW_NS || now - seen > TRIED_NS;
}

/*
 * Whether the writer is runnable (state R): then no lock and no reader of the log delays the
 * writer, only the busy machine, which delays this thread as well.
 */
static bool writer_is_ready(void)
{
	char path[64], text[512];
	uint64_t tid = atomic_load_explicit(&pvp_backpressure.writer, memory_order_relaxed);
	if (!tid)
		return true;
	snprintf(path, sizeof path, "/proc/self/task/%llu/stat", (unsigned long long)tid);
	pv_text_read(path, text, sizeof text);
	const char *state = pv_stat_find(text, PV_STAT_STATE);
	return state && *state == 'R';
}

/* The writer as seen by a waiting thread: `since` is the time of the last progress. */
struct look {
	uint64_t returned, since, next;
};

/* Whether the writer gives chunks back, is at its sink, or is runnable. */
static bool writer_comes_on(struct look *l)
{
	uint64_t now = pvp_monotonic(), returned = pvp_chunks_returned();
	bool sends = atomic_load(&pvp_core.block) && atomic_load(&pvp_core.sending);
	bool due = now >= l->next;
	bool overslept =
		now > l->next + OVERSLEPT_NS; /* this thread lacked a processor, and cannot judge */
	if (returned != l->returned || sends || overslept || (due && writer_is_ready()))
		l->since = now;
	if (due)
		l->next = now + LOOK_NS;
	l->returned = returned;
	return now - l->since <= STUCK_NS;
}

bool pvp_backpressure_wait(void)
{
	struct timespec nap = { .tv_nsec = ROOM_NAP_NS };
	uint32_t session = atomic_load(&pvp_core.session);
	uint64_t now = pvp_monotonic();
	struct look look = { pvp_chunks_returned(), now, now + LOOK_NS };
	int error = errno;
	bool room = false;
	if (pvp_tls.vain > look.returned)
		return false;
	atomic_fetch_add_explicit(&pvp_backpressure.waiting, 1, memory_order_relaxed);
	while (may_wait() && atomic_load(&pvp_core.session) == session && !pvp_paused()) {
		room = pvp_chunks_free() > 0;
		if (room)
			break;
		atomic_store_explicit(&pvp_backpressure.wanted, true, memory_order_relaxed);
		pthread_cond_signal(&pvp_core.wake);
		if (!writer_comes_on(&look)) {
			pvp_tls.vain = look.returned + 1;
			break;
		}
		uint64_t before = look.returned;
		nanosleep(&nap, NULL);
		if (pvp_chunks_returned() != before)
			nap.tv_nsec = ROOM_NAP_NS;
		else if (nap.tv_nsec < LONGEST_NAP_NS)
			nap.tv_nsec += nap.tv_nsec / 2;
	}
	atomic_fetch_sub_explicit(&pvp_backpressure.waiting, 1, memory_order_relaxed);
	errno = error;
	return room;
}
