/* SPDX-License-Identifier: MIT */
/*
 * The lists of collections, pauses and heap sizes. Entries that come in the order of time are
 * appended; entries out of order are found by trees, and put in place when the list is read. In a
 * full list neighbours become one entry.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/objects/gc_parts.h"

enum { STAY_OPEN = 1024 }; /* collections that may still end, where very many never do */

/* --- order */

static int by_time_and_arrival(int64_t a, int64_t b, uint32_t came_a, uint32_t came_b)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (came_a > came_b) - (came_a < came_b);
}

static int by_collection_start(const void *a, const void *b)
{
	const struct pv_collection *x = a, *y = b;
	return by_time_and_arrival(x->start_ns, y->start_ns, x->came, y->came);
}

static int by_pause(const void *a, const void *b)
{
	const struct pv_pause *x = a, *y = b;
	return by_time_and_arrival(x->start_ns, y->start_ns, x->came, y->came);
}

static int by_size(const void *a, const void *b)
{
	const struct pv_heap_size *x = a, *y = b;
	return by_time_and_arrival(x->time_ns, y->time_ns, x->came, y->came);
}

static bool add_to_trees(struct pv_gc *gc, uint32_t at)
{
	const struct pv_collection *c = &gc->collections.v[at];
	return pv_order_add(&gc->by_start, at, c->start_ns, 0) &&
	       (c->merged > 1 ||
		       pv_order_add(&gc->of_generation[c->generation], at, c->start_ns, 0));
}

static bool make_trees(struct pv_gc *gc)
{
	bool ok = true;
	pv_order_clear(&gc->by_start);
	for (unsigned i = 0; i < PV_GC_GENERATIONS; i++)
		pv_order_clear(&gc->of_generation[i]);
	for (uint32_t i = 0; i < gc->collections.n && ok; i++) {
		gc->collections.v[i].came = i;
		ok = add_to_trees(gc, i);
	}
	return ok;
}

static void number_pauses(struct pv_gc *gc)
{
	for (uint32_t i = 0; i < gc->pauses.n; i++)
		gc->pauses.v[i].came = i;
}

static void number_sizes(struct pv_gc *gc)
{
	for (uint32_t i = 0; i < gc->sizes.n; i++)
		gc->sizes.v[i].came = i;
}

/* An empty list may have no memory. */
static void sort_list(void *v, size_t n, size_t size, int (*by)(const void *, const void *))
{
	if (n)
		qsort(v, n, size, by);
}

/* Allocates nothing: the trees got their room as the entries came. */
static void sort(struct pv_gc *gc, unsigned lists)
{
	lists &= gc->unsorted;
	if (lists & PV_GC_COLLECTIONS) {
		sort_list(gc->collections.v, gc->collections.n, sizeof *gc->collections.v,
			by_collection_start);
		make_trees(gc);
	}
	if (lists & PV_GC_PAUSES) {
		sort_list(gc->pauses.v, gc->pauses.n, sizeof *gc->pauses.v, by_pause);
		number_pauses(gc);
	}
	if (lists & PV_GC_SIZES) {
		sort_list(gc->sizes.v, gc->sizes.n, sizeof *gc->sizes.v, by_size);
		number_sizes(gc);
	}
	gc->unsorted &= ~lists;
}

void pv_gc_sort(struct pv_gc *gc)
{
	sort(gc, gc->unsorted);
}

bool pv_gc_rebuild(struct pv_gc *gc)
{
	gc->unsorted = PV_GC_COLLECTIONS | PV_GC_PAUSES | PV_GC_SIZES;
	number_pauses(gc);
	number_sizes(gc);
	gc->latest_ns = INT64_MIN;
	for (size_t i = 0; i < gc->collections.n; i++)
		if (gc->collections.v[i].start_ns > gc->latest_ns)
			gc->latest_ns = gc->collections.v[i].start_ns;
	bool ok = make_trees(gc);
	pv_gc_sort(gc);
	return ok;
}

/* --- collections */

static void fold_duration(struct pv_gc *gc, const struct pv_collection *c)
{
	if (c->merged > 1)
		return;
	int64_t *total = &gc->folded_total_ns[c->generation];
	*total = pv_sat_add(*total, c->duration_ns);
	if (c->duration_ns > gc->folded_max_ns[c->generation])
		gc->folded_max_ns[c->generation] = c->duration_ns;
	if (pv_collection_pause(c) == 0)
		return;
	gc->folded_pauses[c->generation * PV_SPREAD_CELLS + pv_spread_cell(c->pause_ns)]++;
	if (c->pause_ns > gc->folded_pause_max_ns[c->generation])
		gc->folded_pause_max_ns[c->generation] = c->pause_ns;
}

static void merge_collections(
	struct pv_gc *gc, struct pv_collection *b, const struct pv_collection *a)
{
	fold_duration(gc, b);
	fold_duration(gc, a);
	b->end_ns = a->end_ns;
	b->over_ns = a->over_ns;
	b->pause_ns = pv_sat_add(pv_collection_pause(b), pv_collection_pause(a));
	b->with_shot = false;
	b->duration_ns = pv_sat_add(b->duration_ns, a->duration_ns);
	b->allocated += a->allocated;
	b->moved += a->moved;
	if (a->stand_ns != PV_NEVER)
		b->stand_ns = pv_sat_add(b->stand_ns == PV_NEVER ? 0 : b->stand_ns, a->stand_ns);
	b->merged += a->merged;
	b->concurrent |= a->concurrent;
	b->phases |= a->phases;
	b->mark_ns += a->mark_ns;
	b->sweep_ns += a->sweep_ns;
	b->start_stop = b->end_stop = 0;
	b->phases &= PV_COLLECTION_MARKED | PV_COLLECTION_SWEPT; /* no sums of the others */
	gc->folded++;
}

static bool is_open(const struct pv_collection *c)
{
	return c->end_ns == PV_NEVER && c->merged == 1;
}

/* Number of the oldest open collections to give up: their ends have not come in all this time. */
static size_t given_up(const struct pv_gc *gc)
{
	size_t open = 0;
	for (size_t i = 0; i < gc->collections.n; i++)
		open += is_open(&gc->collections.v[i]);
	return open > PV_GC_LIST / 4 ? open - STAY_OPEN : 0;
}

/* Neighbours of one generation become one entry; open collections stay as they are. */
static bool halve_collections(struct pv_gc *gc)
{
	sort(gc, PV_GC_COLLECTIONS);
	struct pv_collection *v = gc->collections.v;
	size_t half[PV_GC_GENERATIONS] = { 0 }, to = 0, give_up = given_up(gc);
	for (size_t i = 0; i < gc->collections.n; i++) {
		struct pv_collection *a = &v[i];
		if (is_open(a) && give_up == 0) {
			v[to++] = *a;
			continue;
		}
		give_up -= is_open(a);
		size_t *open = &half[a->generation];
		if (*open == 0) {
			v[to++] = *a;
			*open = to;
			continue;
		}
		merge_collections(gc, &v[*open - 1], a);
		*open = 0;
	}
	gc->collections.n = to;
	return make_trees(gc);
}

static struct pv_collection *collection(struct pv_gc *gc, uint32_t at)
{
	return at == PV_ORDER_NONE ? NULL : &gc->collections.v[at];
}

struct pv_collection *pv_gc_newest_of(struct pv_gc *gc, uint8_t generation, int64_t time)
{
	return collection(gc, pv_order_at_most(&gc->of_generation[generation], time));
}

static bool make_place(struct pv_gc *gc)
{
	if (gc->collections.n >= PV_GC_LIST && !halve_collections(gc))
		return false;
	uint32_t n = (uint32_t)gc->collections.n + 1;
	bool ok = pv_reserve(&gc->collections, 1);
	for (unsigned i = 0; i < PV_GC_GENERATIONS; i++)
		ok = ok && pv_order_reserve(&gc->of_generation[i], n);
	return ok && pv_order_reserve(&gc->by_start, n);
}

struct pv_collection *pv_gc_add_collection(
	struct pv_gc *gc, const struct pv_collection *c, struct pv_collection **ret_before)
{
	if (!make_place(gc))
		return NULL;
	uint32_t at = (uint32_t)gc->collections.n++;
	uint32_t before = pv_order_at_most(&gc->of_generation[c->generation], c->start_ns);
	gc->collections.v[at] = *c;
	gc->collections.v[at].came = at;
	if (at && c->start_ns < gc->latest_ns)
		gc->unsorted |= PV_GC_COLLECTIONS;
	if (c->start_ns > gc->latest_ns)
		gc->latest_ns = c->start_ns;
	*ret_before = collection(gc, before);
	return add_to_trees(gc, at) ? collection(gc, at) : NULL;
}

struct pv_generation pv_gc_generation(const struct pv_gc *gc, unsigned generation)
{
	struct pv_generation g = { gc->started[generation], gc->folded_total_ns[generation],
		gc->folded_max_ns[generation] };
	for (size_t i = 0; i < gc->collections.n; i++) {
		const struct pv_collection *c = &gc->collections.v[i];
		if (c->generation != generation || c->merged > 1)
			continue;
		g.total_ns = pv_sat_add(g.total_ns, c->duration_ns);
		if (c->duration_ns > g.max_ns)
			g.max_ns = c->duration_ns;
	}
	return g;
}

/* --- pauses and sizes */

static void fold_pause(struct pv_gc *gc, const struct pv_pause *p)
{
	unsigned first = PV_GC_GENERATIONS * PV_SPREAD_CELLS;
	if (p->merged == 1)
		gc->folded_pauses[first + pv_spread_cell(p->duration_ns)]++;
}

static void halve_pauses(struct pv_gc *gc)
{
	sort(gc, PV_GC_PAUSES);
	struct pv_pause *v = gc->pauses.v;
	size_t to = 0;
	for (size_t i = 0; i + 1 < gc->pauses.n; i += 2) {
		struct pv_pause a = v[i];
		fold_pause(gc, &a);
		fold_pause(gc, &v[i + 1]);
		a.duration_ns = pv_sat_add(a.duration_ns, v[i + 1].duration_ns);
		a.merged += v[i + 1].merged;
		v[to++] = a;
		gc->folded++;
	}
	gc->pauses.n = to;
	number_pauses(gc);
}

bool pv_gc_add_pause(struct pv_gc *gc, int64_t start, int64_t duration)
{
	if (gc->pauses.n >= PV_GC_LIST)
		halve_pauses(gc);
	if (!pv_reserve(&gc->pauses, 1))
		return false;
	struct pv_pause *v = gc->pauses.v;
	size_t at = gc->pauses.n++;
	v[at] = (struct pv_pause){ start, duration, 1, (uint32_t)at };
	if (at && v[at - 1].start_ns > start)
		gc->unsorted |= PV_GC_PAUSES;
	gc->pause_count++;
	gc->pause_ns = pv_sat_add(gc->pause_ns, duration);
	if (duration > gc->pause_max_ns)
		gc->pause_max_ns = duration;
	return true;
}

static void halve_sizes(struct pv_gc *gc)
{
	sort(gc, PV_GC_SIZES);
	size_t to = 0;
	for (size_t i = 1; i < gc->sizes.n; i += 2)
		gc->sizes.v[to++] = gc->sizes.v[i];
	gc->folded += gc->sizes.n - to;
	gc->sizes.n = to;
	number_sizes(gc);
}

bool pv_gc_add_size(struct pv_gc *gc, int64_t time, uint64_t bytes, bool after)
{
	if (gc->sizes.n >= PV_GC_LIST)
		halve_sizes(gc);
	if (!pv_reserve(&gc->sizes, 1))
		return false;
	struct pv_heap_size *v = gc->sizes.v;
	size_t at = gc->sizes.n++;
	v[at] = (struct pv_heap_size){ time, bytes, after, (uint32_t)at };
	if (at && v[at - 1].time_ns > time)
		gc->unsorted |= PV_GC_SIZES;
	return true;
}

void pv_gc_take_allocated(struct pv_gc *gc, const struct pv_collection *all, size_t n)
{
	uint64_t of[PV_GC_GENERATIONS];
	uint32_t merged[PV_GC_GENERATIONS];
	size_t at = 0;
	pv_gc_sort(gc);
	for (size_t i = 0; i < gc->collections.n;) {
		const int64_t start = gc->collections.v[i].start_ns;
		memset(merged, 0, sizeof merged);
		while (at < n && all[at].start_ns < start)
			at++;
		for (; at < n && all[at].start_ns == start; at++) {
			merged[all[at].generation] = all[at].merged;
			of[all[at].generation] = all[at].allocated;
		}
		for (; i < gc->collections.n && gc->collections.v[i].start_ns == start; i++) {
			struct pv_collection *c = &gc->collections.v[i];
			if (c->merged == merged[c->generation])
				c->allocated = of[c->generation];
		}
	}
}
