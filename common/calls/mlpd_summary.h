/* SPDX-License-Identifier: MIT */
/*
 * The decoder's side of summaries (call_summary.h): state of a thread's calls between events.
 * mlpd_batch.c drives the builder, mlpd_summary_calls.c has the loop. One thread at a time uses a
 * builder. Functions that return bool are false when out of memory. Times are ns.
 */
#ifndef PV_FORMAT_MLPD_CALL_SUMMARY_H
#define PV_FORMAT_MLPD_CALL_SUMMARY_H

#include "common/calls/described.h"
#include "common/format/mlpd/mlpd.h"
#include "common/calls/mlpd_tree.h"

/* A stream, and the unfinished summary of the batch being decoded. Valid when zeroed. */
struct mlpd_summary_builder {
	struct mlpd_tree *tree; /* borrowed; with only this stream's paths */
	uint32_t stream, trees; /* stream: number; trees: how many so far */
	uint32_t most;          /* most nodes at a run's begin: pv_summariser_limits.paths */
	uint32_t number;        /* of the last segment */
	bool known;             /* the stream's open frames are the thread's, above a base */
	struct pv_described *described; /* of the log; NULL: any description may change a meaning */
	bool redefined;                 /* a description in the batch has changed a meaning */
	bool ends;                      /* the thread's end was reported, at times from ... */
	int64_t ends_ns;                /* ... here ... */
	int64_t ended_ns; /* ... to here: later events are of the next thread with its id */
	struct pv_batch *batch;
	struct pv_batch *home; /* batch of the open segment */
	bool on;               /* not given up for this buffer */
	bool over;             /* the thread began or ended: not in the next buffer either */
	bool within;           /* a segment is open */
	int64_t end_ns;        /* end of the open segment ... */
	int64_t limit_ns;      /* ... or of the timeline's cell, if earlier */
	uint32_t at;           /* node of the last call event ... */
	bool ended;            /* that event was the call's end: the place is after the call */
	size_t depth;          /* of open calls */
	size_t from_depth;     /* when the open segment began */
	size_t all_enters;     /* of the open segment */
	int64_t last_ns;
	uint32_t enters, leaves, exc_leaves; /* since the last count was begun */
	uint64_t run_enters;                 /* in the run, summed up */
	uint32_t run_paths, run_named;       /* nodes at the run's begin; of these named */
	uint32_t resting; /* runs still not to be summed up: their paths would all be new */
};

/* The innermost open call, or the root. */
static inline uint32_t mlpd_summary_top(const struct mlpd_summary_builder *d)
{
	return d->ended ? d->tree->place[d->at].parent : d->at;
}

/* Begins a batch that is applied by itself. */
void mlpd_summary_begin(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b);
/* Begins the first batch of a run. */
void mlpd_summary_run(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b);
/* Begins the next batch of the same thread in the run. */
bool mlpd_summary_next(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b);

/*
 * Sums up call events in a row; stops before any other event, a cut event, or a call that does not
 * fit in: for the batch's arrays, after mlpd_summary_close() unless an allocation.
 */
bool mlpd_summary_calls(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask);

/* Ends the open segment, if any. */
bool mlpd_summary_close(struct mlpd_summary_builder *d);
/* The same; and from here on only the model knows the open calls. */
bool mlpd_summary_leave(struct mlpd_summary_builder *d);
/*
 * The run is not summed up after all: its batches lose the sums, and its paths are described again.
 */
void mlpd_summary_drop(struct mlpd_summary_builder *d);
/*
 * As mlpd_decode_batch(), for a buffer decoded by itself: calls are summed up if the batch's
 * summary is wanted, with only the calls that the buffer itself opens.
 */
bool mlpd_summarise_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used);
/*
 * Decodes a batch whose calls came summed up once more, now event by event; noted damage stays.
 * Other batches stay as they are. False when out of memory.
 */
bool mlpd_decode_plain(struct pv_batch *b);

/* Decodes the batch's payload; otherwise as mlpd_decode_batch(). */
bool mlpd_summary_decode(struct mlpd_summary_builder *d, struct mlpd_bases *bases,
	const struct mlpd_format *f, bool partial, size_t *ret_used);

/* Notes the event number of the batch's next entry; call before adding the entry. */
static inline bool mlpd_summary_number(const struct mlpd_summary_builder *d)
{
	struct pv_call_summary *g = &d->batch->summary;
	if (!d->on)
		return true;
	if (!pv_reserve(&g->number, 1))
		return false;
	g->number.v[g->number.n++] = (uint32_t)(d->batch->n - g->segment.n + g->events);
	return true;
}

/* The same for the `n` last entries, already added. */
static inline bool mlpd_summary_numbers(const struct mlpd_summary_builder *d, size_t n)
{
	struct pv_call_summary *g = &d->batch->summary;
	if (!d->on)
		return true;
	if (!pv_reserve(&g->number, n))
		return false;
	uint32_t first = (uint32_t)(d->batch->n - n - g->segment.n + g->events);
	uint32_t *to = g->number.v + g->number.n;
	for (uint32_t i = 0; i < n; i++)
		to[i] = first + i;
	g->number.n += n;
	return true;
}

/* Call before an event at `time` that is not summed up. */
static inline bool mlpd_summary_pass(struct mlpd_summary_builder *d, int64_t time)
{
	if (!d->ends || time <= d->ends_ns)
		return true;
	d->ends = time <= d->ended_ns;
	return mlpd_summary_leave(d);
}

/* Notes the path of the next allocation of the batch. */
static inline bool mlpd_summary_alloc(struct mlpd_summary_builder *d, int64_t time)
{
	struct pv_call_summary *g = &d->batch->summary;
	if (!mlpd_summary_pass(d, time))
		return false;
	if (!g->wanted)
		return true;
	bool outside = time < d->last_ns || time >= d->end_ns;
	if ((outside && !mlpd_summary_close(d)) || !pv_reserve(&g->alloc_path, 1))
		return false;
	g->alloc_path.v[g->alloc_path.n++] = d->within ? mlpd_summary_top(d) : 0;
	return true;
}

/* --- only for mlpd_summary_calls() */

/*
 * The event at hand is beyond the limit, or no segment is open. *ret_go_on: a segment with a place
 * for the event is open now.
 */
bool mlpd_summary_pass_edge(
	struct mlpd_summary_builder *d, int64_t time, bool enters, bool *ret_go_on);

#endif
