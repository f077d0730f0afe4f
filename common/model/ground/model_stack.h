/* SPDX-License-Identifier: MIT */
/*
 * Finds stacks of events among the model's stacks. Private to the model: ingest thread, with its
 * lock.
 */
#ifndef PV_MODEL_MODEL_STACK_H
#define PV_MODEL_MODEL_STACK_H

#include "common/format/batch.h"

struct pv_model;

enum { PV_SPAN_STACKS = 256 };

/*
 * Stacks of the present batch's backtraces by place in the pool, direct-mapped: only backtraces
 * that always mean the same. An entry is valid while its turn is the present turn.
 */
struct pv_span_stacks {
	uint32_t turn;
	struct pv_span_stack {
		uint32_t at, stack, turn;
	} of[PV_SPAN_STACKS];
};

/* The entry for a backtrace, owned by the table, never NULL; another backtrace may be there. */
static inline struct pv_span_stack *pv_span_stack(struct pv_span_stacks *t, struct pv_span s)
{
	return &t->of[(s.at ^ s.at >> 8) % PV_SPAN_STACKS];
}

/* A backtrace (outermost first) as a stack id; PV_MAP_NONE when out of memory. */
uint32_t pv_model_stack(struct pv_model *m, const uint64_t *keys, size_t n);
/*
 * Likewise for the innermost frame in b->frames. A frame is looked up when the batch first uses it,
 * and keeps its meaning until the stacks fold. forget: before another batch.
 */
uint32_t pv_model_frame(struct pv_model *m, const struct pv_batch *b, uint32_t at);
void pv_model_forget_frames(struct pv_model *m);

#endif
