/* SPDX-License-Identifier: MIT */
/*
 * Hostile logs of the profiler of 2007: what its last stage says more rarely, and blocks that are
 * not what their headers say.
 */
#include "tests/bench/hostile_log07.h"

/* --- events */

static void fails_to_compile(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, METHOD, 4, true, key + 1);
}

static void compiles(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, METHOD, 0, false, key + 1);
}

static void loads(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 0, false, key + 1);
}

static void fails_to_load(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 4, true, key + 1);
}

static void unloads(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 1, false, key + 1);
}

static void unloaded(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, CLASS, 1, true, key + 1);
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

static void gives_up(struct hostile07 *x, uint64_t key)
{
	monitor(x, key, 3);
}

static void sweep(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 4, false, key << 8 | key % 3);
}

static void swept(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 4, true, key << 8 | key % 3);
}

static void stop(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 6, false, key << 8);
	hostile07_full(x, OTHER, 6, true, key << 8);
}

static void start(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 7, false, key << 8);
	hostile07_full(x, OTHER, 7, true, key << 8);
}

static void unknown_event(struct hostile07 *x, uint64_t key)
{
	hostile07_full(x, OTHER, 12, false, key);
}

/* --- stacks */

/* So many frames stay, one comes on top of them. */
static void section(struct hostile07 *x, uint64_t key, uint64_t stay, bool compiling)
{
	hostile07_event(x, hostile07_thread(x, key));
	stay = stay < x->depth ? stay : x->depth;
	b07_kit_byte(&x->k, 0x4f);
	B07_VARS(&x->k, stay, 1, (key + 1) << 1 | compiling);
	x->depth = stay + 1;
}

static void allocation(struct hostile07 *x, uint64_t key)
{
	b07_kit_packed(&x->k, 4, key + 1, 24);
	B07_VARS(&x->k, 1, 0x1000 + key * 16); /* by which method, where */
}

static uint64_t deeper(const struct hostile07 *x)
{
	return x->p == HOSTILE_BENIGN && x->depth > 10 ? 0 : x->depth;
}

static void grow(struct hostile07 *x, uint64_t key)
{
	section(x, key % HOSTILE07_KEYS, deeper(x), false);
}

/* Another frame on a stack that is as deep as before. */
static void replace(struct hostile07 *x, uint64_t key)
{
	section(x, key % HOSTILE07_KEYS, x->depth - !!x->depth, false);
	allocation(x, key);
}

static void wait_deeper(struct hostile07 *x, uint64_t key)
{
	section(x, key % HOSTILE07_KEYS, deeper(x), false);
	waits(x, key);
}

static void compile_deeper(struct hostile07 *x, uint64_t key)
{
	section(x, key, deeper(x), true);
	allocation(x, key);
}

static void allocate_amid(struct hostile07 *x, uint64_t key)
{
	hostile07_event(x, hostile07_thread(x, key));
	b07_kit_full(&x->k, 8 << 3 | OTHER, key + 1, 24);
	B07_VARS(&x->k, key + 1, 0x1000 + key * 16);
}

/* --- loads */

static void load(struct hostile07 *x, uint64_t key, unsigned code, unsigned kind)
{
	char name[32];
	hostile07_begin(x, code);
	b07_kit_byte(&x->k, kind);
	b07_kit_at(&x->k, x->us);
	b07_kit_at(&x->k, x->us);
	B07_VARS(&x->k, HOSTILE07_THREAD, key + 1);
	b07_kit_text(&x->k, hostile07_name(x, name));
	if (code == LOADED && kind & 2) {
		b07_kit_text(&x->k, name);
		B07_VARS(&x->k, 1, 0, 0, 0);
		b07_kit_text(&x->k, "neutral");
		b07_kit_text(&x->k, "null");
		b07_kit_var(&x->k, 0);
	}
	hostile07_end(x);
}

static void assembly(struct hostile07 *x, uint64_t key)
{
	load(x, key, LOADED, 2 | 8);
}

static void assembly_gone(struct hostile07 *x, uint64_t key)
{
	load(x, key, UNLOADED, 2 | 8);
}

static void failed_module(struct hostile07 *x, uint64_t key)
{
	load(x, key, LOADED, 1 | 16);
}

/* --- hits */

static void begin_hits(struct hostile07 *x)
{
	hostile07_begin(x, HITS);
	b07_kit_clock(&x->k, x->us);
}

static void end_block(struct hostile07 *x)
{
	b07_kit_var(&x->k, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void function_hits(struct hostile07 *x, uint64_t key)
{
	char name[32];
	begin_hits(x);
	for (unsigned i = 0; i < hostile07_many(x); i++) {
		B07_VARS(&x->k, 1 << 3 | 3, key + i + 1);
		b07_kit_text(&x->k, hostile07_name(x, name));
		b07_kit_var(&x->k, (key + i + 1) << 3 | 2);
	}
	end_block(x);
}

static void chains(struct hostile07 *x, uint64_t key)
{
	unsigned n = hostile07_many(x);
	begin_hits(x);
	B07_VARS(&x->k, (key + 1) << 3 | 1, n << 3 | 5);
	for (unsigned i = 0; i < n; i++)
		b07_kit_var(&x->k, (key + 2 + i) << 3 | 1);
	end_block(x);
}

static void addresses(struct hostile07 *x, uint64_t key)
{
	begin_hits(x);
	for (unsigned i = 0; i < hostile07_many(x); i++)
		B07_VARS(&x->k, 4, 0x10000 + (key + i) * 64, (key + i + 1) << 3 | 4, 0x123);
	end_block(x);
}

static void regions(struct hostile07 *x, uint64_t key)
{
	char name[32];
	begin_hits(x);
	B07_VARS(&x->k, 7, 0);
	for (unsigned i = 0; i < hostile07_many(x); i++) {
		B07_VARS(&x->k, key + i + 1, 0x10000, 0x1000 + key, 0);
		b07_kit_text(&x->k, hostile07_name(x, name));
	}
	b07_kit_var(&x->k, 0);
	end_block(x);
}

static void regions_gone(struct hostile07 *x, uint64_t key)
{
	begin_hits(x);
	B07_VARS(&x->k, 7, key + 1, 0, 0);
	end_block(x);
}

/* --- the heap */

static void dead(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, HEAP);
	b07_kit_clock(&x->k, x->us);
	b07_kit_clock(&x->k, x->us);
	b07_kit_var(&x->k, key + 1);
	b07_kit_clock(&x->k, x->us);
	for (unsigned i = 0; i < hostile07_many(x); i++)
		B07_VARS(&x->k, (key + i + 1) << 2 | 2, 24);
	end_block(x);
}

/* --- blocks about blocks */

static void directives(struct hostile07 *x, uint64_t key)
{
	(void)key;
	hostile07_end_events(x);
	b07_kit_directives(&x->k, x->us);
	hostile07_end(x);
}

static void intros(struct hostile07 *x, uint64_t key)
{
	(void)key;
	hostile07_end_events(x);
	b07_kit_intro(&x->k, 0x393df);
	hostile07_end(x);
}

static void ends(struct hostile07 *x, uint64_t key)
{
	(void)key;
	hostile07_begin(x, END);
	b07_kit_var(&x->k, 1);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
}

static void unknown_block(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, 42);
	b07_kit_var(&x->k, key);
	hostile07_end(x);
}

/* An event of a code that no profiler wrote. */
static void broken_events(struct hostile07 *x, uint64_t key)
{
	hostile07_event(x, hostile07_thread(x, key));
	b07_kit_packed(&x->k, 2, key + 1, 0);
	hostile07_end_events(x);
}

/* Its header puts the end into what it holds, or after what comes next. */
static void wrong_size(struct hostile07 *x, uint64_t key)
{
	hostile07_begin(x, MAPPING);
	size_t at = x->out.n;
	b07_kit_clock(&x->k, x->us);
	B07_VARS(&x->k, HOSTILE07_THREAD, 0, 0);
	b07_kit_clock(&x->k, x->us);
	hostile07_end(x);
	x->out.v[at + 2] = key % 2 ? 5 : 45;
}

static const struct hostile07_family more[] = {
	{ "failed compiles of 2007", compiles, fails_to_compile, 'D', false, false },
	{ "failed class loads of 2007", loads, fails_to_load, 'D', false, false },
	{ "class unloads of 2007", unloads, unloaded, 'D', false, false },
	{ "failed waits of 2007", waits, gives_up, 'D', false, false },
	{ "sweeps of 2007", sweep, swept, 'D', false, false },
	{ "stops of 2007", stop, start, 'D', false, false },
	{ "unknown events of 2007", unknown_event, NULL, 'D', false, false },
	{ "sections of 2007", grow, NULL, 'D', false, false },
	{ "replaced frames of 2007", grow, replace, 'D', false, false },
	{ "waits of 2007 on stacks", wait_deeper, gives_up, 'D', false, false },
	{ "compiling stacks of 2007", compile_deeper, NULL, 'D', false, false },
	{ "allocations amid compiling of 2007", allocate_amid, NULL, 'D', false, false },
	{ "assemblies of 2007", assembly, assembly_gone, 'D', false, true },
	{ "failed modules of 2007", failed_module, NULL, 'D', false, true },
	{ "function hits of 2007", function_hits, NULL, 'D', true, true },
	{ "chains of 2007", chains, NULL, 'D', true, false },
	{ "addresses of 2007", addresses, NULL, 'D', true, false },
	{ "regions of 2007", regions, regions_gone, 'D', true, true },
	{ "dead objects of 2007", dead, NULL, 'D', true, false },
	{ "directives of 2007", directives, NULL, 'D', false, false },
	{ "intros of 2007", intros, NULL, 'D', false, false },
	{ "ends of 2007", ends, NULL, 'D', false, false },
	{ "unknown blocks of 2007", unknown_block, NULL, 'D', false, false },
	{ "broken events of 2007", broken_events, NULL, 'D', false, false },
	{ "wrong sizes of 2007", wrong_size, NULL, 'D', false, false },
};

const struct hostile07_family *hostile07_more(size_t at)
{
	return at < PV_COUNT_OF(more) ? &more[at] : NULL;
}
