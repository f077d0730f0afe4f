/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> a name, demangled into rooms of two sizes: any name must end, in bounded time, without a
 * byte written past its room; what fits in the smaller room is the same in the larger one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum { SMALL = 300, LARGE = 8192 };
	char *small = malloc(SMALL), *large = malloc(LARGE);
	if (!small || !large)
		abort();
	size_t of_small = pv_demangle((const char *)bytes, n, small, SMALL);
	size_t of_large = pv_demangle((const char *)bytes, n, large, LARGE);
	if (of_small > SMALL || of_large > LARGE)
		abort();
	if (of_small && of_large && (of_small != of_large || memcmp(small, large, of_small) != 0))
		abort();
	free(small);
	free(large);
	return 0;
}
