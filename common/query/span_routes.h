/*
 * Private to the query layer: what spans of work are counted under. A route is the kind of work with
 * its name, without what differs from one request to the next: numbers and ids in paths are "*",
 * literals in SQL "?", the query string of a URL is cut off. Any thread, but for what takes a model: under its lock.
 */
#ifndef PV_QUERY_SPAN_ROUTES_H
#define PV_QUERY_SPAN_ROUTES_H

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/query/build.h"

struct pv_model;
struct pv_work;

enum { PV_ROUTE_TEXT = 400 };

/* Writes the name of a route, cut where the buffer ends; the text is valid UTF-8 as `name` is. */
void pv_route_text(const char *name, char *to, size_t size);
/* The row of a route in PV_VIEW_ROUTES, the same in each model of a log; never 0. */
uint64_t pv_route_row(const char *what, const char *route);
/* The row that a span is counted in. */
uint64_t pv_span_row(const struct pv_model *m, const struct pv_work *w);

/* A figure of a route, in times of the log's clock: `count` requests over `length_ns`, the slowest of them. */
typedef void pv_route_fn(
	void *ctx, int64_t start_ns, int64_t length_ns, double count, double slowest_ns);
void pv_route_each_span(const struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx);
void pv_route_each_metered(struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx);

/* A route's spans, never none; how long they took is ascending. */
struct pv_span_route {
	uint32_t what, name; /* interned: in the model's names, in the routes' */
	uint64_t row, failed;
	int64_t sum_ns;
	PV_ARRAY(int64_t) took;
};

struct pv_span_routes {
	struct pv_intern name;
	struct pv_map at; /* row -> index */
	PV_ARRAY(struct pv_span_route) route;
};

/* False: out of memory; finish is due then too. */
bool pv_span_routes_make(struct pv_span_routes *r, const struct pv_model *m);
void pv_span_routes_finish(struct pv_span_routes *r);

#endif
