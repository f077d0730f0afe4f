/* SPDX-License-Identifier: MIT */
/*
 * Saturating arithmetic on times and sizes of logs that may be damaged: results stop at the ends,
 * and never wrap. Pure: any thread.
 */
#ifndef PV_BASE_SATURATE_H
#define PV_BASE_SATURATE_H

#include <stdint.h>

/* The sum, or INT64_MAX or INT64_MIN if beyond. */
static inline int64_t pv_sat_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

/* The time from `from` to `to`; 0 if `to` is earlier. */
static inline int64_t pv_sat_span(int64_t from, int64_t to)
{
	int64_t span;
	if (to <= from)
		return 0;
	return __builtin_sub_overflow(to, from, &span) ? INT64_MAX : span;
}

#endif
