/* SPDX-License-Identifier: MIT */
/* Coverage statements about logs of profview-outside. */
#include <stdio.h>
#include <string.h>

#include "common/base/sample_period.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"

/* Events recorded only by a probe in the process. */
static bool is_within(enum pv_what what)
{
	return what == PV_WHAT_CALLS || what == PV_WHAT_ALLOCATIONS || what == PV_WHAT_HEAP_SHOTS ||
	       what == PV_WHAT_SPANS || what == PV_WHAT_MARKS;
}

static bool are_sampled(const struct pv_model *m)
{
	return pv_coverage_counter(m, "samples missed: " PV_WAITS_SAMPLED);
}

/* By the counters of samples, without waits for a processor, since these have no stack. */
static void of_samples(const struct pv_model *m, struct pv_coverage *c)
{
	uint64_t with = pv_coverage_counter(m, "waits with a stack");
	uint64_t all = with + pv_coverage_counter(m, "waits without a stack");
	if (all)
		pv_coverage_say(c, "waits: %s%.3g %% of their time with a stack",
			are_sampled(m) ? "" : "exact, ", 100 * (double)with / (double)all);
}

/* Waits are met by visits: there may be waits though none was met. */
static void of_locks(const struct pv_model *m, struct pv_coverage *c)
{
	if (c->state != PV_COMPLETE && c->state != PV_PARTIAL)
		return;
	c->state = PV_PARTIAL;
	if (strcmp(c->detail, pv_coverage_none(m)) == 0)
		snprintf(c->detail, sizeof c->detail, "none was met");
	pv_coverage_say(c,
		"mutexes of the C library that have an owner, waits of 10 ms and more, "
		"shorter ones by chance%s",
		are_sampled(m) ? ", none while it switched more than 20,000 times a second" : "");
}

/* Pages are counted by faults, whatever allocator asked for the memory. */
static void of_pages(const struct pv_model *m, struct pv_coverage *c)
{
	uint64_t without = pv_coverage_counter(m, "new pages without a stack");
	uint64_t all = without + pv_coverage_counter(m, "new pages with a stack");
	c->state = PV_PARTIAL;
	if (strcmp(c->detail, pv_coverage_none(m)) == 0)
		snprintf(c->detail, sizeof c->detail, "none was met");
	if (without)
		pv_coverage_say(
			c, "%.2g %% counted without a stack", 100 * (double)without / (double)all);
	pv_coverage_say(c,
		"new pages by stack, 1 of 17 with its place, those touched in system calls and what "
		"was given back are not seen");
}

void pv_coverage_outside(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	static const char name[] = "profview:outside";
	const char *args = m->target.args ? m->target.args : "";
	if (strncmp(args, name, sizeof name - 1) != 0)
		return;
	if (c->state == PV_NOT_RECORDED && is_within(what))
		pv_coverage_say(c, "not from outside");
	else if (what == PV_WHAT_SAMPLES)
		of_samples(m, c);
	else if (what == PV_WHAT_ALLOCATIONS)
		of_pages(m, c);
	else if (what == PV_WHAT_LOCKS)
		of_locks(m, c);
}
