/* SPDX-License-Identifier: MIT */
/* The own time of hits and counters in old logs, with checks for damage. */
#include "common/model/calls/own_time.h"

#include <stdbool.h>

/* No program runs longer; some hits are on a clock of their own (formats.md 1.7). */
static const uint64_t longest_ms = UINT64_C(100) * 365 * 86400 * 1000;
static const int64_t hour_ns = INT64_C(3600000000000);

static int64_t time_of_hit(const struct pv_event *e)
{
	int64_t t = (int64_t)e->hit.timestamp, running = (int64_t)e->time, apart;
	bool near =
		!__builtin_sub_overflow(t, running, &apart) && apart > -hour_ns && apart < hour_ns;
	return near ? t : running;
}

/* Counters count ms from the start of the program. */
static int64_t time_of_counters(const struct pv_event *e, int64_t zero)
{
	int64_t time;
	if (e->counters.ms > longest_ms)
		return (int64_t)e->time;
	bool over = __builtin_add_overflow(zero, (int64_t)e->counters.ms * 1000000, &time);
	return over ? (int64_t)e->time : time;
}

int64_t pv_own_time(const struct pv_event *e, unsigned rules, int64_t zero)
{
	if (rules < 13 && e->kind == PV_KIND_SAMPLE_HIT)
		return time_of_hit(e);
	if (rules < 13 && e->kind == PV_KIND_COUNTERS_SAMPLE)
		return time_of_counters(e, zero);
	return (int64_t)e->time;
}
