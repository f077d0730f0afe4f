/* SPDX-License-Identifier: MIT */
/* Counts events whose stacks reach the writer's frame limit: further callers are not marked. */
#include <stdlib.h>
#include <string.h>

#include "common/base/word_limits.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"

enum { MOST_OF_OURS = 64 /* Mono's own profiler has 32 at most */ };

static bool args_begin(const char *args, const char *word)
{
	return strncmp(args, word, strlen(word)) == 0;
}

/* The writer's frame limit; 0: not known, or cut stacks are counted or marked elsewhere. */
static uint32_t most_frames(const struct pv_model *m)
{
	static const char word[] = ",maxframes=";
	const char *args = m->target.args ? m->target.args : "", *at = strstr(args, word);
	if (args_begin(args, "log"))
		at = at ? at : strstr(args, ":maxframes=");
	else if (!args_begin(args, "profview:mono") && !args_begin(args, "profview:coreclr"))
		return 0;
	return at ? (uint32_t)strtoul(at + sizeof word - 1, NULL, 10) : PV_USUAL_MAXFRAMES;
}

static bool is_full(const struct pv_stacks *s, uint32_t stack, uint32_t most)
{
	uint32_t n = 0;
	for (; stack && n < most; stack = s->node.v[stack].parent)
		n++;
	return n == most;
}

/* Events with a stack, and those of them whose stack is as deep as can be. */
struct depths {
	const struct pv_model *m;
	uint32_t most;
	uint64_t all, full;
};

static void count_depth(struct depths *d, uint32_t stack, uint64_t n)
{
	if (!stack)
		return;
	d->all += n;
	d->full += is_full(&d->m->stacks, stack, d->most) ? n : 0;
}

static void count_depths(struct depths *d, const struct pv_sites *sites)
{
	for (size_t i = 1; i < sites->site.n; i++)
		count_depth(d, sites->site.v[i].stack, sites->site.v[i].count);
}

/* False: these events have no stacks of their own; where calls are written, those open stand for them. */
static bool count_stacks(struct depths *d, enum pv_what what)
{
	const struct pv_model *m = d->m;
	if (what != PV_WHAT_ALLOCATION_STACKS && m->kinds[PV_KIND_METHOD_ENTER])
		return false;
	switch (what) {
	case PV_WHAT_ALLOCATION_STACKS:
		if (m->allocs.with_path)
			return false;
		count_depths(d, &m->allocs.sites);
		return true;
	case PV_WHAT_EXCEPTIONS:
		count_depths(d, &m->throws.sites);
		return true;
	case PV_WHAT_LOCKS:
		count_depths(d, &m->locks.by_lock);
		count_depths(d, &m->locks.sites);
		return true;
	case PV_WHAT_HANDLES:
		for (size_t i = 0; i < m->handles.site.n; i++)
			count_depth(d, m->handles.site.v[i].stack, m->handles.site.v[i].created);
		return true;
	case PV_WHAT_SPANS:
		for (size_t i = 0; i < m->runtime.work.n; i++)
			count_depth(d, m->runtime.work.v[i].stack, 1);
		return true;
	default:
		return false;
	}
}

void pv_coverage_deep(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	struct depths d = { .m = m, .most = most_frames(m) };
	pv_coverage_aot(m, what, c);
	if (!d.most || c->state == PV_NOT_RECORDED || !count_stacks(&d, what) || !d.full)
		return;
	pv_coverage_say(c, "%.3g %% have %u callers, the most that are kept%s",
		100 * (double)d.full / (double)d.all, d.most,
		args_begin(m->target.args, "profview:") && d.most < MOST_OF_OURS
			? " (maxframes=64 keeps more)"
			: "");
	if (c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
}
