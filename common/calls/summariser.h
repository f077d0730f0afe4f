/*
 * The calls of a log's buffers, summed up as they are decoded (digest.h).
 *
 * Buffers come in the log's order, in runs of at most PV_STRANDS. A run's batches stay where they
 * are until pv_summariser_end_run(), as a thread's calls are summed up over all of its buffers in
 * the run, and are then applied all and in order. What a thread has open at the end of one run is
 * gone on with in the next. One thread at a time uses a summariser.
 */
#ifndef PV_CALLS_SUMMARISER_H
#define PV_CALLS_SUMMARISER_H

#include "common/format/mlpd/mlpd.h"

struct pv_summariser;

struct pv_summariser *pv_summariser_create(void);    /* NULL: out of memory */
void pv_summariser_destroy(struct pv_summariser *s); /* NULL is fine */
/* From a run to the next, so many paths of a thread at most, and twice of all; for tests. */
void pv_summariser_keep(struct pv_summariser *s, uint32_t paths);

/* The run's next buffer, as mlpd_decode_batch(). False when out of memory, here and below. */
bool pv_summariser_add(struct pv_summariser *s, struct pv_batch *b, struct mlpd_bases *bases,
	const struct mlpd_format *f, size_t *ret_used);
bool pv_summariser_end_run(struct pv_summariser *s);
/*
 * Between runs: other calls than those may have come since, or what was decoded cannot be applied.
 * With `paths` the batches that named them are lost, too.
 */
void pv_summariser_forget(struct pv_summariser *s, bool paths);

#endif
