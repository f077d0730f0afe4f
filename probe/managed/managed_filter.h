/* SPDX-License-Identifier: MIT */
/*
 * The filter of traced methods: `filter=TERM+TERM...`, asked once when a method is compiled, so
 * methods left out cost nothing.
 *
 *   a:NAME  assembly      n:NAME  namespace      c:NAME  class      m:NAME  method
 *   il:N    methods of at least N bytes of IL
 *
 * NAME may hold * and ?. A term after - leaves out the methods named. A method is traced if an
 * including term names it (or there are none), no excluding term does, and it is large enough.
 * Pure: any thread.
 */
#ifndef PV_PROBE_MANAGED_FILTER_H
#define PV_PROBE_MANAGED_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_managed_method {
	const char *assembly, *name_space, *class_name, *name;
	uint32_t il; /* bytes */
};

/* Whether the filter is valid; whether it takes a method. */
bool pvp_filter_sound(const char *filter);
bool pvp_filter_takes(const char *filter, const struct pvp_managed_method *m);

#endif
