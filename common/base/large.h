/* SPDX-License-Identifier: MIT */
/* Memory for an array about to be filled whole. Any thread. */
#ifndef PV_BASE_LARGE_H
#define PV_BASE_LARGE_H

#include <stddef.h>

/*
 * Like malloc(), for free() and realloc(). For a large size the system is asked for large pages,
 * whose setup is many times faster than that of small pages. NULL when out of memory.
 */
void *pv_large_alloc(size_t size);

#endif
