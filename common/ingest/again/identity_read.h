/*
 * Matches the objects of one heap shot with those of another, and with their allocations
 * (model/objects/identity.h): the input is read again twice on a thread of its own, while the
 * ingest goes on. The first time finds the places of events and all names, the second time takes
 * allocations, moves and shots in the order of their times.
 *
 * The result has a model of its own, which holds the names, stacks and threads it speaks of.
 */
#ifndef PV_INGEST_IDENTITY_READ_H
#define PV_INGEST_IDENTITY_READ_H

#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"
#include "common/model/objects/identity.h"

struct pv_identity_read;

struct pv_identity_read_options {
	uint32_t base,
		shot;    /* numbers in the log; PV_IDENTITY_NO_SHOT: the first and the last whole
			      * one that lists objects */
	bool by_address; /* nothing but addresses and classes is looked at */
	bool single;     /* the base may be the shot itself: only who is alive there matters */
};

/* The ingest must outlive it. NULL on failure. Its job fails with PV_EUSAGE: no such shots. */
struct pv_identity_read *pv_identity_read_start(struct pv_ingest *in,
	const struct pv_identity_read_options *options, struct pv_error *reterr);
/*
 * Its job, by which it is waited for and destroyed; NULL for NULL. It has phases, whose steps are
 * bytes.
 */
struct pv_background *pv_identity_read_job(struct pv_identity_read *r);

/* NULL until done. They live as long as `r`, and do not change any more. */
const struct pv_identity *pv_identity_read_result(struct pv_identity_read *r);
struct pv_model *pv_identity_read_model(struct pv_identity_read *r);

#endif
