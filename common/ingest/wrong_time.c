/* SPDX-License-Identifier: MIT */
/*
 * Times that cannot be: one wrong bit in the time of a buffer, or in the length of an event before
 * a place that cannot be decoded, would make a log of a minute one of days.
 */
#include "common/ingest/wrong_time.h"

#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"

#define SECOND INT64_C(1000000000)

enum { LEAST_BIT = 44 /* of a time: 4.9 hours */, TIME_BITS = 63 };

static int64_t distance(int64_t a, int64_t b)
{
	return a < b ? pv_sat_span(a, b) : pv_sat_span(b, a);
}

/*
 * A machine may have slept for hours, so being far away is no proof. But no sleep ends within
 * seconds of a power of two, which is what a time with one wrong bit is away from its neighbours.
 * Of the first two, if far apart, either may be wrong.
 */
static uint64_t put_right(const struct pv_buffer_times *t, uint64_t time)
{
	const int64_t near_ns = 20 * SECOND, hours_ns = INT64_C(1) << (LEAST_BIT - 1);
	const bool far = (int64_t)time > pv_sat_add(t->newest, hours_ns) ||
			 (int64_t)time < pv_sat_add(t->first, -hours_ns);
	for (int bit = LEAST_BIT; bit <= TIME_BITS && far && t->n > 1; bit++) {
		const uint64_t other = time ^ UINT64_C(1) << bit;
		if (distance((int64_t)other, t->newest) <= near_ns)
			return other;
	}
	return time;
}

uint64_t pv_right_buffer_time(struct pv_buffer_times *t, uint64_t time)
{
	const int64_t ret = (int64_t)put_right(t, time);
	t->first = !t->n || ret < t->first ? ret : t->first;
	t->newest = !t->n || ret > t->newest ? ret : t->newest;
	t->n++;
	return (uint64_t)ret;
}

static bool is_impossible(const struct pv_model *m, uint64_t before, uint64_t time)
{
	const int64_t most_ns = 60 * SECOND, was = (int64_t)before, is = (int64_t)time;
	const bool beyond = m->last_ns == PV_NEVER || is > pv_sat_add(m->last_ns, most_ns);
	return is < pv_sat_add(was, -most_ns) || (beyond && is > pv_sat_add(was, most_ns));
}

void pv_drop_impossible_times(const struct pv_model *m, struct pv_batch *b)
{
	enum { LAST = 64 }; /* soon nothing read out of step is an event */
	const size_t from = b->n > LAST ? b->n - LAST : 0;
	uint64_t before = from ? b->time[from - 1] : b->time_base;
	size_t n = from;
	for (; n < b->n && !is_impossible(m, before, b->time[n]); n++)
		before = b->time[n];
	if (n == b->n)
		return;
	const size_t at = strlen(b->damage_reason);
	snprintf(b->damage_reason + at, sizeof b->damage_reason - at,
		"; %zu before of times that cannot be", b->n - n);
	b->n = n;
}
