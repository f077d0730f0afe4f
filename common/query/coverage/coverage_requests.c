/* SPDX-License-Identifier: MIT */
/* Gaps in figures of chosen requests, since a thread may leave a request without an event. */
#include <inttypes.h>
#include <stdio.h>

#include "common/model/ground/request_times.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"

static uint64_t rest_of(const struct pv_request_rest *r, enum pv_what what)
{
	switch (what) {
	case PV_WHAT_SAMPLES:
		return r->samples;
	case PV_WHAT_ALLOCATIONS:
		return r->allocations;
	case PV_WHAT_LOCKS:
		return r->waits;
	case PV_WHAT_EXCEPTIONS:
		return r->thrown;
	default:
		return 0;
	}
}

static bool is_of_threads(enum pv_what what)
{
	return what == PV_WHAT_SAMPLES || what == PV_WHAT_ALLOCATIONS || what == PV_WHAT_LOCKS ||
	       what == PV_WHAT_EXCEPTIONS || what == PV_WHAT_CALLS;
}

void pv_coverage_requests(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	const struct pv_request_times *r = m->only.requests;
	if (!r || c->state == PV_NOT_RECORDED)
		return;
	if (what == PV_WHAT_SPANS)
		pv_coverage_say(c, "%" PRIu64 " request%s chosen", r->requests,
			r->requests == 1 ? "" : "s");
	const uint64_t rest = rest_of(&r->rest, what);
	if (is_of_threads(what) && !r->threads_known)
		pv_coverage_say(c, "the log does not say which request a thread worked for");
	else if (rest)
		pv_coverage_say(c, "%" PRIu64 " within requests not sure of which", rest);
	else
		return;
	if (c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
}
