/* SPDX-License-Identifier: MIT */
/* Costs of spans of work; see span_costs.h. */
#include "common/query/views/span_costs.h"

#include <string.h>

#include "common/base/saturate.h"
#include "common/model/ground/request_times.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum { DEPTH = 64 /* of spans within each other: a log's parents may be a circle */ };

void pv_span_cost_add(struct pv_span_cost *to, const struct pv_span_cost *more)
{
	to->ran += more->ran;
	to->waited += more->waited;
	to->unsure += more->unsure;
	to->allocations += more->allocations;
	to->bytes += more->bytes;
	to->waits += more->waits;
	to->thrown += more->thrown;
	to->queries += more->queries;
	to->wait_ns = pv_sat_add(to->wait_ns, more->wait_ns);
	to->query_ns = pv_sat_add(to->query_ns, more->query_ns);
}

bool pv_span_is_query(const struct pv_model *m, const struct pv_work *w)
{
	return strcmp(pv_intern_text(&m->names.text, w->what), "SQL") == 0;
}

/* The first pause that may reach beyond `from_ns`, in pauses sorted by start. */
static size_t first_pause(const struct pv_gc *gc, int64_t from_ns)
{
	const int64_t least = pv_sat_add(from_ns, -gc->pause_max_ns);
	size_t low = 0, high = gc->pauses.n;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (gc->pauses.v[mid].start_ns < least)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int64_t pv_span_stopped_ns(const struct pv_model *m, const struct pv_work *w)
{
	const struct pv_gc *gc = &m->gc;
	const int64_t end_ns = pv_sat_add(w->start_ns, w->took_ns);
	int64_t sum = 0;
	for (size_t i = first_pause(gc, w->start_ns); i < gc->pauses.n; i++) {
		const struct pv_pause *p = &gc->pauses.v[i];
		int64_t from = p->start_ns, to = pv_sat_add(from, p->duration_ns);
		if (from >= end_ns)
			break;
		from = from > w->start_ns ? from : w->start_ns;
		to = to < end_ns ? to : end_ns;
		sum += to > from ? to - from : 0;
	}
	return sum;
}

/* The index of the span with this id; PV_MAP_NONE. */
static uint32_t span_at(const struct pv_span_costs *c, uint64_t id)
{
	return id ? pv_map_get(&c->at, id) : PV_MAP_NONE;
}

/* Adds to a span and to all spans around. */
static void give(struct pv_span_costs *c, const struct pv_model *m, uint32_t at,
	const struct pv_span_cost *more)
{
	for (int left = DEPTH; at != PV_MAP_NONE && left; left--) {
		pv_span_cost_add(&c->of.v[at], more);
		at = span_at(c, m->runtime.work.v[at].parent);
	}
}

static uint32_t outermost(const struct pv_span_costs *c, const struct pv_model *m, uint32_t at)
{
	for (int left = DEPTH; left; left--) {
		const uint32_t up = span_at(c, m->runtime.work.v[at].parent);
		if (up == PV_MAP_NONE)
			break;
		at = up;
	}
	return at;
}

static void give_pieces(struct pv_span_costs *c, const struct pv_model *m)
{
	const struct pv_works *w = &m->runtime.works;
	for (size_t i = 0; i < w->piece.n; i++) {
		const struct pv_work_piece *p = &w->piece.v[i];
		const struct pv_span_cost cost = { .ran = p->ran,
			.waited = p->waited,
			.unsure = p->unsure,
			.allocations = p->allocations,
			.bytes = p->bytes,
			.waits = p->waits,
			.thrown = p->thrown,
			.wait_ns = p->wait_ns };
		const uint32_t at = pv_piece_is_sure(p) ? span_at(c, p->owner) : PV_MAP_NONE;
		if (at != PV_MAP_NONE)
			give(c, m, at, &cost);
		else
			pv_span_cost_add(&c->left, &cost);
	}
}

struct giving {
	struct pv_span_costs *to;
	const struct pv_model *m;
};

static void give_hit(void *ctx, struct pv_work_piece *p, int ran, uint32_t samples)
{
	const struct giving *g = ctx;
	const struct pv_span_cost cost = { .ran = ran == PV_RAN ? samples : 0,
		.waited = ran == PV_WAITED ? samples : 0,
		.unsure = ran == PV_RAN_UNSURE ? samples : 0 };
	const uint32_t at = pv_piece_is_sure(p) ? span_at(g->to, p->owner) : PV_MAP_NONE;
	if (at != PV_MAP_NONE)
		give(g->to, g->m, at, &cost);
	else
		pv_span_cost_add(&g->to->left, &cost);
}

static void give_queries(struct pv_span_costs *c, const struct pv_model *m)
{
	for (uint32_t i = 0; i < m->runtime.work.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		const struct pv_span_cost one = { .queries = 1, .query_ns = w->took_ns };
		if (!pv_span_is_query(m, w))
			continue;
		c->has_queries = true;
		give(c, m, span_at(c, w->parent), &one);
	}
}

/* The time of a sample's unit of weight; 0: not known. */
static int64_t sample_ns(const struct pv_model *m)
{
	const char *text = m->target.text;
	return text && strcmp(text, "nettrace") == 0 ? PV_NETTRACE_SAMPLE_NS : m->lanes.period_ns;
}

bool pv_span_costs_make(struct pv_span_costs *c, struct pv_model *m)
{
	const size_t n = m->runtime.work.n;
	const struct pv_request_times *of = m->only.requests;
	const unsigned groups = pv_groups_recorded(m) | (of ? of->recorded : 0);
	*c = (struct pv_span_costs){ .any = m->runtime.works.begun > 0,
		.has_queries = of && of->queries };
	c->period_ns = groups & PV_GROUP_SAMPLES ? sample_ns(m) : 0;
	c->has_bytes = (groups & PV_GROUP_ALLOC) != 0;
	c->has_waits = (groups & PV_GROUP_LOCKS) != 0;
	c->has_thrown = (groups & PV_GROUP_EXCEPTIONS) != 0;
	if (!pv_reserve(&c->of, n) || !pv_reserve(&c->request, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t id = m->runtime.work.v[i].id;
		c->of.v[c->of.n++] = (struct pv_span_cost){ 0 };
		if (id && !pv_map_set(&c->at, id, i))
			return false;
	}
	for (uint32_t i = 0; i < n; i++)
		c->request.v[c->request.n++] = outermost(c, m, i);
	give_pieces(c, m);
	give_queries(c, m);
	struct giving g = { c, m };
	return pv_work_each_hit(m, give_hit, &g);
}

void pv_span_costs_finish(struct pv_span_costs *c)
{
	pv_array_finish(&c->of);
	pv_array_finish(&c->request);
	pv_map_finish(&c->at);
}
