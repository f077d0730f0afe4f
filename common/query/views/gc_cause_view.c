/* SPDX-License-Identifier: MIT */
/*
 * One collection: the reason, what was found and left, and how long threads stood still. A fact
 * missing from the log has a row, too, saying what was not recorded.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum { F_WHAT, F_TEXT, F_VALUE, F_UNIT, F_KNOWN };

static const struct pv_column columns[] = {
	[F_WHAT] = { "what", "WHAT", PV_UNIT_TEXT, 15, 0, PV_COLUMN_ASCENDING, .json = 1 },
	[F_TEXT] = { "detail", "OF THIS COLLECTION", PV_UNIT_TEXT, 40, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2 },
	[F_VALUE] = { "value", "VALUE", PV_UNIT_COUNT, 14, 1, PV_COLUMN_HIDE_SCREEN, .json = 3 },
	[F_UNIT] = { "unit", "UNIT", PV_UNIT_TEXT, 8, 2,
		PV_COLUMN_HIDE_SCREEN | PV_COLUMN_ASCENDING, .json = 4 },
	[F_KNOWN] = { "known", "KNOWN", PV_UNIT_BOOL, 5, 3, PV_COLUMN_HIDE_SCREEN, .json = 5 },
};

struct cause {
	struct pv_build *b;
	const struct pv_model *m;
	const struct pv_gc *gc;
	size_t at; /* in gc->collections */
	const struct pv_collection *c;
	const struct pv_collection *before; /* NULL: `c` is the first */
	unsigned known;                     /* groups */
};

/* --- rows */

static struct pv_cell *new_row(struct cause *k, const char *what, const char *text)
{
	struct pv_cell *c = pv_build_row(k->b, k->b->table ? k->b->table->rows + 1 : 1);
	pv_cell_s(&c[F_WHAT], what);
	pv_cell_s(&c[F_TEXT], text);
	pv_cell_null(&c[F_VALUE]);
	pv_cell_null(&c[F_UNIT]);
	pv_cell_u(&c[F_KNOWN], true);
	return c;
}

/* A row for a missing fact, with the option that would record the fact; NULL: no option. */
static void put_missing(struct cause *k, const char *what, const char *lacks, const char *records)
{
	const char *text = pv_build_printf(k->b, "not in this log: %s%s%s", lacks,
		records ? "; recorded by " : "", records ? records : "");
	struct pv_cell *c = new_row(k, what, text);
	pv_cell_u(&c[F_KNOWN], false);
}

static void put_fact_text(struct cause *k, const char *what, const char *text)
{
	new_row(k, what, text);
}

static void put_value(
	struct cause *k, const char *what, const char *text, uint64_t value, const char *unit)
{
	struct pv_cell *c = new_row(k, what, text);
	pv_cell_u(&c[F_VALUE], value);
	pv_cell_s(&c[F_UNIT], unit);
}

/* --- which, and why */

static int64_t gc_since_zero(const struct cause *k, int64_t log_ns)
{
	return (int64_t)((uint64_t)log_ns - (uint64_t)k->m->zero_ns);
}

static const char *how_text(const struct pv_collection *c)
{
	static const char *const text[PV_HOWS] = { [PV_HOW_BLOCKING] = ", all threads stopped",
		[PV_HOW_BACKGROUND] = ", in the background",
		[PV_HOW_FOREGROUND] = ", during one in the background" };
	if (c->phases & PV_COLLECTION_WHY && c->how)
		return text[c->how];
	return c->concurrent ? ", while threads ran" : "";
}

static void put_which(struct cause *k)
{
	const struct pv_collection *c = k->c;
	char at[PV_UNIT_MAX], took[PV_UNIT_MAX];
	const char *text = pv_build_printf(k->b, "generation %u%s, at %s, %s%s", c->generation,
		how_text(c), pv_units_clock(at, sizeof at, gc_since_zero(k, c->start_ns)),
		c->end_ns == PV_NEVER ? "its end is not in the log"
				      : pv_units_ns(took, sizeof took, c->duration_ns),
		c->end_ns == PV_NEVER ? "" : " from start to end");
	put_value(k, "collection", text, (uint64_t)gc_since_zero(k, c->start_ns), "ns");
	if (c->merged > 1)
		put_fact_text(k, "stands for",
			pv_build_printf(k->b,
				"%" PRIu32 " collections: there were too many to keep each",
				c->merged));
}

static const char *why_text(unsigned why)
{
	static const char *const text[PV_WHYS] = {
		[PV_WHY_NOT_ASKED] = "not asked for by the program; no more is said of it",
		[PV_WHY_FIRST + 0] = "the budget for small objects was used up",
		[PV_WHY_FIRST + 1] = "the program asked for it",
		[PV_WHY_FIRST + 2] = "the machine was low on memory",
		[PV_WHY_FIRST + 3] = "no reason: the runtime says \"empty\"",
		[PV_WHY_FIRST + 4] = "the budget for large objects was used up",
		[PV_WHY_FIRST + 5] = "there was no room for small objects",
		[PV_WHY_FIRST + 6] = "there was no room for large objects",
		[PV_WHY_FIRST + 7] = "the program asked for it, if the runtime thought it worth it",
		[PV_WHY_FIRST + 8] = "the runtime itself asked for it",
		[PV_WHY_FIRST + 9] = "the machine was low on memory, and it was asked for",
		[PV_WHY_FIRST + 10] = "the program asked for it, with compaction",
		[PV_WHY_FIRST + 11] = "the host was low on memory",
		[PV_WHY_FIRST + 12] = "the heap was nearly full, where all of it is collected",
		[PV_WHY_FIRST + 13] = "the host was low on memory, all threads stopped"
	};
	return text[why];
}

static bool is_mono(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	return !pv_target_is_event_stream(&m->target) && !strstr(args, "coreclr");
}

static void put_why(struct cause *k)
{
	if (k->c->phases & PV_COLLECTION_WHY)
		put_value(k, "why", why_text(k->c->why), k->c->why, "reason");
	else if (k->c->merged > 1)
		put_missing(k, "why", "these came for more than one reason", NULL);
	else if (is_mono(k->m))
		put_missing(k, "why", "the reason, which Mono does not say", NULL);
	else
		put_missing(k, "why", "the reason",
			"the words classof or suspend of the probe, and .NET's own event stream");
}

static void put_before(struct cause *k)
{
	char ago[PV_UNIT_MAX];
	if (!k->before) {
		put_fact_text(k, "the one before", "this is the first of the log");
		return;
	}
	int64_t ns = pv_sat_span(k->before->start_ns, k->c->start_ns);
	put_value(k, "the one before",
		pv_build_printf(k->b, "%s earlier, of generation %u",
			pv_units_ns(ago, sizeof ago, ns), k->before->generation),
		(uint64_t)ns, "ns");
}

/* --- allocations before, and the heap after */

static void put_allocated(struct cause *k)
{
	char bytes[PV_UNIT_MAX], rate[PV_UNIT_MAX];
	if (!(k->known & PV_GROUP_ALLOC)) {
		put_missing(k, "allocated", "allocations", "--alloc");
		return;
	}
	int64_t from = k->before ? k->before->start_ns : k->m->zero_ns;
	double s = (double)pv_sat_span(from, k->c->start_ns) / 1e9;
	const uint64_t n = k->c->allocated;
	double a_second = s > 0 ? (double)n / s : 0;
	pv_units_bytes(bytes, sizeof bytes, n);
	pv_units_bytes(rate, sizeof rate, a_second < 1e19 ? (uint64_t)a_second : UINT64_MAX);
	put_value(k, "allocated",
		pv_build_printf(k->b, "%s%s since %s%s%s%s", k->m->allocs.period ? "about " : "",
			bytes, k->before ? "the one before began" : "the log begins",
			s > 0 ? ", " : "", s > 0 ? rate : "", s > 0 ? " a second" : ""),
		n, "bytes");
}

static void put_heap(struct cause *k)
{
	uint64_t before, after;
	char was[PV_UNIT_MAX], is[PV_UNIT_MAX], change[PV_UNIT_MAX];
	pv_gc_heap_around(k->gc, k->at, &before, &after);
	if (pv_target_is_event_stream(&k->m->target))
		before = 0; /* as in the table of collections */
	if (!before && !after) {
		put_missing(k, "heap", "its size around this collection", NULL);
		return;
	}
	pv_units_bytes(was, sizeof was, before);
	pv_units_bytes(is, sizeof is, after);
	if (!before || !after) {
		put_value(k, "heap",
			pv_build_printf(k->b, "%s %s; its size %s is not in this log",
				before ? was : is, before ? "before" : "after",
				before ? "after" : "before"),
			before ? before : after, "bytes");
		return;
	}
	bool more = after > before;
	pv_units_bytes(change, sizeof change, more ? after - before : before - after);
	put_value(k, "heap",
		pv_build_printf(k->b, "%s before, %s after: %s %s", was, is, change,
			more ? "more" : "freed"),
		after, "bytes");
}

/* The newest list of survivors within the collection; NULL: none. */
static const struct pv_survived *survivors(const struct cause *k)
{
	const struct pv_runtime *r = &k->m->runtime;
	const struct pv_survived *ret = NULL;
	for (size_t i = 0; k->c->merged == 1 && i < r->survived.n; i++) {
		const struct pv_survived *s = &r->survived.v[i];
		if (s->time_ns >= k->c->start_ns && s->generation == k->c->generation &&
			(k->c->end_ns == PV_NEVER || s->time_ns <= k->c->end_ns))
			ret = s;
	}
	return ret;
}

static uint64_t sum_of(const uint64_t *v)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < PV_REGIONS; i++)
		sum += v[i];
	return sum;
}

static void put_regions(struct cause *k, const char *what, const uint64_t *v, const char *verb)
{
	static const char *const name[PV_REGIONS] = { "generation 0", "generation 1",
		"generation 2", "large objects", "pinned ones" };
	char text[240], bytes[PV_UNIT_MAX];
	size_t n = (size_t)snprintf(
		text, sizeof text, "%s %s", pv_units_bytes(bytes, sizeof bytes, sum_of(v)), verb);
	for (size_t i = 0, parts = 0; i < PV_REGIONS && n < sizeof text; i++)
		if (v[i])
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s",
				parts++ ? ", " : ": ", name[i],
				pv_units_bytes(bytes, sizeof bytes, v[i]));
	put_value(k, what, pv_build_text(k->b, text), sum_of(v), "bytes");
}

static void put_moved(struct cause *k)
{
	char n[PV_UNIT_MAX];
	if (!(k->known & PV_GROUP_MOVES))
		return;
	put_value(k, "moved",
		pv_build_printf(k->b, "%s objects%s%s", pv_units_exact(n, sizeof n, k->c->moved),
			k->gc->moved_between ? " at least" : "",
			k->c->generation == 0 && is_mono(k->m)
				? ": those of the nursery that survived"
				: ""),
		k->c->moved, "objects");
}

static void put_survivors(struct cause *k)
{
	const struct pv_survived *s = survivors(k);
	char bytes[PV_UNIT_MAX], moved[PV_UNIT_MAX];
	bool left = k->c->phases & PV_COLLECTION_LEFT;
	if (s)
		put_value(k, "survived",
			pv_build_printf(k->b, "%s where they were, %s moved",
				pv_units_bytes(bytes, sizeof bytes, s->bytes),
				pv_units_bytes(moved, sizeof moved, s->moved_bytes)),
			s->bytes + s->moved_bytes, "bytes");
	if (left) {
		put_regions(k, "promoted", k->c->promoted, "survived");
		put_regions(k, "left", k->c->left, "when it was over");
	}
	put_moved(k);
	if (!s && !left && !(k->known & PV_GROUP_MOVES))
		put_missing(k, "survived", "what survived, but for the size of the heap",
			is_mono(k->m) ? "--probe gcmove (moved objects)"
				      : "--probe gcmove, or .NET's own event stream");
}

/* --- the stop */

/* Two digits of less than 1 %. */
static const char *share_text(char *buf, size_t size, int64_t part, int64_t whole)
{
	double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;
	snprintf(buf, size, percent < 1 ? "%.2g %%" : "%.1f %%", percent);
	return buf;
}

static void put_stand(struct cause *k)
{
	char ns[PV_UNIT_MAX], part[PV_UNIT_MAX];
	const struct pv_collection *c = k->c;
	if (c->stand_ns == PV_NEVER) {
		put_missing(k, "to stop", "how long the threads took to stop",
			k->known & PV_GROUP_PAUSES ? NULL : "--probe gc");
		return;
	}
	share_text(part, sizeof part, c->stand_ns, c->pause_ns);
	put_value(k, "to stop",
		pv_build_printf(k->b, "%s until all threads stood%s%s%s",
			pv_units_ns(ns, sizeof ns, c->stand_ns), c->pause_ns > 0 ? ", " : "",
			c->pause_ns > 0 ? part : "", c->pause_ns > 0 ? " of the pause" : ""),
		(uint64_t)c->stand_ns, "ns");
}

static uint64_t longer_than(const struct pv_gc *gc, int64_t ns)
{
	uint64_t n = 0;
	for (size_t i = 0; i < gc->collections.n; i++)
		n += gc->collections.v[i].merged == 1 &&
		     pv_collection_pause(&gc->collections.v[i]) > ns;
	return n;
}

static void put_share(
	struct cause *k, const char *what, int64_t part, int64_t whole, const char *of)
{
	char share[PV_UNIT_MAX], ns[PV_UNIT_MAX];
	if (whole <= 0)
		return;
	share_text(share, sizeof share, part, whole);
	put_fact_text(k, what,
		pv_build_printf(
			k->b, "%s of %s (%s)", share, of, pv_units_ns(ns, sizeof ns, whole)));
}

static void put_pause(struct cause *k, int64_t length_ns)
{
	const struct pv_collection *c = k->c;
	char ns[PV_UNIT_MAX], rank[64], n[PV_UNIT_MAX];
	if (c->pause_ns == 0) {
		put_missing(k, "pause", "how long threads were stopped for it",
			k->known & PV_GROUP_PAUSES ? NULL : "--probe gc");
		return;
	}
	if (c->with_shot) {
		put_value(k, "pause",
			pv_build_printf(k->b,
				"%s, with a heap shot made meanwhile: no pause of the program",
				pv_units_ns(ns, sizeof ns, c->pause_ns)),
			(uint64_t)c->pause_ns, "ns");
		return;
	}
	uint64_t longer = longer_than(k->gc, c->pause_ns);
	snprintf(rank, sizeof rank, "%" PRIu64 " %s", longer, longer == 1 ? "was" : "were");
	put_value(k, "pause",
		pv_build_printf(k->b, "%s%s; of %s collections %s longer",
			pv_units_ns(ns, sizeof ns, c->pause_ns),
			c->concurrent ? " in the stops of its start and its end" : "",
			pv_units_count(n, sizeof n, k->gc->collections.n),
			longer ? rank : "none was"),
		(uint64_t)c->pause_ns, "ns");
	if (k->before)
		put_share(k, "of its time", c->pause_ns,
			pv_sat_add(pv_sat_span(k->before->start_ns, c->start_ns), c->pause_ns),
			"the time since the one before began");
	put_share(k, "of all pauses", c->pause_ns, k->gc->pause_ns, "the time of all pauses");
	put_share(k, "of the whole", c->pause_ns, length_ns, "the time recorded");
	put_share(k, "of running", c->pause_ns,
		length_ns > k->gc->pause_ns ? length_ns - k->gc->pause_ns : 0,
		"the time in which threads were not stopped");
}

/* --- */

/* By start; without `select`: with the longest pause, else the longest. */
static bool find_collection(struct cause *k, uint64_t select)
{
	const struct pv_gc *gc = k->gc;
	bool found = false;
	for (size_t i = 0; i < gc->collections.n; i++) {
		const struct pv_collection *c = &gc->collections.v[i];
		if (select && (uint64_t)gc_since_zero(k, c->start_ns) != select - 1)
			continue;
		const int64_t pause = pv_collection_pause(c);
		const int64_t best = found ? pv_collection_pause(k->c) : 0;
		if (found &&
			(pause < best || (pause == best && c->duration_ns <= k->c->duration_ns)))
			continue;
		found = true;
		k->at = i;
		k->c = c;
		k->before = i ? &gc->collections.v[i - 1] : NULL;
	}
	return found;
}

static void run_cause(struct pv_build *b, struct pv_model *m)
{
	struct cause k = { .b = b, .m = m, .gc = &m->gc };
	struct pv_summary sum;
	pv_view_summary(m, &sum);
	pv_model_lock(m);
	pv_build_stamp(b, m);
	pv_gc_sort(&m->gc);
	k.known = pv_groups_known(m);
	if (find_collection(&k, b->query->select)) {
		put_which(&k);
		put_why(&k);
		put_before(&k);
		put_allocated(&k);
		put_heap(&k);
		put_survivors(&k);
		put_stand(&k);
		put_pause(&k, sum.duration_ns);
	}
	pv_model_unlock(m);
}

const struct pv_view_spec pv_spec_gc_cause = {
	.column = columns, .columns = PV_COUNT_OF(columns), .name = "what", .run = run_cause
};
