/*
 * Decode workers: buffers go in in file order, batches come out in the same order. One thread
 * (the ingest owner) puts and takes; it decodes itself when the next batch is not begun yet, so
 * zero workers is a valid number and gives the same results.
 */
#ifndef PV_INGEST_DECODE_POOL_H
#define PV_INGEST_DECODE_POOL_H

#include "common/format/mlpd.h"

struct pv_decode_pool;

/*
 * NULL when out of memory or when a thread cannot be started. With `give_way` they are threads
 * that leave the processor to others first.
 */
struct pv_decode_pool *pv_decode_pool_create(unsigned workers, bool give_way);
void pv_decode_pool_destroy(struct pv_decode_pool *p); /* NULL is fine; drops what is inside */

/*
 * An empty slot to fill: its batch is reset, the caller copies the payload into batch->bytes and
 * sets offset, thread, time_base and flags. NULL while all slots are in use: take one first.
 */
struct pv_decode_task {
	struct pv_batch batch;
	struct mlpd_bases bases;
	struct mlpd_bases start; /* bases at the first byte, for another try */
	struct mlpd_format format;
	bool partial;  /* the payload may end inside an event without that being damage */
	bool decoded;  /* by the caller already: only keeps its place in the order */
	size_t used;   /* result: payload bytes understood */
	bool nomem;    /* result */
};

struct pv_decode_task *pv_decode_pool_room(struct pv_decode_pool *p);
/* Hands the slot of the last room() to the workers. */
void pv_decode_pool_submit(struct pv_decode_pool *p);

/* The oldest task, decoded; NULL when the pool is empty. Stays valid until pv_decode_pool_done(). */
struct pv_decode_task *pv_decode_pool_take(struct pv_decode_pool *p);
void pv_decode_pool_done(struct pv_decode_pool *p);

#endif
