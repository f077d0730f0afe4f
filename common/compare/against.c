/* SPDX-License-Identifier: MIT */
/* Views and flames of a log with a base's figures at their side. */
#include "common/compare/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/compare/diff_parts.h"
#include "common/compare/match_key.h"
#include "common/query/groups/build.h"
#include "common/query/groups/code_kind.h"
#include "common/query/groups/groups_cache.h"

struct pv_against {
	struct pv_model *base;
	char *path;
	struct pv_diff_options options;
	struct pv_groups_cache *groups; /* of base queries */
	struct pv_flame_tree *flame;    /* the base's tree, of the last query */
	enum pv_flame_measure flame_measure;
	bool net, waits, my_code, physical;
};

/* Views with a diff list for their rows. */
static const struct {
	enum pv_view view;
	enum pv_diff_list list;
	const char *sections;
} lists[] = {
	{ PV_VIEW_METHODS, PV_DIFF_METHODS, "methods" },
	{ PV_VIEW_CLASSES, PV_DIFF_CLASSES, "classes" },
	{ PV_VIEW_SHOT_CLASSES, PV_DIFF_HEAP, "heap_shots" },
	{ PV_VIEW_EXCEPTIONS, PV_DIFF_THROWN, "exceptions" },
};

static int list_of(enum pv_view view)
{
	for (size_t i = 0; i < PV_COUNT_OF(lists); i++)
		if (lists[i].view == view)
			return (int)i;
	return -1;
}

bool pv_against_has(enum pv_view view)
{
	return pv_view_is(view, PV_TRAIT_COMPARED);
}

static bool against_no_memory(struct pv_error *err)
{
	return pv_fail(err, PV_ENOMEM, 0, "out of memory");
}

void pv_against_destroy(struct pv_against *a)
{
	if (!a)
		return;
	pv_flame_tree_drop(a->flame);
	pv_groups_cache_destroy(a->groups);
	free(a->path);
	free(a);
}

struct pv_against *pv_against_create(struct pv_model *base, const char *path,
	const struct pv_diff_options *o, struct pv_error *reterr)
{
	struct pv_against *a = calloc(1, sizeof *a);
	if (!a || !(a->path = strdup(path))) {
		against_no_memory(reterr);
		pv_against_destroy(a);
		return NULL;
	}
	a->base = base;
	a->options = *o;
	a->options.sections = "totals.none"; /* no lists: only the divisors */
	a->options.format = PV_REPORT_JSON;
	a->groups = pv_groups_cache_create();
	struct pv_diff *d = pv_diff_create(&a->options);
	bool ok = d ? pv_diff_add(d, PV_DIFF_BASE, path, base, reterr) : against_no_memory(reterr);
	pv_diff_destroy(d);
	if (ok)
		return a;
	pv_against_destroy(a);
	return NULL;
}

/* --- lists --- */

/*
 * The query for one side: rows and figures as on screen, without order, filter and choice of rows.
 */
static struct pv_query side_query(
	const struct pv_against *a, const struct pv_query *q, enum pv_diff_side side)
{
	struct pv_query of = { .groups = side == PV_DIFF_BASE ? a->groups : q->groups,
		.net = q->net,
		.waits = q->waits,
		.my_code = q->my_code,
		.physical = q->physical,
		.hide_internal = q->hide_internal,
		.group = q->group,
		.split = q->split,
		.in_by = q->in_by,
		.in = q->in };
	if (side == PV_DIFF_BASE)
		return of;
	of.window_ns = q->window_ns;
	of.from_ns = q->from_ns;
	of.to_ns = q->to_ns;
	of.bucketed = q->bucketed;
	return of;
}

static bool recorded(const struct pv_diff *d, size_t measure, bool both)
{
	bool base = !(d->log[PV_DIFF_BASE].v[0].absent >> measure & 1),
	     now = !(d->log[PV_DIFF_NEW].v[0].absent >> measure & 1);
	return both ? base && now : base || now;
}

/* A measure that both sides have, else one side; NULL: neither has any. */
static const struct pv_diff_measure *choose_measure(
	const struct pv_diff *d, enum pv_diff_list list, unsigned figure)
{
	for (int both = 1; both >= 0; both--) {
		const struct pv_diff_measure *of[8];
		unsigned n = 0;
		for (size_t i = 0; i < pv_diff_measure_count && n < PV_COUNT_OF(of); i++)
			if (pv_diff_measures[i].list == list && recorded(d, i, both))
				of[n++] = &pv_diff_measures[i];
		if (n)
			return of[figure % n];
	}
	return NULL;
}

static const char *per_text(
	const struct pv_diff_options *o, enum pv_diff_per per, char *room, size_t size)
{
	static const char *const text[] = { [PV_PER_NONE] = "as they are",
		[PV_PER_SHARE] = "by share",
		[PV_PER_SECOND] = "per second",
		[PV_PER_SAMPLE] = "per sample" };
	if (per != PV_PER_CALL && per != PV_PER_COUNTER)
		return text[per];
	snprintf(room, size, "per %s", o->unit);
	return room;
}

static const char *describe_judged(
	struct pv_table *t, const struct pv_against *a, const struct pv_diff_judged *j)
{
	char room[80];
	const size_t *n = j->verdicts;
	const char *per = per_text(&a->options, j->per, room, sizeof room);
	if (j->why)
		return pv_arena_printf(
			&t->arena, "%s, %s: not comparable, %s", j->measure->title, per, j->why);
	return pv_arena_printf(&t->arena,
		"%s, %s: %zu changed, %zu within noise, %zu the same; base %s", j->measure->title,
		per, n[PV_DIFF_ADDED] + n[PV_DIFF_GONE] + n[PV_DIFF_MORE] + n[PV_DIFF_LESS],
		n[PV_DIFF_NOISE], n[PV_DIFF_SAME], a->path);
}

/* A table without rows, saying why. */
static struct pv_table *empty(const char *why, const struct pv_query *q)
{
	static const struct pv_column column[] = { { "name", "NAME", PV_UNIT_TEXT, 30, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS } };
	const struct pv_view_spec spec = { .column = column, .columns = 1, .name = "name" };
	struct pv_build b;
	if (!pv_build_init(&b, &spec, "against", q))
		return NULL;
	struct pv_table *t = pv_build_finish(&b);
	const char *text = t ? pv_arena_copy(&t->arena, why, strlen(why)) : NULL;
	if (text)
		t->coverage = text;
	return t;
}

/* Moves the change to the front: without room for all columns the last are dropped. */
static bool lead_with_change(struct pv_table *t)
{
	int at = pv_table_column(t, "change");
	struct pv_column *column = pv_arena_alloc(&t->arena, t->columns * sizeof *column);
	if (!column)
		return false;
	memcpy(column, t->column, t->columns * sizeof *column);
	memmove(column + 1, column, (size_t)at * sizeof *column);
	column[0] = t->column[at];
	t->column = column;
	for (size_t i = 0; i < t->rows; i++) {
		struct pv_cell *cell = t->row[i].cell, change = cell[at];
		memmove(cell + 1, cell, (size_t)at * sizeof *cell);
		cell[0] = change;
	}
	t->sort = t->sort == at ? 0 : t->sort < at ? t->sort + 1 : t->sort;
	return true;
}

static struct pv_table *list_table(struct pv_against *a, struct pv_model *now, size_t at,
	const struct pv_query *q, unsigned figure)
{
	struct pv_error err = { 0 };
	struct pv_diff_options o = a->options;
	o.sections = lists[at].sections;
	struct pv_diff *d = pv_diff_create(&o);
	struct pv_table *t = NULL;
	if (!d)
		return NULL;
	const struct pv_query base = side_query(a, q, PV_DIFF_BASE),
			      own = side_query(a, q, PV_DIFF_NEW);
	d->query[PV_DIFF_BASE] = &base;
	d->query[PV_DIFF_NEW] = &own;
	d->shot = lists[at].list == PV_DIFF_HEAP ? q->select : 0;
	bool ok = pv_diff_add(d, PV_DIFF_BASE, a->path, a->base, &err) &&
		  pv_diff_add(d, PV_DIFF_NEW, "new", now, &err) && pv_diff_join(d);
	const struct pv_diff_measure *m = ok ? choose_measure(d, lists[at].list, figure) : NULL;
	struct pv_diff_judged j = { 0 };
	if (ok && m && pv_diff_judge(d, m, &j)) {
		t = pv_diff_rows_of(d, &j, q, true);
		const char *text = t && lead_with_change(t) ? describe_judged(t, a, &j) : NULL;
		if (text)
			t->coverage = text;
	} else if (err.code == PV_EUSAGE) {
		t = empty(err.what, q);
	} else if (ok && !m) {
		t = empty("neither the base nor this log has recorded it", q);
	}
	pv_diff_judged_clear(&j);
	pv_diff_destroy(d);
	return t;
}

/* --- flames --- */

static const char *frame_key(const char *name, bool is_class, char *room)
{
	const struct pv_column column = { .unit = PV_UNIT_TEXT,
		.flags = is_class ? PV_COLUMN_CLASS : PV_COLUMN_METHOD };
	return pv_match_key(&column, name, strlen(name), room);
}

static enum pv_diff_per per_of(const struct pv_against *a, enum pv_flame_measure m)
{
	if (a->options.per == PV_PER_USUAL)
		return m == PV_FLAME_SAMPLES ? PV_PER_SHARE : PV_PER_NONE;
	return m == PV_FLAME_HELD && a->options.per != PV_PER_SHARE ? PV_PER_NONE : a->options.per;
}

static double ratio(double now, double base)
{
	return now > 0 && base > 0 ? now / base : 1;
}

/* The factor on the base's figures; 0: out of memory. */
static double scale_of(struct pv_against *a, struct pv_model *now, enum pv_flame_measure m,
	const struct pv_flame_tree *new)
{
	struct pv_error err = { 0 };
	struct pv_diff_options o = a->options;
	struct pv_diff *d = pv_diff_create(&o);
	double scale = 1;
	if (!d)
		return 0;
	bool ok = pv_diff_add(d, PV_DIFF_BASE, a->path, a->base, &err) &&
		  pv_diff_add(d, PV_DIFF_NEW, "new", now, &err);
	const struct pv_diff_log *b = ok ? &d->log[PV_DIFF_BASE].v[0] : NULL,
				 *n = ok ? &d->log[PV_DIFF_NEW].v[0] : NULL;
	if (per_of(a, m) == PV_PER_SHARE)
		scale = ratio(
			(double)pv_flame_tree_weight(new), (double)pv_flame_tree_weight(a->flame));
	else if (ok && m == PV_FLAME_SAMPLES)
		scale = ratio((double)b->period_ns, (double)n->period_ns);
	if (ok && per_of(a, m) == PV_PER_SECOND)
		scale *= ratio((double)n->duration_ns, (double)b->duration_ns);
	else if (ok && per_of(a, m) == PV_PER_SAMPLE)
		scale *= ratio((double)n->samples, (double)b->samples);
	else if (ok && per_of(a, m) > PV_PER_SAMPLE)
		scale *= ratio(n->units, b->units);
	pv_diff_destroy(d);
	return err.code == PV_ENOMEM ? 0 : scale;
}

static bool take_base(struct pv_against *a, enum pv_flame_measure measure, const struct pv_query *q)
{
	bool same = a->flame && a->flame_measure == measure && a->net == q->net &&
		    a->waits == q->waits && a->my_code == q->my_code && a->physical == q->physical;
	if (same)
		return true;
	struct pv_query own = side_query(a, q, PV_DIFF_BASE);
	own.readable = q->readable;
	pv_flame_tree_drop(a->flame);
	a->flame = pv_flame_tree_make(a->base, measure, &own);
	a->flame_measure = measure;
	a->net = q->net;
	a->waits = q->waits;
	a->my_code = q->my_code;
	a->physical = q->physical;
	return a->flame != NULL;
}

struct pv_flame_tree *pv_against_flame(struct pv_against *a, struct pv_model *now,
	enum pv_flame_measure measure, const struct pv_query *q)
{
	struct pv_flame_tree *new = pv_flame_tree_make(now, measure, q), *pair = NULL;
	double scale = new && take_base(a, measure, q) ? scale_of(a, now, measure, new) : 0;
	if (scale > 0)
		pair = pv_flame_tree_pair(a->flame, new, frame_key, scale);
	pv_flame_tree_drop(new);
	return pair;
}

struct pv_against_cell pv_against_figures(const struct pv_against *a, const struct pv_flame *f,
	enum pv_flame_measure measure, const struct pv_flame_cell *c)
{
	bool share = per_of(a, measure) == PV_PER_SHARE;
	double grain = f->grain, by = share ? 200 / (double)(f->all ? f->all : 1) : 1 / grain;
	double base = (double)c->base * by,
	       now = (double)(c->weight - (c->base < c->weight ? c->base : c->weight)) * by;
	/* Differences within rounding are no change. */
	if (fabs(now - base) < 1e-4 * fmax(base, now))
		now = base;
	return (struct pv_against_cell){ base, now, share };
}

enum pv_diff_verdict pv_against_verdict(
	const struct pv_flame *f, enum pv_flame_measure measure, const struct pv_flame_cell *c)
{
	enum { HUNDREDTH = 100 };
	double base = (double)c->base / f->grain, now = (double)c->weight / f->grain - base,
	       change = now - base, most = fmax(base, now);
	bool samples = measure == PV_FLAME_SAMPLES;
	/* Of both counts; the base's is scaled. */
	double noise = samples ? 1.96 * sqrt(fmax(now, 0) + f->scale * base) : 0;
	if (fabs(change) < noise)
		return fabs(change) * HUNDREDTH < most ? PV_DIFF_SAME : PV_DIFF_NOISE;
	if (fabs(change) * HUNDREDTH < most || most <= 0)
		return PV_DIFF_SAME;
	return base <= 0    ? PV_DIFF_ADDED
	       : now <= 0   ? PV_DIFF_GONE
	       : change > 0 ? PV_DIFF_MORE
			    : PV_DIFF_LESS;
}

/* --- the call tree, from a pair --- */

enum { C_CHANGE, C_VERDICT, C_BASE, C_NEW, C_PERCENT, C_KIND, C_NAME, C_COLUMNS };

static const struct pv_column tree_columns[C_COLUMNS] = {
	[C_CHANGE] = { "change", "CHANGE", PV_UNIT_NUMBER, 9, 0, .flags = PV_COLUMN_SIGNED },
	[C_VERDICT] = { "verdict", "VERDICT", PV_UNIT_TEXT, 12, 2, .flags = PV_COLUMN_ASCENDING },
	[C_BASE] = { "base", "BASE", PV_UNIT_NUMBER, 9, 0, .flags = 0 },
	[C_NEW] = { "new", "NEW", PV_UNIT_NUMBER, 9, 0, .flags = 0 },
	[C_PERCENT] = { "change_percent", "CHANGE%", PV_UNIT_PERCENT, 8, 1,
		.flags = PV_COLUMN_SIGNED },
	[C_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 3,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_CODE },
	[C_NAME] = { "name", "CALL TREE", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE | PV_COLUMN_METHOD },
};

static void put_value(struct pv_cell *c, bool ns, double v)
{
	if (ns)
		pv_cell_i(c, llround(v));
	else
		pv_cell_d(c, v);
}

static void put_against_frame(struct pv_build *b, const struct pv_against *a,
	const struct pv_flame *f, enum pv_flame_measure measure, uint32_t i, uint64_t id,
	uint64_t parent)
{
	const struct pv_flame_cell *v = &f->cell[i];
	struct pv_cell *c =
		pv_build_child(b, id, parent, v->children || v->thin ? PV_ROW_HAS_CHILDREN : 0);
	struct pv_against_cell g = pv_against_figures(a, f, measure, v);
	bool ns = !g.percent && pv_flame_unit(measure) == PV_UNIT_NS;
	pv_cell_s(&c[C_VERDICT], pv_diff_verdict_text(pv_against_verdict(f, measure, v)));
	put_value(&c[C_BASE], ns, g.base);
	put_value(&c[C_NEW], ns, g.now);
	put_value(&c[C_CHANGE], ns, g.now - g.base);
	if (g.base > 0)
		pv_cell_d(&c[C_PERCENT], (g.now - g.base) / g.base * 100);
	else
		pv_cell_null(&c[C_PERCENT]);
	pv_cell_s(&c[C_KIND], pv_code_kind_text((enum pv_code_kind)v->kind));
	pv_cell_s(&c[C_NAME], pv_build_text(b, v->name));
}

static void put_against_frames(struct pv_build *b, const struct pv_against *a,
	const struct pv_flame *f, enum pv_flame_measure measure, uint64_t *id)
{
	for (uint32_t i = 1; i < f->cells; i++) {
		uint32_t up = f->cell[i].parent;
		if (up && (!id[up] || !pv_build_wants_children(b, id[up])))
			continue;
		id[i] = pv_hash(id[up] * 31 + pv_hash(f->cell[i].key));
		id[i] = id[i] ? id[i] : 1;
		put_against_frame(b, a, f, measure, i, id[i], up ? id[up] : 0);
	}
}

static bool choose_tree(
	struct pv_against *a, struct pv_model *now, unsigned figure, enum pv_flame_measure *ret)
{
	static const enum pv_flame_measure all[] = { PV_FLAME_SAMPLES, PV_FLAME_TIME };
	enum pv_flame_measure of[2];
	struct pv_summary base, own;
	unsigned n = 0;
	pv_view_summary(a->base, &base);
	pv_view_summary(now, &own);
	for (size_t i = 0; i < PV_COUNT_OF(all); i++)
		if (pv_flame_recorded(base.recorded & own.recorded, all[i]))
			of[n++] = all[i];
	if (n)
		*ret = of[figure % n];
	return n > 0;
}

static struct pv_table *tree_of(const struct pv_against *a, const struct pv_flame *f,
	enum pv_flame_measure measure, const struct pv_query *q)
{
	struct pv_column column[C_COLUMNS];
	const struct pv_view_spec spec = { .column = column,
		.columns = C_COLUMNS,
		.name = "name",
		.sort = "change",
		.tree = true };
	struct pv_build b;
	bool share = per_of(a, measure) == PV_PER_SHARE;
	enum pv_unit unit = share                                  ? PV_UNIT_PERCENT
			    : pv_flame_unit(measure) == PV_UNIT_NS ? PV_UNIT_NS
								   : PV_UNIT_NUMBER;
	char room[80];
	memcpy(column, tree_columns, sizeof column);
	column[C_BASE].unit = column[C_NEW].unit = column[C_CHANGE].unit = unit;
	uint64_t *id = calloc(f->cells + 1, sizeof *id);
	if (!id || !pv_build_init(&b, &spec, "call_tree", q)) {
		free(id);
		return NULL;
	}
	put_against_frames(&b, a, f, measure, id);
	free(id);
	struct pv_table *t = pv_build_finish(&b);
	struct pv_column *own = t ? pv_arena_alloc(&t->arena, sizeof column) : NULL;
	const char *text =
		own ? pv_arena_printf(&t->arena, "%s and what they call, %s; base %s",
			      pv_flame_title(measure),
			      per_text(&a->options, per_of(a, measure), room, sizeof room), a->path)
		    : NULL;
	if (!text || (q->readable && !pv_table_readable(t, -1))) {
		pv_table_destroy(t);
		return NULL;
	}
	memcpy(own, column, sizeof column);
	t->column = own;
	t->coverage = text;
	return t;
}

static struct pv_table *tree_table(
	struct pv_against *a, struct pv_model *now, const struct pv_query *q, unsigned figure)
{
	enum pv_flame_measure measure;
	if (!choose_tree(a, now, figure, &measure))
		return empty("the base and this log have neither samples nor calls in common", q);
	struct pv_flame_tree *pair = pv_against_flame(a, now, measure, q);
	struct pv_flame *f =
		pair ? pv_flame_ask(pair, &(struct pv_flame_wish){ .parts = 0 }) : NULL;
	struct pv_table *t = f ? tree_of(a, f, measure, q) : NULL;
	pv_flame_destroy(f);
	pv_flame_tree_drop(pair);
	return t;
}

struct pv_table *pv_against_table(struct pv_against *a, struct pv_model *now, enum pv_view view,
	const struct pv_query *q, unsigned figure)
{
	uint64_t generation = pv_view_generation(now);
	int at = list_of(view);
	struct pv_table *t =
		at < 0 ? tree_table(a, now, q, figure) : list_table(a, now, (size_t)at, q, figure);
	if (t)
		t->generation = generation;
	return t;
}
