/* SPDX-License-Identifier: MIT */
/* Applies extension events of runtimes: stops, bodies of methods, transitions, survivors, spans. */
#include "common/model/objects/runtime.h"

#include "common/base/saturate.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/ground/request_times.h"

/* A duration in ns from a log that may be damaged. */
static int64_t duration(uint64_t ns)
{
	return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static void add_to(int64_t *sum, int64_t *max, uint64_t ns)
{
	*sum = pv_sat_add(*sum, duration(ns));
	if (duration(ns) > *max)
		*max = duration(ns);
}

static bool count_stop(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	uint64_t reason = e->stop.reason < PV_STOP_REASONS ? e->stop.reason : PV_STOP_OTHER;
	struct pv_stop_sum *s = &r->stop[reason];
	r->stops++;
	s->count++;
	s->failed += e->stop.failed > 0;
	add_to(&s->wait_ns, &s->wait_max_ns, e->stop.wait_ns);
	add_to(&s->stopped_ns, &s->stopped_max_ns, e->stop.stopped_ns);
	return true;
}

static bool body(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	uint8_t tier = e->body.tier < PV_TIERS ? (uint8_t)e->body.tier : PV_TIER_UNKNOWN;
	r->bodies++;
	r->tier[tier].count++;
	r->tier[tier].bytes += e->body.size;
	x->m->private->use_ns = x->time;
	uint32_t method = pv_model_method(x->m, e->body.method);
	if (r->body.n >= PV_BODIES_LIST)
		return true;
	if (!method || !pv_reserve(&r->body, 1))
		return false;
	r->body.v[r->body.n++] = (struct pv_body){ x->time, e->body.code, e->body.size,
		e->body.version, method, tier };
	return true;
}

static bool transition(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	unsigned into = e->transition.into == PV_INTO_MANAGED;
	x->m->private->use_ns = x->time;
	uint32_t method = pv_model_method(x->m, e->transition.method);
	uint32_t at = pv_map_get(&r->transitions_of, method);
	r->crossings++;
	if (at == PV_MAP_NONE) {
		at = (uint32_t)r->transitions.n;
		if (!method || !pv_reserve(&r->transitions, 1) ||
			!pv_map_set(&r->transitions_of, method, at))
			return false;
		r->transitions.v[r->transitions.n++] = (struct pv_transitions){ .method = method };
	}
	struct pv_transitions *t = &r->transitions.v[at];
	t->count[into]++;
	add_to(&t->total_ns[into], &t->max_ns[into], e->transition.took_ns);
	return true;
}

static bool survived(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	r->survivals++;
	if (r->survived.n >= PV_SURVIVED_LIST)
		return true;
	if (!pv_reserve(&r->survived, 1))
		return false;
	r->survived.v[r->survived.n++] =
		(struct pv_survived){ x->time, e->survived.generation, e->survived.ranges,
			e->survived.bytes, e->survived.moved_ranges, e->survived.moved_bytes };
	return true;
}

static bool span(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	int64_t took_ns = duration(e->span.took_ns);
	struct pv_works *works = &r->works;
	struct pv_work w = { .start_ns = pv_sat_add(x->time, -took_ns),
		.took_ns = took_ns,
		.id = works->ended_id,
		.parent = works->ended_parent,
		.thread = x->thread->id,
		.failed = e->span.failed > 0 };
	works->ended_id = works->ended_parent = 0;
	r->spans++;
	if (r->work.n >= PV_SPANS_LIST) {
		r->rest.count++;
		r->rest.failed += w.failed;
		r->rest.sum_ns = pv_sat_add(r->rest.sum_ns, took_ns);
		return true;
	}
	x->m->private->use_ns = x->time;
	w.stack = pv_model_stack(x->m, x->batch->pool.v + e->span.stack.at, e->span.stack.n);
	if (w.stack == PV_MAP_NONE || !pv_reserve(&r->work, 1) ||
		!pv_intern_add(&x->m->names.text, e->span.what.at, e->span.what.len, &w.what) ||
		!pv_intern_add(&x->m->names.text, e->span.name.at, e->span.name.len, &w.name))
		return false;
	r->work.v[r->work.n++] = w;
	return true;
}

/* With chosen requests a span counts if its request is chosen, whatever the thread does now. */
static bool span_counts(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_request_times *chosen = x->m->only.requests;
	const int64_t took_ns = duration(e->span.took_ns);
	if (!chosen)
		return x->counts;
	if ((x->m->only.threaded && !x->thread->selected) || !pv_in_range(x->m, x->time) ||
		!pv_request_times_span(chosen, x->m->runtime.works.ended_id,
			pv_sat_add(x->time, -took_ns), took_ns))
		return false;
	x->m->kinds[e->kind] += !x->counts;
	return true;
}

/* Notes the name of a load context, or the context of an assembly, whatever the range. */
static bool context(struct pv_context *x, const struct pv_event *e)
{
	struct pv_names *n = &x->m->names;
	bool named = e->kind == PV_KIND_EXT_CONTEXT_NAME;
	enum pv_entity_kind kind = named ? PV_ENTITY_CONTEXT : PV_ENTITY_ASSEMBLY;
	uint32_t id = pv_names_entity(n, kind, e->meta.key, x->time);
	if (!id)
		return true;
	struct pv_entity *it = &n->entity[kind].v[id];
	if (named)
		return pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &it->name);
	x->m->runtime.in_contexts++;
	it->domain = e->meta.owner;
	return true;
}

bool pv_runtime_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_runtime *r = &x->m->runtime;
	if (e->kind == PV_KIND_EXT_CONTEXT_NAME || e->kind == PV_KIND_EXT_ASSEMBLY_IN)
		return context(x, e);
	if (e->kind == PV_KIND_EXT_WORK)
		return pv_threads_touch(&x->m->threads, x->thread) && pv_work_apply(x, e);
	if (e->kind == PV_KIND_EXT_SPAN ? !span_counts(x, e) : !x->counts)
		return true;
	switch (e->kind) {
	case PV_KIND_EXT_SUSPENSION:
		return count_stop(x, e);
	case PV_KIND_EXT_BODY:
		return body(x, e);
	case PV_KIND_EXT_TRANSITION:
		return transition(x, e);
	case PV_KIND_EXT_SURVIVED:
		return survived(x, e);
	case PV_KIND_EXT_SPAN:
		return span(x, e);
	default:
		r->pitched += e->body.why == PV_GONE_PITCHED;
		r->dynamic_gone += e->body.why == PV_GONE_DYNAMIC;
		return true;
	}
}

void pv_runtime_finish(struct pv_runtime *r)
{
	pv_array_finish(&r->body);
	pv_array_finish(&r->transitions);
	pv_map_finish(&r->transitions_of);
	pv_array_finish(&r->survived);
	pv_array_finish(&r->work);
	pv_work_finish(&r->works);
}
