/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: room among the stacks when their cap is near. Ingest thread, with the lock.
 */
#ifndef PV_MODEL_STACKS_FOLD_H
#define PV_MODEL_STACKS_FOLD_H

#include "common/model/ground/model_parts.h"

/* Makes room. Afterwards stack ids outside the model are void. False: out of memory. */
bool pv_stacks_make_room(struct pv_model *m);

/* True if room is due, asked before a stack is looked up. */
static inline bool pv_stacks_are_many(const struct pv_stacks *s)
{
	return s->node.n >= s->cap - s->cap / 16 && s->node.n >= s->fold_at;
}

#endif
