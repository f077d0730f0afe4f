/* SPDX-License-Identifier: MIT */
/* Extension events on holders of locks and on collections, which say far too much, or nothing. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/hostile_made.h"

enum {
	KEYS = HOSTILE_KEYS,
	THREAD = HOSTILE_THREAD,
	OBJECT = HOSTILE_OBJECT,
	METHOD = 0x20000000,
	RING = 3,   /* threads of a usual cycle */
	FRAMES = 8, /* of a usual stack */
	DEEP = 200,
};
#define DECADES INT64_C(946080000000000000) /* ns: thirty years */

static uint64_t thread_of(unsigned i)
{
	return THREAD + (uint64_t)i * 16;
}

static uint64_t lock_of(unsigned i)
{
	return OBJECT + (uint64_t)i * 64;
}

/* --- waits */

static void put_monitor(struct made *x, uint8_t kind, uint64_t lock, struct pv_span stack)
{
	struct pv_event e = { .kind = kind };
	e.monitor.object = lock;
	e.monitor.stack = stack;
	hostile_put(x, &e);
}

/* In a buffer of the thread's own, which may begin at another time. */
static void put_wait(struct made *x, unsigned thread, unsigned lock, uint64_t holder)
{
	struct pv_event e = { .kind = PV_KIND_EXT_HOLDER, .holder = { lock_of(lock), holder } };
	wire_buffer(&x->w, thread_of(thread));
	uint64_t step = x->w.step;
	x->w.step = 0;
	hostile_put(x, &e);
	x->w.step = step;
	put_monitor(x, PV_KIND_MONITOR_CONTENTION, lock_of(lock), (struct pv_span){ 0 });
}

static void put_end(struct made *x, unsigned thread, unsigned lock, bool got)
{
	wire_buffer(&x->w, thread_of(thread));
	put_monitor(x, got ? PV_KIND_MONITOR_DONE : PV_KIND_MONITOR_FAIL, lock_of(lock),
		(struct pv_span){ 0 });
}

/* Each thread waits for the next one; none gets anything. The last waits for a thread that is not there. */
static void chain_of_holders(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = benign ? i % KEYS : i;
		put_wait(x, at, at, thread_of(at + 1));
		if (benign)
			put_end(x, at, at, true);
	}
}

/* Likewise, and the last one for the first. */
static void ring_of_holders(struct made *x, bool benign, unsigned n)
{
	unsigned ring = benign ? RING : n;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i % KEYS / RING * RING + i % ring, next = at + 1;
		if (!benign)
			at = i, next = (i + 1) % n;
		else if (next % RING == 0)
			next -= RING;
		put_wait(x, at, at, thread_of(next));
		if (benign)
			put_end(x, at, at, false);
	}
}

/* A waits for B, and B for A, again and again; all of it lasts to the end of the log. */
static void knots_of_two(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned pair = benign ? i % KEYS / 2 * 2 : i / 2 * 2, at = pair + i % 2;
		put_wait(x, at, at, thread_of(pair + !(i % 2)));
		if (benign)
			put_end(x, at, at, false);
	}
}

/* All wait for one lock, and each says that another has it, of which the log has nothing else. */
static void holders_that_are_not(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = benign ? i % KEYS : i;
		put_wait(x, at, 0, benign ? thread_of(0) : UINT64_MAX - i);
		put_end(x, at, 0, i % 2);
	}
}

/* Of another object than the one that is waited for, of none, and several for one wait. */
static void holders_of_others(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned lock = benign ? i % KEYS : i;
		struct pv_event e = { .kind = PV_KIND_EXT_HOLDER,
			.holder = {
				benign ? lock_of(lock) : UINT64_MAX - i, thread_of(i % KEYS) } };
		hostile_put(x, &e);
		if (!benign && i % 2)
			continue;
		put_monitor(x, PV_KIND_MONITOR_CONTENTION, lock_of(lock), (struct pv_span){ 0 });
		put_monitor(x, PV_KIND_MONITOR_DONE, lock_of(lock), (struct pv_span){ 0 });
	}
}

/* The holder's id is that of a thread which ended, and began, very often. */
static void holders_of_many_lives(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t thread = thread_of(KEYS + (benign ? i % KEYS : 0));
		struct pv_event e = { .kind = PV_KIND_THREAD_START };
		wire_buffer(&x->w, thread);
		e.meta.key = thread;
		hostile_put(x, &e);
		e.kind = PV_KIND_THREAD_END;
		hostile_put(x, &e);
	}
	x->w.now -= benign ? 0 : (uint64_t)n * x->w.step;
	for (unsigned i = 0; i < n; i++) {
		put_wait(x, i % KEYS, i % KEYS, thread_of(KEYS + (benign ? i % KEYS : 0)));
		put_end(x, i % KEYS, i % KEYS, true);
	}
}

/* They begin and end decades apart, in no order. */
static void decades_of_waits(struct made *x, bool benign, unsigned n)
{
	const uint64_t begins = x->w.now;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i % KEYS;
		if (!benign)
			x->w.now = begins + (uint64_t)(i * 7 % 9) * (uint64_t)DECADES;
		put_wait(x, at, at / 2, thread_of(at + 1));
		if (!benign)
			x->w.now = begins + (uint64_t)(i * 5 % 9) * (uint64_t)DECADES;
		put_end(x, at, at / 2, i % 3 > 0);
	}
}

/* Nothing but the waiting itself is on the stack, very deep. */
static void waits_deep_in_waiting(struct made *x, bool benign, unsigned n)
{
	unsigned deep = benign ? FRAMES : DEEP;
	for (unsigned i = 0; i < deep; i++) {
		struct pv_event e = { .kind = PV_KIND_METHOD_JIT };
		char *name = x->text;
		snprintf(name, sizeof x->text, "System.Threading.Monitor:M%u ()", i);
		e.jit.method = METHOD + (uint64_t)i * 64;
		e.jit.name = (struct pv_text){ name, strlen(name) };
		hostile_put(x, &e);
	}
	for (unsigned i = 0; i < n * FRAMES / deep + 1; i++) {
		unsigned lock = benign ? i % KEYS : i;
		ck_assert(pv_reserve(&x->pools.pool, deep));
		for (unsigned k = 0; k < deep; k++)
			x->pools.pool.v[x->pools.pool.n++] = METHOD + (uint64_t)k * 64;
		put_monitor(
			x, PV_KIND_MONITOR_CONTENTION, lock_of(lock), (struct pv_span){ 0, deep });
		put_monitor(x, PV_KIND_MONITOR_DONE, lock_of(lock), (struct pv_span){ 0 });
	}
}

/* --- collections */

static void put_gc(struct made *x, unsigned step, unsigned generation)
{
	struct pv_event e = { .kind = PV_KIND_GC_EVENT };
	e.gc.step = step;
	e.gc.generation = generation;
	hostile_put(x, &e);
}

static void put_why(struct made *x, uint64_t reason, uint64_t how)
{
	struct pv_event e = { .kind = PV_KIND_EXT_COLLECTION, .collection = { reason, how } };
	hostile_put(x, &e);
}

static void put_left(
	struct made *x, uint64_t collected, uint64_t region, uint64_t bytes, uint64_t promoted)
{
	struct pv_event e = { .kind = PV_KIND_EXT_GENERATION,
		.left = { collected, region, bytes, promoted } };
	hostile_put(x, &e);
}

static void put_alloc(struct made *x, uint64_t size)
{
	struct pv_event e = { .kind = PV_KIND_ALLOC };
	e.alloc.type = HOSTILE_CLASS;
	e.alloc.object = OBJECT;
	e.alloc.size = size;
	hostile_put(x, &e);
}

/* More reasons than there are, of collections that never began, and again of one that did. */
static void reasons_of_nothing(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (benign || i == 0)
			put_gc(x, PV_GC_START, i % 3);
		put_why(x, benign ? i % PV_WHYS : i % 2 ? UINT64_MAX - i : i, i % 5);
		if (benign)
			put_gc(x, PV_GC_END, i % 3);
	}
}

/* As much is left as there are numbers for, of generations and regions that are not. */
static void left_without_measure(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t most = benign ? 4096 : UINT64_MAX;
		put_alloc(x, benign ? 24 : UINT64_C(1) << 62);
		put_gc(x, PV_GC_START, i % 3);
		put_why(x, PV_WHY_FIRST, PV_HOW_BLOCKING);
		put_gc(x, PV_GC_END, i % 3);
		put_left(x, i % 3, i % PV_REGIONS, most, most);
		if (!benign)
			put_left(x, most, most, most, most);
	}
}

/* Each before the one before it, decades ago, and what it left is said of the newest. */
static void decades_of_collections(struct made *x, bool benign, unsigned n)
{
	const uint64_t begins = x->w.now;
	for (unsigned i = 0; i < n; i++) {
		if (!benign) {
			x->w.now = begins + (uint64_t)(i * 7 % 9) * (uint64_t)DECADES;
			wire_buffer(&x->w, THREAD);
		}
		put_gc(x, PV_GC_PRE_STOP, i % 3);
		put_gc(x, PV_GC_START, i % 3);
		put_why(x, PV_WHY_FIRST + i % 14, i % PV_HOWS);
		if (!benign) {
			x->w.now = begins + (uint64_t)(i * 5 % 9) * (uint64_t)DECADES;
			wire_buffer(&x->w, THREAD);
		}
		put_left(x, i % 3, i % PV_REGIONS, i, i);
		put_gc(x, PV_GC_END, i % 3);
		put_gc(x, PV_GC_POST_START, i % 3);
	}
}

const struct hostile_family hostile_ext[] = {
	{ "chain of holders", chain_of_holders, false },
	{ "ring of holders", ring_of_holders, false },
	{ "knots of two", knots_of_two, false },
	{ "holders that are not", holders_that_are_not, false },
	{ "holders of other objects", holders_of_others, false },
	{ "holders of many lives", holders_of_many_lives, false },
	{ "waits decades apart", decades_of_waits, false },
	{ "waits deep in waiting", waits_deep_in_waiting, false },
	{ "reasons of nothing", reasons_of_nothing, false },
	{ "left without measure", left_without_measure, false },
	{ "collections decades apart", decades_of_collections, false },
	{ NULL, NULL, false },
};
