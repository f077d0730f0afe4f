/* SPDX-License-Identifier: MIT */
/* New, dead and surviving objects between two heap shots. */
#include <math.h>
#include <stdlib.h>

#include "common/base/status.h"
#include "common/query/groups/groups.h"
#include "common/query/heap/identity_views.h"
#include "common/query/groups/site_rows.h"
#include "common/query/groups/specs.h"

struct sum {
	uint64_t new_objects, new_bytes;
	uint64_t base_objects, base_bytes;   /* of the base shot */
	uint64_t alive_objects, alive_bytes; /* of base objects, at the later shot */
	uint64_t kept_bytes;                 /* bytes of survivors in the base shot */
	uint64_t uncertain, aged, collections;
};

static void add_life_row(struct sum *to, const struct pv_identity *l, const struct pv_life_row *r)
{
	if (pv_life_is_new(l, r)) {
		to->new_objects += r->shot_objects;
		to->new_bytes += r->shot_bytes;
	} else {
		to->base_objects += r->base_objects;
		to->base_bytes += r->base_bytes;
		to->alive_objects += r->shot_objects;
		to->alive_bytes += r->shot_bytes;
		to->kept_bytes += r->kept_bytes;
	}
	to->uncertain += r->uncertain;
	to->aged += r->aged;
	to->collections += r->collections;
}

/* Takes as many objects as both shots have for the same. */
static void match_by_class(struct sum *s)
{
	uint64_t objects = s->new_objects + s->alive_objects;
	uint64_t bytes = s->new_bytes + s->alive_bytes;
	s->alive_objects = objects < s->base_objects ? objects : s->base_objects;
	s->alive_bytes = bytes < s->base_bytes ? bytes : s->base_bytes;
	s->kept_bytes = s->alive_bytes;
	s->new_objects = objects - s->alive_objects;
	s->new_bytes = bytes - s->alive_bytes;
	s->uncertain = s->alive_objects;
}

enum {
	D_BYTES,
	D_OBJECTS,
	D_NEW_BYTES,
	D_NEW,
	D_DIED_BYTES,
	D_DIED,
	D_ALIVE_BYTES,
	D_ALIVE,
	D_AGE,
	D_UNCERTAIN,
	D_NAME,
	D_STACK
};

#define FIGURES                                                                                    \
	[D_BYTES] = { "bytes_change", "+-BYTES", PV_UNIT_DELTA_BYTES, 10, 0, PV_COLUMN_ADDS,       \
		.json = 10 },                                                                      \
	[D_OBJECTS] = { "objects_change", "+-OBJ", PV_UNIT_DELTA_COUNT, 8, 4, PV_COLUMN_ADDS,      \
		.json = 9 },                                                                       \
	[D_NEW_BYTES] = { "new_bytes", "NEW", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 4,      \
		.help = "Bytes of objects that the base did not have" },                           \
	[D_NEW] = { "new_objects", "NEW OBJ", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 3,      \
		.help = "Objects that the base did not have" },                                    \
	[D_DIED_BYTES] = { "died_bytes", "DIED", PV_UNIT_BYTES, 9, 5, PV_COLUMN_ADDS, .json = 6,   \
		.help = "Bytes of objects that are gone since the base" },                         \
	[D_DIED] = { "died_objects", "DIED OBJ", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS, .json = 5,   \
		.help = "Objects that are gone since the base" },                                  \
	[D_ALIVE_BYTES] = { "survived_bytes", "SURVIVED", PV_UNIT_BYTES, 9, 7, PV_COLUMN_ADDS,     \
		.json = 8 },                                                                       \
	[D_ALIVE] = { "survived_objects", "SURV OBJ", PV_UNIT_COUNT, 8, 8, PV_COLUMN_ADDS,         \
		.json = 7 },                                                                       \
	[D_AGE] = { "age_collections", "AGE GC", PV_UNIT_NUMBER, 6, 10, .json = 12,                \
		.help = "Collections that the new ones lived through, in the mean" },              \
	[D_UNCERTAIN] = { "uncertain_objects", "UNSURE", PV_UNIT_COUNT, 7, 9, .json = 11,          \
		.help = "Objects that cannot be matched for sure: another may be at their place" }

static const struct pv_column class_columns[] = {
	FIGURES,
	[D_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 28, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};
static const struct pv_column thread_columns[] = {
	FIGURES,
	[D_NAME] = { "name", "BORN BY THREAD", PV_UNIT_TEXT, 28, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1 },
};
static const struct pv_column site_columns[] = {
	FIGURES,
	[D_NAME] = { "class", "CLASS", PV_UNIT_TEXT, 20, 3, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS,
		.json = 1 },
	[D_STACK] = { "stack", "BORN IN", PV_UNIT_LIST, 36, 0, PV_COLUMN_GROWS, .json = 2 },
};

/* Averages are exact to a tenth. */
static double tenths(double v)
{
	return floor(10 * v + 0.5) / 10;
}

static void put_sum(struct pv_cell *c, const struct sum *s)
{
	uint64_t died = s->base_objects - s->alive_objects;
	uint64_t died_bytes = s->base_bytes - s->kept_bytes; /* survivors may have grown */
	pv_cell_i(&c[D_BYTES], (int64_t)(s->new_bytes + s->alive_bytes - s->base_bytes));
	pv_cell_i(&c[D_OBJECTS], (int64_t)(s->new_objects - died));
	pv_cell_u(&c[D_NEW_BYTES], s->new_bytes);
	pv_cell_u(&c[D_NEW], s->new_objects);
	pv_cell_u(&c[D_DIED_BYTES], died_bytes);
	pv_cell_u(&c[D_DIED], died);
	pv_cell_u(&c[D_ALIVE_BYTES], s->alive_bytes);
	pv_cell_u(&c[D_ALIVE], s->alive_objects);
	if (s->aged)
		pv_cell_d(&c[D_AGE], tenths((double)s->collections / (double)s->aged));
	else
		pv_cell_null(&c[D_AGE]);
	pv_cell_u(&c[D_UNCERTAIN], s->uncertain);
}

static const struct pv_life_site *site_of(const struct pv_identity *l, const struct pv_life_row *r)
{
	return &l->site.v[r->site];
}

static bool is_empty_sum(const struct sum *s)
{
	return s->new_objects + s->base_objects + s->alive_objects == 0;
}

/* --- by class, or by attribute of classes */

static void copy_diff(struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	struct pv_groups g;
	pv_identity_line(b);
	bool ok = pv_groups_classes(m, b, &g);
	struct sum *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	if (!sum)
		pv_build_fail(b);
	for (size_t i = 0; sum && l && i < l->row.n; i++)
		add_life_row(&sum[pv_group_of(&g, site_of(l, &l->row.v[i])->class_use)], l,
			&l->row.v[i]);
	for (size_t i = 0; sum && i < g.row.n; i++) {
		if (is_empty_sum(&sum[i]))
			continue;
		if (b->query->matched_by_class)
			match_by_class(&sum[i]);
		struct pv_cell *c = pv_build_row(b, g.row.v[i].id);
		put_sum(c, &sum[i]);
		pv_cell_s(&c[D_NAME], pv_group_name(b, &g, (uint32_t)i));
	}
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_heap_diff = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "name",
	.sort = "bytes_change",
	.then = "new_bytes",
	.copy = copy_diff };

/* --- by allocation stack */

/* Adds a row of lives to the cells of a table's row. */
static void add_to_cells(
	struct pv_cell *c, const struct pv_identity *l, const struct pv_life_row *r)
{
	struct sum s = { 0 };
	add_life_row(&s, l, r);
	uint64_t died = s.base_objects - s.alive_objects, dead = s.base_bytes - s.kept_bytes;
	uint64_t before = c[D_NEW].u + c[D_ALIVE].u, now = s.new_objects + s.alive_objects;
	c[D_BYTES].i += (int64_t)(s.new_bytes + s.alive_bytes - s.base_bytes);
	c[D_OBJECTS].i += (int64_t)(s.new_objects - died);
	c[D_NEW_BYTES].u += s.new_bytes;
	c[D_NEW].u += s.new_objects;
	c[D_DIED_BYTES].u += dead;
	c[D_DIED].u += died;
	c[D_ALIVE_BYTES].u += s.alive_bytes;
	c[D_ALIVE].u += s.alive_objects;
	c[D_UNCERTAIN].u += s.uncertain;
	if (now) /* in a row all allocations are known, or none */
		c[D_AGE].d = (c[D_AGE].d * (double)before + (double)s.collections) /
			     (double)(before + now);
	if (now && !s.aged)
		pv_cell_null(&c[D_AGE]);
}

static bool is_selected(const struct pv_build *b, const struct pv_groups *g, uint32_t class_use)
{
	uint64_t select = b->query->select;
	return !select || g->row.v[pv_group_of(g, class_use)].id == select;
}

static bool add_diff_site(struct pv_site_rows *rows, const struct pv_life_row *row)
{
	const struct pv_identity *l = rows->b->query->identity;
	const struct pv_life_site *s = site_of(l, row);
	struct sum sum = { 0 };
	add_life_row(&sum, l, row);
	if (is_empty_sum(&sum) || !is_selected(rows->b, &rows->classes, s->class_use))
		return true;
	struct pv_cell *c = pv_site_row(
		rows, (struct pv_site_key){ s->class_use, s->stack, false, s->allocated ? 0 : 1 });
	if (!c)
		return false;
	if (!s->allocated && s->stack == 0)
		pv_cell_s(&c[D_STACK], "(not recorded)");
	add_to_cells(c, l, row);
	return true;
}

static void copy_diff_sites(struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	struct pv_site_rows rows;
	pv_identity_line(b);
	bool ok = pv_site_rows_init(&rows, b, m, D_NAME, D_STACK);
	for (size_t i = 0; ok && l && i < l->row.n; i++)
		ok = add_diff_site(&rows, &l->row.v[i]);
	if (!ok)
		pv_build_fail(b);
	pv_site_rows_finish(&rows);
}

const struct pv_view_spec pv_spec_heap_diff_sites = { .column = site_columns,
	.columns = PV_COUNT_OF(site_columns),
	.name = "stack",
	.sort = "bytes_change",
	.then = "new_bytes",
	.copy = copy_diff_sites,
	.fill_chosen = pv_site_rows_text };

/* --- by thread of the allocation */

static void put_thread(
	struct pv_build *b, const struct pv_model *m, uint32_t at, const struct sum *s)
{
	const struct pv_thread *t = at ? m->threads.thread.v[at] : NULL;
	struct pv_cell *c = pv_build_row(b, (uint64_t)at + 1);
	put_sum(c, s);
	if (!t)
		pv_cell_s(&c[D_NAME], "(not recorded)");
	else if (t->name)
		pv_cell_s(&c[D_NAME], pv_intern_text(&m->names.text, t->name));
	else
		pv_cell_s(&c[D_NAME], pv_build_hex(b, t->id));
}

static void copy_threads(struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	struct pv_groups g;
	pv_identity_line(b);
	bool ok = pv_groups_classes(m, b, &g);
	size_t n = m->threads.thread.n ? m->threads.thread.n : 1;
	struct sum *sum = ok ? calloc(n, sizeof *sum) : NULL;
	if (!sum)
		pv_build_fail(b);
	for (size_t i = 0; sum && l && i < l->row.n; i++) {
		const struct pv_life_site *s = site_of(l, &l->row.v[i]);
		if (is_selected(b, &g, s->class_use))
			add_life_row(&sum[s->thread < n ? s->thread : 0], l, &l->row.v[i]);
	}
	for (uint32_t i = 0; sum && i < n; i++)
		if (!is_empty_sum(&sum[i]))
			put_thread(b, m, i, &sum[i]);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_heap_diff_threads = { .column = thread_columns,
	.columns = PV_COUNT_OF(thread_columns),
	.name = "name",
	.sort = "bytes_change",
	.then = "new_bytes",
	.copy = copy_threads };
