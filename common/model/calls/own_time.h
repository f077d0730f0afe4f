/* SPDX-License-Identifier: MIT */
/*
 * The time of an event. Below data version 13 hits and readings of counters carry their own time,
 * apart from the running time of their buffer. Pure: any thread.
 */
#ifndef PV_MODEL_OWN_TIME_H
#define PV_MODEL_OWN_TIME_H

#include "common/format/event.h"

/*
 * ns on the log's clock; the running time where the event's own is out of range. `rules`: the
 * data version whose rules the event follows; `zero`: the time counters count their ms from.
 */
int64_t pv_own_time(const struct pv_event *e, unsigned rules, int64_t zero);

#endif
