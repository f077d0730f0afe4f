/* SPDX-License-Identifier: MIT */
/* Applies throws, clauses and catches of exceptions. */
#include "common/model/objects/exceptions.h"

#include <string.h>

#include "common/base/saturate.h"
#include "common/model/names/names_find.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/calls/stacks_fold.h"
#include "common/model/time/buckets_parts.h"
#include "common/model/time/window_parts.h"

static enum pv_clause clause_of(uint64_t type)
{
	switch (type) {
	case 0:
		return PV_CLAUSE_CATCH;
	case 1:
		return PV_CLAUSE_FILTER;
	case 2:
		return PV_CLAUSE_FINALLY;
	case 4:
		return PV_CLAUSE_FAULT;
	default:
		return PV_CLAUSE_OTHER;
	}
}

/*
 * Mono's own wrapper of what the runtime calls: Main, a thread's start, a constructor of a class.
 */
static bool is_monos(const struct pv_names *n, uint32_t method)
{
	static const char wrapper[] = "(wrapper runtime-invoke)";
	const char *name = pv_intern_text(&n->text, pv_names_method_name(n, method));
	return strncmp(name, wrapper, sizeof wrapper - 1) == 0;
}

static uint32_t outermost(const struct pv_stacks *s, uint32_t stack)
{
	while (stack && s->node.v[stack].parent)
		stack = s->node.v[stack].parent;
	return s->node.v[stack].method;
}

/*
 * Ends an exception that its thread has left to Mono. Where the caller of Mono is still there, as
 * when a constructor of a class failed or reflection called, the caller went on with another
 * exception.
 */
static void end_left(struct pv_context *x, uint32_t stack)
{
	struct pv_thread *th = x->thread;
	const struct pv_thrown *top = th->thrown.n ? &th->thrown.v[th->thrown.n - 1] : NULL;
	const struct pv_stacks *s = &x->m->stacks;
	if (top && top->left && outermost(s, top->stack) == outermost(s, stack))
		th->thrown.n--;
}

static bool caught(struct pv_context *x, const struct pv_event *e, uint32_t method)
{
	struct pv_catches *c = &x->m->throws.catches;
	uint64_t type = pv_said_type(x, e->clause.object);
	struct pv_thrown was = { 0 };
	bool paired = pv_thrown_pop(x->thread, e->clause.object, type != 0, &was);
	uint32_t class_use = was.class_use;
	was.left = paired && is_monos(&x->m->names, method);
	if (paired)
		x->m->throws.open_ns += pv_sat_span(was.time_ns, x->time);
	if (was.left && !pv_thrown_push(x->thread, was))
		return false;
	if (type)
		class_use = pv_names_class(&x->m->names, type, x->time);
	else if (!paired)
		c->unpaired++;
	return (!type || class_use) && pv_catches_add(c, class_use, method);
}

/* Counts for the rate of a class; a class not known yet has no rate. */
static bool add_rate(struct pv_context *x, uint32_t class_use, int64_t time)
{
	const struct pv_bucket_entry one = { PV_BUCKET_THROWS, class_use, 1, 0 };
	return !class_use || pv_buckets_add(x->m, time, &one);
}

static bool clause(struct pv_context *x, const struct pv_event *e)
{
	struct pv_exceptions *t = &x->m->throws;
	enum pv_clause kind = clause_of(e->clause.type);
	uint32_t method = pv_names_method(&x->m->names, e->clause.method, x->time);
	if (!method)
		return false;
	t->clauses[kind]++;
	if (t->by_method.n >= PV_CLAUSE_METHODS_CAP &&
		pv_map_get(&t->by_method_of, method) == PV_MAP_NONE)
		method = 0;
	uint32_t at = pv_map_get(&t->by_method_of, method);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)t->by_method.n;
		if (!pv_reserve(&t->by_method, 1) || !pv_map_set(&t->by_method_of, method, at))
			return false;
		t->by_method.v[t->by_method.n++] = (struct pv_clause_method){ .method = method };
	}
	t->by_method.v[at].clauses[kind]++;
	return kind != PV_CLAUSE_CATCH || caught(x, e, method);
}

void pv_exceptions_finish(struct pv_exceptions *t)
{
	pv_sites_finish(&t->sites);
	pv_unresolved_finish(&t->waiting);
	pv_messages_finish(&t->messages);
	pv_catches_finish(&t->catches);
	pv_array_finish(&t->by_method);
	pv_map_finish(&t->by_method_of);
}

static void renumbered(struct pv_model *m, const uint32_t *into)
{
	struct pv_exceptions *t = &m->throws;
	for (size_t i = 0; i < t->waiting.one.n; i++)
		t->waiting.one.v[i].what[1] = into[t->waiting.one.v[i].what[1]];
	for (size_t i = 1; i < m->threads.thread.n; i++) {
		struct pv_thread *th = m->threads.thread.v[i];
		for (size_t k = 0; k < th->thrown.n; k++)
			th->thrown.v[k].stack = into[th->thrown.v[k].stack];
	}
}

const struct pv_stack_listener pv_exceptions_stacks = { renumbered, NULL };

/*
 * Moves a throw from one class's site to another's. A site that was folded, and is made again here,
 * stays in place.
 */
static bool classify(struct pv_context *x, const struct pv_unresolved_event *w, uint32_t class_use)
{
	struct pv_exceptions *t = &x->m->throws;
	uint32_t from = pv_sites_get(&t->sites, w->what[0], w->what[1]);
	if (from == 0)
		return false;
	struct pv_site *old = &t->sites.site.v[from];
	if (old->count == 0)
		return true;
	old->count--;
	t->unknown_class -= w->unknown;
	const struct pv_site more = { .class_use = class_use, .stack = w->what[1], .count = 1 };
	return (!w->unknown || add_rate(x, class_use, w->time_ns)) &&
	       pv_sites_add(x, &t->sites, &more);
}

static bool thrown_allocated(
	struct pv_context *x, uint64_t object, uint32_t class_use, bool *ret_same)
{
	(void)ret_same; /* only the row of a lock stays asked for */
	return pv_unresolved_resolve(x, &x->m->throws.waiting, object, class_use, classify);
}

const struct pv_object_listener pv_exceptions_listener = { thrown_allocated, NULL };

bool pv_exceptions_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_exceptions *t = &x->m->throws;
	if (e->kind == PV_KIND_EXCEPTION_CLAUSE)
		return !x->counts || clause(x, e);
	bool typed = e->thrown.type || pv_said_type(x, e->thrown.object);
	if (!x->counts)
		return typed || pv_unresolved_add(x, &t->waiting, e->thrown.object, 0, 0);
	uint32_t class_use = e->thrown.type ? pv_names_class(&x->m->names, e->thrown.type, x->time)
					    : pv_class_of_address_at(x, e->thrown.object);
	uint32_t stack = pv_stack_of(x, e->thrown.stack), place = x->m->private->stack_place;
	if (stack == PV_MAP_NONE)
		return false;
	struct pv_work_piece *piece = pv_work_now(x);
	if (piece)
		piece->thrown++;
	t->thrown++;
	t->unknown_class += class_use == 0;
	pv_timeline_add(&x->m->timeline, PV_TRACK_THROWS, x->time, 1);
	const struct pv_thrown open = { .object = e->thrown.object,
		.time_ns = x->time,
		.class_use = class_use,
		.stack = stack };
	end_left(x, stack);
	if (!pv_thrown_push(x->thread, open) || !add_rate(x, class_use, x->time))
		return false;
	if (!typed && !pv_unresolved_add(x, &t->waiting, e->thrown.object, class_use, stack))
		return false;
	const struct pv_site more = { .class_use = class_use, .stack = stack, .count = 1 };
	const struct pv_place_sum here = { .node = place, .throws = 1 };
	return pv_places_add(&x->m->places, &here) && pv_sites_add(x, &t->sites, &more);
}
