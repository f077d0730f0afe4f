/* SPDX-License-Identifier: MIT */
/* Hostile logs of the profiler of 2007: the usual items of its last stage, and the patterns. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/hostile_log07.h"

enum { FULL = 32 << 10 /* bytes of a block of events */ };

/* --- blocks */

static void flush(struct hostile07 *x)
{
	ck_assert(pv_reserve(&x->out, x->k.n));
	memcpy(x->out.v + x->out.n, x->k.bytes, x->k.n);
	x->out.n += x->k.n;
	x->k.n = 0;
	x->k.n_blocks = 2;
}

void hostile07_end(struct hostile07 *x)
{
	b07_kit_end(&x->k);
	flush(x);
}

/* Blocks of the draft have a counter only. */
static void stamp(struct hostile07 *x)
{
	if (x->k.stage == 'x')
		b07_kit_at(&x->k, x->us);
	else
		b07_kit_clock(&x->k, x->us);
}

void hostile07_end_events(struct hostile07 *x)
{
	if (!x->within)
		return;
	x->within = false;
	b07_kit_byte(&x->k, 0);
	stamp(x);
	hostile07_end(x);
}

/* Differences of times cannot be negative: what steps back begins a block of its own. */
static uint64_t pass(struct hostile07 *x)
{
	switch (x->p) {
	case HOSTILE_ONE_TIME:
		return 0;
	case HOSTILE_BACK:
		x->us -= HOSTILE07_US;
		return 0;
	case HOSTILE_SHUFFLED:
		x->dice = x->dice * UINT64_C(6364136223846793005) + 1442695040888963407;
		x->us = HOSTILE07_FIRST_US + (x->dice >> 44);
		return 0;
	default:
		x->us += HOSTILE07_US;
		return HOSTILE07_US;
	}
}

void hostile07_begin(struct hostile07 *x, unsigned code)
{
	hostile07_end_events(x);
	pass(x);
	b07_kit_begin(&x->k, code);
}

/* For another event, which lasts as long as returned. */
uint64_t hostile07_event(struct hostile07 *x, uint64_t thread)
{
	uint64_t from = x->us, more = pass(x);
	if (x->k.n > FULL || x->us < from || x->us - from > HOSTILE07_US || x->p == HOSTILE_THREADS)
		hostile07_end_events(x);
	if (x->within)
		return more;
	x->within = true;
	x->depth = 0;
	b07_kit_begin(&x->k, EVENTS);
	stamp(x);
	b07_kit_var(&x->k, thread);
	b07_kit_at(&x->k, x->us);
	if (x->k.stage < 'C' || x->k.stage == 'x')
		return 0;
	b07_kit_byte(&x->k, 0x4f); /* the stack: nothing is open */
	B07_VARS(&x->k, 0, 0);
	return 0;
}

const char *hostile07_name(struct hostile07 *x, char name[32])
{
	snprintf(name, 32, "N.C%u", x->name);
	return name;
}

unsigned hostile07_many(const struct hostile07 *x)
{
	return x->p == HOSTILE_WIDE ? 30 : 1;
}

/* --- events */

uint64_t hostile07_thread(const struct hostile07 *x, uint64_t key)
{
	return x->p == HOSTILE_THREADS ? HOSTILE07_THREAD + key : HOSTILE07_THREAD;
}

void hostile07_full(struct hostile07 *x, unsigned group, unsigned code, bool end, uint64_t key)
{
	uint64_t more = hostile07_event(x, hostile07_thread(x, key));
	b07_kit_full(&x->k, (end ? 0x80u : 0) | code << 3 | group, key, more);
}

static void packed(struct hostile07 *x, unsigned code, uint64_t key)
{
	uint64_t more = hostile07_event(x, hostile07_thread(x, key));
	b07_kit_packed(&x->k, code, key, more);
}

static void enter(struct hostile07 *x, uint64_t key)
{
	packed(x, 1, key + 1);
}

static void leave(struct hostile07 *x, uint64_t key)
{
	packed(x, 3, key + 1);
}

/* The stack is reported first: so many frames stay, another one stands on them. */
static void allocate_at(struct hostile07 *x, uint64_t key, bool deeper)
{
	hostile07_event(x, hostile07_thread(x, key));
	b07_kit_byte(&x->k, 0x4f);
	uint64_t stay = deeper ? x->depth++ : 0;
	B07_VARS(&x->k, stay, 1, (key % HOSTILE07_KEYS + 1) << 1);
	b07_kit_packed(&x->k, 4, key + 1, 24);
	B07_VARS(&x->k, 1, 0x1000 + key * 16); /* by which method, where */
}

static void allocate(struct hostile07 *x, uint64_t key)
{
	allocate_at(x, key, false);
}

/* Each on one frame more than the one before it. */
static void allocate_deeper(struct hostile07 *x, uint64_t key)
{
	if (x->p == HOSTILE_BENIGN && x->depth == 10)
		x->depth = 0;
	allocate_at(x, key, true);
}

static void jit(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, METHOD, 0, false, key + 1);
}

static void jitted(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, METHOD, 0, true, key + 1);
}

static void freed(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, METHOD, 1, false, key + 1);
}

static void class_load(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 0, false, key + 1);
	hostile07_full(x, CLASS, 0, true, key + 1);
}

static void class_unload(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 1, false, key + 1);
	hostile07_full(x, CLASS, 1, true, key + 1);
}

static void throws(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 2, false, key + 1);
}

static void monitor(struct hostile07 *x, uint64_t key, unsigned what)
{
	hostile07_full(x, CLASS, 3, false, key + 1);
	B07_VARS(&x->k, what, 0x1000 + key * 16);
}

static void waits(struct hostile07 *x, uint64_t key)
{
	monitor(x, key, 1);
}

static void has_waited(struct hostile07 *x, uint64_t key)
{
	monitor(x, key, 2);
}

static void starts(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 1, false, HOSTILE07_THREAD + key);
}

static void ends(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 1, true, HOSTILE07_THREAD + key);
}

static uint64_t collection(uint64_t key)
{
	return key << 8 | (key % 3);
}

static void stop(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 6, false, collection(key));
	hostile07_full(x, OTHER, 2, false, collection(key));
}

static void resume(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 2, true, collection(key));
	hostile07_full(x, OTHER, 7, true, collection(key));
}

static void mark(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 3, false, collection(key));
}

static void marked(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 3, true, collection(key));
}

static void resize(struct hostile07 *x, uint64_t key)
{
	hostile07_event(x, HOSTILE07_THREAD);
	b07_kit_full(&x->k, 5 << 3 | OTHER, 1 << 20, key);
}

/* --- those with blocks of their own */

static void load(struct hostile07 *x, uint64_t key, unsigned kind, bool unload)
{
	char name[32];
	hostile07_begin(x, unload ? UNLOADED : LOADED);
	b07_kit_byte(&x->k, kind);
	b07_kit_at(&x->k, x->us);
	b07_kit_at(&x->k, x->us);
	B07_VARS(&x->k, HOSTILE07_THREAD, key + 1);
	b07_kit_text(&x->k, hostile07_name(x, name));
	hostile07_end(x);
}

static void module(struct hostile07 *x, uint64_t key)
{
	load(x, key, 1, false);
}

static void module_gone(struct hostile07 *x, uint64_t key)
{
	load(x, key, 1, true);
}

static void domain(struct hostile07 *x, uint64_t key)
{
	load(x, key, 4, false);
}

static void domain_gone(struct hostile07 *x, uint64_t key)
{
	load(x, key, 4, true);
}

static void mapping(struct hostile07 *x, uint64_t key)
{
	char name[32];
	hostile07_begin(x, MAPPING);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, HOSTILE07_THREAD, key + 1, 2);
	b07_kit_text(&x->k, hostile07_name(x, name));
	B07_VARS(&x->k, 0, key + 1, key + 1, 0);
	b07_kit_text(&x->k, "Run ()");
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void hits(struct hostile07 *x, uint64_t key)
{
	unsigned n = hostile07_many(x);
	hostile07_begin(x, HITS);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, 7, 0, key + 1, key << 12, 0x1000, 0x40);
	b07_kit_text(&x->k, "libc.so.6");
	b07_kit_var(&x->k, 0);
	for (unsigned i = 0; i < n; i++)
		B07_VARS(&x->k, (key + 1 + i) << 3 | 1, 1, (key + 1) << 3 | 4, 0x123 + i);
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void heap(struct hostile07 *x, uint64_t key)
{
	unsigned n = hostile07_many(x);
	hostile07_begin(x, HEAP);
	b07_kit_clock(&x->k, x->us);
	b07_kit_clock(&x->k, x->us);
	b07_kit_var(&x->k, key + 1);
	b07_kit_clock(&x->k, x->us);
	for (unsigned i = 0; i < n; i++) {
		uint64_t object = 0x1000 + (key + i) * 64;
		B07_VARS(&x->k, object | 1, key + 1, 24, 1, object + 64);
	}
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void summary(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, SUMMARY);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, key + 1, key + 1, 3, 96, 2, 64, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

/* --- families and patterns */

static const struct hostile07_family families[] = {
	{ "calls of 2007", enter, leave, 'D', false, false },
	{ "allocations of 2007", allocate, NULL, 'D', false, false },
	{ "allocations of 2007 on stacks", allocate_deeper, NULL, 'D', false, false },
	{ "compiled methods of 2007", jit, jitted, 'D', false, false },
	{ "freed methods of 2007", jit, freed, 'D', false, false },
	{ "classes of 2007", class_load, class_unload, 'D', false, false },
	{ "throws of 2007", throws, NULL, 'D', false, false },
	{ "waits of 2007", waits, has_waited, 'D', false, false },
	{ "threads of 2007", starts, ends, 'D', false, false },
	{ "collections of 2007", stop, resume, 'D', false, false },
	{ "marking of 2007", mark, marked, 'D', false, false },
	{ "resizes of 2007", resize, NULL, 'D', false, false },
	{ "modules of 2007", module, module_gone, 'D', false, true },
	{ "domains of 2007", domain, domain_gone, 'D', false, true },
	{ "mappings of 2007", mapping, NULL, 'D', false, true },
	{ "mapped calls of 2007", mapping, enter, 'D', false, true },
	{ "hits of 2007", hits, NULL, 'D', true, false },
	{ "mapped hits of 2007", mapping, hits, 'D', true, true },
	{ "heap shots of 2007", heap, NULL, 'D', true, false },
	{ "summaries of 2007", summary, NULL, 'D', false, false },
};

static const struct hostile07_family *family_at(size_t at)
{
	const size_t n = PV_COUNT_OF(families);
	size_t more = 0;
	if (at < n)
		return &families[at];
	while (hostile07_more(more))
		more++;
	return at < n + more ? hostile07_more(at - n) : hostile07_early(at - n - more);
}

size_t hostile_families07(void)
{
	static size_t n;
	while (family_at(n))
		n++;
	return n;
}

const char *hostile_family_name07(size_t family)
{
	return family_at(family)->name;
}

static bool is_parted(enum hostile_pattern p)
{
	return p == HOSTILE_OPEN || p == HOSTILE_CROSSED || p == HOSTILE_DEEP;
}

bool hostile_has07(size_t family, enum hostile_pattern p)
{
	const struct hostile07_family *f = family_at(family);
	if (p == HOSTILE_WIDE)
		return f->lists;
	if (p == HOSTILE_RENAMED)
		return f->named;
	return f->end || !is_parted(p);
}

/* Every family in the patterns that differ most, the usual ones in more of them. */
bool hostile_is_quick07(size_t family, enum hostile_pattern p)
{
	bool usual = family < PV_COUNT_OF(families) && p != HOSTILE_SHUFFLED &&
		     p != HOSTILE_CROSSED && p != HOSTILE_BENIGN;
	return usual || p == HOSTILE_MANY || p == HOSTILE_OPEN || p == HOSTILE_RENAMED ||
	       p == HOSTILE_WIDE;
}

static void put_one(struct hostile07 *x, hostile07_put *it, uint64_t key)
{
	if (it)
		it(x, key);
}

static void put_all(struct hostile07 *x, const struct hostile07_family *f, unsigned n)
{
	bool parted = is_parted(x->p);
	for (unsigned i = 0; i < n; i++) {
		bool same = x->p == HOSTILE_SAME || x->p == HOSTILE_RENAMED;
		unsigned key = same ? 1 : x->p == HOSTILE_BENIGN ? i % HOSTILE07_KEYS : i;
		x->name = x->p == HOSTILE_RENAMED ? i : key;
		put_one(x, f->begin, key);
		if (!parted)
			put_one(x, f->end, key);
	}
	for (unsigned i = 0; parted && i < n; i++)
		put_one(x, f->end,
			x->p == HOSTILE_OPEN   ? n + i
			: x->p == HOSTILE_DEEP ? n - 1 - i
					       : i);
}

void hostile_write07(size_t family, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret)
{
	static struct hostile07 x;
	const struct hostile07_family *f = family_at(family);
	char stage = f->stage;
	memset(&x, 0, sizeof x);
	x.p = p;
	b07_kit_init(&x.k, stage, 1);
	b07_kit_intro(&x.k, 0x393df);
	if (stage > 'A' && stage < 'x')
		b07_kit_directives(&x.k, 2);
	flush(&x);
	x.us = HOSTILE07_FIRST_US + (p == HOSTILE_BACK ? (uint64_t)n * 16 : 0);
	put_all(&x, f, n);
	hostile07_end_events(&x);
	b07_kit_begin(&x.k, stage == 'x' ? 8 : END);
	b07_kit_var(&x.k, 1);
	b07_kit_clock(&x.k, x.us + 1);
	hostile07_end(&x);
	*ret = x.out;
}
