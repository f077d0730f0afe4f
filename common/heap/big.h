/* SPDX-License-Identifier: MIT */
/*
 * Zeroed arrays for random access: in large pages where they are large and the system has such
 * pages. Any thread.
 */
#ifndef PV_HEAP_BIG_H
#define PV_HEAP_BIG_H

#include <stddef.h>

/* `n` elements, at least one; NULL when out of memory. free() it. */
void *pv_big_alloc(size_t n, size_t size);

#endif
