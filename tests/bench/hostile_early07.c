/* SPDX-License-Identifier: MIT */
/*
 * Hostile logs of the profiler of 2007 in its first forms: stage A, whose hits, heap and headers
 * are others, and the draft, whose blocks have no sizes.
 */
#include "tests/bench/hostile_log07.h"

/* --- stage A */

static void call(struct hostile07 *x, uint64_t key)
{
	uint64_t more = hostile07_event(x, hostile07_thread(x, key));
	b07_kit_packed(&x->k, 1, key + 1, more);
}

static void return_(struct hostile07 *x, uint64_t key)
{
	uint64_t more = hostile07_event(x, hostile07_thread(x, key));
	b07_kit_packed(&x->k, 3, key + 1, more);
}

static void allocate(struct hostile07 *x, uint64_t key)
{
	hostile07_event(x, hostile07_thread(x, key));
	b07_kit_packed(&x->k, 4, key + 1, 24);
}

static void collection(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 2, false, key % 3);
}

static void collected(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 2, true, key % 3);
}

static void load(struct hostile07 *x, uint64_t key, unsigned code)
{
	char name[32];
	hostile07_begin(x, code);
	b07_kit_byte(&x->k, 1);
	b07_kit_at(&x->k, x->us);
	b07_kit_at(&x->k, x->us);
	b07_kit_var(&x->k, hostile07_thread(x, key));
	b07_kit_text(&x->k, hostile07_name(x, name));
	hostile07_end(x);
}

/* No block with a clock comes before the log's end. */
static void loads(struct hostile07 *x, uint64_t key)
{
	load(x, key, x->k.stage == 'x' ? 3 : LOADED);
}

static void unloads(struct hostile07 *x, uint64_t key)
{
	load(x, key, x->k.stage == 'x' ? 4 : UNLOADED);
}

static void hits(struct hostile07 *x, uint64_t key)
{
	char name[32];
	hostile07_begin(x, HITS);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, 3, key + 2, 0, key + 1, key << 12, 0x1000, 0x40);
	b07_kit_text(&x->k, hostile07_name(x, name));
	b07_kit_var(&x->k, 0);
	for (unsigned i = 0; i < hostile07_many(x); i++)
		B07_VARS(&x->k, (key + 1 + i) << 2 | 1, (key + 1) << 2 | 2, 0x123 + i, 2, key + i);
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void heap(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, HEAP);
	b07_kit_clock(&x->k, x->us);
	b07_kit_clock(&x->k, x->us);
	for (unsigned i = 0; i < hostile07_many(x); i++) {
		uint64_t object = 0x1000 + (key + i) * 64;
		B07_VARS(&x->k, object | 1, 1, object + 64, (key + i + 1) << 2 | 2, 24);
	}
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

/* --- the draft */

static void event(struct hostile07 *x, unsigned byte, uint64_t thread, uint64_t value)
{
	uint64_t more = hostile07_event(x, thread);
	b07_kit_full(&x->k, byte, value, more);
}

/* Event bytes by what begins and what ends. */
#define PAIR(name, begins, ends)                                                                   \
	static void name##_begins(struct hostile07 *x, uint64_t key)                               \
	{                                                                                          \
		event(x, begins, hostile07_thread(x, key), key + 1);                               \
	}                                                                                          \
	static void name##_ends(struct hostile07 *x, uint64_t key)                                 \
	{                                                                                          \
		event(x, ends, hostile07_thread(x, key), key + 1);                                 \
	}
PAIR(draft_call, 0x20, 0x28)
PAIR(draft_compile, 0x21, 0x29)
PAIR(draft_failure, 0x21, 0x2d)
PAIR(draft_hit, 0x22, 0x01)
PAIR(draft_class, 0x10, 0x18)
PAIR(draft_unload, 0x11, 0x19)
PAIR(draft_allocation, 0x12, 0x12)
PAIR(draft_throw, 0x13, 0x23)
PAIR(draft_thread, 0x02, 0x0a)
PAIR(draft_collection, 0x03, 0x0b)
PAIR(draft_mark, 0x04, 0x0c)
PAIR(draft_sweep, 0x05, 0x0d)
PAIR(draft_resize, 0x06, 0x06)

static void draft_mapping(struct hostile07 *x, uint64_t key)
{
	char name[32];
	hostile07_begin(x, 5);
	b07_kit_at(&x->k, x->us);
	B07_VARS(&x->k, HOSTILE07_THREAD, key + 1);
	b07_kit_text(&x->k, hostile07_name(x, name));
	B07_VARS(&x->k, 0, key + 1, key + 1);
	b07_kit_text(&x->k, "Run ()");
	b07_kit_var(&x->k, 0);
	b07_kit_at(&x->k, x->us);
	hostile07_end(x);
}

static void draft_hits(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, 7);
	b07_kit_at(&x->k, x->us);
	for (unsigned i = 0; i < hostile07_many(x); i++)
		b07_kit_var(&x->k, key + i + 1);
	b07_kit_var(&x->k, 0);
	for (unsigned i = 0; i < hostile07_many(x); i++)
		b07_kit_var(&x->k, key + i + 1);
	b07_kit_var(&x->k, 0);
	b07_kit_at(&x->k, x->us);
	hostile07_end(x);
}

static void draft_clock(struct hostile07 *x, uint64_t key)
{
	(void)key;
	hostile07_begin(x, 2);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static const struct hostile07_family early[] = {
	{ "calls of stage A", call, return_, 'A', false, false },
	{ "allocations of stage A", allocate, NULL, 'A', false, false },
	{ "collections of stage A", collection, collected, 'A', false, false },
	{ "loads of stage A", loads, unloads, 'A', false, true },
	{ "hits of stage A", hits, NULL, 'A', true, true },
	{ "heap shots of stage A", heap, NULL, 'A', true, false },
	{ "calls of the draft", draft_call_begins, draft_call_ends, 'x', false, false },
	{ "compiles of the draft", draft_compile_begins, draft_compile_ends, 'x', false, false },
	{ "failures of the draft", draft_failure_begins, draft_failure_ends, 'x', false, false },
	{ "hits among events of the draft", draft_hit_begins, draft_hit_ends, 'x', false, false },
	{ "classes of the draft", draft_class_begins, draft_class_ends, 'x', false, false },
	{ "class unloads of the draft", draft_unload_begins, draft_unload_ends, 'x', false, false },
	{ "allocations of the draft", draft_allocation_begins, draft_allocation_ends, 'x', false,
		false },
	{ "throws of the draft", draft_throw_begins, draft_throw_ends, 'x', false, false },
	{ "threads of the draft", draft_thread_begins, draft_thread_ends, 'x', false, false },
	{ "collections of the draft", draft_collection_begins, draft_collection_ends, 'x', false,
		false },
	{ "marking of the draft", draft_mark_begins, draft_mark_ends, 'x', false, false },
	{ "sweeps of the draft", draft_sweep_begins, draft_sweep_ends, 'x', false, false },
	{ "resizes of the draft", draft_resize_begins, draft_resize_ends, 'x', false, false },
	{ "loads of the draft", loads, unloads, 'x', false, true },
	{ "mappings of the draft", draft_mapping, NULL, 'x', false, true },
	{ "hits of the draft", draft_hits, NULL, 'x', true, false },
	{ "clocks of the draft", draft_clock, NULL, 'x', false, false },
};

const struct hostile07_family *hostile07_early(size_t at)
{
	return at < PV_COUNT_OF(early) ? &early[at] : NULL;
}
