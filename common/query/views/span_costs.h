/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the cost of each span of work, with all inner spans: samples, waits
 * for locks, allocations, exceptions, queries; from the pieces of threads' time that are certain to
 * be the span's (model/calls/work.h). Made and used under the model's lock. Times in ns.
 */
#ifndef PV_QUERY_SPAN_COSTS_H
#define PV_QUERY_SPAN_COSTS_H

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_model;
struct pv_work;

struct pv_span_cost {
	uint64_t ran, waited, unsure; /* samples */
	uint64_t allocations, bytes, waits, thrown, queries;
	int64_t wait_ns, query_ns;
};

struct pv_span_costs {
	PV_ARRAY(struct pv_span_cost) of; /* by span of pv_runtime.work, with inner spans */
	PV_ARRAY(uint32_t) request;       /* by span: index of the outermost span around */
	struct pv_map at;                 /* private: id -> index */
	struct pv_span_cost left; /* of threads in several spans, so that the span is not certain */
	bool any;                 /* the log says what threads worked for */
	int64_t period_ns;        /* processor time per sample; 0: no such samples */
	bool has_bytes, has_waits, has_thrown, has_queries;
};

/* False: out of memory; finish is due then too. */
bool pv_span_costs_make(struct pv_span_costs *c, struct pv_model *m);
void pv_span_costs_finish(struct pv_span_costs *c);
/* Adds all figures. */
void pv_span_cost_add(struct pv_span_cost *to, const struct pv_span_cost *more);
/* Whether the span is a query to a data base. */
bool pv_span_is_query(const struct pv_model *m, const struct pv_work *w);
/* The time of world stops during the span. */
int64_t pv_span_stopped_ns(const struct pv_model *m, const struct pv_work *w);

#endif
