/* SPDX-License-Identifier: MIT */
/* Rates from sums in cells of 100 ms, and the monotonic clock. */
#include "common/ingest/ground/meter.h"

#include <time.h>

enum { CELL_NS = 100 * 1000 * 1000, ALL_MS = PV_METER_CELLS * 100 };

void pv_meter_add(struct pv_meter *m, int64_t now_ns, uint64_t bytes, uint64_t events)
{
	int64_t cell = now_ns / CELL_NS;
	if (!m->first_ns)
		m->first_ns = now_ns;
	for (int64_t c = m->newest + 1; c <= cell && c <= m->newest + PV_METER_CELLS; c++)
		m->bytes[c % PV_METER_CELLS] = m->events[c % PV_METER_CELLS] = 0;
	if (cell > m->newest + PV_METER_CELLS)
		for (int i = 0; i < PV_METER_CELLS; i++)
			m->bytes[i] = m->events[i] = 0;
	if (cell > m->newest)
		m->newest = cell;
	m->bytes[cell % PV_METER_CELLS] += bytes;
	m->events[cell % PV_METER_CELLS] += events;
}

void pv_meter_rates(const struct pv_meter *m, int64_t now_ns, uint64_t *ret_bytes_per_s,
	uint64_t *ret_events_per_s)
{
	int64_t cell = now_ns / CELL_NS;
	uint64_t bytes = 0, events = 0;
	for (int64_t c = m->newest; c > m->newest - PV_METER_CELLS && c >= 0; c--) {
		if (c <= cell - PV_METER_CELLS)
			break;
		bytes += m->bytes[c % PV_METER_CELLS];
		events += m->events[c % PV_METER_CELLS];
	}
	/* At first there are no two seconds to look back on. */
	const int64_t since_ms = (now_ns - m->first_ns) / 1000000;
	const uint64_t of_ms = since_ms < CELL_NS / 1000000 ? 1000
			       : since_ms < ALL_MS          ? (uint64_t)since_ms
							    : ALL_MS;
	*ret_bytes_per_s = bytes * 1000 / of_ms;
	*ret_events_per_s = events * 1000 / of_ms;
}

int64_t pv_ingest_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
