/*
 * The calls of a log's buffers, summed up as they are decoded (call_summary.h).
 *
 * Buffers come in the log's order. A few of them, all that is decoded together, make a run: a thread's
 * calls are summed up over all of its buffers in it, which are then applied all and in order. What a
 * thread has open at the end of one run is gone on with in the next.
 *
 * A run ends with any event that may change what calls of other threads mean: the start or the end of a
 * thread, an unload, a method described under another name, and a sync point, up to which buffers may
 * be held back. A damaged buffer and those before it in its run are decoded event by event. So
 * nothing that stands in the bytes up to a run's end keeps it from being applied as it is.
 *
 * One thread at a time uses a summariser.
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
	bool partial; /* the payload may end inside an event without that being damage */
	bool decoded; /* by the caller already: only keeps its place in the order; a run of its own */
	size_t used; /* result: payload bytes understood */
	bool nomem;  /* result */
};

struct pv_summariser *pv_summariser_create(void);    /* NULL: out of memory */
void pv_summariser_destroy(struct pv_summariser *r); /* NULL is fine */
/* From a run to the next, so many paths of a thread at most, and twice of all; for tests. */
void pv_summariser_keep(struct pv_summariser *r, uint32_t paths);

/*
 * Decodes the first of the `n` buffers (1 to PV_MAX_STREAMS) as one run: how many those are. Their
 * summary.run_n says so, too, or is 0 where each stands for itself.
 */
size_t pv_summarise_run(struct pv_summariser *r, struct pv_decode_task *t, size_t n);
/*
 * A buffer for itself, or a piece of one: it is decoded unless that was done. Its thread's calls come
 * to an end in it as far as is known here.
 */
void pv_summarise_alone(struct pv_summariser *r, struct pv_decode_task *t);

/*
 * Between runs: other calls than those may have come since. With `paths` the model that applies
 * batches is another, or has lost some, and knows no path.
 */
void pv_summariser_forget(struct pv_summariser *r, bool paths);
/* There may be methods that were described elsewhere. */
void pv_summariser_unsure(struct pv_summariser *r);

#endif
