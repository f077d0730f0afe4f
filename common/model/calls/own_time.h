/*
 * When an event happened. Below data version 13 hits and readings of counters carry a time of their
 * own, apart from the running time of their buffer.
 */
#ifndef PV_MODEL_OWN_TIME_H
#define PV_MODEL_OWN_TIME_H

#include "common/format/event.h"

/*
 * In ns on the log's clock; the running time where the event's own cannot be meant. `rules`: the
 * data version whose rules the event follows; `zero`: the time counters count their ms from.
 */
int64_t pv_own_time(const struct pv_event *e, unsigned rules, int64_t zero);

#endif
