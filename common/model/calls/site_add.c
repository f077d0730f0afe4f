/* SPDX-License-Identifier: MIT */
/* Adds events to sites; finds their stacks, and makes room at the caps. */
#include "common/model/calls/stacks_fold.h"

#include <stdlib.h>

#include "common/model/calls/sites_fold.h"
#include "common/model/ground/model_stack.h"
#include "common/model/time/window_parts.h"

/* The stack of a span of the pool. Remembered where neither names nor room can change it. */
static uint32_t span_stack(struct pv_context *x, struct pv_span backtrace)
{
	struct pv_model_private *p = x->m->private;
	struct pv_span_stack *known = pv_span_stack(&p->spans, backtrace);
	const struct pv_stacks *all = &x->m->stacks;
	if (known->turn == p->spans.turn && known->at == backtrace.at)
		return known->stack;
	uint32_t stack = pv_model_stack(x->m, x->batch->pool.v + backtrace.at, backtrace.n);
	if (p->memo_n >= backtrace.n && all->node.n < all->cap && !x->m->names.other_method &&
		!p->symbols && !x->m->names.place_of.n)
		*known = (struct pv_span_stack){ backtrace.at, stack, p->spans.turn };
	return stack;
}

uint32_t pv_stack_of(struct pv_context *x, struct pv_span backtrace)
{
	x->m->private->use_ns = x->time;
	x->m->private->stack_place = 0;
	if (pv_stacks_are_many(&x->m->stacks) && !pv_stacks_make_room(x->m))
		return PV_MAP_NONE;
	if (backtrace.n && x->batch->frames.n)
		return pv_model_frame(x->m, x->batch, backtrace.at);
	if (backtrace.n)
		return span_stack(x, backtrace);
	const struct pv_thread_calls *s = &x->thread->stack;
	return s->stack.n ? pv_calls_stack(x->m, s->stack.v[s->stack.n - 1].node) : 0;
}

/* Makes room in a new table, while others can read the old. */
static bool make_site_room(struct pv_model *m, struct pv_sites *s, bool windowed)
{
	struct pv_sites copy;
	uint32_t *remap = NULL;
	if (windowed && !pv_window_flush(m))
		return false;
	pv_model_lock_release(m);
	bool ok = pv_sites_copy(s, &copy);
	bool made = ok && pv_sites_make_room(&copy, &remap);
	pv_model_lock_retake(m);
	if (ok)
		pv_sites_replace(s, &copy, made);
	if (made && windowed)
		pv_window_renumber_sites(m, remap);
	free(remap);
	return made;
}

bool pv_sites_add(struct pv_context *x, struct pv_sites *s, const struct pv_site *more)
{
	bool windowed = s == &x->m->allocs.sites;
	if (pv_sites_are_many(s, more->class_use, more->stack) &&
		!make_site_room(x->m, s, windowed))
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
