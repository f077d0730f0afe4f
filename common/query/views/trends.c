/* SPDX-License-Identifier: MIT */
/* The course of figures over time, by name, for the rows of a view. */
#include "common/query/trends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/model/time/buckets.h"
#include "common/query/coverage/coverage.h"
#include "common/query/groups/groups.h"
#include "common/query/series.h"
#include "common/query/groups/specs.h"

enum { CELLS = PV_TREND_CELLS, COUNTERS_MOST = 500, ROWS_MOST = 20000 };

struct pv_trends {
	const struct pv_model *of; /* only compared */
	struct pv_trend_wish wish;
	uint64_t generation;
	struct pv_intern name;
	PV_ARRAY(double) value; /* by name, CELLS each; NAN: not known */
	bool levels;            /* drawn from the least to the greatest value, else from 0 */
	int whole;              /* cells over completely; later cells are not known */
};

void pv_trends_destroy(struct pv_trends *t)
{
	if (!t)
		return;
	pv_intern_finish(&t->name);
	pv_array_finish(&t->value);
	free(t);
}

bool pv_trends_is(const struct pv_trends *t, const struct pv_model *m,
	const struct pv_trend_wish *wish, uint64_t generation)
{
	return t && t->of == m && t->generation == generation && t->wish.view == wish->view &&
	       t->wish.counted == wish->counted && t->wish.from_ns == wish->from_ns &&
	       t->wish.to_ns == wish->to_ns && t->wish.beyond == wish->beyond;
}

/* The cells of a name, 0 when new; NULL when out of memory. */
static double *cells_of(struct pv_trends *t, const char *name)
{
	uint32_t id;
	if (!pv_intern_add(&t->name, name, strlen(name), &id))
		return NULL;
	size_t n = ((size_t)id + 1) * CELLS;
	while (t->value.n < n) {
		if (!pv_reserve(&t->value, CELLS))
			return NULL;
		memset(t->value.v + t->value.n, 0, CELLS * sizeof *t->value.v);
		t->value.n += CELLS;
	}
	return t->value.v + (size_t)id * CELLS;
}

/* --- from time buckets */

struct gather {
	enum pv_bucket_what what;
	bool counts;        /* counts events, else amounts */
	const uint32_t *of; /* by id: the row; NULL: the id */
	size_t of_n, rows;
	uint32_t *slot; /* by row: place + 1 in `value` */
	PV_ARRAY(double) value;
	double from, width, last; /* ns, log clock: start, width of a cell, end of data */
	double bucket;            /* ns */
	bool no_memory;
};

static double *row_slot(struct gather *g, size_t row)
{
	if (g->slot[row] == 0) {
		if (!pv_reserve(&g->value, CELLS)) {
			g->no_memory = true;
			return NULL;
		}
		memset(g->value.v + g->value.n, 0, CELLS * sizeof *g->value.v);
		g->value.n += CELLS;
		g->slot[row] = (uint32_t)(g->value.n / CELLS);
	}
	return g->value.v + (size_t)(g->slot[row] - 1) * CELLS;
}

/* Spreads an amount from `at` to `end` over the cells in between. */
static void spread_over_cells(double *v, double width, double at, double end, double amount)
{
	for (int i = at > 0 ? (int)(at / width) : 0; i < CELLS && i * width < end; i++) {
		double from = i * width > at ? i * width : at;
		double to = (i + 1) * width < end ? (i + 1) * width : end;
		v[i] += to > from ? amount * (to - from) / (end - at) : 0;
	}
}

static void add_trend_entry(void *ctx, int64_t time, const struct pv_bucket_entry *e)
{
	struct gather *g = ctx;
	if (e->what != (uint32_t)g->what)
		return;
	size_t row = !g->of ? e->id : e->id < g->of_n ? g->of[e->id] : 0;
	double amount = g->counts ? (double)e->count : (double)e->amount;
	double *v = row < g->rows && amount > 0 ? row_slot(g, row) : NULL;
	if (!v)
		return;
	double at = (double)time - g->from, end = at + g->bucket;
	end = end > g->last - g->from ? g->last - g->from : end;
	end = end <= at ? at + 1 : end;
	spread_over_cells(v, g->width, at, end, amount);
}

/* Under the lock. False: too short for a course, or out of memory. */
static bool read_buckets(struct pv_trends *t, const struct pv_model *m, struct gather *g)
{
	int64_t from = t->wish.from_ns, to = t->wish.to_ns, end;
	int64_t all = (int64_t)((uint64_t)m->last_ns - (uint64_t)m->zero_ns);
	int64_t bucket = pv_buckets_width(m);
	bool whole = from >= to;
	from = whole || from < 0 ? 0 : from;
	to = whole || (to > all && !t->wish.beyond) ? all : to;
	if (bucket <= 0 || (to < all ? to : all) - from < 2 * bucket)
		return false;
	g->slot = calloc(g->rows ? g->rows : 1, sizeof *g->slot);
	if (!g->slot)
		return false;
	g->bucket = (double)bucket;
	g->width = (double)(to - from) / CELLS;
	g->from = (double)m->zero_ns + (double)from;
	g->last = (double)m->last_ns;
	from = (int64_t)((uint64_t)m->zero_ns + (uint64_t)from);
	end = (int64_t)((uint64_t)m->zero_ns + (uint64_t)to);
	return pv_buckets_each(m, from, end, add_trend_entry, g) && !g->no_memory;
}

static bool keep_trend(struct pv_trends *t, const struct gather *g, size_t row, const char *name)
{
	if (g->slot[row] == 0)
		return true;
	const double *from = g->value.v + (size_t)(g->slot[row] - 1) * CELLS;
	double *to = cells_of(t, name);
	for (int i = 0; to && i < CELLS; i++)
		to[i] += from[i];
	return to != NULL;
}

static enum pv_bucket_what method_what(const struct pv_model *m, enum pv_counted counted)
{
	bool samples = (pv_groups_known(m) & PV_GROUP_SAMPLES) != 0;
	return counted != PV_COUNTED_CALLS && samples ? PV_BUCKET_METHOD_SAMPLES : PV_BUCKET_METHOD;
}

static bool of_groups(struct pv_trends *t, struct pv_model *m, struct pv_groups_cache *cache)
{
	const struct pv_query q = { .groups = cache };
	const struct pv_build b = { .query = &q };
	struct pv_groups g = { 0 };
	struct gather gather = { .what = PV_BUCKET_CLASS };
	const enum pv_course course = pv_view_rows[t->wish.view].course;
	bool methods = course == PV_COURSE_METHODS;
	if (methods)
		gather.what = method_what(m, t->wish.counted);
	else if (course == PV_COURSE_THROWS)
		gather.what = PV_BUCKET_THROWS;
	gather.counts = gather.what != PV_BUCKET_METHOD && gather.what != PV_BUCKET_CLASS;
	bool ok = methods ? pv_groups_methods_by_name(m, &b, &g)
			  : pv_groups_classes_by_name(m, &b, &g);
	gather.of = g.of;
	gather.of_n = g.of_n;
	gather.rows = g.row.n;
	ok = ok && read_buckets(t, m, &gather);
	for (size_t i = 0; ok && i < g.row.n; i++) {
		char hex[PV_UNIT_MAX];
		const char *name = g.row.v[i].name;
		ok = keep_trend(t, &gather, i, name ? name : pv_units_hex(hex, g.row.v[i].key));
	}
	free(gather.slot);
	pv_array_finish(&gather.value);
	pv_groups_finish(&g);
	return ok;
}

static bool of_threads(struct pv_trends *t, struct pv_model *m)
{
	const struct pv_threads *all = &m->threads;
	unsigned known = pv_groups_known(m);
	struct gather g = { .what = PV_BUCKET_THREAD_BYTES, .rows = all->thread.n };
	if (known & PV_GROUP_SAMPLES)
		g.what = PV_BUCKET_THREAD_SAMPLES;
	else if (known & PV_GROUP_CALLS)
		g.what = PV_BUCKET_THREAD;
	g.counts = g.what == PV_BUCKET_THREAD_SAMPLES;
	bool ok = read_buckets(t, m, &g);
	for (size_t i = 1; ok && i < all->thread.n; i++) {
		char hex[PV_UNIT_MAX];
		ok = keep_trend(t, &g, i, pv_units_hex(hex, all->thread.v[i]->id));
	}
	free(g.slot);
	pv_array_finish(&g.value);
	return ok;
}

/* --- locks: from the longest waits, kept singly */

/* Clears addresses of several locks in turn: the row's lock is not known. */
static bool drop_reused(struct pv_trends *t, const struct pv_locks *l)
{
	char hex[PV_UNIT_MAX];
	for (size_t i = 1; i < l->lock.n; i++) {
		if (!l->lock.v[i].gone)
			continue;
		double *v = cells_of(t, pv_units_hex(hex, l->lock.v[i].object));
		if (!v)
			return false;
		memset(v, 0, CELLS * sizeof *v);
	}
	return true;
}

static bool of_locks(struct pv_trends *t, const struct pv_model *m)
{
	const struct pv_locks *l = &m->locks;
	int64_t all = (int64_t)((uint64_t)m->last_ns - (uint64_t)m->zero_ns);
	bool whole = t->wish.from_ns >= t->wish.to_ns;
	int64_t from = whole || t->wish.from_ns < 0 ? 0 : t->wish.from_ns;
	int64_t to = whole || (t->wish.to_ns > all && !t->wish.beyond) ? all : t->wish.to_ns;
	if (to - from < CELLS)
		return false;
	double zero = (double)m->zero_ns + (double)from, width = (double)(to - from) / CELLS;
	for (size_t i = 0; i < l->waits.one.n; i++) {
		const struct pv_waited *w = &l->waits.one.v[i];
		double at = (double)w->start_ns - zero, end = (double)w->end_ns - zero;
		char hex[PV_UNIT_MAX];
		if (w->lock == 0 || w->lock >= l->lock.n || end <= at)
			continue;
		double *v = cells_of(t, pv_units_hex(hex, l->lock.v[w->lock].object));
		if (!v)
			return false;
		spread_over_cells(v, width, at, end, end - at);
	}
	return drop_reused(t, l);
}

/* --- counters */

/* Each call takes the lock. */
static bool of_counters(struct pv_trends *t, struct pv_model *m)
{
	pv_model_lock(m);
	size_t n = m->counters.counter.n;
	pv_model_unlock(m);
	t->levels = true;
	for (size_t i = 1; i < n && i < COUNTERS_MOST; i++) {
		struct pv_series *s = pv_view_series(
			m, PV_SERIES_COUNTER, i, t->wish.from_ns, t->wish.to_ns, CELLS);
		double *to = s ? cells_of(t, s->name) : NULL;
		for (size_t k = 0; to && k < CELLS; k++)
			to[k] = k < s->n ? s->value[k] : NAN;
		pv_series_destroy(s);
		if (!to)
			return false;
	}
	return true;
}

/* While more is to come, cells that time has not passed yet would grow with each answer. */
static int whole_cells(struct pv_model *m, const struct pv_trend_wish *wish)
{
	if (!wish->beyond || wish->to_ns <= wish->from_ns)
		return CELLS;
	pv_model_lock(m);
	const double known = (double)m->last_ns - (double)m->zero_ns - (double)wish->from_ns;
	pv_model_unlock(m);
	const double n = known * CELLS / ((double)wish->to_ns - (double)wish->from_ns);
	return n < 0 ? 0 : n < CELLS ? (int)n : CELLS;
}

struct pv_trends *pv_trends_create(
	struct pv_model *m, struct pv_groups_cache *groups, const struct pv_trend_wish *wish)
{
	struct pv_trends *t = calloc(1, sizeof *t);
	bool ok = t != NULL;
	if (!ok)
		return NULL;
	t->of = m;
	t->wish = *wish;
	t->generation = pv_view_generation(m);
	t->whole = whole_cells(m, wish);
	const enum pv_course course = pv_view_rows[wish->view].course;
	if (course == PV_COURSE_COUNTERS) {
		ok = of_counters(t, m);
	} else if (course) {
		pv_model_lock(m);
		ok = course == PV_COURSE_THREADS ? of_threads(t, m)
		     : course == PV_COURSE_LOCKS ? of_locks(t, m)
						 : of_groups(t, m, groups);
		pv_model_unlock(m);
	} else {
		ok = false;
	}
	if (ok)
		return t;
	pv_trends_destroy(t);
	return NULL;
}

/* --- into a table */

static const char *row_key_text(
	const struct pv_table *table, const struct pv_row *row, int column, char hex[PV_UNIT_MAX])
{
	const struct pv_cell *c = &row->cell[column];
	if (c->state != PV_CELL_VALUE)
		return NULL;
	const enum pv_unit unit = table->column[column].unit;
	return unit == PV_UNIT_ADDRESS || unit == PV_UNIT_THREAD ? pv_units_hex(hex, c->u) : c->s;
}

/* Writes whole numbers up to 100 with blanks between; "" where nothing happened. */
static void say_trend(const struct pv_trends *t, const double *v, char *ret, size_t size)
{
	double least = t->levels ? INFINITY : 0, most = t->levels ? -INFINITY : 0;
	size_t n = 0;
	ret[0] = 0;
	for (int i = 0; i < t->whole; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	for (int i = 0; i < CELLS && most > 0 && n < size; i++) {
		double share = most > least ? (v[i] - least) / (most - least) : 0.5;
		if (i >= t->whole || isnan(v[i]))
			n += (size_t)snprintf(ret + n, size - n, "%snan", i ? " " : "");
		else
			n += (size_t)snprintf(ret + n, size - n, "%s%.0f", i ? " " : "",
				t->levels ? 1 + 99 * share : 100 * share);
	}
}

static bool table_is_of_locks(const struct pv_table *table)
{
	return pv_table_column(table, "contentions") >= 0;
}

void pv_trends_fill(struct pv_trends *t, struct pv_table *table)
{
	int to = pv_table_column(table, PV_TREND_COLUMN);
	int id = pv_table_column(table, table_is_of_locks(table) ? "object" : "id");
	int key = id >= 0 ? id : pv_table_column(table, "name");
	if (!t || to < 0 || key < 0)
		return;
	for (size_t i = 0; i < table->rows && i < ROWS_MOST; i++) {
		char hex[PV_UNIT_MAX], text[CELLS * 5];
		uint32_t at;
		const char *name = row_key_text(table, &table->row[i], key, hex);
		struct pv_cell *c = &table->row[i].cell[to];
		*c = (struct pv_cell){ .state = PV_CELL_NULL };
		if (!name || !pv_intern_add(&t->name, name, strlen(name), &at) ||
			(size_t)at * CELLS >= t->value.n)
			continue;
		say_trend(t, t->value.v + (size_t)at * CELLS, text, sizeof text);
		char *copy = text[0] ? pv_arena_copy(&table->arena, text, strlen(text)) : NULL;
		if (copy)
			*c = (struct pv_cell){ .s = copy, .state = PV_CELL_VALUE };
	}
}
