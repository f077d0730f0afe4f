/* SPDX-License-Identifier: MIT */
/*
 * Definitions, and ends of threads, that the model gets before the events around them: from batches
 * that wait in the reorder window. Ingest thread only, with the model's lock; bool is false when
 * out of memory. Times are ns on the log's clock; texts are copied.
 */
#ifndef PV_MODEL_EARLY_DEFINITIONS_H
#define PV_MODEL_EARLY_DEFINITIONS_H

#include "common/model/model.h"

/*
 * Applies the definitions (names, loads, unloads) of a batch whose events come later, and marks the
 * batch so that they are not applied again.
 */
bool pv_model_define(struct pv_model *m, struct pv_batch *batch);
/* Notes the end of a thread, from such a batch of another thread. */
void pv_model_end_early(struct pv_model *m, uint64_t thread, int64_t time);

/* --- private to the model */

/* Takes any event; ignores events that define nothing. */
bool pv_names_take(struct pv_model *m, const struct pv_event *e);

#endif
