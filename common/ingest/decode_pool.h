/* SPDX-License-Identifier: MIT */
/*
 * Decode workers: buffers go in in file order, and batches come out in the same order. One thread
 * (the ingest's) puts and takes; while waiting it decodes runs itself, so zero workers is a valid
 * number and gives the same results.
 *
 * Buffers are decoded in runs (summariser.h), one after another: a run ends when full, at a cut by
 * the caller, and when the caller takes from it.
 */
#ifndef PV_INGEST_DECODE_POOL_H
#define PV_INGEST_DECODE_POOL_H

#include "common/calls/summariser.h"

struct pv_decode_pool;

/*
 * NULL when out of memory or when a thread cannot be started. `give_way`: threads of low priority.
 * pv_decode_pool_destroy() frees the pool.
 */
struct pv_decode_pool *pv_decode_pool_create(unsigned workers, bool give_way);
void pv_decode_pool_destroy(struct pv_decode_pool *p); /* NULL is fine; drops what is inside */

enum { PV_DECODE_RUN = PV_MAX_STREAMS };

/* The next buffer begins a run. */
void pv_decode_pool_cut(struct pv_decode_pool *p);
/* pv_summariser_forget() before the next buffer, after lost bytes or a change of model. */
void pv_decode_pool_forget(struct pv_decode_pool *p, bool paths);
/* Before the first buffer: the model has methods described by no buffer of this pool. */
void pv_decode_pool_resume(struct pv_decode_pool *p);

/*
 * An empty slot to fill: its batch is reset, the caller sets payload, offset, thread, time_base and
 * flags. A payload may be borrowed from a block of the framer's; the reference is dropped after
 * use. So borrowed memory is bounded by the runs in use, each of two megabytes and the excess of
 * the buffer that filled the run. NULL while all slots are in use: take one first.
 */
struct pv_decode_task *pv_decode_pool_room(struct pv_decode_pool *p);
/* Hands the slot of the last room() to the workers. */
void pv_decode_pool_submit(struct pv_decode_pool *p);

/* The oldest task, decoded, valid until pv_decode_pool_done(); NULL when the pool is empty. */
struct pv_decode_task *pv_decode_pool_take(struct pv_decode_pool *p);
void pv_decode_pool_done(struct pv_decode_pool *p);

/*
 * The tasks of a run, all decoded, if pv_decode_pool_take() has just given the first of them; 0 for
 * a later one. Call once for each task.
 */
size_t pv_decode_pool_run(struct pv_decode_pool *p, struct pv_decode_task **ret_first);

#endif
