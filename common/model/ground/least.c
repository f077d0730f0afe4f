/* SPDX-License-Identifier: MIT */
/* Chooses the k least values by counting digits (a radix select). */
#include "common/model/ground/least.h"

enum { BITS = 8, DIGITS = 1 << BITS };

/* Restricts values to the indices where `of` has the value `is`; NULL: no restriction. */
struct among {
	const uint64_t *of;
	uint64_t is;
};

static bool stands(const struct among *a, size_t i)
{
	return !a->of || a->of[i] == a->is;
}

/*
 * Returns the shift of the first digit in which values differ. *ret_value has the digits before,
 * which all values share, and *ret_known the bits of these digits.
 */
static int same_digits(const uint64_t *v, const struct among *a, size_t n, uint64_t *ret_value,
	uint64_t *ret_known)
{
	uint64_t some = 0, differ = 0;
	size_t i = 0;
	while (i < n && !stands(a, i))
		i++;
	some = i < n ? v[i] : 0;
	for (; i < n; i++)
		differ |= stands(a, i) ? v[i] ^ some : 0;
	int shift = 64 - BITS;
	*ret_known = 0;
	for (; shift >= 0 && (differ >> shift) == 0; shift -= BITS)
		*ret_known |= (uint64_t)(DIGITS - 1) << shift;
	*ret_value = some & *ret_known;
	return shift;
}

/*
 * The value such that k values are less or equal, k > 0, digit by digit from the highest on.
 * *ret_equal: how many of the k equal the value.
 */
static uint64_t threshold(
	const uint64_t *v, const struct among *a, size_t n, size_t k, size_t *ret_equal)
{
	uint64_t value, known;
	int shift = same_digits(v, a, n, &value, &known);
	for (; shift >= 0; shift -= BITS) {
		size_t count[DIGITS] = { 0 }, digit = 0;
		for (size_t i = 0; i < n; i++)
			if (((v[i] ^ value) & known) == 0 && stands(a, i))
				count[v[i] >> shift & (DIGITS - 1)]++;
		while (k > count[digit])
			k -= count[digit++];
		value |= (uint64_t)digit << shift;
		known |= (uint64_t)(DIGITS - 1) << shift;
	}
	*ret_equal = k;
	return value;
}

void pv_least(const uint64_t *value, const uint64_t *then, size_t n, size_t k, bool *chosen)
{
	size_t equal = 0;
	struct among all = { NULL, 0 }, tied = { value, 0 };
	uint64_t last = 0;
	if (k > 0)
		tied.is = threshold(value, &all, n, k, &equal);
	if (k > 0 && then)
		last = threshold(then, &tied, n, equal, &equal);
	for (size_t i = n; i-- > 0;) {
		bool tie = k > 0 && value[i] == tied.is;
		chosen[i] = k > 0 && value[i] < tied.is;
		if (!tie)
			continue;
		bool less = then && then[i] < last, same = !then || then[i] == last;
		chosen[i] = less || (same && equal > 0);
		equal -= same && equal > 0;
	}
}
