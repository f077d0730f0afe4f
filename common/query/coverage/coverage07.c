/* SPDX-License-Identifier: MIT */
/* Gaps of logs of the 2007 logging profiler, stage by stage. */
#include "common/query/coverage/coverage.h"

#include <inttypes.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

struct lack {
	enum pv_what what;
	char until;     /* stages before this stage; 0: all stages */
	unsigned group; /* applies if met; 0: if the subject was not recorded */
	const char *text;
};

/* The first row that applies says all. */
static const struct lack lacks[] = {
	{ PV_WHAT_CALLS, 0, PV_GROUP_CALLS, "leaves by exception look like others" },
	{ PV_WHAT_ALLOCATIONS, 0, PV_GROUP_ALLOC, "without times of their own" },
	{ PV_WHAT_ALLOCATION_STACKS, 'B', 0, "neither callers nor stacks in this stage" },
	{ PV_WHAT_GC, 'B', PV_GROUP_GC, "stops of the world not recorded in this stage" },
	{ PV_WHAT_MOVES, 0, 0, "not in logs of 2007" },
	{ PV_WHAT_HANDLES, 0, 0, "not in logs of 2007" },
	{ PV_WHAT_FINALIZERS, 0, 0, "not in logs of 2007" },
	{ PV_WHAT_HEAP_SHOTS, 'A', 0, "not in the draft" },
	{ PV_WHAT_HEAP_SHOTS, 'B', PV_GROUP_SHOTS,
		"what lives has neither class nor size in stage A" },
	{ PV_WHAT_ROOTS, 0, 0, "not in logs of 2007" },
	{ PV_WHAT_EXCEPTIONS, 0, PV_GROUP_EXCEPTIONS, "clauses not recorded" },
	{ PV_WHAT_LOCKS, 'D', 0, "from stage D on only" },
	{ PV_WHAT_SAMPLES, 'B', PV_GROUP_SAMPLES, "without thread, time or callers" },
	{ PV_WHAT_SAMPLES, 0, PV_GROUP_SAMPLES, "without thread and time" },
	{ PV_WHAT_THREADS, 0, PV_GROUP_THREADS, "names not recorded" },
	{ PV_WHAT_JIT, 0, PV_GROUP_JIT, "sizes of code and helpers not recorded" },
	{ PV_WHAT_COUNTERS, 0, 0, "not in logs of 2007" },
	{ PV_WHAT_CODE_COVERAGE, 0, 0, "not in logs of 2007" },
};

static bool lack_fits(const struct pv_model *m, const struct lack *l)
{
	bool met = !l->group || pv_groups_recorded(m) & l->group;
	return met && (l->until == 0 || !pv_stage_at_least(m, l->until));
}

static void say_lack(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	for (size_t i = 0; i < PV_COUNT_OF(lacks); i++) {
		const struct lack *l = &lacks[i];
		bool absent = c->state == PV_NOT_RECORDED;
		if (l->what != what || absent != !l->group || !lack_fits(m, l))
			continue;
		pv_coverage_say(c, "%s", l->text);
		bool whole = what == PV_WHAT_CALLS || what == PV_WHAT_ALLOCATIONS;
		if (c->state == PV_COMPLETE && !whole)
			c->state = PV_PARTIAL;
		return;
	}
}

static void stacks(const struct pv_model *m, struct pv_coverage *c)
{
	if (!m->allocs.with_backtrace || pv_stage_at_least(m, 'C'))
		return;
	pv_coverage_say(c, "callers alone in this stage");
	if (c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
}

static void of_failed_loads(const struct pv_model *m, struct pv_coverage *c)
{
	uint64_t failed = m->loads.failed;
	if (failed)
		pv_coverage_say(c, "%" PRIu64 " load%s failed", failed, failed == 1 ? "" : "s");
}

void pv_coverage07(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	say_lack(m, what, c);
	if (what == PV_WHAT_ALLOCATION_STACKS)
		stacks(m, c);
	else if (what == PV_WHAT_NAMES)
		of_failed_loads(m, c);
}
