/* SPDX-License-Identifier: MIT */
/*
 * A range of time, read again on a thread of its own while the ingest goes on: from the overlapping
 * buffers if the table of buffers is usable (buffers.h), else from the whole input. The result is a
 * separate model, equal to the model of a whole reading with the same restriction.
 */
#ifndef PV_INGEST_RANGE_H
#define PV_INGEST_RANGE_H

#include "common/ingest/ground/background.h"
#include "common/ingest/again/requests.h"
#include "common/ingest/ingest.h"

struct pv_range_read;

struct pv_range_wish {
	int64_t from_ns, to_ns; /* since zero, half-open */
	bool threaded;          /* only these threads, */
	const uint64_t *thread; /* native ids, of all threads that had them; until the start */
	size_t threads;
	pv_requests_choose_fn *choose; /* NULL: whatever was worked for */
	const char *requests;          /* text for `choose`; borrowed likewise */
};

/*
 * Begins to read the wished range. The ingest must outlive the result, and must have been started
 * with `ranges`. NULL on failure: PV_EUSAGE for inputs that cannot be read twice.
 */
struct pv_range_read *pv_range_start(
	struct pv_ingest *in, const struct pv_range_wish *wish, struct pv_error *reterr);
/* The job, to wait for and to destroy; NULL for NULL. Steps are bytes of the inflated stream. */
struct pv_background *pv_range_job(struct pv_range_read *r);

/* Any thread, once done; NULL, 0 and false until then. The model lives as long as `r`. */
struct pv_model *pv_range_model(struct pv_range_read *r);
/* Since zero: end of the log as read when this job began. */
int64_t pv_range_until_ns(struct pv_range_read *r);
/* How many requests were chosen. */
uint64_t pv_range_requests(struct pv_range_read *r);
/* Everything was read, as the table was unusable. False until done. */
bool pv_range_whole(struct pv_range_read *r);

#endif
