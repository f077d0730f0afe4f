/* SPDX-License-Identifier: MIT */
/* The list of single sample times. */
#include "common/model/time/sample_times.h"

bool pv_sample_times_add(struct pv_sample_times *to, const struct pv_sample_time *s)
{
	if (to->v.n >= PV_SAMPLE_TIMES_MOST)
		return true;
	if (!pv_reserve(&to->v, 1))
		return false;
	to->v.v[to->v.n++] = *s;
	return true;
}

void pv_sample_times_renumber(struct pv_sample_times *to, const uint32_t *into)
{
	for (size_t i = 0; i < to->v.n; i++)
		to->v.v[i].node = into[to->v.v[i].node];
}
