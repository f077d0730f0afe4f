/* SPDX-License-Identifier: MIT */
/* Radix sort of indices by 64-bit keys, 11 bits a pass. */
#include "common/heap/radix.h"

#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static uint64_t radix_key(const struct pv_radix *r, uint32_t i)
{
	uint64_t key;
	memcpy(&key, (const char *)r->key + (size_t)i * r->stride, sizeof key);
	return r->descending ? ~key : key;
}

static void sort_by_digit(const struct pv_radix *r, uint64_t least, unsigned shift,
	const uint32_t *from, uint32_t *to, size_t n)
{
	size_t start[DIGITS + 1] = { 0 };
	for (size_t i = 0; i < n; i++)
		start[((radix_key(r, from[i]) - least) >> shift & (DIGITS - 1)) + 1]++;
	for (size_t i = 0; i < DIGITS; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		to[start[(radix_key(r, from[i]) - least) >> shift & (DIGITS - 1)]++] = from[i];
}

bool pv_radix_sort(const struct pv_radix *r, uint32_t *order, uint32_t *spare, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0, before = 0;
	bool sorted = true, in_spare = false;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = radix_key(r, order[i]);
		sorted = sorted && before <= key;
		least = key < least ? key : least;
		most = key > most ? key : most;
		before = key;
	}
	for (unsigned shift = 0; !sorted && shift < 64 && (most - least) >> shift;
		shift += DIGIT, in_spare = !in_spare) {
		if (r->go_on && !r->go_on(r->ctx))
			return false;
		sort_by_digit(
			r, least, shift, in_spare ? spare : order, in_spare ? order : spare, n);
	}
	if (in_spare)
		memcpy(order, spare, n * sizeof *order);
	return true;
}
