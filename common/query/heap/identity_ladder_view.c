/* SPDX-License-Identifier: MIT */
/* Cohorts over all heap shots, by class: how many objects allocated between two shots live on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/groups/groups.h"
#include "common/query/heap/identity_views.h"
#include "common/query/groups/site_rows.h"
#include "common/query/groups/specs.h"

/* Cells by class group, and the matrix of one group at a time. */
struct matrices {
	struct pv_groups g;
	const struct pv_identity *identity;
	size_t steps;
	uint32_t *first, *cell; /* cells of group i: cell[first[i]] to cell[first[i + 1]] */
	uint64_t *v;            /* objects, then bytes */
	double place[PV_IDENTITY_STEPS + 2]; /* see pv_ladder_places() */
};

/* A counting sort. */
static void sort_cells(struct matrices *x)
{
	const struct pv_identity *l = x->identity;
	for (size_t i = 0; i < l->cell.n; i++)
		x->first[pv_group_of(&x->g, l->cell.v[i].class_use) + 2]++;
	for (size_t i = 2; i < x->g.row.n + 2; i++)
		x->first[i] += x->first[i - 1];
	for (size_t i = 0; i < l->cell.n; i++)
		x->cell[x->first[pv_group_of(&x->g, l->cell.v[i].class_use) + 1]++] = (uint32_t)i;
}

static bool gather_matrices(struct matrices *x, struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	*x = (struct matrices){ .identity = l, .steps = l ? l->step.n : 0 };
	pv_identity_line(b);
	if (!pv_groups_classes(m, b, &x->g))
		return false;
	x->first = calloc(x->g.row.n + 2, sizeof *x->first);
	x->cell = calloc(l ? l->cell.n + 1 : 1, sizeof *x->cell);
	x->v = calloc(2 * x->steps * x->steps + 1, sizeof *x->v);
	if (!x->first || !x->cell || !x->v)
		return false;
	if (l) {
		sort_cells(x);
		pv_ladder_places(l, x->place);
	}
	return true;
}

static void finish_matrices(struct matrices *x)
{
	free(x->first);
	free(x->cell);
	free(x->v);
	pv_groups_finish(&x->g);
}

/* The survivors of a group, valid until the next call; false: none at any time. */
static bool ladder_of(struct matrices *x, size_t group, struct pv_ladder *ret)
{
	size_t n = x->steps * x->steps;
	if (x->first[group] == x->first[group + 1] || x->g.row.v[group].id == PV_ROW_OUTSIDE)
		return false;
	memset(x->v, 0, 2 * n * sizeof *x->v);
	for (size_t i = x->first[group]; i < x->first[group + 1]; i++) {
		const struct pv_life_cell *c = &x->identity->cell.v[x->cell[i]];
		size_t to = c->cohort * x->steps + c->step;
		x->v[to] += c->objects;
		x->v[n + to] += c->bytes;
	}
	*ret = (struct pv_ladder){ x->steps, x->v, x->v + n, x->place };
	return true;
}

static uint64_t ladder_at(const struct pv_ladder *l, const uint64_t *v, size_t cohort, size_t step)
{
	return v[cohort * l->steps + step];
}

static uint64_t alive(const struct pv_ladder *l, const uint64_t *v, size_t step)
{
	uint64_t sum = 0;
	for (size_t k = 0; k <= step; k++)
		sum += ladder_at(l, v, k, step);
	return sum;
}

/* --- classes */

enum { L_SCORE, L_SHAPE, L_BYTES, L_OBJECTS, L_GROWTH, L_SURVIVAL, L_NAME, L_TOTALS };

static const struct pv_column ladder_columns[] = {
	[L_SCORE] = { "score", "SCORE", PV_UNIT_NUMBER, 6, 0, .json = 2 },
	[L_SHAPE] = { "shape", "SHAPE", PV_UNIT_TEXT, 10, 2, PV_COLUMN_ASCENDING, .json = 3,
		.help = "How the curve goes: staircase, plateau, saw" },
	[L_BYTES] = { "bytes", "ALIVE", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 5 },
	[L_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS, .json = 4 },
	[L_GROWTH] = { "bytes_growth", "GROWTH", PV_UNIT_DELTA_BYTES, 10, 3, PV_COLUMN_ADDS,
		.json = 6, .help = "Growth between the shots" },
	[L_SURVIVAL] = { "young_survival_percent", "YOUNG%", PV_UNIT_PERCENT, 6, 5, .json = 7,
		.help = "Of those born between two shots, still alive at the last" },
	[L_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 28, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
	[L_TOTALS] = { "alive_bytes", "ALIVE AT EACH SHOT", PV_UNIT_LIST, 24, 6, PV_COLUMN_NUMBERS,
		.json = 8 },
};

/* "17 30 41" for readers of lists, a line each. */
static const char *numbers(struct pv_build *b, const uint64_t *v, size_t n)
{
	size_t room = n * 21 + 1, used = 0;
	char *text = b->table ? pv_arena_alloc(&b->table->arena, room) : NULL;
	for (size_t i = 0; text && i < n; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%llu", i ? "\n" : "",
			(unsigned long long)v[i]);
	if (!text)
		pv_build_fail(b);
	return text ? text : "";
}

static double young_survival(const struct pv_ladder *l)
{
	double allocated = 0, left = 0;
	for (size_t k = 1; k + 1 < l->steps; k++) {
		allocated += (double)ladder_at(l, l->objects, k, k);
		left += (double)ladder_at(l, l->objects, k, l->steps - 1);
	}
	return allocated > 0 ? 100 * left / allocated : -1;
}

/* Of classes with similar shapes, the class with the most growth is the most suspicious. */
static double weight(uint64_t growth, uint64_t most)
{
	return most ? pow((double)growth / (double)most, 0.25) : 0;
}

static uint64_t growth_of(const struct pv_ladder *l)
{
	uint64_t first = alive(l, l->bytes, 0), last = alive(l, l->bytes, l->steps - 1);
	return last > first ? last - first : 0;
}

static void put_class(struct pv_build *b, struct matrices *x, uint32_t group, uint64_t most)
{
	struct pv_ladder l;
	struct pv_ladder_verdict v;
	uint64_t totals[PV_IDENTITY_STEPS + 2];
	if (!ladder_of(x, group, &l))
		return;
	pv_ladder_judge(&l, &v);
	for (size_t j = 0; j < l.steps; j++)
		totals[j] = alive(&l, l.bytes, j);
	uint64_t last = totals[l.steps - 1];
	double young = young_survival(&l);
	struct pv_cell *c = pv_build_row(b, x->g.row.v[group].id);
	pv_cell_d(&c[L_SCORE], floor(10 * v.score * weight(growth_of(&l), most) + 0.5) / 10);
	pv_cell_s(&c[L_SHAPE], v.shape);
	pv_cell_u(&c[L_BYTES], last);
	pv_cell_u(&c[L_OBJECTS], alive(&l, l.objects, l.steps - 1));
	pv_cell_i(&c[L_GROWTH], (int64_t)(last - totals[0]));
	pv_cell_d(&c[L_SURVIVAL], young);
	if (young < 0)
		pv_cell_null(&c[L_SURVIVAL]);
	pv_cell_s(&c[L_NAME], pv_group_name(b, &x->g, group));
	pv_cell_s(&c[L_TOTALS], numbers(b, totals, l.steps));
}

static void copy_ladder(struct pv_build *b, struct pv_model *m)
{
	struct matrices x;
	struct pv_ladder l;
	uint64_t most = 0;
	bool ok = gather_matrices(&x, b, m);
	if (!ok)
		pv_build_fail(b);
	for (uint32_t i = 0; ok && i < x.g.row.n; i++)
		if (ladder_of(&x, i, &l) && growth_of(&l) > most)
			most = growth_of(&l);
	for (uint32_t i = 0; ok && i < x.g.row.n; i++)
		put_class(b, &x, i, most);
	finish_matrices(&x);
}

const struct pv_view_spec pv_spec_heap_ladder = { .column = ladder_columns,
	.columns = PV_COUNT_OF(ladder_columns),
	.name = "name",
	.sort = "score",
	.then = "bytes_growth",
	.copy = copy_ladder };

/* --- cohorts */

enum {
	C_CLASS,
	C_AFTER,
	C_BEFORE,
	C_ALLOCATED_BYTES,
	C_ALLOCATED,
	C_BYTES,
	C_OBJECTS,
	C_LEFT,
	C_SURVIVORS
};

static const struct pv_column cohort_columns[] = {
	[C_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 20, 4,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1,
		.help = "Class of most of them" },
	[C_AFTER] = { "born_after", "AFTER", PV_UNIT_COUNT, 5, 3, PV_COLUMN_ASCENDING, .json = 2,
		.help = "Born after this shot" },
	[C_BEFORE] = { "born_before", "BEFORE", PV_UNIT_COUNT, 6, 0, PV_COLUMN_ASCENDING, .json = 3,
		.help = "Born before this shot" },
	[C_ALLOCATED_BYTES] = { "born_bytes", "BORN", PV_UNIT_BYTES, 9, 5, PV_COLUMN_ADDS,
		.json = 5, .help = "Bytes born between the two" },
	[C_ALLOCATED] = { "born_objects", "BORN OBJ", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS,
		.json = 4, .help = "Objects born between the two" },
	[C_BYTES] = { "bytes", "ALIVE", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS, .json = 7 },
	[C_OBJECTS] = { "objects", "ALIVE OBJ", PV_UNIT_COUNT, 9, 1, PV_COLUMN_ADDS, .json = 6 },
	[C_LEFT] = { "left_percent", "LEFT%", PV_UNIT_PERCENT, 6, 2,
		.help = "Of them still alive" },
	[C_SURVIVORS] = { "survivors", "AT EACH SHOT", PV_UNIT_LIST, 12, 4,
		PV_COLUMN_NUMBERS | PV_COLUMN_GROWS, .json = 8,
		.help = "How many were left at each later shot" },
};

/* Within a class a cohort is known by rung. */
static void put_cohort(struct pv_build *b, const struct matrices *x, const struct pv_ladder *l,
	uint32_t group, size_t k)
{
	const struct pv_identity *identity = b->query->identity;
	size_t last = l->steps - 1;
	uint64_t allocated = ladder_at(l, l->objects, k, k),
		 left = ladder_at(l, l->objects, k, last);
	uint64_t id = x->g.row.v[group].id * (PV_IDENTITY_STEPS + 2) + k + 1;
	if (allocated == 0)
		return;
	struct pv_cell *c = pv_build_row(b, b->query->select ? k + 1 : id);
	if (b->query->select) /* the allocation site is known */
		pv_cell_null(&c[C_CLASS]);
	else
		pv_cell_s(&c[C_CLASS], pv_group_name(b, &x->g, group));
	pv_cell_u_if(&c[C_AFTER], k > 0, k ? identity->step.v[k - 1].index : 0);
	pv_cell_u(&c[C_BEFORE], identity->step.v[k].index);
	pv_cell_u(&c[C_ALLOCATED_BYTES], ladder_at(l, l->bytes, k, k));
	pv_cell_u(&c[C_ALLOCATED], allocated);
	pv_cell_u(&c[C_BYTES], ladder_at(l, l->bytes, k, last));
	pv_cell_u(&c[C_OBJECTS], left);
	pv_cell_share(&c[C_LEFT], (double)left, (double)allocated);
	pv_cell_s(&c[C_SURVIVORS], numbers(b, &l->objects[k * l->steps + k], l->steps - k));
}

static void copy_cohorts(struct pv_build *b, struct pv_model *m)
{
	struct matrices x;
	struct pv_ladder l;
	uint64_t select = b->query->select;
	bool ok = gather_matrices(&x, b, m);
	if (!ok)
		pv_build_fail(b);
	for (uint32_t i = 0; ok && i < x.g.row.n; i++) {
		if ((select && x.g.row.v[i].id != select) || !ladder_of(&x, i, &l))
			continue;
		for (size_t k = 0; k < x.steps; k++)
			put_cohort(b, &x, &l, i, k);
	}
	finish_matrices(&x);
}

const struct pv_view_spec pv_spec_heap_cohorts = { .column = cohort_columns,
	.columns = PV_COUNT_OF(cohort_columns),
	.name = "class",
	.sort = "class",
	.then = "born_before",
	.copy = copy_cohorts };

/* --- allocations of a cohort's objects alive at the last shot */

enum { B_BYTES, B_OBJECTS, B_CLASS, B_STACK };

static const struct pv_column allocation_columns[] = {
	[B_BYTES] = { "bytes", "ALIVE", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS, .json = 4 },
	[B_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 3 },
	[B_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 20, 2, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS,
		.json = 1 },
	[B_STACK] = { "stack", "BORN IN", PV_UNIT_LIST, 36, 0, PV_COLUMN_GROWS, .json = 2 },
};

static bool add_allocation(struct pv_site_rows *rows, const struct pv_life_row *r)
{
	const struct pv_query *q = rows->b->query;
	const struct pv_life_site *s = &q->identity->site.v[r->site];
	const struct pv_group_row *g =
		&rows->classes.row.v[pv_group_of(&rows->classes, s->class_use)];
	if (r->shot_objects == 0 || (q->select && g->id != q->select) ||
		(q->base && r->cohort != q->base - 1))
		return true;
	struct pv_cell *c = pv_site_row(
		rows, (struct pv_site_key){ s->class_use, s->stack, false, s->allocated ? 0 : 1 });
	if (!c)
		return false;
	if (!s->allocated && s->stack == 0)
		pv_cell_s(&c[B_STACK], "(not recorded)");
	c[B_BYTES].u += r->shot_bytes;
	c[B_OBJECTS].u += r->shot_objects;
	return true;
}

static void copy_allocations(struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	struct pv_site_rows rows;
	pv_identity_line(b);
	bool ok = pv_site_rows_init(&rows, b, m, B_CLASS, B_STACK);
	for (size_t i = 0; ok && l && i < l->row.n; i++)
		ok = add_allocation(&rows, &l->row.v[i]);
	if (!ok)
		pv_build_fail(b);
	pv_site_rows_finish(&rows);
}

const struct pv_view_spec pv_spec_heap_cohort_sites = { .column = allocation_columns,
	.columns = PV_COUNT_OF(allocation_columns),
	.name = "stack",
	.sort = "bytes",
	.copy = copy_allocations,
	.fill_chosen = pv_site_rows_text };
