/* SPDX-License-Identifier: MIT */
/*
 * For a second reading that leaves out buffers outside its range: the facts of such buffers that a
 * model needs. On the ingest thread, with the model's lock.
 */
#ifndef PV_MODEL_SKIP_H
#define PV_MODEL_SKIP_H

#include "common/model/model.h"
#include "common/model/objects/address_log.h"

/* Facts from the model of a whole log that a partial reading cannot find out. */
struct pv_known {
	int64_t zero_ns, first_ns, last_ns;
	uint64_t buffers, bytes, recordings, sync_points;
	uint64_t sync[PV_SYNC_TYPES];
	uint64_t ambiguous_ends, stray_leaves, missing_leaves, unwound, gap_closed;
	bool ended, complete;
	struct pv_ending ending;
	struct pv_address_log address_log;          /* classes by their wire keys */
	PV_ARRAY(struct pv_collection) collections; /* for their `allocated` */
};

/* False when out of memory. `address_log` may be NULL. */
bool pv_known_copy(
	struct pv_model *m, const struct pv_address_log *address_log, struct pv_known *ret);
void pv_known_finish(struct pv_known *k);

/* After pv_model_begin(), before the first batch; `k` must outlive the reading. */
void pv_model_know(struct pv_model *m, const struct pv_known *k);
/* After the last batch. False when out of memory. */
bool pv_model_know_end(struct pv_model *m, const struct pv_known *k);

/* State of a thread after left-out buffers; the thread must have been met before them. */
struct pv_stand {
	uint64_t thread;      /* native id */
	size_t keep;          /* frames open all the time, from the outermost on */
	const uint64_t *keys; /* wire keys of the methods open above them, outermost first */
	size_t n;
	uint64_t too_deep;            /* calls open beyond PV_STACK_DEPTH */
	int64_t last_ns;              /* of its last call event */
	int64_t oldest_ns, newest_ns; /* of all its events in these buffers */
};

/*
 * Sets a thread's state. No call, nor a part of a call, in the buffers left out may be in the
 * model's range. False when out of memory.
 */
bool pv_model_stand(struct pv_model *m, const struct pv_stand *s);

#endif
