/* SPDX-License-Identifier: MIT */
/*
 * Decodes a log's buffers and sums their calls up on the way (call_summary.h): the log's only
 * summariser, whatever the number of decode workers.
 *
 * Five invariants:
 * 1. Buffers are handed in in the log's order; runs leave in the same order.
 * 2. A run, the buffers that a call decodes, is applied as a whole and in order.
 * 3. A segment's base is the thread's open calls when applied, or the base of the segment before.
 * 4. A run ends with a buffer that may change the meaning of other threads' calls: the start or
 *    end of a thread, an unload, a method described under another name, a sync point. If a buffer
 *    is damaged, the run's buffers up to there are decoded event by event.
 * 5. So nothing in the bytes up to a run's end keeps the run's summary from being applied.
 *
 * One thread at a time uses a summariser, without a lock. Out of memory shows in a task's `nomem`.
 */
#ifndef PV_CALLS_SUMMARISER_H
#define PV_CALLS_SUMMARISER_H

#include "common/format/batch.h"
#include "common/format/mlpd/mlpd.h"

struct pv_summariser;

/* A buffer to decode. */
struct pv_decode_task {
	struct pv_batch batch;
	struct mlpd_bases bases;
	struct mlpd_bases start; /* bases at the first byte, for another try */
	struct mlpd_format format;
	bool partial; /* the payload may end inside an event without damage */
	bool decoded; /* by the caller already: a run of its own, to keep the order */
	size_t used;  /* result: payload bytes understood */
	bool nomem;   /* result */
};

/* Call paths remembered from one run to the next; further paths are dropped and found anew. */
struct pv_summariser_limits {
	uint32_t paths;     /* of one thread */
	uint32_t all_paths; /* of all threads */
};

/* NULL: out of memory. pv_summariser_destroy() frees it. `limits` NULL: the usual limits. */
struct pv_summariser *pv_summariser_create(const struct pv_summariser_limits *limits);
void pv_summariser_destroy(struct pv_summariser *r); /* NULL is fine */

/*
 * Decodes the first of the `n` buffers (1 to PV_MAX_STREAMS) as one run. Returns their number, at
 * least 1; their summary.run_n is the same number, or 0 where each is applied by itself. The caller
 * keeps the tasks and their payloads; results are in `used`, `nomem` and the batch's damage.
 */
size_t pv_summarise_run(struct pv_summariser *r, struct pv_decode_task *t, size_t n);
/*
 * Decodes a buffer, or a piece of a buffer, as a run of its own, unless `decoded`. Afterwards the
 * open calls of every thread are unknown to the summariser. Results as above.
 */
void pv_summarise_single(struct pv_summariser *r, struct pv_decode_task *t);

/*
 * Call between runs when buffers were left out: open calls of every thread are unknown from here
 * on. With `paths` the numbers of paths are dropped, too, as for another model, and described anew.
 */
void pv_summariser_forget(struct pv_summariser *r, bool paths);
/* Descriptions of methods may have been missed: any later one may change a name, and ends a run. */
void pv_summariser_unsure(struct pv_summariser *r);

#endif
