/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: routes, under which spans of work are counted. A route is the kind of
 * work with its name, without parts that vary by request: numbers and ids in paths are "*",
 * literals in SQL "?", the query string of a URL is cut off. Any thread; functions with a model
 * need the model's lock.
 */
#ifndef PV_QUERY_SPAN_ROUTES_H
#define PV_QUERY_SPAN_ROUTES_H

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/text/route_text.h"
#include "common/query/groups/build.h"
#include "common/query/views/span_costs.h"

struct pv_model;
struct pv_work;

/* The row of a route in PV_VIEW_ROUTES, the same in each model of a log; never 0. */
uint64_t pv_route_row(const char *what, const char *route);
/* The row of a span's route. */
uint64_t pv_span_row(const struct pv_model *m, const struct pv_work *w);

enum { PV_ROUTE_QUANTILES = 3 }; /* of durations: 0.5, 0.95, 0.99 */
/*
 * A figure of a route, on the log's clock: `count` requests over `length_ns`, and their quantiles;
 * all three are the duration of a single request.
 */
typedef void pv_route_fn(void *ctx, int64_t start_ns, int64_t length_ns, double count,
	const double took_ns[PV_ROUTE_QUANTILES]);
void pv_route_each_span(const struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx);
void pv_route_each_metered(struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx);

/* A route with spans, one or more; durations are ascending. */
struct pv_span_route {
	uint32_t what, name; /* interned: in the model's names, in the routes' */
	bool query, served;  /* to a data base; a request answered by the program */
	uint64_t row, failed;
	uint64_t known; /* spans of known cost */
	int64_t sum_ns;
	struct pv_span_cost cost; /* sum over the known spans */
	PV_ARRAY(int64_t) took;
};

struct pv_span_routes {
	struct pv_span_costs costs;
	struct pv_intern name;
	struct pv_map at; /* row -> index */
	PV_ARRAY(struct pv_span_route) route;
};

/* False: out of memory; finish is due then too. */
bool pv_span_routes_make(struct pv_span_routes *r, struct pv_model *m);
void pv_span_routes_finish(struct pv_span_routes *r);

#endif
