/* SPDX-License-Identifier: MIT */
/* Allocates large zeroed arrays and asks the system for large pages. */
#include "common/heap/big.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20, LARGE = 8 * PAGE };

/* Memory of that size comes zeroed from the system: nothing is touched here. */
void *pv_big_alloc(size_t n, size_t size)
{
	n += n == 0;
	char *v = calloc(n, size);
	if (!v || n * size < LARGE)
		return v;
	uintptr_t from = ((uintptr_t)v + PAGE - 1) / PAGE * PAGE;
	uintptr_t end = ((uintptr_t)v + n * size) / PAGE * PAGE;
	madvise((void *)from, end - from, MADV_HUGEPAGE); /* when refused, only slower */
	return v;
}
