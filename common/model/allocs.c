#include "common/model/allocs.h"

#include <stdlib.h>

#include "common/model/allocs_parts.h"
#include "common/model/gc_parts.h"
#include "common/model/recall_parts.h"
#include "common/model/sites_fold.h"
#include "common/model/stacks_fold.h"
#include "common/model/window_parts.h"

uint32_t pv_stack_of(struct pv_context *x, struct pv_span backtrace)
{
	x->m->private->use_ns = x->time;
	if (pv_stacks_are_many(&x->m->stacks) && !pv_stacks_make_room(x->m))
		return PV_MAP_NONE;
	if (backtrace.n)
		return pv_model_stack(x->m, x->batch->pool.v + backtrace.at, backtrace.n);
	const struct pv_thread_calls *s = &x->thread->stack;
	return s->stack.n ? pv_calls_stack(x->m, s->stack.v[s->stack.n - 1].node) : 0;
}

/* Beside the table, so that others can read it meanwhile. */
static bool make_room(struct pv_model *m, struct pv_sites *s, bool windowed)
{
	struct pv_sites copy;
	uint32_t *remap = NULL;
	if (windowed && !pv_window_flush(m))
		return false;
	pv_model_let_go(m);
	bool ok = pv_sites_copy(s, &copy);
	bool made = ok && pv_sites_make_room(&copy, &remap);
	pv_model_take_back(m);
	if (ok)
		pv_sites_settle(s, &copy, made);
	if (made && windowed)
		pv_window_renumber_sites(m, remap);
	free(remap);
	return made;
}

bool pv_sites_add(struct pv_context *x, struct pv_sites *s, const struct pv_site *more)
{
	bool windowed = s == &x->m->allocs.sites;
	if (pv_sites_are_many(s, more->class_use, more->stack) && !make_room(x->m, s, windowed))
		return false;
	size_t before = s->site.n;
	uint32_t at = pv_sites_get(s, more->class_use, more->stack);
	if (!at)
		return false;
	struct pv_site *site = &s->site.v[at];
	if (windowed) {
		if (at + 1 == s->site.n && s->site.n != before)
			site->cell = pv_window_untouched(x->m);
		if (!site->cell)
			pv_window_touch_site(x->m, at);
	}
	site->count += more->count;
	site->amount += more->amount;
	return true;
}

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

/* The object is known from here on; whoever lived at its address before is gone. */
static bool remember(struct pv_context *x, uint64_t object, uint32_t class_use)
{
	struct pv_model *m = x->m;
	if (object == 0 || m->only.recall)
		return true; /* not recorded: logs of 2007; or nobody will ask the table */
	struct pv_address *s = pv_addresses_slot(&m->private->addresses, object);
	if (!s)
		return false;
	bool lock = s->lock && s->object == object;
	bool same = lock && pv_object_allocated(x, object, class_use);
	bool ok = !lock || same || pv_object_moved(x, object, 0);
	*s = (struct pv_address){ object, class_use, same };
	return ok;
}

static void add(struct pv_allocs *a, uint32_t id, const struct pv_estimate *e)
{
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
	if (!id || !remember(x, a->object, id))
		return false;
	x->alloc = pv_estimate_alloc(a->size, m->allocs.period, &m->allocs.carry);
	if (!pv_gc_allocated(&m->gc, x->thread, x->time, x->alloc.bytes))
		return false;
	if (!x->counts)
		return true;
	uint32_t stack = x->amid && !a->stack.n ? pv_calls_stack(m, x->node)
						: pv_stack_of(x, a->stack);
	if (stack == PV_MAP_NONE || !grow_to(&m->allocs, id))
		return false;
	add(&m->allocs, id, &x->alloc);
	uint64_t *with = a->stack.n ? &m->allocs.with_backtrace : &m->allocs.with_path;
	*with += stack ? x->alloc.count : 0;
	x->thread->allocations += x->alloc.count;
	x->thread->allocated_bytes += x->alloc.bytes;
	const struct pv_site more = { .class_use = id,
		.stack = stack,
		.count = x->alloc.count,
		.amount = x->alloc.bytes };
	return pv_sites_add(x, &m->allocs.sites, &more);
}

/* --- allocations in a row */

/* The class that a key has had before, and has for ever as far as is known. False: look it up. */
static inline bool known_class(struct pv_model *m, uint64_t key, int64_t time, uint32_t *ret)
{
	uint32_t id = m->private->class_hint[pv_hash(key) % PV_CLASS_HINTS];
	struct pv_class_use *u = &m->names.class_use.v[id];
	if (id == 0 || id >= m->names.class_use.n || u->key != key || u->ended || u->before ||
		u->other)
		return false;
	if (time > u->last_ns)
		u->last_ns = time;
	*ret = id;
	return true;
}

static inline uint32_t *site_hint(struct pv_model *m, uint32_t class_use, uint32_t stack)
{
	uint64_t hash = (stack + (uint64_t)class_use * 0x9e3779b9) * UINT64_C(0xd6e8feb86659fd93);
	return &m->private->site_hint[hash >> 32 & (PV_SITE_HINTS - 1)];
}

static inline struct pv_site *known_site(struct pv_model *m, uint32_t class_use, uint32_t stack)
{
	struct pv_sites *s = &m->allocs.sites;
	uint32_t at = *site_hint(m, class_use, stack);
	struct pv_site *site = &s->site.v[at];
	if (at == 0 || at >= s->site.n || site->class_use != class_use || site->stack != stack ||
		site->other || class_use >= m->allocs.class_use.n)
		return NULL;
	if (!site->cell)
		pv_window_touch_site(m, at);
	return site;
}

/*
 * Nearly every allocation is of a class, at a place and at an address of which nothing needs to
 * be looked up. False, with nothing changed, where something does. *ret_ok: not out of memory.
 */
static inline bool apply_usual(struct pv_context *x, const struct pv_alloc *a, bool *ret_ok)
{
	struct pv_model *m = x->m;
	uint32_t id, stack = x->amid && !a->stack.n ? m->calls.node.v[x->node].stack : 0;
	if (!stack || !m->private->addresses.slot || !known_class(m, a->type, x->time, &id))
		return false;
	struct pv_address *s = &m->private->addresses.slot[pv_addresses_place(a->object)];
	size_t n = m->gc.collections.n;
	if (s->lock || a->object == 0 || (n && m->gc.collections.v[n - 1].start_ns >= x->time))
		return false;
	struct pv_site *site = known_site(m, id, stack);
	if (!site)
		return false;
	site->count++;
	site->amount += a->size;
	*s = (struct pv_address){ a->object, id, 0 };
	struct pv_class_allocs *c = &m->allocs.class_use.v[id];
	c->count++;
	c->bytes += a->size;
	if (!pv_gc_allocated_on(&m->gc, x->thread, x->time, a->size))
		*ret_ok = pv_gc_allocated(&m->gc, x->thread, x->time, a->size);
	return true;
}

/* Hints of what had to be looked up. */
static void note_hints(struct pv_context *x, const struct pv_alloc *a)
{
	struct pv_model *m = x->m;
	uint32_t stack = x->amid ? m->calls.node.v[x->node].stack : 0;
	uint32_t id = pv_map_get(&m->names.class_of, a->type);
	if (!stack || id == PV_MAP_NONE)
		return;
	m->private->class_hint[pv_hash(a->type) % PV_CLASS_HINTS] = id;
	uint32_t site = pv_map_get(&m->allocs.sites.of, (uint64_t)id << 32 | stack);
	if (site != PV_MAP_NONE)
		*site_hint(m, id, stack) = site;
}

/* What apply_usual() leaves for when several were applied. */
static void count_usual(struct pv_context *x, uint64_t n, uint64_t bytes)
{
	struct pv_allocs *a = &x->m->allocs;
	a->count += n;
	a->bytes += bytes;
	a->samples += n;
	a->with_path += n;
	x->thread->allocations += n;
	x->thread->allocated_bytes += bytes;
}

static bool apply_unusual(struct pv_context *x, size_t i, struct pv_alloc_run *run)
{
	const struct pv_alloc *a = &x->batch->allocs.v[x->batch->key[i]];
	x->place = x->batch->offset + pv_batch_number(x->batch, i);
	bool ok = apply(x, a);
	if (x->counts) {
		run->n++;
		run->objects += x->alloc.count;
		run->bytes += x->alloc.bytes;
	}
	if (ok)
		note_hints(x, a);
	return ok;
}

bool pv_allocs_run(struct pv_context *x, size_t *at, size_t end, struct pv_alloc_run *ret)
{
	const struct pv_batch *b = x->batch;
	const struct pv_digest *d = &b->digest;
	struct pv_model_private *p = x->m->private;
	struct pv_strand *strand = &p->stretches.strand[d->strand];
	bool all = x->m->allocs.period == 0 && !x->m->only.recall && x->counts, ok = true;
	uint64_t usual = 0, bytes = 0;
	*ret = (struct pv_alloc_run){ .oldest = INT64_MAX, .newest = INT64_MIN };
	size_t i = *at;
	for (; ok && i < end && b->kind[i] == PV_KIND_ALLOC; i++) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		x->time = (int64_t)b->time[i];
		if (i > *at && (uint64_t)x->time - (uint64_t)p->slice_from >= p->slice_width)
			break;
		ret->newest = x->time > ret->newest ? x->time : ret->newest;
		ret->oldest = x->time < ret->oldest ? x->time : ret->oldest;
		uint32_t path = b->key[i] < d->alloc_path.n ? d->alloc_path.v[b->key[i]] : 0;
		x->amid = path != 0;
		x->node = path ? pv_stretch_node(x->m, strand, path) : 0;
		ok = x->node != PV_MAP_NONE;
		if (all && apply_usual(x, a, &ok)) {
			usual++;
			bytes += a->size;
		} else {
			ok = ok && apply_unusual(x, i, ret);
		}
	}
	count_usual(x, usual, bytes);
	ret->n += usual;
	ret->objects += usual;
	ret->bytes += bytes;
	*at = i;
	return ok;
}
