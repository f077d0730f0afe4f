/* SPDX-License-Identifier: MIT */
/* The distance of samples, from the profiler's options. */
#include "common/base/sample_period.h"

#include <stdlib.h>
#include <string.h>

uint64_t pv_sample_period(const char *args, bool *ret_wall)
{
	static const char word[] = "sample", real[] = "-real";
	const uint64_t usual_hz = 100, second = 1000000000;
	*ret_wall = false;
	for (const char *at = args; (at = strstr(at, word)) != NULL; at++) {
		const char *end = at + strlen(word);
		if (at > args && !strchr(", :", at[-1]))
			continue;
		bool wall = strncmp(end, real, strlen(real)) == 0;
		end += wall ? strlen(real) : 0;
		uint64_t hz = usual_hz;
		char *after = (char *)(uintptr_t)end;
		if (*end == '=')
			hz = strtoull(end + 1, &after, 10);
		if (hz == 0 || hz > second || (*after && !strchr(", ", *after)))
			continue;
		*ret_wall = wall;
		return second / hz;
	}
	return 0;
}
