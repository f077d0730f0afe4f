/* Definitions and ends that are told ahead of the events around them. */
#ifndef PV_MODEL_EARLY_DEFINITIONS_H
#define PV_MODEL_EARLY_DEFINITIONS_H

#include "common/model/model.h"

/*
 * The owner's calls, with the model's lock: the definitions (names, loads, unloads) of a batch that
 * will be applied later, in its turn; and the end of a thread that is said in such a batch of
 * another thread. False when out of memory.
 */
bool pv_model_define(struct pv_model *m, struct pv_batch *batch);
void pv_model_end_early(struct pv_model *m, uint64_t thread, int64_t time);

/* --- private to the model */

/* Any event; those that say nothing of names are nothing here. False: out of memory. */
bool pv_names_take(struct pv_model *m, const struct pv_event *e);

/* The end of a thread whose buffers before it may still be to come. */
void pv_threads_end_early(struct pv_threads *t, uint64_t id, int64_t time);

#endif
