/*
 * A range of time, read again on a thread of its own while the ingest goes on: from the buffers
 * that overlap it where the table of buffers can say which (buffers.h), else the whole input.
 * The result is a model of its own, equal to that of a whole reading with the same restriction.
 */
#ifndef PV_INGEST_RANGE_H
#define PV_INGEST_RANGE_H

#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"

struct pv_range_read;

struct pv_range_wish {
	int64_t from_ns, to_ns; /* since zero, half-open */
	bool threaded;          /* only these threads, */
	const uint64_t *thread; /* by native ids, borrowed until the start: all that had them */
	size_t threads;
};

/*
 * Begins to read what is wished for. The ingest must outlive it, and must have been
 * started with `ranges`. NULL on failure: PV_EUSAGE for inputs that cannot be read twice.
 */
struct pv_range_read *pv_range_start(
	struct pv_ingest *in, const struct pv_range_wish *wish, struct pv_error *reterr);
/*
 * Its job, by which it is waited for and destroyed; NULL for NULL. Steps are bytes of the inflated
 * stream.
 */
struct pv_background *pv_range_job(struct pv_range_read *r);

/* Any thread, once it is done; NULL, 0 and false until then. The model lives as long as `r`. */
struct pv_model *pv_range_model(struct pv_range_read *r);
/* Since zero: what the log was read up to when this began. */
int64_t pv_range_until_ns(struct pv_range_read *r);
/* Everything was read: the table does not say what overlaps. False until it is done. */
bool pv_range_whole(struct pv_range_read *r);

#endif
