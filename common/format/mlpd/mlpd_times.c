/* SPDX-License-Identifier: MIT */
/* Puts times right that cannot be true: of buffers, and of events in front of damage. */
#include "common/format/mlpd/mlpd_times.h"

#include <stdio.h>
#include <string.h>

#include "common/format/batch_event.h"

#define SECOND INT64_C(1000000000)

static int64_t distance(int64_t a, int64_t b)
{
	return a < b ? pv_sat_span(a, b) : pv_sat_span(b, a);
}

/*
 * A machine may have slept for hours, so being far away is no proof. But no sleep ends within
 * seconds of a multiple of 78 hours, or of a power of two above four hours, which is what a time
 * with a wrong byte is away from its neighbours. Of the first two, if far apart, either may be wrong.
 */
uint64_t mlpd_put_right(const struct mlpd_buffer_times *t, uint64_t time)
{
	enum { LEAST_BIT = 44, BYTE_BITS = 8, LEAST_BYTE = 48, TIME_BITS = 64 };
	const int64_t near_ns = 20 * SECOND;
	for (unsigned bit = LEAST_BIT; bit < TIME_BITS; bit++) {
		const uint64_t other = time ^ UINT64_C(1) << bit;
		if (distance((int64_t)other, t->newest) <= near_ns)
			return other;
	}
	for (unsigned bit = LEAST_BYTE; bit < TIME_BITS; bit += BYTE_BITS) {
		const uint64_t byte = UINT64_C(0xff) << bit,
			       other = (time & ~byte) | ((uint64_t)t->newest & byte);
		if (distance((int64_t)other, t->newest) <= near_ns)
			return other;
	}
	return time;
}

size_t mlpd_first_leap(const uint64_t *time, size_t n, uint64_t before)
{
	const int64_t most_ns = 600 * SECOND;
	for (size_t i = 0; i < n; i++) {
		if (distance((int64_t)before, (int64_t)time[i]) >= most_ns)
			return i;
		before = time[i];
	}
	return n;
}

void mlpd_say_levelled(char *reason, size_t room, size_t n)
{
	const size_t at = strlen(reason);
	snprintf(reason + at, room - at, "; %zu before of times that cannot be", n);
}

void mlpd_level_damaged(struct pv_batch *b, uint64_t start)
{
	const size_t from = b->n > MLPD_DOUBTED ? b->n - MLPD_DOUBTED : 0;
	uint64_t before = from ? b->time[from - 1] : start;
	if (b->n == 0)
		return;
	const size_t leap = from + mlpd_first_leap(b->time + from, b->n - from, before);
	before = leap > from ? b->time[leap - 1] : before;
	for (size_t i = leap; i < b->n; i++) {
		b->time[i] = before;
		if (pv_kind_is_plain(b->kind[i]))
			memcpy(b->plain_events.v[b->key[i]].bytes + offsetof(struct pv_event, time),
				&before, sizeof before);
		else if (pv_batch_event(b, i))
			b->other_events.v[b->key[i]].time = before;
	}
	if (leap < b->n)
		mlpd_say_levelled(b->damage_reason, sizeof b->damage_reason, b->n - leap);
}
