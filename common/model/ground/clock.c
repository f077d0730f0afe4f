/* SPDX-License-Identifier: MIT */
/* Times inside a restriction. */
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/ground/request_times.h"

bool pv_in_time(const struct pv_model *m, const struct pv_thread *th, int64_t t)
{
	const struct pv_request_times *r = m->only.requests;
	return pv_in_range(m, t) && (!r || pv_request_times_has(r, th->of_requests, t));
}

int64_t pv_clipped(const struct pv_model *m, const struct pv_thread *th, int64_t from, int64_t to)
{
	const struct pv_model_private *p = m->private;
	if (!p->timed)
		return to - from;
	if (to < from)
		return -pv_clipped(m, th, to, from);
	if (p->ranged) {
		from = from < p->from_ns ? p->from_ns : from;
		to = to > p->to_ns ? p->to_ns : to;
	}
	if (to <= from)
		return 0;
	return m->only.requests
		       ? pv_request_times_within(m->only.requests, th->of_requests, from, to)
		       : to - from;
}
