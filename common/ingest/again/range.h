/*
 * A range of time, read again on a thread of its own while the ingest goes on: from the buffers
 * that overlap it where the table of buffers can say which (buffers.h), else the whole input.
 * The result is a model of its own, equal to that of a whole reading with the same restriction.
 */
#ifndef PV_INGEST_RANGE_H
#define PV_INGEST_RANGE_H

#include "common/ingest/ingest.h"

struct pv_range_read;

struct pv_range_wish {
	int64_t from_ns, to_ns; /* since zero, half-open */
	bool threaded;          /* only one thread, */
	uint64_t thread;        /* of this native id: all that had it */
};

struct pv_range_status {
	bool over;  /* done, cancelled or failed */
	bool done;  /* the model is complete */
	bool whole; /* everything must be read: the table does not say what overlaps */
	uint64_t bytes_read, bytes_total; /* of the inflated stream, to be read for it */
	int64_t until_ns;                 /* since zero: what was read up to when it began */
	struct pv_error error;            /* code PV_OK unless it failed */
};

/*
 * Begins to read what is wished for. The ingest must outlive it, and must have been
 * started with `ranges`. NULL on failure: PV_EUSAGE for inputs that cannot be read twice.
 */
struct pv_range_read *pv_range_start(
	struct pv_ingest *in, const struct pv_range_wish *wish, struct pv_error *reterr);
/* Cancels what is not done; frees its model. NULL is fine. */
void pv_range_destroy(struct pv_range_read *r);

/* It will be over soon, and not done. */
void pv_range_cancel(struct pv_range_read *r);
/* Until it is over. */
void pv_range_wait(struct pv_range_read *r);

/* Any thread. */
void pv_range_status(struct pv_range_read *r, struct pv_range_status *ret);
/* NULL until done. It lives as long as `r`. */
struct pv_model *pv_range_model(struct pv_range_read *r);

#endif
