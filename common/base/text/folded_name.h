/* SPDX-License-Identifier: MIT */
/*
 * A frame's name in folded stacks, where a semicolon separates frames: a semicolon becomes a colon,
 * or nothing where the next character separates the name anyway, as in Java's "La/B;::run" and
 * "La/B;.run". Pure: any thread.
 */
#ifndef PV_BASE_FOLDED_NAME_H
#define PV_BASE_FOLDED_NAME_H

#include <string.h>

/* Rewrites a name in place; the name does not grow. */
static inline void pv_folded_name(char *name)
{
	char *to = strchr(name, ';');
	for (const char *at = to; at && *at; at++) {
		if (*at != ';')
			*to++ = *at;
		else if (at[1] != ':' && at[1] != '.')
			*to++ = ':';
	}
	if (to)
		*to = 0;
}

#endif
