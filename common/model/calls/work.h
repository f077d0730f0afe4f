/* SPDX-License-Identifier: MIT */
/*
 * Pieces of threads' time by the span of work that the thread worked for. Part of the model:
 * written by the ingest thread, read under the lock. Times are ns on the log's clock; span ids are
 * the log's.
 *
 * EXT_WORK events cut a thread's time into pieces. A piece is sure if the thread worked for the
 * same span at its end as at its begin: then the piece counts for the span. Else the span was left
 * in between, at a time that is not in the log: nothing of the piece counts for a span. A thread
 * without a span has no piece.
 */
#ifndef PV_MODEL_WORK_H
#define PV_MODEL_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum {
	PV_PIECES_LIST = 131072,
	PV_WORK_HITS = 65536 /* samples not in their pieces yet */
};

struct pv_work_piece {
	int64_t from_ns, to_ns; /* to: PV_NEVER while open */
	uint64_t thread;        /* native id */
	uint64_t owner, until;  /* ids of spans, at the begin and the end; until 0: none, or open */
	uint64_t allocations, bytes;
	int64_t wait_ns;              /* for locks */
	uint64_t ran, waited, unsure; /* samples, without those of pv_works.hit */
	uint32_t waits, thrown;
	uint32_t before; /* number of the thread's previous piece; 0: none */
};

/*
 * A sample. Its piece is searched later: in a log the sample may stand before the other events of
 * its thread's time. So is the state of the thread, known when names have come.
 */
struct pv_work_hit {
	int64_t time_ns;
	uint32_t thread, node, samples; /* thread: index; node: in calls */
};

struct pv_thread;
struct pv_works {
	PV_ARRAY(struct pv_work_piece) piece; /* by number - 1; first PV_PIECES_LIST */
	PV_ARRAY(struct pv_work_hit) hit;
	uint64_t beyond; /* begins and ends without room */
	uint64_t begun, ended;
	/*
	 * Private: ids of the EXT_SPAN that comes next; the thread whose next event is surely in
	 * its span.
	 */
	uint64_t ended_id, ended_parent;
	const struct pv_thread *exact;
};

/* The piece of a number above 0, owned by `w`; never NULL. */
static inline struct pv_work_piece *pv_work_piece_of(const struct pv_works *w, uint32_t number)
{
	return &w->piece.v[number - 1];
}

/* True if the piece counts for its span. */
static inline bool pv_piece_is_sure(const struct pv_work_piece *p)
{
	return p->owner && p->until == p->owner;
}

struct pv_context;
struct pv_event;
struct pv_model;

/*
 * Calls `each` for the samples that are in no piece's sums yet, with their piece, never NULL, and
 * enum pv_ran. Under the lock, also of a reader. False: out of memory.
 */
typedef void pv_work_hit_fn(void *ctx, struct pv_work_piece *piece, int ran, uint32_t samples);
bool pv_work_each_hit(struct pv_model *m, pv_work_hit_fn *each, void *ctx);

/*
 * How often a thread left a span without an event: ended pieces that are not sure, and pieces
 * beyond the limit.
 */
uint64_t pv_work_left(const struct pv_works *w);

/* Private to the model, from here on; false: out of memory. */
bool pv_work_apply(struct pv_context *x, const struct pv_event *e);
/* Events of the thread are missing: its piece is over, and not sure. */
void pv_work_gap(struct pv_model *m, struct pv_thread *th);
/* The present piece of the event's thread; NULL: none. Good until the next event. */
struct pv_work_piece *pv_work_now(struct pv_context *x);
void pv_work_allocated(struct pv_context *x, uint64_t objects, uint64_t bytes);
/* Samples of a thread at a node, whose state is the thread's; NULL: no thread is known. */
bool pv_work_sample(struct pv_model *m, const struct pv_thread *th, uint32_t node, uint64_t samples,
	int64_t time);
/* Nodes got other numbers. */
static inline void pv_work_renumber(struct pv_works *w, const uint32_t *into)
{
	for (size_t i = 0; i < w->hit.n; i++)
		w->hit.v[i].node = into[w->hit.v[i].node];
}
void pv_work_finish(struct pv_works *w);

#endif
