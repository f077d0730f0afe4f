/* SPDX-License-Identifier: MIT */
/* Writes judgements into tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/compare/diff_parts.h"
#include "common/compare/match_key.h"
#include "common/query/groups/build.h"
#include "common/query/groups/readable.h"

enum {
	R_VERDICT,
	R_BASE,
	R_NEW,
	R_CHANGE,
	R_PERCENT,
	R_INTERVAL,
	R_P,
	R_SIZE,
	R_MATCHED,
	R_NAME,
	R_STACK,
	R_COLUMNS
};

static const struct pv_column row_columns[R_COLUMNS] = {
	[R_VERDICT] = { "verdict", "VERDICT", PV_UNIT_TEXT, 14, 0, PV_COLUMN_ASCENDING },
	[R_BASE] = { "base", "BASE", PV_UNIT_NUMBER, 12, 0, 0 },
	[R_NEW] = { "new", "NEW", PV_UNIT_NUMBER, 12, 0, 0 },
	[R_CHANGE] = { "change", "CHANGE", PV_UNIT_NUMBER, 12, 0, PV_COLUMN_SIGNED },
	[R_PERCENT] = { "change_percent", "CHANGE%", PV_UNIT_PERCENT, 8, 1, PV_COLUMN_SIGNED },
	[R_INTERVAL] = { "interval", "+-", PV_UNIT_NUMBER, 10, 3, 0 },
	[R_P] = { "p", "P", PV_UNIT_NUMBER, 8, 0, PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN },
	[R_SIZE] = { "size", "SIZE", PV_UNIT_NUMBER, 8, 0, PV_COLUMN_HIDE_SCREEN },
	[R_MATCHED] = { "matched", "MATCHED", PV_UNIT_TEXT, 9, 4, PV_COLUMN_ASCENDING },
	[R_NAME] = { "name", "NAME", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
	[R_STACK] = { "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS },
};

enum {
	T_SECTION,
	T_VERDICT,
	T_BASE,
	T_NEW,
	T_CHANGE,
	T_PERCENT,
	T_INTERVAL,
	T_PER,
	T_NAMED,
	T_NOISE,
	T_SAME,
	T_DRIFT,
	T_NOTE,
	T_COLUMNS
};

static const struct pv_column total_columns[T_COLUMNS] = {
	[T_SECTION] = { "section", "TOTAL OF", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING },
	[T_VERDICT] = { "verdict", "VERDICT", PV_UNIT_TEXT, 14, 0, PV_COLUMN_ASCENDING },
	[T_BASE] = { "base", "BASE", PV_UNIT_TEXT, 12, 0, 0 },
	[T_NEW] = { "new", "NEW", PV_UNIT_TEXT, 12, 0, 0 },
	[T_CHANGE] = { "change", "CHANGE", PV_UNIT_NUMBER, 12, 0, PV_COLUMN_HIDE_SCREEN },
	[T_PERCENT] = { "change_percent", "CHANGE%", PV_UNIT_PERCENT, 8, 0, 0 },
	[T_INTERVAL] = { "interval", "+-", PV_UNIT_NUMBER, 10, 0, PV_COLUMN_HIDE_SCREEN },
	[T_PER] = { "per", "ROWS PER", PV_UNIT_TEXT, 8, 0, PV_COLUMN_ASCENDING },
	[T_NAMED] = { "changed", "CHANGED", PV_UNIT_COUNT, 7, 0, 0 },
	[T_NOISE] = { "within_noise", "NOISE", PV_UNIT_COUNT, 7, 0, 0 },
	[T_SAME] = { "same", "SAME", PV_UNIT_COUNT, 7, 0, 0 },
	[T_DRIFT] = { "drift_percent", "ALL BY%", PV_UNIT_PERCENT, 7, 0, 0 },
	[T_NOTE] = { "note", "NOTE", PV_UNIT_TEXT, 30, 0, PV_COLUMN_GROWS },
};

const char *const pv_diff_row_keys[] = { "verdict", "name", "base", "new", "change",
	"change_percent", "interval", "p", "matched", NULL };
const char *const pv_diff_site_keys[] = { "verdict", "name", "stack", "base", "new", "change",
	"change_percent", "interval", "p", "matched", NULL };
const char *const pv_diff_total_keys[] = { "section", "verdict", "base", "new", "change",
	"change_percent", "interval", "per", "changed", "within_noise", "same", "note", NULL };

/* Figures of undivided events are whole; for people bytes and times per second, too. */
static bool is_whole(const struct pv_diff *d, const struct pv_diff_judged *j)
{
	return j->per == PV_PER_NONE ||
	       (d->options->format == PV_REPORT_TEXT && j->measure->unit != PV_UNIT_COUNT);
}

static enum pv_unit unit_of(const struct pv_diff *d, const struct pv_diff_judged *j, bool change)
{
	if (j->per == PV_PER_SHARE)
		return PV_UNIT_PERCENT;
	if (!is_whole(d, j))
		return PV_UNIT_NUMBER;
	if (j->measure->unit == PV_UNIT_NS)
		return PV_UNIT_NS;
	if (!change)
		return j->measure->unit;
	return j->measure->unit == PV_UNIT_BYTES ? PV_UNIT_DELTA_BYTES : PV_UNIT_DELTA_COUNT;
}

static void put_figure(struct pv_cell *c, enum pv_unit unit, double v)
{
	if (unit == PV_UNIT_PERCENT || unit == PV_UNIT_NUMBER)
		pv_cell_d(c, v);
	else if (unit == PV_UNIT_COUNT || unit == PV_UNIT_BYTES)
		pv_cell_u(c, (uint64_t)llround(v));
	else
		pv_cell_i(c, llround(v));
}

static void put_interval(struct pv_cell *c, enum pv_unit unit, double v)
{
	if (v < 0)
		pv_cell_null(c);
	else
		put_figure(c, unit, v);
}

static void put_percent(struct pv_cell *c, const struct pv_diff_change *v)
{
	if (v->base > 0 && v->verdict != PV_DIFF_INCOMPARABLE)
		pv_cell_d(c, v->change / v->base * 100);
	else
		pv_cell_null(c);
}

static const char *matched_text(const struct pv_diff_name *n)
{
	if (!n->raw[0] || !n->raw[1])
		return NULL;
	return n->signature             ? "signature"
	       : n->group               ? "group"
	       : n->raw[0] == n->raw[1] ? "exact"
					: "canonical";
}

/* For several names of a side: their common part. */
static const char *change_name(const struct pv_diff *d, enum pv_diff_list list,
	const struct pv_diff_name *n, unsigned side)
{
	const char *key = pv_intern_text(&d->rows[list].key, n->key);
	if (!n->group || list == PV_DIFF_SITES)
		return pv_intern_text(&d->text, n->raw[side]);
	return strcmp(key, PV_MATCH_ADDRESSES) == 0 ? "(addresses)" : key;
}

static void put_change_row(struct pv_build *b, const struct pv_diff *d,
	const struct pv_diff_judged *j, const struct pv_diff_change *v, uint64_t id)
{
	const struct pv_diff_name *n = &d->rows[j->measure->list].name.v[v->row];
	unsigned side = n->raw[PV_DIFF_NEW] ? PV_DIFF_NEW : PV_DIFF_BASE;
	struct pv_cell *c = pv_build_row(b, id);
	enum pv_unit unit = unit_of(d, j, false);
	pv_cell_s(&c[R_VERDICT], pv_diff_verdict_text(v->verdict));
	put_figure(&c[R_BASE], unit, v->base);
	put_figure(&c[R_NEW], unit, v->now);
	put_figure(&c[R_CHANGE], unit_of(d, j, true), v->change);
	put_percent(&c[R_PERCENT], v);
	put_interval(&c[R_INTERVAL], unit, v->interval);
	if (v->p < 0)
		pv_cell_null(&c[R_P]);
	else
		pv_cell_d(&c[R_P], v->p);
	pv_cell_d(&c[R_SIZE], fabs(v->change));
	pv_cell_s(&c[R_MATCHED], matched_text(n));
	pv_cell_s(&c[R_NAME], pv_build_text(b, change_name(d, j->measure->list, n, side)));
	pv_cell_s(&c[R_STACK], pv_build_text(b, pv_intern_text(&d->text, n->stack[side])));
	if (j->measure->list != PV_DIFF_SITES)
		pv_cell_null(&c[R_STACK]);
}

static struct pv_query query_of(const struct pv_diff_options *o)
{
	enum { TEXT_LIMIT = 20 };
	return (struct pv_query){ .filter = o->filter,
		.readable = o->format != PV_REPORT_JSON && !o->raw_names,
		.limit = o->limited                    ? o->limit
			 : o->format == PV_REPORT_TEXT ? TEXT_LIMIT
						       : 0 };
}

/* Columns with the measure's units, living as long as the table. */
static struct pv_table *finish_diff_table(struct pv_build *b, const struct pv_query *q)
{
	struct pv_table *t = pv_build_finish(b);
	struct pv_column *own = t ? pv_arena_alloc(&t->arena, t->columns * sizeof *own) : NULL;
	if (own) {
		memcpy(own, t->column, t->columns * sizeof *own);
		t->column = own;
		if (!q->readable || pv_table_readable(t, -1))
			return t;
	}
	pv_table_destroy(t);
	return NULL;
}

/* The new side's id by row; gone rows get ids of no table. NULL: out of memory. */
static uint64_t *ids_of(const struct pv_diff *d, const struct pv_diff_judged *j)
{
	const struct pv_diff_rows *r = &d->rows[j->measure->list];
	uint64_t *id = calloc(r->name.n + 1, sizeof *id), gone = UINT64_C(1) << 62;
	for (size_t i = 0; id && i < r->entry.n; i++) {
		const struct pv_diff_entry *e = &r->entry.v[i];
		if (e->side == PV_DIFF_NEW && !id[e->row])
			id[e->row] = e->id;
	}
	for (size_t i = 0; id && i < r->name.n; i++)
		id[i] = id[i] ? id[i] : gone + i;
	return id;
}

struct pv_table *pv_diff_rows_of(
	const struct pv_diff *d, const struct pv_diff_judged *j, const struct pv_query *q, bool all)
{
	struct pv_column column[R_COLUMNS];
	const struct pv_view_spec spec = {
		.column = column, .columns = R_COLUMNS, .name = "name", .sort = "change"
	};
	uint64_t *id = ids_of(d, j);
	struct pv_build b;
	memcpy(column, row_columns, sizeof column);
	column[R_BASE].unit = column[R_NEW].unit = column[R_INTERVAL].unit = unit_of(d, j, false);
	column[R_CHANGE].unit = unit_of(d, j, true);
	column[R_NAME].flags |= pv_diff_sources[j->measure->list].flags;
	if (!id || !pv_build_init(&b, &spec, j->measure->section, q)) {
		free(id);
		return NULL;
	}
	for (size_t i = 0; i < j->change.n; i++) {
		const struct pv_diff_change *v = &j->change.v[i];
		if (all || (v->verdict > PV_DIFF_NOISE && !j->why))
			put_change_row(&b, d, j, v, id[v->row]);
	}
	free(id);
	return finish_diff_table(&b, q);
}

struct pv_table *pv_diff_rows_table(const struct pv_diff *d, const struct pv_diff_judged *j)
{
	const struct pv_query q = query_of(d->options);
	return pv_diff_rows_of(d, j, &q, d->options->all);
}

/* As text, since one column has totals of different units. */
static const char *figure_text(
	struct pv_build *b, const struct pv_diff *d, const struct pv_diff_judged *j, double v)
{
	struct pv_cell c = { 0 };
	char text[64];
	bool plain = j->per == PV_PER_SHARE || is_whole(d, j);
	enum pv_unit unit = plain ? j->measure->unit : PV_UNIT_NUMBER;
	if (!plain && !b->query->readable)
		return pv_build_printf(b, "%.6g", v);
	put_figure(&c, unit, v);
	if (b->query->readable && (unit == PV_UNIT_BYTES || unit == PV_UNIT_COUNT))
		return pv_build_text(b, pv_units_exact(text, sizeof text, c.u)); /* as rows */
	return pv_build_text(b, b->query->readable
					? pv_cell_text(&c, unit, text, sizeof text)
					: (snprintf(text, sizeof text, "%.0f", v), text));
}

static const char *per_text(struct pv_build *b, const struct pv_diff *d, enum pv_diff_per per)
{
	static const char *const text[] = { [PV_PER_NONE] = "none",
		[PV_PER_SHARE] = "share",
		[PV_PER_SECOND] = "second",
		[PV_PER_SAMPLE] = "sample" };
	if (per == PV_PER_CALL)
		return pv_build_printf(b, "call:%s", d->options->unit);
	if (per == PV_PER_COUNTER)
		return pv_build_printf(b, "counter:%s", d->options->unit);
	return text[per];
}

static void put_total(
	struct pv_build *b, const struct pv_diff *d, const struct pv_diff_judged *j, size_t i)
{
	struct pv_cell *c = pv_build_row(b, i + 1);
	const size_t *n = j->verdicts;
	pv_cell_s(&c[T_SECTION], j->measure->section);
	pv_cell_s(&c[T_VERDICT], pv_diff_verdict_text(j->total.verdict));
	pv_cell_s(&c[T_BASE], figure_text(b, d, j, j->total.base));
	pv_cell_s(&c[T_NEW], figure_text(b, d, j, j->total.now));
	pv_cell_d(&c[T_CHANGE], j->total.change);
	put_percent(&c[T_PERCENT], &j->total);
	put_interval(&c[T_INTERVAL], PV_UNIT_NUMBER, j->total.interval);
	pv_cell_s(&c[T_PER], per_text(b, d, j->per));
	pv_cell_u(&c[T_NAMED],
		n[PV_DIFF_ADDED] + n[PV_DIFF_GONE] + n[PV_DIFF_MORE] + n[PV_DIFF_LESS]);
	pv_cell_u(&c[T_NOISE], n[PV_DIFF_NOISE]);
	pv_cell_u(&c[T_SAME], n[PV_DIFF_SAME]);
	pv_cell_d(&c[T_DRIFT], (j->drift - 1) * 100);
	if (fabs(j->drift - 1) < 0.005)
		pv_cell_null(&c[T_DRIFT]);
	pv_cell_s(&c[T_NOTE], j->why);
}

struct pv_table *pv_diff_totals_table(
	const struct pv_diff *d, const struct pv_diff_judged *j, size_t n)
{
	const struct pv_view_spec spec = { .column = total_columns, .columns = T_COLUMNS };
	struct pv_query q = query_of(d->options);
	struct pv_build b;
	q.limit = 0;
	q.filter = NULL;
	if (!pv_build_init(&b, &spec, "totals", &q))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (j[i].recorded)
			put_total(&b, d, &j[i], i);
	return finish_diff_table(&b, &q);
}
