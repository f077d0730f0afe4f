/* SPDX-License-Identifier: MIT */
/* Checks of loaded values: ids in range, indices that rise or come to an end. */
#include "common/base/archive/archive_check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static bool all_below_8(const uint8_t *v, size_t n, uint64_t limit)
{
	bool bad = false;
	for (size_t i = 0; i < n; i++)
		bad |= v[i] >= limit;
	return !bad;
}

static bool all_below_16(const uint16_t *v, size_t n, uint64_t limit)
{
	bool bad = false;
	for (size_t i = 0; i < n; i++)
		bad |= v[i] >= limit;
	return !bad;
}

bool pv_all_below_32(const uint32_t *v, size_t n, uint64_t limit)
{
	uint32_t last = limit > UINT32_MAX ? UINT32_MAX : (uint32_t)(limit - 1), most = 0;
	for (size_t i = 0; i < n; i++)
		most = v[i] > most ? v[i] : most;
	return limit > 0 && most <= last;
}

static bool all_below_64(const uint64_t *v, size_t n, uint64_t limit)
{
	bool bad = false;
	for (size_t i = 0; i < n; i++)
		bad |= v[i] >= limit;
	return !bad;
}

static bool all_below(const void *v, size_t n, size_t each, uint64_t limit)
{
	switch (each) {
	case 1:
		return all_below_8(v, n, limit);
	case 2:
		return all_below_16(v, n, limit);
	case 4:
		return pv_all_below_32(v, n, limit);
	default:
		return all_below_64(v, n, limit);
	}
}

static bool all_older(const uint32_t *v, size_t n, size_t first, bool plus_1)
{
	bool bad = false;
	for (size_t i = 0; i < n; i++)
		bad |= v[i] > first + i || (!plus_1 && v[i] && v[i] == first + i);
	return !bad;
}

static bool all_rise(const int64_t *v, size_t n, int64_t before)
{
	bool bad = false;
	for (size_t i = 0; i < n; before = v[i++])
		bad |= v[i] < before;
	return !bad;
}

static bool all_real(const double *v, size_t n, double most)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		ok &= v[i] >= 0 && v[i] <= most; /* false for NAN, too */
	return ok;
}

static bool all_wide(const int64_t *v, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		ok &= v[i] > 0;
	return ok;
}

/* The shapes' kinds go with sizes: the build of a shape refuses others. */
bool pv_column_holds(const struct pv_checked *c, const void *v, size_t n)
{
	const struct pv_field_row *r = c->row;
	switch ((enum pv_field_kind)r->kind) {
	case PV_BELOW:
		return all_below(v, n, r->each, r->of);
	case PV_AT_MOST:
		return all_below(v, n, r->each, r->of + 1);
	case PV_ID:
		return all_below(v, n, r->each, c->store[r->of]);
	case PV_ID_1:
		return all_below(v, n, r->each, c->store[r->of] + 1);
	case PV_OLDER:
		return all_older(v, n, c->first, false);
	case PV_OLDER_1:
		return all_older(v, n, c->first, true);
	case PV_RISING:
		return all_rise(v, n, c->before);
	case PV_WIDTH:
		return all_wide(v, n);
	case PV_REAL:
		return all_real(v, n, DBL_MAX);
	case PV_FRACTION:
		return all_real(v, n, 1);
	default:
		return true;
	}
}

/* --- chains */

/*
 * Every element leads to another element or, by 0, to none: whether all ways end. Ways are followed
 * from each element not met before; `met` has the number of the walk.
 */
static bool all_end(const uint8_t *v, size_t stride, size_t n)
{
	uint32_t *met = calloc(n ? n : 1, sizeof *met), next;
	bool ok = met != NULL;
	for (size_t i = 1; ok && i < n; i++) {
		for (size_t at = i; at && ok; at = next) {
			if (met[at]) {
				ok = met[at] != i;
				break;
			}
			met[at] = (uint32_t)i;
			memcpy(&next, v + at * stride, sizeof next);
		}
	}
	free(met);
	return ok;
}

static bool all_lead_back(const uint8_t *v, size_t stride, size_t n)
{
	bool bad = false;
	for (size_t i = 0; i < n; i++) {
		uint32_t next;
		memcpy(&next, v + i * stride, sizeof next);
		bad |= next && next >= i;
	}
	return !bad;
}

bool pv_chain_holds(const uint8_t *v, size_t stride, size_t n)
{
	if (all_lead_back(v, stride, n))
		return true;
	for (size_t i = 0; i < n; i++) {
		uint32_t next;
		memcpy(&next, v + i * stride, sizeof next);
		if (next >= n)
			return false;
	}
	return all_end(v, stride, n);
}
