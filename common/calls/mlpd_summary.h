/*
 * The decoder's side of summaries (call_summary.h): what it keeps of one thread's calls from one
 * event to the next. mlpd_batch.c drives it, mlpd_summary_calls.c has the loop. One thread at a
 * time uses a builder. Functions that return bool are false when out of memory. Times are ns.
 */
#ifndef PV_FORMAT_MLPD_CALL_SUMMARY_H
#define PV_FORMAT_MLPD_CALL_SUMMARY_H

#include "common/calls/described.h"
#include "common/format/mlpd/mlpd.h"
#include "common/calls/mlpd_tree.h"

/* A stream, and the unfinished summary of the batch being decoded. Zeroed it is valid. */
struct mlpd_summary_builder {
	struct mlpd_tree *tree; /* borrowed; only this stream's paths are in it */
	uint32_t stream, trees; /* its number; and how many trees it has had */
	uint32_t most;          /* nodes that a run may find in it: pv_summariser_limits.paths */
	uint32_t number;        /* of its last segment */
	bool known;             /* the stream's open frames are the thread's, above a base */
	struct pv_described *described; /* of the log; NULL: any description may change a meaning */
	bool redefined;                 /* one has, in the batch */
	bool ends;                      /* the thread was said to end, at times from ... */
	int64_t ends_ns;                /* ... this one ... */
	int64_t ended_ns; /* ... to this: what comes later is of the next with its id */
	struct pv_batch *batch;
	struct pv_batch *home; /* of the open segment */
	bool on;               /* not given up for this buffer */
	bool over;             /* the thread began or ended: not even in the next one */
	bool within;           /* a segment is open */
	int64_t end_ns;        /* the open segment ends here ... */
	int64_t limit_ns;      /* ... and the timeline's cell here, if that is earlier */
	uint32_t at;           /* node of the last call event ... */
	bool ended;            /* ... which ended that call: the place is after it */
	size_t depth;          /* of open calls */
	size_t from_depth;     /* when the open segment began */
	size_t all_enters;     /* of the open segment */
	int64_t last_ns;
	uint32_t enters, leaves, exc_leaves; /* since the last count was begun */
	uint64_t run_enters;                 /* in the run, summed up */
	uint32_t run_paths, run_named;       /* in the tree when it began; of them named */
	uint32_t resting; /* runs that are still not summed up: their paths would all be new */
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
/* Begins the next batch of the same thread in it. */
bool mlpd_summary_next(struct mlpd_summary_builder *d, struct mlpd_tree *t, struct pv_batch *b);

/*
 * Call events in a row; stops before anything that is not one, is cut, or does not fit in: that
 * is an event for the batch's arrays, after mlpd_summary_close() unless it is an allocation.
 */
bool mlpd_summary_calls(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask);

/* Ends the open segment, if there is one. */
bool mlpd_summary_close(struct mlpd_summary_builder *d);
/* The same; and from here on only the model knows what is open. */
bool mlpd_summary_leave(struct mlpd_summary_builder *d);
/*
 * The run is not summed up after all: its batches lose their sums, and its paths are described
 * again.
 */
void mlpd_summary_drop(struct mlpd_summary_builder *d);
/*
 * As mlpd_decode_batch(), for a buffer decoded by itself: its calls are summed up if its summary is
 * wanted, from what the buffer itself opens.
 */
bool mlpd_summarise_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used);
/*
 * A batch that came with its calls summed up once more, event by event; what is known of damage in
 * it stays. Others stay as they are. False when out of memory.
 */
bool mlpd_decode_plain(struct pv_batch *b);

/* The batch's payload, for the rest as mlpd_decode_batch(). */
bool mlpd_summary_decode(struct mlpd_summary_builder *d, struct mlpd_bases *bases,
	const struct mlpd_format *f, bool partial, size_t *ret_used);

/* Notes which event the batch's next entry is; it comes before the entry. */
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

/* Before an event at that time which is not summed up. */
static inline bool mlpd_summary_pass(struct mlpd_summary_builder *d, int64_t time)
{
	if (!d->ends || time <= d->ends_ns)
		return true;
	d->ends = time <= d->ended_ns;
	return mlpd_summary_leave(d);
}

/* Notes where the next allocation of the batch stands. */
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
 * The event at hand is beyond the limit, or no segment is open. *ret_go_on: a segment
 * is open now in which the event has its place.
 */
bool mlpd_summary_pass_edge(
	struct mlpd_summary_builder *d, int64_t time, bool enters, bool *ret_go_on);

#endif
