/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: applies events other than calls and allocations to their stores. Threads,
 * failure and times are as in model_parts.h.
 */
#ifndef PV_MODEL_APPLY_EVENT_H
#define PV_MODEL_APPLY_EVENT_H

#include "common/model/objects/gc_parts.h"

/* Applies an event; x->time, place and counts are the event's. */
bool pv_apply_event(struct pv_context *x, const struct pv_event *e);

/*
 * Applies plain events (pv_kind_is_plain) in a row, outside of restrictions: from the plain event
 * *at to an event of another kind or to `end`, where *at ends up. n = 0: apply them one by one.
 */
bool pv_plain_run(struct pv_context *x, size_t *at, size_t end, struct pv_plain_run *ret);

#endif
