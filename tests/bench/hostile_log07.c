/* Hostile logs of the profiler of 2007, of its last stage: every block that it wrote. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/b07_kit.h"
#include "tests/bench/hostile_log.h"

enum {
	KEYS = 1000,
	FULL = 32 << 10, /* bytes of a block of events */
	THREAD = 0x71,
	US = 2, /* from one event to the next */
	FIRST_US = 1000000,
	METHOD = 5,
	CLASS = 6,
	OTHER = 7,
};

enum code { LOADED = 4, UNLOADED = 5, MAPPING = 3, EVENTS = 6, HITS = 7, HEAP = 8, SUMMARY = 9 };

struct writer {
	struct b07_kit k;
	struct hostile_bytes out;
	enum hostile_pattern p;
	uint64_t us, dice;
	unsigned name;
	bool within;    /* a block of events is open */
	uint64_t depth; /* of the stack */
};

/* --- blocks */

static void flush(struct writer *x)
{
	ck_assert(pv_reserve(&x->out, x->k.n));
	memcpy(x->out.v + x->out.n, x->k.bytes, x->k.n);
	x->out.n += x->k.n;
	x->k.n = 0;
	x->k.n_blocks = 2;
}

static void end_block(struct writer *x)
{
	b07_kit_end(&x->k);
	flush(x);
}

static void end_events(struct writer *x)
{
	if (!x->within)
		return;
	x->within = false;
	b07_kit_byte(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	end_block(x);
}

/* Differences of times cannot be negative: what steps back begins a block of its own. */
static uint64_t pass(struct writer *x)
{
	switch (x->p) {
	case HOSTILE_ONE_TIME:
		return 0;
	case HOSTILE_BACK:
		x->us -= US;
		return 0;
	case HOSTILE_SHUFFLED:
		x->dice = x->dice * UINT64_C(6364136223846793005) + 1442695040888963407;
		x->us = FIRST_US + (x->dice >> 44);
		return 0;
	default:
		x->us += US;
		return US;
	}
}

static void begin_block(struct writer *x, unsigned code)
{
	end_events(x);
	pass(x);
	b07_kit_begin(&x->k, code);
}

/* For another event, which lasts as long as returned. */
static uint64_t take_time(struct writer *x, uint64_t thread)
{
	uint64_t from = x->us, more = pass(x);
	if (x->k.n > FULL || x->us < from || x->us - from > US || x->p == HOSTILE_THREADS)
		end_events(x);
	if (x->within)
		return more;
	x->within = true;
	x->depth = 0;
	b07_kit_begin(&x->k, EVENTS);
	b07_kit_clock(&x->k, x->us);
	b07_kit_var(&x->k, thread);
	b07_kit_at(&x->k, x->us);
	b07_kit_byte(&x->k, 0x4f); /* the stack: nothing is open */
	B07_VARS(&x->k, 0, 0);
	return 0;
}

static const char *name_of(struct writer *x, char name[32])
{
	snprintf(name, 32, "N.C%u", x->name);
	return name;
}

/* --- events */

static uint64_t thread_of(const struct writer *x, uint64_t key)
{
	return x->p == HOSTILE_THREADS ? THREAD + key : THREAD;
}

static void full(struct writer *x, unsigned group, unsigned code, bool end, uint64_t key)
{
	uint64_t more = take_time(x, thread_of(x, key));
	b07_kit_full(&x->k, (end ? 0x80u : 0) | code << 3 | group, key, more);
}

static void packed(struct writer *x, unsigned code, uint64_t key)
{
	uint64_t more = take_time(x, thread_of(x, key));
	b07_kit_packed(&x->k, code, key, more);
}

static void enter(struct writer *x, uint64_t key)
{
	packed(x, 1, key + 1);
}

static void leave(struct writer *x, uint64_t key)
{
	packed(x, 3, key + 1);
}

/* The stack is told first: so many frames stay, another one stands on them. */
static void allocate_at(struct writer *x, uint64_t key, bool deeper)
{
	take_time(x, thread_of(x, key));
	b07_kit_byte(&x->k, 0x4f);
	B07_VARS(&x->k, deeper ? x->depth++ : 0, 1, (key % KEYS + 1) << 1);
	b07_kit_packed(&x->k, 4, key + 1, 24);
	B07_VARS(&x->k, 1, 0x1000 + key * 16); /* by which method, where */
}

static void allocate(struct writer *x, uint64_t key)
{
	allocate_at(x, key, false);
}

/* Each on one frame more than the one before it. */
static void allocate_deeper(struct writer *x, uint64_t key)
{
	if (x->p == HOSTILE_BENIGN && x->depth == 10)
		x->depth = 0;
	allocate_at(x, key, true);
}

static void jit(struct writer *x, uint64_t key)
{
	full(x, METHOD, 0, false, key + 1);
}

static void jitted(struct writer *x, uint64_t key)
{
	full(x, METHOD, 0, true, key + 1);
}

static void freed(struct writer *x, uint64_t key)
{
	full(x, METHOD, 1, false, key + 1);
}

static void class_load(struct writer *x, uint64_t key)
{
	full(x, CLASS, 0, false, key + 1);
	full(x, CLASS, 0, true, key + 1);
}

static void class_unload(struct writer *x, uint64_t key)
{
	full(x, CLASS, 1, false, key + 1);
	full(x, CLASS, 1, true, key + 1);
}

static void throws(struct writer *x, uint64_t key)
{
	full(x, CLASS, 2, false, key + 1);
}

static void monitor(struct writer *x, uint64_t key, unsigned what)
{
	full(x, CLASS, 3, false, key + 1);
	B07_VARS(&x->k, what, 0x1000 + key * 16);
}

static void waits(struct writer *x, uint64_t key)
{
	monitor(x, key, 1);
}

static void has_waited(struct writer *x, uint64_t key)
{
	monitor(x, key, 2);
}

static void starts(struct writer *x, uint64_t key)
{
	full(x, OTHER, 1, false, THREAD + key);
}

static void ends(struct writer *x, uint64_t key)
{
	full(x, OTHER, 1, true, THREAD + key);
}

static uint64_t collection(uint64_t key)
{
	return key << 8 | (key % 3);
}

static void stop(struct writer *x, uint64_t key)
{
	full(x, OTHER, 6, false, collection(key));
	full(x, OTHER, 2, false, collection(key));
}

static void resume(struct writer *x, uint64_t key)
{
	full(x, OTHER, 2, true, collection(key));
	full(x, OTHER, 7, true, collection(key));
}

static void mark(struct writer *x, uint64_t key)
{
	full(x, OTHER, 3, false, collection(key));
}

static void marked(struct writer *x, uint64_t key)
{
	full(x, OTHER, 3, true, collection(key));
}

static void resize(struct writer *x, uint64_t key)
{
	take_time(x, THREAD);
	b07_kit_full(&x->k, 5 << 3 | OTHER, 1 << 20, key);
}

/* --- what has blocks of its own */

static void load(struct writer *x, uint64_t key, unsigned kind, bool unload)
{
	char name[32];
	begin_block(x, unload ? UNLOADED : LOADED);
	b07_kit_byte(&x->k, kind);
	b07_kit_at(&x->k, x->us);
	b07_kit_at(&x->k, x->us);
	B07_VARS(&x->k, THREAD, key + 1);
	b07_kit_text(&x->k, name_of(x, name));
	end_block(x);
}

static void module(struct writer *x, uint64_t key)
{
	load(x, key, 1, false);
}

static void module_gone(struct writer *x, uint64_t key)
{
	load(x, key, 1, true);
}

static void domain(struct writer *x, uint64_t key)
{
	load(x, key, 4, false);
}

static void domain_gone(struct writer *x, uint64_t key)
{
	load(x, key, 4, true);
}

static void mapping(struct writer *x, uint64_t key)
{
	char name[32];
	begin_block(x, MAPPING);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, THREAD, key + 1, 2);
	b07_kit_text(&x->k, name_of(x, name));
	B07_VARS(&x->k, 0, key + 1, key + 1, 0);
	b07_kit_text(&x->k, "Run ()");
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	end_block(x);
}

static void hits(struct writer *x, uint64_t key)
{
	unsigned n = x->p == HOSTILE_WIDE ? 100 : 1;
	begin_block(x, HITS);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, 7, 0, key + 1, key << 12, 0x1000, 0x40);
	b07_kit_text(&x->k, "libc.so.6");
	b07_kit_var(&x->k, 0);
	for (unsigned i = 0; i < n; i++)
		B07_VARS(&x->k, (key + 1 + i) << 3 | 1, 1, (key + 1) << 3 | 4, 0x123 + i);
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	end_block(x);
}

static void heap(struct writer *x, uint64_t key)
{
	unsigned n = x->p == HOSTILE_WIDE ? 100 : 1;
	begin_block(x, HEAP);
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
	end_block(x);
}

static void summary(struct writer *x, uint64_t key)
{
	begin_block(x, SUMMARY);
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, key + 1, key + 1, 3, 96, 2, 64, 0);
	b07_kit_clock(&x->k, x->us);
	end_block(x);
}

/* --- families and patterns */

typedef void put(struct writer *x, uint64_t key);

static const struct family {
	const char *name;
	put *begin, *end; /* NULL: nothing ends it */
} families[] = {
	{ "calls of 2007", enter, leave },
	{ "allocations of 2007", allocate, NULL },
	{ "allocations of 2007 on stacks", allocate_deeper, NULL },
	{ "compiled methods of 2007", jit, jitted },
	{ "freed methods of 2007", jit, freed },
	{ "classes of 2007", class_load, class_unload },
	{ "throws of 2007", throws, NULL },
	{ "waits of 2007", waits, has_waited },
	{ "threads of 2007", starts, ends },
	{ "collections of 2007", stop, resume },
	{ "marking of 2007", mark, marked },
	{ "resizes of 2007", resize, NULL },
	{ "modules of 2007", module, module_gone },
	{ "domains of 2007", domain, domain_gone },
	{ "mappings of 2007", mapping, NULL },
	{ "mapped calls of 2007", mapping, enter },
	{ "hits of 2007", hits, NULL },
	{ "mapped hits of 2007", mapping, hits },
	{ "heap shots of 2007", heap, NULL },
	{ "summaries of 2007", summary, NULL },
};

size_t hostile_families07(void)
{
	return PV_COUNT_OF(families);
}

const char *hostile_family_name07(size_t family)
{
	return families[family].name;
}

bool hostile_has07(size_t family, enum hostile_pattern p)
{
	bool parted = p == HOSTILE_OPEN || p == HOSTILE_CROSSED || p == HOSTILE_DEEP;
	return families[family].end || !parted;
}

static void put_one(struct writer *x, put *it, uint64_t key)
{
	if (it)
		it(x, key);
}

static void put_all(struct writer *x, const struct family *f, unsigned n)
{
	bool parted = x->p == HOSTILE_OPEN || x->p == HOSTILE_CROSSED || x->p == HOSTILE_DEEP;
	for (unsigned i = 0; i < n; i++) {
		bool same = x->p == HOSTILE_SAME || x->p == HOSTILE_RENAMED;
		unsigned key = same ? 1 : x->p == HOSTILE_BENIGN ? i % KEYS : i;
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
	static struct writer x;
	memset(&x, 0, sizeof x);
	x.p = p;
	b07_kit_init(&x.k, 'D', 1);
	b07_kit_intro(&x.k, 0x393df);
	b07_kit_directives(&x.k, 2);
	flush(&x);
	x.us = FIRST_US + (p == HOSTILE_BACK ? (uint64_t)n * 16 : 0);
	put_all(&x, &families[family], n);
	end_events(&x);
	b07_kit_begin(&x.k, 2);
	b07_kit_var(&x.k, 1);
	b07_kit_clock(&x.k, x.us + 1);
	end_block(&x);
	*ret = x.out;
}
