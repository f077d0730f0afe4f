/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: functions that the files about collections, handles, finalizers, roots and
 * notes share. As in model_parts.h, all run on the ingest thread under the model's lock, bool is
 * false only when out of memory, and pointers are valid until a list is changed. Times are ns on
 * the log's clock, sizes bytes.
 */
#ifndef PV_MODEL_GC_PARTS_H
#define PV_MODEL_GC_PARTS_H

#include "common/model/ground/model_parts.h"

/*
 * Allocations are assigned to the collection after them. Buffers of other threads may report a
 * collection later than allocations around it. So bytes after the newest known collection are
 * gathered in runs (allocations of one thread within a short time) and wait. When a collection
 * comes, runs whose first byte precedes it are added to it and go; the others wait in `later` for
 * the next collection.
 */
#define PV_GC_RUN_GAP INT64_C(20000) /* ns; a stopped world takes longer */
#define PV_GC_RUN_MAX INT64_C(1000000)

struct pv_gc_run {
	int64_t first_ns, last_ns;
	uint64_t bytes;
	const struct pv_thread *thread;
};

/* An end of a collection that is to be paired, or was. */
struct pv_gc_end {
	int64_t time_ns, pause_ns, over_ns, stand_ns;
	uint64_t stop;
	uint8_t generation;
};

enum { PV_GC_EARLY_ENDS = 64 };

struct pv_gc_pending {
	PV_ARRAY(struct pv_gc_run) run;   /* in order of arrival, since the collection before ... */
	PV_ARRAY(struct pv_gc_run) later; /* ... and from before it, of later times: a heap */
	struct pv_gc_end early[PV_GC_EARLY_ENDS]; /* ends whose start has not come yet */
	size_t ends;
};

/* Adds bytes to the run at hand, after the newest collection. False: they are of another run. */
static inline bool pv_gc_allocated_on(
	struct pv_gc *gc, const struct pv_thread *th, int64_t time, uint64_t bytes)
{
	struct pv_gc_pending *p = gc->pending;
	struct pv_gc_run *last = p->run.n ? &p->run.v[p->run.n - 1] : NULL;
	if (!last || last->thread != th || time < last->last_ns ||
		(int64_t)((uint64_t)time - (uint64_t)last->last_ns) >= PV_GC_RUN_GAP ||
		(int64_t)((uint64_t)time - (uint64_t)last->first_ns) >= PV_GC_RUN_MAX)
		return false;
	last->last_ns = time;
	last->bytes += bytes;
	return true;
}

/* The world is about to go on: a stop shaped like the stock profiler's at exit is shortened ... */
void pv_gc_stop_ends(struct pv_context *x);
/* ... which is undone when the program turns out to go on; until: alive at this time. */
void pv_gc_exit_was_not(struct pv_model *m);
void pv_gc_exit_until(struct pv_model *m, int64_t time);

/*
 * A collection starts: addresses become unknown, unless all moves and allocations are in the log.
 */
void pv_gc_addresses(struct pv_context *x);

/* --- gc_lists.c; NULL and false: out of memory */

/* Adds a collection. *ret_before: the one before in its generation, or NULL. */
struct pv_collection *pv_gc_add_collection(
	struct pv_gc *gc, const struct pv_collection *c, struct pv_collection **ret_before);
/* The latest collection of a generation that starts at or before `time`; NULL: none. */
struct pv_collection *pv_gc_newest_of(struct pv_gc *gc, uint8_t generation, int64_t time);
bool pv_gc_add_pause(struct pv_gc *gc, int64_t start, int64_t duration);
bool pv_gc_add_size(struct pv_gc *gc, int64_t time, uint64_t bytes, bool after);

/* --- gc_runs.c */

/* Takes the bytes of waiting allocations before a collection. */
uint64_t pv_gc_take_pending(struct pv_gc *gc, int64_t start);
/* Puts all runs into `run`, for an archive. */
bool pv_gc_unite_runs(struct pv_gc_pending *p);

/* Apply the events of collections, and bytes allocated at a time. */
bool pv_gc_init(struct pv_gc *gc);
void pv_gc_finish(struct pv_gc *gc);
bool pv_gc_apply(struct pv_context *x, const struct pv_event *e);
bool pv_gc_allocated(struct pv_gc *gc, const struct pv_thread *th, int64_t time, uint64_t bytes);
/* Reason of the newest collection; bytes left after a collection, by region. */
void pv_gc_why(struct pv_context *x, const struct pv_event *e);
void pv_gc_left(struct pv_context *x, const struct pv_event *e);
/* A heap size; moves of objects. */
bool pv_gc_resize(struct pv_context *x, const struct pv_event *e);
bool pv_gc_moves(struct pv_context *x, const struct pv_event *e);
/* Each of these stores applies its own events; `finish` frees its memory. */
bool pv_handles_apply(struct pv_context *x, const struct pv_event *e);
/* Give waiting handles and throws the class of their object when the allocation comes later. */
extern const struct pv_object_listener pv_handles_listener, pv_exceptions_listener;
extern const struct pv_stack_listener pv_handles_stacks, pv_exceptions_stacks;
void pv_handles_init(struct pv_handles *h);
void pv_handles_finish(struct pv_handles *h);
bool pv_finalizers_apply(struct pv_context *x, const struct pv_event *e);
/* Events of this thread are missing: its open finalizers get no end. */
void pv_finalizers_gap(struct pv_model *m, struct pv_thread *th);
/* Sorts the open finalizers by age, and links them anew: for archives. */
bool pv_finalizers_order(struct pv_model *m);
void pv_finalizers_link(struct pv_model *m);
void pv_finalizers_finish(struct pv_finalizers *f);
bool pv_held_apply(struct pv_context *x, const struct pv_event *e);
extern const struct pv_stack_listener pv_held_stacks, pv_waits_stacks;
void pv_held_finish(struct pv_held *h);
bool pv_roots_apply(struct pv_context *x, const struct pv_event *e);
void pv_roots_finish(struct pv_roots *r);
/* Keeps only waiting slots; makes the tables derived from the lists anew: for archives. */
void pv_roots_pack(struct pv_roots *r);
bool pv_roots_link(struct pv_roots *r);
bool pv_notes_apply(struct pv_context *x, const struct pv_event *e);
void pv_notes_finish(struct pv_notes *n);

/* Events that were applied in a row, and the range of their times; ns on the log's clock. */
struct pv_plain_run {
	size_t n;
	int64_t oldest, newest;
};
/* Objects of a shot, as pv_plain_run() (apply_event.h); n = 0: not usual ones. */
bool pv_shots_run(struct pv_context *x, size_t *at, size_t end, struct pv_plain_run *ret);

#endif
