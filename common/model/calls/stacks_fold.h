/*
 * Private to the model: room among the stacks when their cap is near. Ingest thread, with the lock.
 */
#ifndef PV_MODEL_STACKS_FOLD_H
#define PV_MODEL_STACKS_FOLD_H

#include "common/model/ground/model_parts.h"

/* Afterwards stack ids are void that the model itself does not keep. False: out of memory. */
bool pv_stacks_make_room(struct pv_model *m);

/* Whether that is due, now that a further stack is about to be looked up. */
static inline bool pv_stacks_are_many(const struct pv_stacks *s)
{
	return s->node.n >= s->cap - s->cap / 16 && s->node.n >= s->fold_at;
}

#endif
