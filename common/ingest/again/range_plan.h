/* SPDX-License-Identifier: MIT */
/*
 * The buffers of a range, and the state of threads after the buffers left out. Walks the table in
 * file order; pure but for memory. One thread uses a plan. Times are ns on the log's clock.
 */
#ifndef PV_INGEST_RANGE_PLAN_H
#define PV_INGEST_RANGE_PLAN_H

#include "common/base/map.h"
#include "common/ingest/ground/buffers.h"
#include "common/model/skip.h"

/* A thread's stack at the walk's position. */
struct pv_plan_thread {
	uint64_t id;
	PV_ARRAY(uint64_t) key; /* of every open method, outermost first */
	size_t known;           /* outermost frames that the model has unchanged */
	bool skipped; /* buffers were left out and the model was not given the state after them */
	uint64_t too_deep;
	int64_t last_ns, oldest_ns, newest_ns;
};

struct pv_plan {
	const struct pv_buffers *table;
	const uint64_t *method_key; /* of the model's method ids */
	int64_t from_ns, to_ns;     /* log clock */
	int64_t lag_ns;             /* greatest delay of reported events */
	uint64_t floor;             /* rows before this offset cannot be read */
	uint64_t gone;              /* result: end of the last needed row before the floor */
	PV_ARRAY(struct pv_plan_thread) thread;
	struct pv_map thread_at;
	size_t row; /* the next row */
};

void pv_plan_finish(struct pv_plan *p); /* frees the plan's memory; the table is borrowed */

/* Bytes of the rows to be read, with the present floor. False when out of memory. */
bool pv_plan_bytes(const struct pv_plan *p, uint64_t *ret);

/*
 * The next row, owned by the table, to be read or noted as damage; NULL: no more. *ret_ok: false
 * when out of memory. The threads remember rows left out.
 */
const struct pv_buffer_row *pv_plan_next(struct pv_plan *p, bool *ret_ok);

/*
 * Gives the model the state of the row's threads before the row is read (NULL: all threads, at the
 * end). False when out of memory, as below.
 */
bool pv_plan_set_threads(struct pv_plan *p, struct pv_model *m, const struct pv_buffer_row *row);

/* Call after the row was read, or its damage noted. */
bool pv_plan_done(struct pv_plan *p, const struct pv_buffer_row *row);

#endif
