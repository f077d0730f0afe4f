/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: room among the classes when their cap is near. Ingest thread, with the
 * lock.
 */
#ifndef PV_MODEL_CLASSES_FOLD_H
#define PV_MODEL_CLASSES_FOLD_H

#include "common/model/ground/model_parts.h"

/* Ids stay valid: folded classes are called "other" from now on. False: out of memory. */
bool pv_classes_make_room(struct pv_model *m);

/* True if room is due: asked between batches, so that the classes of one batch fit in. */
static inline bool pv_classes_are_many(const struct pv_names *n)
{
	uint64_t kept = n->class_use.n - n->classes_folded;
	return kept >= n->class_cap - n->class_cap / 16 && n->class_use.n >= n->class_fold_at;
}

#endif
