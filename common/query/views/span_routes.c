/* SPDX-License-Identifier: MIT */
/* Spans of work by route; see span_routes.h. */
#include "common/query/views/span_routes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/model.h"

static uint64_t hash_route_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

uint64_t pv_route_row(const char *what, const char *route)
{
	uint64_t row = hash_route_text(hash_route_text(UINT64_C(0xcbf29ce484222325), what), route);
	return row && row != PV_ROW_OUTSIDE ? row : 1;
}

/* --- all spans of a log */

uint64_t pv_span_row(const struct pv_model *m, const struct pv_work *w)
{
	char route[PV_ROUTE_TEXT];
	pv_route_text(pv_intern_text(&m->names.text, w->name), route, sizeof route);
	return pv_route_row(pv_intern_text(&m->names.text, w->what), route);
}

void pv_route_each_span(const struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx)
{
	for (size_t i = 0; i < m->runtime.work.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		const double took = (double)w->took_ns;
		if (pv_span_row(m, w) == row)
			each(ctx, w->start_ns, 0, 1, (const double[]){ took, took, took });
	}
}

static struct pv_span_route *route_of(
	struct pv_span_routes *r, const struct pv_model *m, const struct pv_work *w)
{
	char text[PV_ROUTE_TEXT];
	pv_route_text(pv_intern_text(&m->names.text, w->name), text, sizeof text);
	const uint64_t row = pv_route_row(pv_intern_text(&m->names.text, w->what), text);
	const uint32_t at = pv_map_get(&r->at, row);
	struct pv_span_route new = { .what = w->what,
		.row = row,
		.query = pv_span_is_query(m, w),
		.served = strcmp(pv_intern_text(&m->names.text, w->what), "served") == 0 };
	if (at != PV_MAP_NONE)
		return &r->route.v[at];
	if (!pv_reserve(&r->route, 1) || !pv_map_set(&r->at, row, (uint32_t)r->route.n) ||
		!pv_intern_add(&r->name, text, strlen(text), &new.name))
		return NULL;
	r->route.v[r->route.n++] = new;
	return &r->route.v[r->route.n - 1];
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

bool pv_span_routes_make(struct pv_span_routes *r, struct pv_model *m)
{
	*r = (struct pv_span_routes){ .at = { 0 } };
	if (!pv_span_costs_make(&r->costs, m))
		return false;
	for (size_t i = 0; i < m->runtime.work.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		struct pv_span_route *to = route_of(r, m, w);
		if (!to || !pv_reserve(&to->took, 1))
			return false;
		to->took.v[to->took.n++] = w->took_ns;
		to->sum_ns = pv_sat_add(to->sum_ns, w->took_ns);
		to->failed += w->failed;
		to->known += w->id != 0 && r->costs.any;
		pv_span_cost_add(&to->cost, &r->costs.of.v[i]);
	}
	for (size_t i = 0; i < r->route.n; i++)
		qsort(r->route.v[i].took.v, r->route.v[i].took.n, sizeof(int64_t), by_size);
	return true;
}

void pv_span_routes_finish(struct pv_span_routes *r)
{
	for (size_t i = 0; i < r->route.n; i++)
		pv_array_finish(&r->route.v[i].took);
	pv_array_finish(&r->route);
	pv_map_finish(&r->at);
	pv_intern_finish(&r->name);
	pv_span_costs_finish(&r->costs);
}
