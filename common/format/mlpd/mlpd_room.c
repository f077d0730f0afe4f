/* SPDX-License-Identifier: MIT */
/* Room for decoded events, by an estimate of how many the payload still has. */
#include "common/format/mlpd/mlpd_plain.h"

/*
 * Events still to come, if the rest of the payload is like the part read: each growth copies all.
 */
static size_t more_events(const struct pv_batch *b, size_t n, size_t left)
{
	enum { FEW = 64, LEAST_BYTES = 2, MARGIN = 16 };
	size_t read = b->bytes.n - left, more = FEW;
	if (n >= FEW && read)
		more = (size_t)((double)n * (double)left / (double)read) + n / MARGIN + 1;
	return more > left / LEAST_BYTES + 1 ? left / LEAST_BYTES + 1 : more;
}

bool mlpd_reserve_others(struct pv_batch *b, size_t left)
{
	return pv_reserve(&b->other_events, more_events(b, b->other_events.n, left));
}

bool mlpd_reserve_plain(struct pv_batch *b, size_t left)
{
	return pv_reserve(&b->plain_events, more_events(b, b->plain_events.n, left));
}
