/* SPDX-License-Identifier: MIT */
/* State of the runtime's stops of all threads, and the time that each thread was held. */
#include "probe/code/world_stop.h"

#include <stdatomic.h>
#include <stddef.h>

#include "probe/ground/probe_clock.h"

enum { THREADS = 1024, TRIES = 16, STEPS = 4 };

/* A thread held by the runtime at times; the search starts at the thread's number. */
struct held {
	_Atomic pid_t tid; /* 0: free */
	_Atomic uint64_t since, ns;
};

static _Atomic uint64_t steps; /* of all stops; modulo STEPS: enum pvp_world */
static _Atomic pid_t stopper;
static _Atomic pid_t members[THREADS]; /* by number; of two at the same place only one is known */
static struct held held[THREADS];
static _Atomic bool exact;

/* ---- stops */

void pvp_world_is(enum pvp_world now, pid_t by)
{
	uint64_t n = atomic_load_explicit(&steps, memory_order_relaxed);
	atomic_store_explicit(&stopper, by, memory_order_relaxed);
	n += (now + STEPS - n % STEPS) % STEPS;
	atomic_store_explicit(&steps, n, memory_order_release);
}

uint64_t pvp_world_stop(void)
{
	uint64_t n = atomic_load_explicit(&steps, memory_order_acquire);
	return n % STEPS == PVP_WORLD_RUNS ? 0 : n;
}

bool pvp_world_is_still(uint64_t step)
{
	return step % STEPS == PVP_WORLD_STOPPED;
}

void pvp_world_joins(pid_t tid)
{
	_Atomic pid_t *at = &members[(unsigned)tid % THREADS];
	if (atomic_load_explicit(at, memory_order_relaxed) != tid)
		atomic_store_explicit(at, tid, memory_order_relaxed);
}

bool pvp_world_has(pid_t tid)
{
	return atomic_load_explicit(&members[(unsigned)tid % THREADS], memory_order_relaxed) ==
		       tid &&
	       atomic_load_explicit(&stopper, memory_order_relaxed) != tid;
}

/* ---- threads reported as held by the runtime */

static struct held *find_held(pid_t tid)
{
	for (unsigned i = 0; i < TRIES; i++) {
		struct held *h = &held[((unsigned)tid + i) % THREADS];
		if (atomic_load_explicit(&h->tid, memory_order_acquire) == tid)
			return h;
	}
	return NULL;
}

static struct held *find_or_take(pid_t tid)
{
	struct held *h = find_held(tid);
	for (unsigned i = 0; !h && i < TRIES; i++) {
		pid_t none = 0;
		struct held *at = &held[((unsigned)tid + i) % THREADS];
		if (atomic_compare_exchange_strong(&at->tid, &none, tid))
			h = at;
	}
	return h;
}

void pvp_world_holds(pid_t tid)
{
	struct held *h = find_or_take(tid);
	atomic_store_explicit(&exact, true, memory_order_relaxed);
	if (h)
		atomic_store_explicit(&h->since, pvp_monotonic(), memory_order_release);
}

void pvp_world_lets_go(pid_t tid)
{
	struct held *h = find_held(tid);
	uint64_t since = h ? atomic_load_explicit(&h->since, memory_order_relaxed) : 0;
	if (!since)
		return;
	uint64_t ns = atomic_load_explicit(&h->ns, memory_order_relaxed);
	/* A reader in between misses this time until the next call. */
	atomic_store_explicit(&h->since, 0, memory_order_release);
	atomic_store_explicit(&h->ns, ns + pvp_monotonic() - since, memory_order_release);
}

uint64_t pvp_world_held(pid_t tid, uint64_t now, bool *ret_held)
{
	struct held *h = find_held(tid);
	*ret_held = false;
	if (!h)
		return 0;
	uint64_t ns = atomic_load_explicit(&h->ns, memory_order_acquire);
	uint64_t since = atomic_load_explicit(&h->since, memory_order_acquire);
	*ret_held = since != 0;
	return ns + (since && since < now ? now - since : 0);
}

bool pvp_world_is_exact(void)
{
	return atomic_load_explicit(&exact, memory_order_relaxed);
}

void pvp_world_leaves(pid_t tid)
{
	pid_t there = tid;
	atomic_compare_exchange_strong(&members[(unsigned)tid % THREADS], &there, 0);
	struct held *h = find_held(tid);
	if (!h)
		return;
	atomic_store_explicit(&h->since, 0, memory_order_relaxed);
	atomic_store_explicit(&h->ns, 0, memory_order_relaxed);
	atomic_store_explicit(&h->tid, 0, memory_order_release);
}

void pvp_world_forget(void)
{
	atomic_store(&steps, 0);
	for (unsigned i = 0; i < THREADS; i++) {
		atomic_store_explicit(&members[i], 0, memory_order_relaxed);
		atomic_store_explicit(&held[i].since, 0, memory_order_relaxed);
		atomic_store_explicit(&held[i].ns, 0, memory_order_relaxed);
		atomic_store_explicit(&held[i].tid, 0, memory_order_relaxed);
	}
}
