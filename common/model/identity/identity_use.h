/* SPDX-License-Identifier: MIT */
/* An allocation in terms of a model: ids for the keys of its event. One thread. */
#ifndef PV_MODEL_IDENTITY_USE_H
#define PV_MODEL_IDENTITY_USE_H

#include "common/model/model.h"

/*
 * The stack of an allocation at `time_ns` (log clock), outermost method first; PV_MAP_NONE when out
 * of memory. Only the caller uses `m`.
 */
uint32_t pv_identity_stack(
	struct pv_model *m, int64_t time_ns, const struct pv_batch *b, struct pv_span stack);
/* Forgets frames: before the first stack of another batch. */
void pv_identity_batch(struct pv_model *m);

/*
 * If calls are traced and allocations have no stack of their own: the stack of the thread's open
 * calls, and its changes by a call or a return. PV_MAP_NONE when out of memory.
 */
uint32_t pv_identity_path(struct pv_model *m, uint64_t thread);
uint32_t pv_identity_enter(struct pv_model *m, int64_t time_ns, uint32_t path, uint64_t method);
uint32_t pv_identity_leave(struct pv_model *m, int64_t time_ns, uint32_t path, uint64_t method);

#endif
