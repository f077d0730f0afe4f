/* SPDX-License-Identifier: MIT */
/*
 * Applies allocations: sums by class, by site and by size. Nearly all of a run go through a short
 * loop in which nothing has to be looked up.
 */
#include "common/model/objects/allocs.h"

#include <stdlib.h>

#include "common/base/saturate.h"
#include "common/model/objects/allocs_parts.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/calls/sites_fold.h"
#include "common/model/calls/stacks_fold.h"
#include "common/model/time/window_parts.h"

static bool grow_to(struct pv_allocs *a, uint32_t id)
{
	if (id < a->class_use.n)
		return true;
	if (!pv_reserve(&a->class_use, id + 1 - a->class_use.n))
		return false;
	while (a->class_use.n <= id)
		a->class_use.v[a->class_use.n++] = (struct pv_class_allocs){ 0 };
	return true;
}

/* The object is known from here on; the object at its address before is gone. */
static bool remember_object(struct pv_context *x, uint64_t object, uint32_t class_use)
{
	struct pv_model *m = x->m;
	if (object == 0 || m->only.address_log)
		return true; /* not recorded: logs of 2007; or the table will not be asked */
	struct pv_address *s = pv_addresses_slot(&m->private->addresses, object);
	if (!s)
		return false;
	uint32_t age = pv_addresses_age(&m->private->addresses, x->time);
	bool asked = s->asked && s->object == object;
	bool same = false, ok = true;
	const struct pv_object_listener *const *l = m->private->on_objects;
	for (; asked && ok && *l; l++)
		ok = (*l)->allocated(x, object, class_use, &same);
	pv_address_set(
		m->private->addresses.ousted, s, pv_address_of(object, class_use, age, same));
	return ok;
}

static void add_alloc(struct pv_allocs *a, uint32_t id, uint64_t size, const struct pv_estimate *e)
{
	struct pv_alloc_size *of = &a->size[pv_alloc_size_of(size)];
	of->count += e->count;
	of->bytes += e->bytes;
	struct pv_class_allocs *c = &a->class_use.v[id];
	c->count += e->count;
	c->bytes += e->bytes;
	c->variance += e->variance;
	a->count += e->count;
	a->bytes += e->bytes;
	a->variance += e->variance;
	a->samples++;
}

static bool apply(struct pv_context *x, const struct pv_alloc *a)
{
	struct pv_model *m = x->m;
	uint32_t id = pv_names_class(&m->names, a->type, x->time);
	if (!id || !remember_object(x, a->object, id))
		return false;
	x->alloc = pv_estimate_alloc(a->size, m->allocs.period, &m->allocs.carry);
	if (!pv_gc_allocated(&m->gc, x->thread, x->time, x->alloc.bytes))
		return false;
	if (!x->counts)
		return true;
	uint32_t stack =
		x->amid && !a->stack.n ? pv_calls_stack(m, x->node) : pv_stack_of(x, a->stack);
	if (stack == PV_MAP_NONE || !grow_to(&m->allocs, id))
		return false;
	add_alloc(&m->allocs, id, a->size, &x->alloc);
	uint64_t *with = a->stack.n ? &m->allocs.with_backtrace : &m->allocs.with_path;
	*with += stack ? x->alloc.count : 0;
	x->thread->allocations += x->alloc.count;
	x->thread->allocated_bytes += x->alloc.bytes;
	if (x->m->runtime.works.begun)
		pv_work_allocated(x, x->alloc.count, x->alloc.bytes);
	const struct pv_site more = {
		.class_use = id, .stack = stack, .count = x->alloc.count, .amount = x->alloc.bytes
	};
	const struct pv_place_sum here = { .node = a->stack.n ? m->private->stack_place : 0,
		.allocations = x->alloc.count,
		.bytes = x->alloc.bytes };
	return pv_places_add(&m->places, &here) && pv_sites_add(x, &m->allocs.sites, &more);
}

void pv_allocs_note_shot(struct pv_allocs *a, const struct pv_shot *shot)
{
	enum { WORTH = 64 };
	if (shot->objects < a->class_use.n / WORTH)
		return;
	for (size_t i = 0; i < a->class_use.n; i++) {
		a->class_use.v[i].shot_count = a->class_use.v[i].count;
		a->class_use.v[i].shot_bytes = a->class_use.v[i].bytes;
	}
	a->shot = shot->index + 1;
}

/* --- allocations in a row */

static inline size_t hint_of(uint64_t type, uint32_t stack)
{
	uint64_t hash =
		(type + stack * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
	return hash >> 32 & (PV_SITE_HINTS - 1);
}

/* State of the loop over usual allocations, valid until something has to be looked up. */
struct quick {
	uint32_t turn, sites, sums;
	const uint32_t *hint;
	const struct pv_stream_node *place; /* NULL: none is known */
	const struct pv_tree_node *node;
	struct pv_span_stacks *spans;
	struct pv_address *slot, *ousted;
	uint32_t age; /* of addresses, for all times at hand */
	struct pv_class_use *use;
	struct pv_site *site;
	struct pv_class_allocs *sum;
	struct pv_alloc_size *size;
	int64_t last;  /* time of the allocation before: none steps back ... */
	int64_t limit; /* ... and all come before this */
};

/* False where a shortcut is missing, or no run of allocations is at hand in the present cell. */
static bool load_quick(struct quick *q, const struct pv_context *x, const struct pv_call_stream *s)
{
	const struct pv_model *m = x->m;
	const struct pv_model_private *p = m->private;
	const struct pv_gc *gc = &m->gc;
	size_t runs = gc->pending->run.n;
	const struct pv_gc_run *run = runs ? &gc->pending->run.v[runs - 1] : NULL;
	if (m->allocs.period || m->only.address_log || !x->counts || !p->addresses.slot ||
		pv_stacks_are_many(&m->stacks) || !run || run->thread != x->thread)
		return false;
	bool paths = x->batch->summary.alloc_path.n >= x->batch->allocs.n && s->turn && s->node.n;
	*q = (struct quick){ .turn = s->turn,
		.hint = p->site_hint,
		.place = paths ? s->node.v : NULL,
		.node = m->calls.node.v,
		.spans = &m->private->spans,
		.slot = p->addresses.slot,
		.ousted = p->addresses.ousted,
		.age = p->addresses.ages.newest,
		.use = m->names.class_use.v,
		.site = m->allocs.sites.site.v,
		.sites = (uint32_t)m->allocs.sites.site.n,
		.sum = m->allocs.class_use.v,
		.size = x->m->allocs.size,
		.sums = (uint32_t)m->allocs.class_use.n,
		.last = run->last_ns };
	int64_t to = (int64_t)((uint64_t)p->slice_from + p->slice_width);
	q->limit = pv_sat_add(run->first_ns, PV_GC_RUN_MAX);
	q->limit = to < q->limit ? to : q->limit;
	return pv_addresses_is_newest(&p->addresses, run->last_ns) &&
	       p->slice_from <= run->last_ns && to >= p->slice_from &&
	       (!gc->collections.n || gc->latest_ns < run->last_ns);
}

/* The stack of an allocation, 0 where a look-up is needed. */
static inline uint32_t known_stack(const struct quick *q, const struct pv_batch *b, uint64_t at)
{
	const struct pv_alloc *a = &b->allocs.v[at];
	if (a->stack.n) {
		const struct pv_span_stack *s = pv_span_stack(q->spans, a->stack);
		return s->turn == q->spans->turn && s->at == a->stack.at ? s->stack : 0;
	}
	const struct pv_stream_node *place =
		q->place ? &q->place[b->summary.alloc_path.v[at]] : NULL;
	return place && place->turn == q->turn ? q->node[place->node].stack : 0;
}

/* The site that a class had at this place before, if the class key has only one meaning so far. */
static inline struct pv_site *known_site(const struct quick *q, uint64_t type, uint32_t stack)
{
	uint32_t at = q->hint[hint_of(type, stack)];
	struct pv_site *site = &q->site[at];
	if (at >= q->sites || site->stack != stack || stack == 0)
		return NULL; /* the site of a class's rest has no stack */
	const struct pv_class_use *u = &q->use[site->class_use];
	bool unambiguous = u->key == type && !u->ended && !u->before && !u->other;
	return unambiguous && site->class_use < q->sums && site->cell ? site : NULL;
}

/* True if the slot is another object's, and this object's former row is to be taken up again. */
static inline bool was_ousted(const struct quick *q, const struct pv_address *slot, uint64_t object)
{
	return slot->object != object &&
	       q->ousted[pv_addresses_ousted_place(object)].object == object;
}

/*
 * Applies the allocations whose class, stack and address need no look-up: nearly all. *at: the
 * first other one; *ret_stacks: how many have a backtrace.
 */
static void apply_usual(struct quick *q, const struct pv_batch *b, size_t *at, size_t end,
	uint64_t *ret_bytes, uint64_t *ret_stacks)
{
	const struct pv_alloc *alloc = b->allocs.v;
	uint64_t bytes = 0, stacks = 0;
	size_t i = *at;
	for (; i < end && b->kind[i] == PV_KIND_ALLOC; i++) {
		const struct pv_alloc *a = &alloc[b->key[i]];
		int64_t time = (int64_t)b->time[i];
		if ((uint64_t)time - (uint64_t)q->last >= (uint64_t)PV_GC_RUN_GAP ||
			time >= q->limit || !a->object)
			break;
		struct pv_site *site = known_site(q, a->type, known_stack(q, b, b->key[i]));
		struct pv_address *s = &q->slot[pv_addresses_place(a->object)];
		if (!site || s->asked || was_ousted(q, s, a->object))
			break;
		site->count++;
		site->amount += a->size;
		pv_address_set(
			q->ousted, s, pv_address_of(a->object, site->class_use, q->age, false));
		struct pv_class_use *use = &q->use[site->class_use];
		if (time > use->last_ns)
			use->last_ns = time;
		q->sum[site->class_use].count++;
		q->sum[site->class_use].bytes += a->size;
		struct pv_alloc_size *of = &q->size[pv_alloc_size_of(a->size)];
		of->count++;
		of->bytes += a->size;
		bytes += a->size;
		stacks += a->stack.n > 0;
		q->last = time;
	}
	*ret_bytes = bytes;
	*ret_stacks = stacks;
	*at = i;
}

/* Adds the totals of the `n` allocations that apply_usual() has applied. */
static void count_usual(
	struct pv_context *x, struct pv_alloc_run *run, uint64_t n, uint64_t bytes, uint64_t stacks)
{
	struct pv_allocs *a = &x->m->allocs;
	a->count += n;
	a->bytes += bytes;
	a->samples += n;
	a->with_backtrace += stacks;
	a->with_path += n - stacks;
	x->thread->allocations += n;
	x->thread->allocated_bytes += bytes;
	if (x->m->runtime.works.begun)
		pv_work_allocated(x, n, bytes);
	run->n += n;
	run->objects += n;
	run->bytes += bytes;
}

static void note_time(struct pv_alloc_run *run, int64_t time)
{
	run->newest = time > run->newest ? time : run->newest;
	run->oldest = time < run->oldest ? time : run->oldest;
}

/* Applies usual allocations from event i on; returns the index after the last. */
static size_t take_usual(struct pv_context *x, const struct pv_call_stream *stream, size_t i,
	size_t end, struct pv_alloc_run *run)
{
	const struct pv_batch *b = x->batch;
	struct quick q;
	uint64_t bytes, stacks;
	size_t to = i;
	if (!load_quick(&q, x, stream))
		return i;
	apply_usual(&q, b, &to, end, &bytes, &stacks);
	if (to == i)
		return i;
	struct pv_gc_pending *p = x->m->gc.pending;
	p->run.v[p->run.n - 1].last_ns = q.last;
	p->run.v[p->run.n - 1].bytes += bytes;
	count_usual(x, run, to - i, bytes, stacks);
	note_time(run, (int64_t)b->time[i]);
	note_time(run, q.last);
	return to;
}

/* Notes a site for known_site(), after a look-up. */
static void note_hint(struct pv_context *x, const struct pv_alloc *a)
{
	struct pv_model *m = x->m;
	struct pv_span_stack *s = pv_span_stack(&m->private->spans, a->stack);
	uint32_t stack = x->amid && !a->stack.n ? m->calls.node.v[x->node].stack : 0;
	if (a->stack.n && s->turn == m->private->spans.turn && s->at == a->stack.at)
		stack = s->stack;
	uint32_t id = pv_map_get(&m->names.class_of, a->type);
	if (!stack || id == PV_MAP_NONE)
		return;
	uint32_t site = pv_map_get(&m->allocs.sites.of, (uint64_t)id << 32 | stack);
	if (site != PV_MAP_NONE)
		m->private->site_hint[hint_of(a->type, stack)] = site;
}

static bool apply_unusual(struct pv_context *x, size_t i, uint32_t path, struct pv_alloc_run *run)
{
	const struct pv_alloc *a = &x->batch->allocs.v[x->batch->key[i]];
	struct pv_call_stream *stream = &x->m->private->segments.stream[x->batch->summary.stream];
	x->time = (int64_t)x->batch->time[i];
	x->amid = path != 0;
	x->node = path ? pv_segment_node(x->m, stream, path) : 0;
	if (x->node == PV_MAP_NONE)
		return false;
	x->place = x->batch->offset + pv_batch_number(x->batch, i);
	bool ok = apply(x, a);
	if (x->counts) {
		run->n++;
		run->objects += x->alloc.count;
		run->bytes += x->alloc.bytes;
	}
	if (ok)
		note_hint(x, a);
	return ok;
}

bool pv_allocs_run(struct pv_context *x, size_t *at, size_t end, struct pv_alloc_run *ret)
{
	const struct pv_batch *b = x->batch;
	const struct pv_model_private *p = x->m->private;
	const struct pv_call_stream *stream = &p->segments.stream[b->summary.stream];
	bool ok = true;
	size_t i = *at;
	*ret = (struct pv_alloc_run){ .oldest = INT64_MAX, .newest = INT64_MIN };
	while (ok && (i = take_usual(x, stream, i, end, ret)) < end &&
		b->kind[i] == PV_KIND_ALLOC) {
		uint64_t time = b->time[i], key = b->key[i];
		if (i > *at && time - (uint64_t)p->slice_from >= p->slice_width)
			break;
		uint32_t path = key < b->summary.alloc_path.n ? b->summary.alloc_path.v[key] : 0;
		note_time(ret, (int64_t)time);
		ok = apply_unusual(x, i++, path, ret);
	}
	*at = i;
	return ok;
}
