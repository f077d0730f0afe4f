/*
 * Stretches of calls that came summed up. The two questions are for whoever decodes and applies
 * batches, the rest is private to the model.
 */
#ifndef PV_MODEL_STRETCH_H
#define PV_MODEL_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/format/digest.h"

enum { PV_SHARED_BITS = 8192 };

struct pv_batch;
struct pv_context;
struct pv_model;

/*
 * Whether the calls of the next batch can come summed up; what the digest has to know is put in.
 * And whether a batch that came so can be applied: if not, it is decoded again without. Both look
 * only at what the owner itself changes, and need no lock.
 */
bool pv_model_digests(const struct pv_model *m, struct pv_digest *ret);
bool pv_model_takes(struct pv_model *m, const struct pv_batch *b);

/* --- private */

/* Scratch of the owner; all of it can be found again from the model's stores. */
struct pv_stretches {
	PV_ARRAY(uint32_t) hash_of;    /* by node of the call tree: of its path */
	PV_ARRAY(uint32_t) hint;       /* by such a hash, in pairs: a node that may have it */
	PV_ARRAY(uint32_t) node, hash; /* of the stretch applied last */
	uint32_t first;                /* its first node in the digest */
	uint64_t shared_key[PV_SHARED_BITS / 64]; /* a bit for each key of a shared method */
	bool shared_known;                        /* those bits are up to date */
};

void pv_stretches_finish(struct pv_stretches *s);

/* False when out of memory. */
bool pv_stretch_apply(struct pv_context *x, const struct pv_stretch *s);
/* The tree's node for one of the stretch applied last. */
uint32_t pv_stretch_node(const struct pv_model *m, uint32_t node);

#endif
