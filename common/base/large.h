/* Memory for an array that is about to be filled whole. Any thread. */
#ifndef PV_BASE_LARGE_H
#define PV_BASE_LARGE_H

#include <stddef.h>

/*
 * As malloc(): free() and realloc() take it. Where it is large, the system is asked for large
 * pages, which are put in place many times faster than small ones. NULL when out of memory.
 */
void *pv_large_alloc(size_t size);

#endif
