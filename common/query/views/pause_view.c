/* SPDX-License-Identifier: MIT */
/*
 * Pauses by length: of all stops of the world, and of the collections of a generation. A percentile
 * is the shortest pause that so many of a hundred do not exceed: exact while every pause is in the
 * model's lists; folded pauses count with the middle of their cells.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum { P_WHAT, P_COUNT, P_TOTAL, P_50, P_90, P_99, P_MAX, P_SHARE, P_EXACT };

static const struct pv_column columns[] = {
	[P_WHAT] = { "what", "PAUSES", PV_UNIT_TEXT, 12, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1,
		.help = "All stops of the world, or those of collections of a generation" },
	[P_COUNT] = { "count", "TIMES", PV_UNIT_COUNT, 7, 4, .json = 2, .help = "How many pauses" },
	[P_TOTAL] = { "total_ns", "STOPPED", PV_UNIT_NS, 9, 5, .json = 3,
		.help = "How long they took together" },
	[P_50] = { "p50_ns", "P50", PV_UNIT_NS, 7, 1, .json = 4,
		.help = "Half of them were no longer" },
	[P_90] = { "p90_ns", "P90", PV_UNIT_NS, 7, 2, .json = 5,
		.help = "Nine of ten were no longer" },
	[P_99] = { "p99_ns", "P99", PV_UNIT_NS, 7, 1, .json = 6,
		.help = "All but one of a hundred were no longer" },
	[P_MAX] = { "max_ns", "MAX", PV_UNIT_NS, 7, 1, .json = 7 },
	[P_SHARE] = { "share_percent", "TIME%", PV_UNIT_PERCENT, 6, 6,
		.help = "Their part of the time recorded" },
	[P_EXACT] = { "exact", "EXACT", PV_UNIT_BOOL, 5, 7, PV_COLUMN_HIDE_SCREEN, .json = 8 },
};

struct spread {
	PV_ARRAY(int64_t) one;  /* durations, a pause each */
	const uint64_t *folded; /* by cell */
	int64_t max_ns, total_ns;
};

static int by_length(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static uint64_t folded_of(const struct spread *s)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < PV_SPREAD_CELLS; i++)
		n += s->folded[i];
	return n;
}

static int64_t percentile(const struct spread *s, uint64_t all, unsigned percent)
{
	uint64_t rank = (all * percent + 99) / 100, seen = 0;
	size_t at = 0;
	for (unsigned i = 0; i < PV_SPREAD_CELLS; i++) {
		const int64_t ns = pv_spread_ns(i);
		for (; at < s->one.n &&
			(s->folded[i] ? s->one.v[at] <= ns : pv_spread_cell(s->one.v[at]) <= i);
			at++)
			if (++seen >= rank)
				return s->one.v[at];
		seen += s->folded[i];
		if (seen >= rank)
			return ns < s->max_ns ? ns : s->max_ns;
	}
	return s->max_ns;
}

static void put_pauses(
	struct pv_build *b, uint64_t id, const char *what, struct spread *s, int64_t length)
{
	const uint64_t folded = folded_of(s), all = folded + s->one.n;
	if (all == 0)
		return;
	if (s->one.n)
		qsort(s->one.v, s->one.n, sizeof *s->one.v, by_length);
	struct pv_cell *c = pv_build_row(b, id);
	pv_cell_s(&c[P_WHAT], what);
	pv_cell_u(&c[P_COUNT], all);
	pv_cell_i(&c[P_TOTAL], s->total_ns);
	pv_cell_i(&c[P_50], percentile(s, all, 50));
	pv_cell_i(&c[P_90], percentile(s, all, 90));
	pv_cell_i(&c[P_99], percentile(s, all, 99));
	pv_cell_i(&c[P_MAX], s->max_ns);
	pv_cell_share(&c[P_SHARE], (double)s->total_ns, (double)length);
	pv_cell_u(&c[P_EXACT], folded == 0);
}

static bool add_pause(struct spread *s, int64_t ns)
{
	if (!pv_reserve(&s->one, 1))
		return false;
	s->one.v[s->one.n++] = ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
	return true;
}

static bool all_stops(struct spread *s, const struct pv_gc *gc)
{
	bool ok = true;
	for (size_t i = 0; ok && i < gc->pauses.n; i++)
		if (gc->pauses.v[i].merged == 1)
			ok = add_pause(s, gc->pauses.v[i].duration_ns);
	s->folded = gc->folded_pauses + PV_GC_GENERATIONS * PV_SPREAD_CELLS;
	s->total_ns = gc->pause_ns;
	s->max_ns = gc->pause_max_ns;
	return ok;
}

static bool of_generation(struct spread *s, const struct pv_gc *gc, unsigned generation)
{
	bool ok = true;
	s->folded = gc->folded_pauses + generation * PV_SPREAD_CELLS;
	s->max_ns = gc->folded_pause_max_ns[generation];
	for (size_t i = 0; ok && i < gc->collections.n; i++) {
		const struct pv_collection *c = &gc->collections.v[i];
		if (c->generation != generation || pv_collection_pause(c) == 0)
			continue;
		s->total_ns = pv_sat_add(s->total_ns, c->pause_ns);
		if (c->merged == 1)
			ok = add_pause(s, c->pause_ns);
	}
	return ok;
}

static void run_pauses(struct pv_build *b, struct pv_model *m)
{
	static const char *const name[] = { "generation 0", "generation 1", "generation 2" };
	struct spread s[PV_GC_GENERATIONS + 1] = { 0 };
	struct pv_summary sum;
	pv_view_summary(m, &sum);
	pv_model_lock(m);
	pv_build_stamp(b, m);
	bool ok = all_stops(&s[PV_GC_GENERATIONS], &m->gc);
	for (unsigned i = 0; ok && i < PV_GC_GENERATIONS; i++)
		ok = of_generation(&s[i], &m->gc, i);
	if (!ok)
		pv_build_fail(b);
	if (ok)
		put_pauses(b, 1, "all stops", &s[PV_GC_GENERATIONS], sum.duration_ns);
	for (unsigned i = 0; ok && i < PV_GC_GENERATIONS; i++)
		put_pauses(b, i + 2, name[i], &s[i], sum.duration_ns);
	pv_model_unlock(m);
	for (unsigned i = 0; i <= PV_GC_GENERATIONS; i++)
		pv_array_finish(&s[i].one);
}

const struct pv_view_spec pv_spec_pause_spread = {
	.column = columns, .columns = PV_COUNT_OF(columns), .name = "what", .run = run_pauses
};
