#include "common/model/allocs.h"

#include <stdlib.h>

#include "common/model/recall_parts.h"
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

bool pv_sites_add(struct pv_context *x, struct pv_sites *s, const struct pv_site *more)
{
	bool windowed = s == &x->m->allocs.sites;
	uint32_t *remap = NULL;
	if (windowed && s->site.n >= s->cap && !pv_window_flush(x->m))
		return false;
	size_t before = s->site.n;
	uint32_t at = pv_sites_get(s, more->class_use, more->stack, &remap);
	if (!at)
		return false;
	if (remap && windowed)
		pv_window_renumber_sites(x->m, remap);
	free(remap);
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

bool pv_allocs_apply(struct pv_context *x, const struct pv_alloc *a)
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
	uint32_t stack = x->node && !a->stack.n ? pv_calls_stack(m, pv_stretch_node(m, x->thread, x->node))
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
