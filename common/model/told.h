/* Private to the model: definitions and ends, told in their turn or ahead of it. */
#ifndef PV_MODEL_TOLD_H
#define PV_MODEL_TOLD_H

#include "common/model/model_parts.h"

/* Any event; those that say nothing of names are nothing here. False: out of memory. */
bool pv_names_take(struct pv_model *m, const struct pv_event *e);

/* The end of a thread whose buffers before it may still be to come. */
void pv_threads_told_end(struct pv_threads *t, uint64_t id, int64_t time);

#endif
