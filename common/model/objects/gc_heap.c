/* SPDX-License-Identifier: MIT */
/* Effects of collections on the heap: size, moved objects. */
#include <string.h>

#include "common/model/objects/address_region.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/time/window_parts.h"

enum { MOVES = 512 }; /* moves at once */

/*
 * The size before the newest collection. Our probes send the size twice: after the start of a
 * collection, and about its end. Mono's own profiler sends only the size after the end.
 */
static void before_newest(struct pv_context *x, uint64_t bytes)
{
	struct pv_gc *gc = &x->m->gc;
	const char *args = x->m->target.args;
	if (!x->thread->began || !args || strncmp(args, "profview:", 9) != 0)
		return;
	uint32_t at = pv_order_at_most(&gc->by_start, x->time);
	struct pv_collection *c = at == PV_ORDER_NONE ? NULL : &gc->collections.v[at];
	if (c && !c->heap_before && c->merged == 1)
		c->heap_before = bytes;
}

bool pv_gc_resize(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	bool after = x->thread->collected;
	before_newest(x, e->resize.bytes);
	x->thread->began = x->thread->collected = false;
	if (!pv_gc_add_size(gc, x->time, e->resize.bytes, after))
		return false;
	if (gc->heap_ns == PV_NEVER || x->time >= gc->heap_ns) {
		gc->heap_ns = x->time;
		gc->heap_bytes = e->resize.bytes;
	}
	if (!x->counts)
		return true;
	gc->resizes++;
	if (e->resize.bytes > gc->max_heap_bytes)
		gc->max_heap_bytes = e->resize.bytes;
	pv_timeline_set(&x->m->timeline, PV_TRACK_HEAP, x->time, e->resize.bytes);
	return true;
}

void pv_gc_why(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	uint32_t at = pv_order_at_most(&gc->by_start, x->time);
	struct pv_collection *c = at == PV_ORDER_NONE ? NULL : &gc->collections.v[at];
	if (!x->counts || !x->thread->began || !c || c->end_ns != PV_NEVER || c->merged > 1 ||
		e->collection.reason >= PV_WHYS || e->collection.how >= PV_HOWS)
		return;
	c->why = (uint8_t)e->collection.reason;
	c->how = (uint8_t)e->collection.how;
	c->phases |= PV_COLLECTION_WHY;
}

void pv_gc_left(struct pv_context *x, const struct pv_event *e)
{
	const uint64_t collected = e->left.collected, region = e->left.region;
	if (!x->counts || x->thread->forced || collected >= PV_GC_GENERATIONS ||
		region >= PV_REGIONS)
		return;
	struct pv_collection *c = pv_gc_newest_of(&x->m->gc, (uint8_t)collected, x->time);
	if (!c || c->merged > 1)
		return;
	c->left[region] = e->left.bytes;
	c->promoted[region] = e->left.promoted;
	c->phases |= PV_COLLECTION_LEFT;
}

/* The last entry at or before a time; NULL: none. */
static const struct pv_heap_size *size_at(const struct pv_gc *gc, int64_t time_ns)
{
	size_t low = 0, high = gc->sizes.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (gc->sizes.v[mid].time_ns <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &gc->sizes.v[low - 1] : NULL;
}

/* Heap size at a time, from the last resize at or before; 0: none. */
static uint64_t heap_at(const struct pv_gc *gc, int64_t time_ns)
{
	const struct pv_heap_size *s = size_at(gc, time_ns);
	return s ? s->bytes : 0;
}

void pv_gc_heap_around(const struct pv_gc *gc, size_t i, uint64_t *ret_before, uint64_t *ret_after)
{
	const struct pv_collection *c = &gc->collections.v[i];
	const struct pv_heap_size *s = size_at(gc, c->start_ns);
	*ret_before = c->heap_before ? c->heap_before : s && !s->after ? s->bytes : 0;
	*ret_after = c->over_ns == PV_NEVER ? 0 : heap_at(gc, c->over_ns);
}

/* True if a word of the profiler's options is on: "alloc" is not in "alloc=64k" nor "gcalloc". */
static bool option_is_on(const char *args, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strchr(args, ':'); at; at = strchr(at, ',')) {
		at++;
		if (strncmp(at, word, n) == 0 && (at[n] == 0 || at[n] == ',' || at[n] == '='))
			return true;
	}
	return false;
}

/* Before data version 14 moves were always reported. */
static bool moves_recorded(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	bool stock = strncmp(args, "log:", 4) == 0;
	return m->private->addresses.ages.moved || m->target.data_version < 14 ||
	       option_is_on(args, "gcmove") || option_is_on(args, "legacy") ||
	       (stock && (option_is_on(args, "alloc") || option_is_on(args, "heapshot")));
}

void pv_gc_addresses(struct pv_context *x)
{
	struct pv_model *m = x->m;
	struct pv_addresses *a = &m->private->addresses;
	if (!a->ages.kept && (m->target.logging2007 || (!m->allocs.period && moves_recorded(m))))
		pv_addresses_keep(a);
	pv_addresses_collected(a, x->time);
}

/*
 * Finds the slots of addresses before and after moving. They lie anywhere, so all are prefetched
 * before the first is read.
 */
struct move {
	struct pv_address *from, *ousted, *to;
};

static void find_moved(
	const struct pv_addresses *all, const uint64_t *pair, size_t n, struct move *ret)
{
	struct pv_region from = { 0 }, to = { 0 };
	for (size_t i = 0; i < n; i++) {
		pv_region_renew(&from, pair[2 * i]);
		pv_region_renew(&to, pair[2 * i + 1]);
		ret[i].from = pv_region_slot(&from, all->slot, pair[2 * i]);
		ret[i].ousted = pv_region_ousted(&from, all->ousted, pair[2 * i]);
		ret[i].to = pv_region_slot(&to, all->slot, pair[2 * i + 1]);
		__builtin_prefetch(ret[i].from, 0);
		__builtin_prefetch(ret[i].to, 1);
	}
}

/* The row of the object at `object`; empty: none. */
static inline struct pv_address row_of(const struct move *m, uint64_t object)
{
	if (m->from->object == object)
		return *m->from;
	return m->ousted->object == object ? *m->ousted : (struct pv_address){ 0 };
}

static bool tell_moved(struct pv_context *x, uint64_t from, uint64_t to)
{
	bool ok = true;
	const struct pv_object_listener *const *l = x->m->private->on_objects;
	for (; ok && *l; l++)
		ok = !(*l)->moved || (*l)->moved(x, from, to);
	return ok;
}

/* Old addresses are all read before new ones are written: all moves are of one moment. */
static bool move(struct pv_context *x, const uint64_t *pair, size_t n)
{
	const struct pv_addresses *all = &x->m->private->addresses;
	struct pv_address was[MOVES];
	struct move moves[MOVES];
	find_moved(all, pair, n, moves);
	uint32_t age = pv_addresses_age(all, x->time);
	for (size_t i = 0; i < n; i++) {
		was[i] = row_of(&moves[i], pair[2 * i]);
		if (was[i].age != age && !pv_addresses_moves(all, was[i].age, x->time))
			was[i].class_use = 0;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t to = pair[2 * i + 1];
		if (!was[i].class_use)
			continue;
		pv_address_set(all->ousted, moves[i].to,
			pv_address_of(to, was[i].class_use, age, was[i].asked));
		if (was[i].asked && !tell_moved(x, was[i].object, to))
			return false;
	}
	return true;
}

/*
 * Counts moves for the running collection, if known. Mono sends the last moves after the
 * collection's end, before threads go on.
 */
static void count_moves(struct pv_context *x, size_t n)
{
	struct pv_gc *gc = &x->m->gc;
	gc->moved += n;
	if (x->thread && x->thread->forced)
		return;
	uint32_t at = pv_order_at_most(&gc->by_start, x->time);
	struct pv_collection *c = at == PV_ORDER_NONE ? NULL : &gc->collections.v[at];
	bool runs = c && (c->merged > 1 || c->end_ns == PV_NEVER || x->time <= c->end_ns);
	bool in_stop = c && x->thread && x->thread->stop && c->end_stop == x->thread->stop;
	if (runs || in_stop)
		c->moved += n;
	else
		gc->moved_between += n;
}

bool pv_gc_moves(struct pv_context *x, const struct pv_event *e)
{
	const uint64_t *pair = x->batch->pool.v + e->moves.pairs.at;
	size_t n = e->moves.pairs.n / 2;
	struct pv_model *m = x->m;
	m->private->addresses.ages.moved |= n > 0;
	if (x->counts)
		count_moves(x, n);
	if (m->only.address_log || n == 0)
		return true;
	if (!m->private->addresses.slot && !pv_addresses_make(&m->private->addresses))
		return false;
	for (size_t done = 0; done < n; done += MOVES)
		if (!move(x, pair + 2 * done, n - done < MOVES ? n - done : MOVES))
			return false;
	return true;
}
