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

static void say_full_stacks(const struct pv_model *m, const struct pv_sites *sites, uint32_t most,
	struct pv_coverage *c)
{
	uint64_t all = 0, full = 0;
	for (size_t i = 1; i < sites->site.n; i++) {
		const struct pv_site *s = &sites->site.v[i];
		all += s->stack ? s->count : 0;
		full += s->stack && is_full(&m->stacks, s->stack, most) ? s->count : 0;
	}
	if (!full)
		return;
	pv_coverage_say(c, "%.3g %% have %u callers, the most that are kept%s",
		100 * (double)full / (double)all, most,
		args_begin(m->target.args, "profview:") && most < MOST_OF_OURS
			? " (maxframes=64 keeps more)"
			: "");
	if (c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
}

void pv_coverage_deep(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	const uint32_t most = most_frames(m);
	if (!most || c->state == PV_NOT_RECORDED)
		return;
	if (what == PV_WHAT_ALLOCATION_STACKS && m->allocs.with_backtrace && !m->allocs.with_path)
		say_full_stacks(m, &m->allocs.sites, most, c);
	if (what == PV_WHAT_EXCEPTIONS)
		say_full_stacks(m, &m->throws.sites, most, c);
}
