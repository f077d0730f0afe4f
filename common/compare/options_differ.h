/* SPDX-License-Identifier: MIT */
/* Compares the profiler's options in the headers of two logs. Pure: any thread. */
#ifndef PV_COMPARE_OPTIONS_DIFFER_H
#define PV_COMPARE_OPTIONS_DIFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Options in `args` and not in `other`, separated by commas, as many as have room; without options
 * that differ in any two runs, such as the output's name.
 */
void pv_options_only(const char *args, const char *other, char *to, size_t room);
/* Whether either log has an option missing in the other. */
bool pv_options_differ(const char *a, const char *b);

#endif
