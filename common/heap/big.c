#include "common/heap/big.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20, LARGE = 8 * PAGE };

void *pv_big_alloc(size_t n, size_t size)
{
	n += n == 0;
	if (n > (SIZE_MAX - PAGE) / size)
		return NULL;
	if (n * size < LARGE)
		return calloc(n, size);
	size_t bytes = (n * size + PAGE - 1) / PAGE * PAGE;
	void *v = aligned_alloc(PAGE, bytes);
	if (!v)
		return NULL;
	madvise(v, bytes, MADV_HUGEPAGE); /* refused: it is only slower */
	return memset(v, 0, bytes);
}
