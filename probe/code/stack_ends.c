/* SPDX-License-Identifier: MIT */
/* Counts the ends of walks by kind and file, and writes them as counters of the log. */
#include "probe/code/stack_ends.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "probe/code/modules.h"
#include "probe/ground/probe_clock.h"
#include "probe/core/tell.h"
#include "probe/core/writer.h"

enum {
	MOST = 64,            /* counters */
	NAME = 320,           /* bytes of a name */
	NOTED = 256,          /* places where stacks of allocations ended between two rounds */
	FIRST_INDEX = 1 << 24 /* far above the indices of the program's counters */
};

/* By order of first appearance. */
static struct {
	char name[NAME];
	uint64_t n, written;
	bool described;
} counters[MOST];
static size_t used;

/* ---- choosing the counter */

static const char *const kinds[PVP_STACK_KINDS] = { "sample", "allocation" };

static const char *const reasons[PVP_WALK_ENDS] = {
	[PVP_WALK_BROKEN] = "corrupt frame",
	[PVP_WALK_UNREADABLE] = "unreadable stack",
	[PVP_WALK_NO_TABLE] = "no unwind table",
	[PVP_WALK_NO_ROW] = "not in the unwind table",
	[PVP_WALK_RULE] = "unwind rule not supported",
	[PVP_WALK_GENERATED] = "no frame pointer",
	[PVP_WALK_CHANGED] = "just loaded or unloaded",
};

static bool is_of_file(const struct pvp_walk_stop *stop)
{
	return stop->end != PVP_WALK_WHOLE && stop->end != PVP_WALK_DEEP &&
	       stop->end != PVP_WALK_NOT_COPIED;
}

static void counter_name(char to[NAME], enum pvp_stack_kind kind, const struct pvp_walk_stop *stop)
{
	if (stop->end == PVP_WALK_WHOLE) {
		snprintf(to, NAME, "%s stacks to their end", kinds[kind]);
		return;
	}
	if (stop->end == PVP_WALK_DEEP) { /* an option sets the depth for allocations */
		snprintf(to, NAME,
			kind == PVP_ALLOCATION_STACK ? "%s stacks to the depth asked for"
						     : "%s stacks cut: too deep",
			kinds[kind]);
		return;
	}
	if (stop->end == PVP_WALK_NOT_COPIED) {
		snprintf(to, NAME, "%s stacks cut: beyond what is copied", kinds[kind]);
		return;
	}
	const char *file = pvp_modules_file(stop->pc);
	snprintf(to, NAME, "%s stacks cut in %.250s: %s", kinds[kind],
		file ? file : "code made at run time", reasons[stop->end]);
}

/* counters[used]: there is none of the name. */
static size_t find_counter(const char *name)
{
	size_t i = 0;
	while (i < used && strcmp(counters[i].name, name) != 0)
		i++;
	return i;
}

/* A new counter; there is room. */
static size_t add_counter(const char *name)
{
	memset(&counters[used], 0, sizeof counters[used]);
	snprintf(counters[used].name, NAME, "%s", name);
	return used++;
}

/* NULL: no room. */
static uint64_t *count_of(const char *name)
{
	size_t at = find_counter(name);
	if (at == used && used < MOST)
		at = add_counter(name);
	return at < used ? &counters[at].n : NULL;
}

void pvp_samples_missed(const char *why)
{
	char name[NAME];
	snprintf(name, NAME, "samples missed: %.250s", why);
	uint64_t *n = count_of(name);
	if (n)
		*n = 1;
}

void pvp_stack_ends_waits(bool with, uint64_t times)
{
	uint64_t *n = count_of(with ? "waits with a stack" : "waits without a stack");
	if (n)
		*n += times;
}

void pvp_stack_ends_pages(bool with, uint64_t pages)
{
	uint64_t *n = count_of(with ? "new pages with a stack" : "new pages without a stack");
	if (n)
		*n += pages;
}

void pvp_stack_ends_count(
	enum pvp_stack_kind kind, const struct pvp_walk_stop *stop, uint64_t times)
{
	enum { COMMON = 4 * PVP_STACK_KINDS }; /* the whole, the deep, the uncopied, other files */
	char name[NAME];
	counter_name(name, kind, stop);
	size_t at = find_counter(name);
	if (at == used && used >= MOST - COMMON && is_of_file(stop)) {
		snprintf(name, NAME, "%s stacks cut in other files: various reasons", kinds[kind]);
		at = find_counter(name);
	}
	if (at == MOST)
		return;
	if (at == used)
		at = add_counter(name);
	counters[at].n += times;
}

/* ---- noted by any thread */

/* By pc and end, places never freed; an end without a place is counted without its pc. */
static struct {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t n;
} noted[NOTED];
static _Atomic uint64_t others[PVP_WALK_ENDS];

enum { END_BITS = 4 };
_Static_assert(PVP_WALK_ENDS <= 1 << END_BITS, "an end fits beside an address");

void pvp_stack_ends_note(const struct pvp_walk_stop *stop)
{
	enum { TRIES = 8, TOP = 32 };
	uint64_t key = ((is_of_file(stop) ? stop->pc : 0) << END_BITS | (uint64_t)stop->end) + 1;
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> TOP);
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t now = 0;
		if (atomic_load_explicit(&noted[(at + i) % NOTED].key, memory_order_relaxed) !=
				key &&
			!atomic_compare_exchange_strong(&noted[(at + i) % NOTED].key, &now, key) &&
			now != key)
			continue;
		atomic_fetch_add_explicit(&noted[(at + i) % NOTED].n, 1, memory_order_relaxed);
		return;
	}
	atomic_fetch_add_explicit(&others[stop->end], 1, memory_order_relaxed);
}

static void take_count(_Atomic uint64_t *from, enum pvp_walk_end end, uint64_t pc)
{
	const struct pvp_walk_stop stop = { end, pc };
	uint64_t n = atomic_exchange_explicit(from, 0, memory_order_relaxed);
	if (n)
		pvp_stack_ends_count(PVP_ALLOCATION_STACK, &stop, n);
}

static void take_noted(void)
{
	for (size_t i = 0; i < NOTED; i++) {
		uint64_t key = atomic_load_explicit(&noted[i].key, memory_order_relaxed) - 1;
		take_count(&noted[i].n, (enum pvp_walk_end)(key & ((1 << END_BITS) - 1)),
			key >> END_BITS);
	}
	for (unsigned i = 0; i < PVP_WALK_ENDS; i++)
		take_count(&others[i], i, 0);
}

/* ---- the log */

void pvp_stack_ends_tell(struct pvp_writer *w)
{
	uint64_t now = pvp_monotonic();
	take_noted();
	for (size_t i = 0; i < used; i++) {
		uint64_t index = FIRST_INDEX + i;
		if (counters[i].n == counters[i].written)
			continue;
		if (!counters[i].described &&
			!pvp_tell_new_counter(w, index, counters[i].name, false))
			return;
		counters[i].described = true;
		if (pvp_tell_step(w, now, index, counters[i].n - counters[i].written))
			counters[i].written = counters[i].n;
	}
}

void pvp_stack_ends_again(void)
{
	for (size_t i = 0; i < used; i++) {
		counters[i].described = false;
		counters[i].written = 0;
	}
}

void pvp_stack_ends_reset(void)
{
	used = 0;
	for (size_t i = 0; i < NOTED; i++)
		atomic_store_explicit(&noted[i].n, 0, memory_order_relaxed);
	for (unsigned i = 0; i < PVP_WALK_ENDS; i++)
		atomic_store_explicit(&others[i], 0, memory_order_relaxed);
}
