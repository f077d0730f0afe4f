/* Zeroed arrays that are looked up anywhere: large ones in large pages where the system has them.
 */
#ifndef PV_HEAP_BIG_H
#define PV_HEAP_BIG_H

#include <stddef.h>

/* `n` elements, at least one; NULL when out of memory. free() it. */
void *pv_big_alloc(size_t n, size_t size);

#endif
