/* SPDX-License-Identifier: MIT */
/*
 * Queries to data bases by their text without literals: how often, how long, and how many times
 * within one request. A row has the id of the text in PV_VIEW_ROUTES.
 */
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/views/span_routes.h"
#include "common/query/groups/specs.h"

enum { Q_COUNT, Q_ERRORS, Q_TOTAL, Q_MEAN, Q_MAX, Q_REQUESTS, Q_MOST, Q_NAME };

static const struct pv_column query_columns[] = {
	[Q_COUNT] = { "count", "QUERIES", PV_UNIT_COUNT, 9, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "Queries of this text that ended" },
	[Q_ERRORS] = { "errors", "ERRORS", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS, .json = 3,
		.help = "Of these failed" },
	[Q_TOTAL] = { "total_ns", "TIME", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 4,
		.help = "How long they took together" },
	[Q_MEAN] = { "mean_ns", "MEAN", PV_UNIT_NS, 9, 2, .json = 5,
		.help = "How long one took on average" },
	[Q_MAX] = { "max_ns", "SLOWEST", PV_UNIT_NS, 9, 3, .json = 6,
		.help = "How long the slowest took" },
	[Q_REQUESTS] = { "requests", "REQUESTS", PV_UNIT_COUNT, 9, 2, PV_COLUMN_SPARSE, .json = 7,
		.help = "Requests that ran it" },
	[Q_MOST] = { "most", "MOST IN 1", PV_UNIT_COUNT, 9, 1, PV_COLUMN_SPARSE, .json = 8,
		.help = "How often one request ran it at most" },
	[Q_NAME] = { "name", "QUERY", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1, .help = "Its text, with ? for each literal" },
};

struct within {
	uint32_t requests, most;
};

/* By row of the routes. False: out of memory. */
static bool count_within(
	const struct pv_model *m, const struct pv_span_routes *r, struct within *of)
{
	struct pv_map pairs = { 0 };
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->costs.request.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		const uint32_t request = r->costs.request.v[i];
		if (request == i || !pv_span_is_query(m, w))
			continue;
		const uint32_t at = pv_map_get(&r->at, pv_span_row(m, w));
		const uint64_t pair = (uint64_t)request << 32 | at;
		const uint32_t before = pv_map_get(&pairs, pair);
		const uint32_t now = before == PV_MAP_NONE ? 1 : before + 1;
		ok = at != PV_MAP_NONE && pv_map_set(&pairs, pair, now);
		if (!ok)
			break;
		of[at].requests += now == 1;
		of[at].most = now > of[at].most ? now : of[at].most;
	}
	pv_map_finish(&pairs);
	return ok;
}

static void put_within(struct pv_cell *c, const struct within *of)
{
	if (of->requests) {
		pv_cell_u(&c[Q_REQUESTS], of->requests);
		pv_cell_u(&c[Q_MOST], of->most);
	} else {
		pv_cell_null(&c[Q_REQUESTS]);
		pv_cell_null(&c[Q_MOST]);
	}
}

static void copy_queries(struct pv_build *b, struct pv_model *m)
{
	struct pv_span_routes r;
	struct within *of = NULL;
	bool ok = pv_span_routes_make(&r, m);
	if (ok)
		of = calloc(r.route.n + 1, sizeof *of);
	if (!of || !count_within(m, &r, of))
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < r.route.n; i++) {
		const struct pv_span_route *x = &r.route.v[i];
		if (!x->query)
			continue;
		struct pv_cell *c = pv_build_row(b, x->row);
		pv_cell_u(&c[Q_COUNT], x->took.n);
		pv_cell_u(&c[Q_ERRORS], x->failed);
		pv_cell_i(&c[Q_TOTAL], x->sum_ns);
		pv_cell_i(&c[Q_MEAN], x->sum_ns / (int64_t)x->took.n);
		pv_cell_i(&c[Q_MAX], x->took.v[x->took.n - 1]);
		put_within(c, &of[i]);
		pv_cell_s(&c[Q_NAME], pv_build_text(b, pv_intern_text(&r.name, x->name)));
	}
	free(of);
	pv_span_routes_finish(&r);
}

const struct pv_view_spec pv_spec_queries = { .column = query_columns,
	.columns = PV_COUNT_OF(query_columns),
	.name = "name",
	.sort = "total_ns",
	.copy = copy_queries };
