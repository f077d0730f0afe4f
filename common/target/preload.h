/* LD_PRELOAD with a probe in it. */
#ifndef PV_TARGET_PRELOAD_H
#define PV_TARGET_PRELOAD_H

/*
 * The list `before` (NULL or "": none; between its names are blanks or colons) with the library in
 * front, so that an allocator in it does not come before the probe; behind the runtimes of
 * sanitizers alone, which end the program when they are not first. Owned by the caller; NULL: out
 * of memory.
 */
char *pv_preload_with(const char *before, const char *library);

#endif
