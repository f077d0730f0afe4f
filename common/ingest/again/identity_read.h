/* SPDX-License-Identifier: MIT */
/*
 * Matches the objects of one heap shot with those of another, and with their allocations
 * (model/objects/identity.h): the input is read again twice on a thread of its own, while the
 * ingest goes on. The first reading finds the places of events and all names, the second takes
 * allocations, moves and shots in the order of their times.
 *
 * The result has a model of its own, with the names, stacks and threads needed.
 */
#ifndef PV_INGEST_IDENTITY_READ_H
#define PV_INGEST_IDENTITY_READ_H

#include "common/ingest/ground/background.h"
#include "common/ingest/ingest.h"
#include "common/model/identity/identity.h"

struct pv_identity_read;

struct pv_identity_read_options {
	uint32_t base, shot; /* numbers in the log; PV_IDENTITY_NO_SHOT: the first and the last
			      * complete shot with objects */
	bool by_address;     /* only addresses and classes matter */
	bool single;         /* the base may be the shot itself: only objects alive there matter */
};

/*
 * The ingest must outlive the result. NULL on failure. The job fails with PV_EUSAGE: no such shots.
 */
struct pv_identity_read *pv_identity_read_start(struct pv_ingest *in,
	const struct pv_identity_read_options *options, struct pv_error *reterr);
/* The job, to wait for and to destroy; NULL for NULL. Its phases have bytes as steps. */
struct pv_background *pv_identity_read_job(struct pv_identity_read *r);

/* NULL until done; both live as long as `r`, and do not change any more. */
const struct pv_identity *pv_identity_read_result(struct pv_identity_read *r);
struct pv_model *pv_identity_read_model(struct pv_identity_read *r);

#endif
