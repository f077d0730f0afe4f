/*
 * When an event happened. Below data version 13 hits and readings of counters carry a time of their
 * own, apart from the running time of their buffer.
 */
#ifndef PV_MODEL_OWN_TIME_H
#define PV_MODEL_OWN_TIME_H

#include "common/model/model_parts.h"

/* In ns on the log's clock; the running time where the event's own cannot be meant. */
int64_t pv_own_time(const struct pv_context *x, const struct pv_event *e);

#endif
