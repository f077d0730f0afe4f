/* SPDX-License-Identifier: MIT */
/* Estimates the number and bytes of allocations by their samples. */
#include "common/base/estimate.h"

#include <math.h>
#include <string.h>

struct pv_estimate pv_estimate_alloc(uint64_t size, uint64_t period, double *carry)
{
	struct pv_estimate e = { 1, size, 0 };
	if (period == 0 || size == 0)
		return e;
	double p = -expm1(-(double)size / (double)period);
	double bytes = (double)size / p, count = 1 / p + *carry;
	e.count = (uint64_t)count;
	*carry = count - (double)e.count;
	e.bytes = (uint64_t)(bytes + 0.5);
	e.variance = bytes * bytes * (1 - p);
	return e;
}

static unsigned shift_of(char unit)
{
	switch (unit | 0x20) {
	case 'k':
		return 10;
	case 'm':
		return 20;
	case 'g':
		return 30;
	default:
		return 0;
	}
}

uint64_t pv_bytes_of(const char *at, size_t len)
{
	const uint64_t most = UINT64_C(1) << 33; /* no unit overflows below this */
	uint64_t n = 0;
	size_t i = 0;
	for (; i < len && at[i] >= '0' && at[i] <= '9' && n < most; i++)
		n = n * 10 + (uint64_t)(at[i] - '0');
	unsigned shift = i + 1 == len ? shift_of(at[i]) : 0;
	return i > 0 && i + (shift > 0) == len && n < most ? n << shift : 0;
}

uint64_t pv_alloc_period(const char *args)
{
	static const char word[] = "alloc=";
	const char *at = args ? strchr(args, ':') : NULL;
	while (at) {
		at++;
		size_t len = strcspn(at, ",");
		if (len >= sizeof word && memcmp(at, word, sizeof word - 1) == 0)
			return pv_bytes_of(at + sizeof word - 1, len - (sizeof word - 1));
		at = strchr(at, ',');
	}
	return 0;
}
