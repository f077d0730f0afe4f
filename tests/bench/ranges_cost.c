/* SPDX-License-Identifier: MIT */
/*
 * Addresses that are added in an order of their own, and one found after each.
 *
 * usage: ranges_cost back|shuffled N
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/ranges.h"

enum { STEP = 64, SIZE = 32 };

int main(int argc, char **argv)
{
	struct pv_ranges r = { 0 };
	uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, found = 0, dice = 1;
	bool back = argc == 3 && strcmp(argv[1], "back") == 0;
	for (uint32_t i = 0; i < n; i++) {
		dice = dice * 1664525 + 1013904223;
		uint64_t at = (back ? n - i : dice >> 8) * (uint64_t)STEP;
		if (!pv_ranges_add(&r, at, SIZE, i + 1))
			return 1;
		found += pv_ranges_find(&r, at + SIZE / 2) == i + 1;
	}
	pv_ranges_finish(&r);
	return found == n ? 0 : 1;
}
