/* SPDX-License-Identifier: MIT */
/* Rules about spans of work: queries repeated within one request, and slow routes. */
#include <inttypes.h>
#include <math.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/model/model.h"
#include "common/query/findings/rule.h"
#include "common/query/views/span_routes.h"

/* The most frequent query text within one request. */
struct alike {
	uint64_t n;            /* queries with the text in the request */
	uint32_t one, request; /* in pv_runtime.work: the last such query, and the request */
	uint64_t times;        /* pairs of request and text with half as many queries or more */
};

static uint64_t pair_of(const struct pv_model *m, const struct pv_span_costs *c, uint32_t i)
{
	const uint64_t row = pv_span_row(m, &m->runtime.work.v[i]);
	return (row ^ (uint64_t)c->request.v[i] << 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Counts each query under its request and text. False: out of memory. */
static bool count_alike(struct pv_model *m, const struct pv_span_costs *c, struct alike *ret)
{
	struct pv_map n = { 0 };
	bool ok = true;
	for (uint32_t i = 0; ok && i < c->request.n; i++) {
		if (!pv_span_is_query(m, &m->runtime.work.v[i]) || c->request.v[i] == i)
			continue;
		const uint64_t pair = pair_of(m, c, i);
		const uint32_t before = pv_map_get(&n, pair);
		const uint32_t now = before == PV_MAP_NONE ? 1 : before + 1;
		ok = pv_map_set(&n, pair, now);
		if (now > ret->n)
			*ret = (struct alike){ now, i, c->request.v[i], 0 };
	}
	for (uint32_t i = 0; ok && i < c->request.n; i++) { /* clears counted pairs */
		if (!pv_span_is_query(m, &m->runtime.work.v[i]) || c->request.v[i] == i)
			continue;
		const uint64_t pair = pair_of(m, c, i);
		ret->times += pv_map_get(&n, pair) >= (ret->n + 1) / 2;
		ok = pv_map_set(&n, pair, 0);
	}
	pv_map_finish(&n);
	return ok;
}

static void say_alike(struct pv_model *m, const struct alike *a, struct pv_finding *f)
{
	enum { LONGEST = 90 };
	const struct pv_work *one = &m->runtime.work.v[a->one],
			     *of = &m->runtime.work.v[a->request];
	char text[PV_ROUTE_TEXT], route[PV_ROUTE_TEXT];
	pv_route_text(pv_intern_text(&m->names.text, one->name), text, sizeof text);
	pv_route_text(pv_intern_text(&m->names.text, of->name), route, sizeof route);
	pv_finding_say(f, pv_scale_score((double)a->n, 5, 10, 30),
		"%" PRIu64 " time%s within one %s, in %" PRIu64 " such request%s: %s", a->n,
		a->n == 1 ? "" : "s", PV_FIT(route, LONGEST), a->times, a->times == 1 ? "" : "s",
		PV_FIT(text, LONGEST));
	f->from_ns = pv_sat_span(m->zero_ns, of->start_ns);
	f->to_ns = pv_sat_add(f->from_ns, of->took_ns);
}

/* Only the log's own words relate queries to a request: threads and times do not. */
void pv_judge_n_plus_one(const struct pv_judge *j, struct pv_finding *f)
{
	struct pv_span_costs costs;
	struct alike a = { 0 };
	pv_model_lock(j->m);
	bool ok = pv_span_costs_make(&costs, j->m) && count_alike(j->m, &costs, &a);
	if (!ok)
		pv_finding_skip(f, "out of memory");
	else if (!costs.any)
		pv_finding_skip(f, "which spans are of one request is not recorded");
	else if (!costs.has_queries)
		pv_finding_skip(f, "no query to a data base was recorded");
	else if (a.n < 1)
		pv_finding_skip(f, "no query that was recorded is part of a request");
	else if (a.n < 2)
		pv_finding_say(f, 0, "no query ran twice within one request");
	else
		say_alike(j->m, &a, f);
	pv_span_costs_finish(&costs);
	pv_model_unlock(j->m);
}

/* --- slow routes --- */

enum { FEWEST = 5 };

static int64_t p95_of(const struct pv_span_route *r)
{
	return r->took.v[(size_t)ceil(0.95 * (double)r->took.n) - 1];
}

/* The served route with the highest p95; NULL: no route has enough requests. */
static const struct pv_span_route *slowest_route(const struct pv_span_routes *r)
{
	const struct pv_span_route *worst = NULL;
	for (size_t i = 0; i < r->route.n; i++) {
		const struct pv_span_route *x = &r->route.v[i];
		if (x->served && x->took.n >= FEWEST && (!worst || p95_of(x) > p95_of(worst)))
			worst = x;
	}
	return worst;
}

static double stopped_of(const struct pv_model *m, uint64_t row)
{
	double sum = 0;
	for (size_t i = 0; i < m->runtime.work.n; i++)
		if (pv_span_row(m, &m->runtime.work.v[i]) == row)
			sum += (double)pv_span_stopped_ns(m, &m->runtime.work.v[i]);
	return sum;
}

/* The largest known part of the route's time, and the part's share, 0 to 1. */
static const char *largest_part(const struct pv_model *m, const struct pv_span_routes *r,
	const struct pv_span_route *x, double *ret)
{
	const struct {
		const char *name;
		double ns;
	} part[] = { { "processor time", (double)x->cost.ran * (double)r->costs.period_ns },
		{ "waits for locks", (double)x->cost.wait_ns },
		{ "queries", (double)x->cost.query_ns },
		{ "pauses of the collector", stopped_of(m, x->row) } };
	size_t most = 0;
	for (size_t i = 1; i < PV_COUNT_OF(part); i++)
		most = part[i].ns > part[most].ns ? i : most;
	*ret = x->sum_ns > 0 ? part[most].ns / (double)x->sum_ns : 0;
	return part[most].name;
}

static void say_slow(struct pv_model *m, const struct pv_span_routes *r,
	const struct pv_span_route *x, struct pv_finding *f)
{
	enum { LONGEST = 90, UNEXPLAINED = 49 };
	char took[PV_UNIT_MAX];
	double part;
	const char *what = largest_part(m, r, x, &part);
	const int64_t p95 = p95_of(x);
	const double score = pv_scale_score((double)p95 / 1e9, 0.2, 1, 5);
	const bool known = part >= 0.25;
	pv_finding_say(f, known || score < UNEXPLAINED ? score : UNEXPLAINED,
		"%s is the 95th percentile of %zu %s%s%s", pv_units_ns(took, sizeof took, p95),
		x->took.n, PV_FIT(pv_intern_text(&r->name, x->name), LONGEST),
		known ? "; most of their time: " : "; what they wait for is not known",
		known ? what : "");
}

void pv_judge_slow_route(const struct pv_judge *j, struct pv_finding *f)
{
	struct pv_span_routes r;
	pv_model_lock(j->m);
	const bool ok = pv_span_routes_make(&r, j->m);
	const struct pv_span_route *x = ok ? slowest_route(&r) : NULL;
	if (!ok)
		pv_finding_skip(f, "out of memory");
	else if (!x)
		pv_finding_skip(
			f, "no route has %d requests that were recorded one by one", FEWEST);
	else
		say_slow(j->m, &r, x, f);
	pv_span_routes_finish(&r);
	pv_model_unlock(j->m);
}
