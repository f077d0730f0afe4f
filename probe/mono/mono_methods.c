/* SPDX-License-Identifier: MIT */
/* Gives numbers to methods: a hash table that readers search without a lock. */
#include "probe/mono/mono_methods.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "probe/core/thread_buf.h"

/*
 * Numbers lie above the numbers of regions. Methods only seen on stacks have numbers above the
 * called methods', so that steps between calls stay small.
 */
enum {
	FIRST_CALLED = 1 << 16,
	FIRST_OTHER = FIRST_CALLED + (1 << 19),
	LEAST_BITS = 11, /* places at the start, as a power of two */
	BITS = 64,
};
/* Mark of an address used as key, for lack of a number. */
static const uint64_t bare = UINT64_C(1) << 62;

struct pvp_numbers *_Atomic pvp_numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(uint64_t) called, others; /* addresses, by number */

static uint64_t places(const struct pvp_numbers *t)
{
	return UINT64_C(1) << (BITS - t->shift);
}

/* The place of the address, or a free place for it. */
static struct pvp_numbered *find_numbered(struct pvp_numbers *t, uint64_t address)
{
	for (uint64_t i = pvp_numbers_hash(address) >> t->shift;; i = (i + 1) % places(t)) {
		uint64_t there = atomic_load_explicit(&t->at[i].method, memory_order_acquire);
		if (there == address || !there)
			return &t->at[i];
	}
}

static void put_numbered(struct pvp_numbers *t, uint64_t address, uint64_t key)
{
	struct pvp_numbered *n = find_numbered(t, address);
	n->key = key;
	atomic_store_explicit(&n->method, address, memory_order_release);
}

static struct pvp_numbers *create_numbers(unsigned bits)
{
	size_t n = ((size_t)1 << bits) + 1;
	struct pvp_numbers *t = calloc(1, sizeof *t + n * sizeof t->at[0]);
	if (t)
		t->shift = BITS - bits;
	return t;
}

/* Under the lock: a table with half of the places free after another address. */
static struct pvp_numbers *grown(struct pvp_numbers *t)
{
	if (called.n + others.n < places(t) / 2)
		return t;
	struct pvp_numbers *larger = create_numbers(BITS - t->shift + 1);
	if (!larger)
		return NULL;
	for (uint64_t i = 0; i < places(t); i++) {
		uint64_t address = atomic_load_explicit(&t->at[i].method, memory_order_relaxed);
		if (address)
			put_numbered(larger, address, t->at[i].key);
	}
	/* Threads may still read the old table, so it stays: all old ones together are as large. */
	atomic_store_explicit(&pvp_numbers, larger, memory_order_release);
	return larger;
}

bool pvp_mono_numbers_init(void)
{
	if (!pvp_numbers)
		atomic_store(&pvp_numbers, create_numbers(LEAST_BITS));
	return pvp_numbers;
}

/* Under the lock. 0: out of memory. */
static uint64_t number_method(uint64_t address, bool calls)
{
	struct pvp_numbers *t = grown(atomic_load_explicit(&pvp_numbers, memory_order_relaxed));
	calls = calls && called.n < FIRST_OTHER - FIRST_CALLED;
	if (!t || !pv_reserve(&called, 1) || !pv_reserve(&others, 1))
		return 0;
	uint64_t key = calls ? FIRST_CALLED + called.n : FIRST_OTHER + others.n;
	if (calls)
		called.v[called.n++] = address;
	else
		others.v[others.n++] = address;
	put_numbered(t, address, key);
	return key;
}

/* A thread that stops the world may not wait: the lock's holder may be stopped. */
static bool lock_it(void)
{
	return pvp_tls.hurried ? pthread_mutex_trylock(&lock) == 0 : pthread_mutex_lock(&lock) == 0;
}

uint64_t pvp_mono_number(const MonoMethod *method, bool calls)
{
	uint64_t address = (uint64_t)(uintptr_t)method, key = 0;
	struct pvp_numbers *t = atomic_load_explicit(&pvp_numbers, memory_order_acquire);
	const struct pvp_numbered *n = find_numbered(t, address);
	if (atomic_load_explicit(&n->method, memory_order_acquire) == address)
		return n->key;
	if (lock_it()) {
		n = find_numbered(
			atomic_load_explicit(&pvp_numbers, memory_order_relaxed), address);
		bool known = atomic_load_explicit(&n->method, memory_order_relaxed) == address;
		key = known ? n->key : number_method(address, calls);
		pthread_mutex_unlock(&lock);
	}
	return key ? key : bare | address >> 3;
}

MonoMethod *pvp_mono_method_of(uint64_t key)
{
	uint64_t address = 0;
	if (key & bare)
		return (MonoMethod *)(uintptr_t)((key & ~bare) << 3);
	pthread_mutex_lock(&lock);
	if (key >= FIRST_OTHER && key - FIRST_OTHER < others.n)
		address = others.v[key - FIRST_OTHER];
	else if (key >= FIRST_CALLED && key - FIRST_CALLED < called.n)
		address = called.v[key - FIRST_CALLED];
	pthread_mutex_unlock(&lock);
	return (MonoMethod *)(uintptr_t)address;
}

void pvp_mono_numbers_wait(void)
{
	pthread_mutex_lock(&lock);
}

void pvp_mono_numbers_release(void)
{
	pthread_mutex_unlock(&lock);
}
