/* SPDX-License-Identifier: MIT */
/*
 * The timeline of threads: a row a thread, with the states of its samples over time, and stops and
 * spans of all threads. A finished answer owns its data and needs no lock. Asking takes the model's
 * lock: any thread without the lock. Times: ns since the recording's zero.
 */
#ifndef PV_QUERY_THREAD_LANES_H
#define PV_QUERY_THREAD_LANES_H

#include "common/base/mem.h"
#include "common/model/names/thread_state.h"
#include "common/query/views.h"

/*
 * Marks next to states: cells in which the collector had stopped all, and cells without a sample.
 */
enum { PV_LANE_GC = PV_STATE_GC, PV_LANE_NONE = PV_STATES, PV_LANE_MARKS };

struct pv_lanes_cell {
	uint32_t samples[PV_STATES];
	float locked; /* part of the cell with a logged wait for a lock, 0 to 1 */
};

struct pv_lanes_row {
	uint64_t id; /* of the row in the view of threads; 0: threads without a lane of their own */
	uint64_t native;  /* the thread's id in the log */
	const char *name; /* name or number, never NULL; the answer's */
	uint64_t samples[PV_STATES], all;
	double locked;              /* logged waits for locks in this time, in cells */
	struct pv_lanes_cell *cell; /* `cells` of them */
};

struct pv_lanes_answer {
	int64_t from_ns, to_ns; /* half-open */
	size_t cells;
	struct pv_lanes_row *row; /* most active first; the shared row is last */
	size_t rows;
	uint64_t quiet;   /* threads without a row in this time */
	uint64_t other;   /* samples in the shared row; */
	uint64_t nowhere; /* and of threads unknown to the log */
	int64_t width_ns; /* finest width of samples; 0: no samples */
	double *stopped;  /* by cell, the part with all threads stopped by the collector, 0 to 1 */
	uint32_t *spans;  /* by cell, how many spans of work ran */
	bool sampled, called; /* the log has samples; it has calls */
	uint64_t generation;  /* of the model */
	char coverage[600];

	struct pv_arena arena; /* private */
};

struct pv_lanes_wish {
	int64_t from_ns, to_ns; /* from >= to: the whole recording */
	size_t cells;
	bool hide_internal; /* leave out the profiler's own threads */
	/* The model with stops and spans, as a model of one thread has none; NULL: the same. */
	struct pv_model *across;
};

/* NULL when out of memory only. */
struct pv_lanes_answer *pv_lanes_ask(struct pv_model *m, const struct pv_lanes_wish *w);
void pv_lanes_answer_destroy(struct pv_lanes_answer *a); /* NULL is fine */

/* Length of a cell; ns. */
static inline double pv_lanes_cell_ns(const struct pv_lanes_answer *a)
{
	return ((double)a->to_ns - (double)a->from_ns) / (double)a->cells;
}
/* The beginning of a cell; cell `cells` begins at the end. */
int64_t pv_lanes_time(const struct pv_lanes_answer *a, size_t cell);
/*
 * The mark of a cell of a row: enum pv_thread_state, PV_LANE_GC or PV_LANE_NONE. The most frequent
 * state; of equals, the more active.
 */
unsigned pv_lanes_mark(
	const struct pv_lanes_answer *a, const struct pv_lanes_row *row, size_t cell);
char pv_lanes_letter(unsigned mark);
/* "running", "lock", "gc" ...: a literal, "" for none, never NULL. */
const char *pv_lanes_word(unsigned mark);

#endif
