/* SPDX-License-Identifier: MIT */
/* Draws the distances, in bytes, between sampled allocations from an exponential distribution. */
#include "probe/core/alloc_period.h"

#include <string.h>

enum { MANTISSA = 52, BIAS = 1023 };

static _Atomic uint64_t period;

void pvp_alloc_every(uint64_t bytes)
{
	atomic_store_explicit(&period, bytes, memory_order_relaxed);
}

static uint64_t random_bits(void)
{
	uint64_t x = pvp_tls.alloc_random;
	if (!x)
		x = (uint64_t)(uintptr_t)&pvp_tls ^ pvp_monotonic() << 20 ^ 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	pvp_tls.alloc_random = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* -ln(u) for u in (0, 1), to some six digits; the probe does not link libm. */
static double minus_ln(double u)
{
	uint64_t bits;
	memcpy(&bits, &u, sizeof bits);
	int exponent = (int)(bits >> MANTISSA) - BIAS;
	bits = (bits & ((UINT64_C(1) << MANTISSA) - 1)) | (uint64_t)BIAS << MANTISSA;
	memcpy(&u, &bits, sizeof u); /* now in [1, 2) */
	double t = (u - 1) / (u + 1), s = t * t;
	double ln = 2 * t * (1 + s * (1. / 3 + s * (1. / 5 + s * (1. / 7 + s / 9))));
	return -(exponent * 0.69314718055994531 + ln);
}

/* Bytes to the next point: exponentially distributed. */
static int64_t draw(uint64_t mean)
{
	double u = ((double)(random_bits() >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
	return (int64_t)(minus_ln(u) * (double)mean) + 1;
}

bool pvp_alloc_drawn(void)
{
	uint64_t mean = atomic_load_explicit(&period, memory_order_relaxed);
	if (!mean) {
		pvp_tls.alloc_left = 0;
		return true;
	}
	if (!pvp_tls.alloc_begun) {
		/* Nothing was drawn for this thread yet, so nothing has run out. */
		pvp_tls.alloc_begun = true;
		pvp_tls.alloc_left += draw(mean);
		if (pvp_tls.alloc_left >= 0)
			return false;
	}
	/* The next distance does not depend on how far past the point this allocation reaches. */
	pvp_tls.alloc_left = draw(mean);
	return true;
}
