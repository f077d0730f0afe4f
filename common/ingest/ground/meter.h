/* SPDX-License-Identifier: MIT */
/* Rates over the last two seconds, in cells of 100 ms. Not thread-safe; zeroed is valid. */
#ifndef PV_INGEST_METER_H
#define PV_INGEST_METER_H

#include <stdint.h>

enum { PV_METER_CELLS = 20 };

struct pv_meter {
	int64_t first_ns; /* of the first add; 0: none yet */
	int64_t newest;   /* number of the 100 ms cell last written */
	uint64_t bytes[PV_METER_CELLS], events[PV_METER_CELLS];
};

/* ns, monotonic: for the meter and for the age of events. Any thread. */
int64_t pv_ingest_now(void);

/* Counts bytes and events now; sums up the cells of the last two seconds. */
void pv_meter_add(struct pv_meter *m, int64_t now_ns, uint64_t bytes, uint64_t events);
void pv_meter_rates(const struct pv_meter *m, int64_t now_ns, uint64_t *ret_bytes_per_s,
	uint64_t *ret_events_per_s);

#endif
