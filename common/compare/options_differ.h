/*
 * Whether two logs were recorded alike: by the options of the profiler in their headers. Pure: any
 * thread.
 */
#ifndef PV_COMPARE_OPTIONS_DIFFER_H
#define PV_COMPARE_OPTIONS_DIFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The options that `args` has and `other` has not, separated by commas, as many as have room; none
 * of those that differ between any two runs, such as the output's name.
 */
void pv_options_only(const char *args, const char *other, char *to, size_t room);
/* Whether either has one that the other has not. */
bool pv_options_differ(const char *a, const char *b);

#endif
