/* SPDX-License-Identifier: MIT */
/*
 * Times that cannot be true: one wrong byte would make a log of a minute one of days. Times are ns
 * on the log's clock. Not thread-safe.
 */
#ifndef PV_FORMAT_MLPD_TIMES_H
#define PV_FORMAT_MLPD_TIMES_H

#include <stddef.h>

#include "common/base/saturate.h"
#include "common/format/batch.h"

/* Times of a recording's buffers, in the order of the log. Valid when zeroed. */
struct mlpd_buffer_times {
	uint64_t n;
	int64_t first, newest;
};

/* The time, which is hours off, put right if one wrong byte explains that; else itself. */
uint64_t mlpd_put_right(const struct mlpd_buffer_times *t, uint64_t time);

/*
 * The time of the next buffer as it must have been, where the time given is hours off and one wrong
 * byte explains the difference to the newest buffer; else the time given.
 */
static inline uint64_t mlpd_right_time(struct mlpd_buffer_times *t, uint64_t time)
{
	const int64_t hours_ns = INT64_C(1) << 43;
	const bool far = t->n >= 2 && ((int64_t)time > pv_sat_add(t->newest, hours_ns) ||
					      (int64_t)time < pv_sat_add(t->first, -hours_ns));
	const int64_t ret = (int64_t)(far ? mlpd_put_right(t, time) : time);
	t->first = !t->n || ret < t->first ? ret : t->first;
	t->newest = !t->n || ret > t->newest ? ret : t->newest;
	t->n++;
	return (uint64_t)ret;
}

/* Events in front of a place that cannot be decoded, which may have been read out of step. */
enum { MLPD_DOUBTED = 64 };

/*
 * `n` times in the order of the buffer, at most MLPD_DOUBTED, after one of `before`: the index of
 * the first that is ten minutes or more off the time before, or `n`.
 */
size_t mlpd_first_leap(const uint64_t *time, size_t n, uint64_t before);

/*
 * Gives events of a damaged batch, from the first leap on, the time of the event before the leap,
 * and says so in the batch's damage. `start`: the time where decoding of the batch began.
 */
void mlpd_level_damaged(struct pv_batch *b, uint64_t start);

/* Nothing is done to a batch without damage. */
static inline void mlpd_level_times(struct pv_batch *b, uint64_t start)
{
	if (b->damaged)
		mlpd_level_damaged(b, start);
}

/* Appends to the reason of a damage, of `room` bytes, that `n` times were levelled. */
void mlpd_say_levelled(char *reason, size_t room, size_t n);

#endif
