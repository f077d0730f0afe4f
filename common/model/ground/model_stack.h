/*
 * Finds stacks of events among the model's stacks. Private to the model: ingest thread, with its
 * lock.
 */
#ifndef PV_MODEL_MODEL_STACK_H
#define PV_MODEL_MODEL_STACK_H

#include "common/format/batch.h"

struct pv_model;

/* A backtrace (outermost first) as a stack id; PV_MAP_NONE when out of memory. */
uint32_t pv_model_stack(struct pv_model *m, const uint64_t *keys, size_t n);
/*
 * Likewise of the innermost frame in b->frames. A frame is what it was when the batch first used
 * it: looked up once, until the stacks fold. forget: before another batch.
 */
uint32_t pv_model_frame(struct pv_model *m, const struct pv_batch *b, uint32_t at);
void pv_model_forget_frames(struct pv_model *m);

#endif
