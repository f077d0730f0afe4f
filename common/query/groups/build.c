/* SPDX-License-Identifier: MIT */
/* Collects a view's rows in a table, and filters, sorts, unfolds and cuts the table. */
#include "common/query/groups/build.h"
#include "common/query/sample_weight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/invariant.h"
#include "common/base/map.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/groups/groups_shared.h"
#include "common/query/groups/readable.h"
#include "common/query/groups/row_order.h"

enum { TREE_ROWS = 1000000 };

/* An invalid filter is no failure: the table states the mistake. */
static bool begin_filter(struct pv_build *b, const char *table)
{
	const struct pv_view_spec *spec = b->spec;
	const char *filter = b->query->filter;
	b->filters = b->query->onlys > 0;
	if (!filter || !filter[0])
		return true;
	if (pv_row_filter_make(&b->filter, b->query, table, spec->column, spec->columns, spec->name,
		    &b->wrong)) {
		b->filters = b->filters || pv_row_filter_asks(&b->filter);
		return true;
	}
	b->filters = !b->wrong.no_memory;
	if (b->wrong.no_memory)
		pv_build_fail(b);
	return b->filters;
}

bool pv_build_prepare(struct pv_build *b, struct pv_model *m)
{
	bool wants = b->filter.f && pv_name_places_wanted(b->filter.f);
	pv_model_lock(m);
	b->weight = pv_sample_weight(m);
	bool ok = !wants || pv_name_places_make(&b->filter.places, m);
	pv_model_unlock(m);
	if (!ok)
		pv_build_fail(b);
	return ok;
}

bool pv_build_wants_stacks(const struct pv_build *b)
{
	return b->table && b->filters && b->filter.f && pv_row_filter_wants_stacks(&b->filter);
}

static bool is_among(const uint64_t *id, size_t n, uint64_t wanted)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (id[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && id[low] == wanted;
}

static bool row_passes(struct pv_build *b, const struct pv_row *row)
{
	const struct pv_query *q = b->query;
	if (q->onlys && !is_among(q->only, q->onlys, row->id))
		return false;
	if (b->filtered || !q->filter || !q->filter[0])
		return true;
	return b->filter.f && pv_row_filter_has(&b->filter, b->table->column, row->cell);
}

bool pv_build_init(struct pv_build *b, const struct pv_view_spec *spec, const char *name,
	const struct pv_query *query)
{
	*b = (struct pv_build){ .query = query, .spec = spec, .weight = 1 };
	b->table = calloc(1, sizeof *b->table);
	if (!b->table)
		return false;
	b->table->name = name;
	b->table->column = spec->column;
	b->table->columns = spec->columns;
	b->table->sort = -1;
	b->table->coverage = "";
	return begin_filter(b, name);
}

void pv_build_fail(struct pv_build *b)
{
	pv_table_destroy(b->table);
	b->table = NULL;
}

void pv_build_hide(struct pv_build *b, size_t column)
{
	struct pv_table *t = b->table;
	struct pv_column *own;
	const size_t size = t ? t->columns * sizeof *own : 0;
	if (!t)
		return;
	own = t->column == b->spec->column ? pv_arena_alloc(&t->arena, size)
					   : (struct pv_column *)(uintptr_t)t->column;
	if (!own) {
		pv_build_fail(b);
		return;
	}
	if (t->column == b->spec->column)
		memcpy(own, t->column, size);
	own[column].flags |= PV_COLUMN_HIDE_SCREEN;
	t->column = own;
}

bool pv_build_hold(struct pv_build *b, struct pv_groups_shared *s)
{
	for (size_t i = 0; b->table && i < PV_TABLE_HELD; i++) {
		if (b->table->held[i])
			continue;
		b->table->held[i] = s;
		pv_groups_shared_take(s);
		return true;
	}
	return false;
}

static void leave_out_rows(struct pv_build *b);

/*
 * When few rows are asked for, rows beyond the limit are dropped on the way, so that a very large
 * table takes neither the memory nor the time.
 */
static bool is_full(const struct pv_build *b)
{
	enum { SOME = 1024, TIMES = 4 };
	size_t limit = b->query->limit;
	return b->spec->streaming && limit && b->table->rows >= SOME &&
	       b->table->rows / TIMES >= limit;
}

/* NULL when out of memory. */
static struct pv_cell *cells(struct pv_build *b)
{
	struct pv_table *t = b->table;
	size_t size = t->columns * sizeof(struct pv_cell);
	if (t->rows < b->made) /* the cells of a row that was left out */
		return memset(t->row[t->rows].cell, 0, size);
	b->made++;
	return pv_arena_alloc(&t->arena, size);
}

struct pv_cell *pv_build_child(struct pv_build *b, uint64_t id, uint64_t parent, unsigned flags)
{
	struct pv_table *t = b->table;
	if (!t || id == PV_ROW_OUTSIDE)
		return b->scratch;
	if (is_full(b))
		leave_out_rows(b);
	if (t->rows == b->room) {
		if (!pv_grow_array(
			    (void **)(void *)&t->row, t->rows, &b->room, 1, sizeof *t->row)) {
			pv_build_fail(b);
			return b->scratch;
		}
	}
	struct pv_cell *cell = cells(b);
	if (!cell) {
		pv_build_fail(b);
		return b->scratch;
	}
	t->row[t->rows++] =
		(struct pv_row){ .id = id, .parent = parent, .flags = flags, .cell = cell };
	return cell;
}

struct pv_cell *pv_build_row(struct pv_build *b, uint64_t id)
{
	return pv_build_child(b, id, 0, 0);
}

const char *pv_build_text(struct pv_build *b, const char *text)
{
	char *copy = b->table ? pv_arena_copy(&b->table->arena, text, strlen(text)) : NULL;
	if (!copy)
		pv_build_fail(b);
	return copy ? copy : "";
}

const char *pv_build_hex(struct pv_build *b, uint64_t v)
{
	char text[PV_UNIT_MAX];
	return pv_build_text(b, pv_units_hex(text, v));
}

const char *pv_build_printf(struct pv_build *b, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return pv_build_text(b, text);
}

static bool is_open(const struct pv_query *q, uint64_t id)
{
	return q->open_all || is_among(q->open, q->opens, id);
}

bool pv_build_wants_children(const struct pv_build *b, uint64_t id)
{
	return b->table && b->table->rows < TREE_ROWS && (b->filters || is_open(b->query, id));
}

/* --- order --- */

static void add_key(
	struct pv_row_order *o, int *n, const struct pv_table *t, const char *id, bool invert)
{
	int column = pv_table_column(t, id);
	if (column < 0 || *n == 3)
		return;
	o->column[*n] = column;
	o->unit[*n] = t->column[column].unit;
	o->descending[*n] = !(t->column[column].flags & PV_COLUMN_ASCENDING) != invert;
	o->sizes[*n] = t->column[column].flags & PV_COLUMN_SIGNED;
	(*n)++;
}

static struct pv_row_order choose_order(struct pv_build *b)
{
	struct pv_table *t = b->table;
	const struct pv_query *q = b->query;
	struct pv_row_order o = { .shown = t->shown.v, .column = { -1, -1, -1 } };
	int n = 0;
	bool own = !q->sort || pv_table_column(t, q->sort) < 0;
	const char *sort = b->sort ? b->sort : b->spec->sort;
	const char *then = b->sort ? b->then : b->spec->then;
	if (own) {
		add_key(&o, &n, t, sort, q->invert);
		add_key(&o, &n, t, then, q->invert);
	} else {
		add_key(&o, &n, t, q->sort, q->invert);
		if (sort && strcmp(q->sort, sort) == 0)
			add_key(&o, &n, t, then, q->invert);
	}
	t->sort = n ? o.column[0] : -1;
	t->descending = n && o.descending[0];
	int name = pv_table_column(t, b->spec->name);
	if (name >= 0 && n > 0 && n < 3) {
		o.column[n] = name;
		o.unit[n] = t->column[name].unit;
		o.descending[n] = false;
	}
	return o;
}

/* --- flat tables --- */

/* Moves matching rows to the front; no row is lost. */
static void filter_rows(struct pv_build *b)
{
	struct pv_table *t = b->table;
	size_t kept = 0;
	for (size_t i = 0; i < t->rows; i++) {
		if (!row_passes(b, &t->row[i]))
			continue;
		struct pv_row was = t->row[kept];
		t->row[kept++] = t->row[i];
		t->row[i] = was;
	}
	t->rows = kept;
}

/* Sorting by readable names needs the readable names of all rows. */
static void name_sorted(struct pv_build *b)
{
	int column = b->query->readable ? pv_table_column(b->table, b->query->sort) : -1;
	if (column < 0 || b->table->column[column].unit != PV_UNIT_TEXT ||
		!pv_column_has_names(&b->table->column[column]))
		return;
	pv_table_readable(b->table, column);
}

/* Moves the rows that may be shown to the front, unsorted. Out of memory: names are the log's. */
static void leave_out_rows(struct pv_build *b)
{
	struct pv_table *t = b->table;
	size_t limit = b->query->limit;
	if (b->filters && (!b->filtered || b->query->onlys))
		filter_rows(b);
	name_sorted(b);
	if (!limit || t->rows <= limit)
		return;
	struct pv_row_order order = choose_order(b);
	pv_rows_first(t->row, t->rows, limit, &order);
	b->left_out += t->rows - limit;
	t->rows = limit;
}

/* --- trees --- */

struct tree {
	struct pv_map first;         /* row id -> its first child's place in `sorted` */
	const struct pv_row *sorted; /* by parent, then order */
	bool *keep;                  /* filter: matches or leads to a match */
	size_t n;
};

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct pv_row *x = a, *y = b;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return pv_row_compare(a, b, arg);
}

static bool index_children(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		if (i == 0 || tree->sorted[i].parent != tree->sorted[i - 1].parent)
			if (!pv_map_set(&tree->first, tree->sorted[i].parent, (uint32_t)i))
				return false;
	return true;
}

struct level {
	size_t at; /* next row to visit in `sorted` */
	uint64_t parent;
};

struct walk {
	PV_ARRAY(struct level) stack;
	struct pv_row *out;
	size_t n;
};

static bool descend(struct walk *w, const struct tree *tree, uint64_t parent)
{
	uint32_t first = pv_map_get(&tree->first, parent);
	if (first == PV_MAP_NONE)
		return true;
	if (!pv_reserve(&w->stack, 1))
		return false;
	w->stack.v[w->stack.n++] = (struct level){ .at = first, .parent = parent };
	return true;
}

/* Rows in preorder with their depth; rows not connected to a root are left out. */
static bool flatten(struct walk *w, const struct tree *tree, const struct pv_build *b)
{
	bool filter = b->filters;
	if (!descend(w, tree, 0))
		return false;
	while (w->stack.n) {
		struct level *top = &w->stack.v[w->stack.n - 1];
		if (top->at == tree->n || tree->sorted[top->at].parent != top->parent) {
			w->stack.n--;
			continue;
		}
		size_t i = top->at++;
		if (filter && !tree->keep[i])
			continue;
		PV_INVARIANT(w->n < tree->n); /* ids are unique: else rows would come again */
		if (w->n == tree->n)
			return true;
		struct pv_row *row = &w->out[w->n++];
		*row = tree->sorted[i];
		row->depth = (uint32_t)(w->stack.n - 1);
		bool open = filter || is_open(b->query, row->id);
		if (pv_map_get(&tree->first, row->id) != PV_MAP_NONE)
			row->flags |= PV_ROW_HAS_CHILDREN;
		if (!open || !(row->flags & PV_ROW_HAS_CHILDREN))
			continue;
		row->flags |= PV_ROW_OPEN;
		if (!descend(w, tree, row->id))
			return false;
	}
	return true;
}

/* A row stays when the row or a descendant matches. */
static bool mark_matches(struct tree *tree, struct pv_build *b)
{
	struct pv_map place = { 0 };
	bool ok = (tree->keep = calloc(tree->n ? tree->n : 1, sizeof *tree->keep)) != NULL;
	for (size_t i = 0; ok && i < tree->n; i++)
		ok = pv_map_set(&place, tree->sorted[i].id, (uint32_t)i);
	for (size_t i = 0; ok && i < tree->n; i++) {
		if (!row_passes(b, &tree->sorted[i]))
			continue;
		for (uint32_t at = (uint32_t)i; at != PV_MAP_NONE && !tree->keep[at];) {
			tree->keep[at] = true;
			uint64_t parent = tree->sorted[at].parent;
			at = parent ? pv_map_get(&place, parent) : PV_MAP_NONE;
		}
	}
	pv_map_finish(&place);
	return ok;
}

static bool unfold(struct pv_build *b, struct pv_row_order *order)
{
	struct pv_table *t = b->table;
	if (t->rows > 1)
		qsort_r(t->row, t->rows, sizeof *t->row, compare_siblings, order);
	struct tree tree = { .sorted = t->row, .n = t->rows };
	struct walk walk = { .out = calloc(t->rows ? t->rows : 1, sizeof *walk.out) };
	bool ok = walk.out && index_children(&tree) && (!b->filters || mark_matches(&tree, b)) &&
		  flatten(&walk, &tree, b);
	pv_map_finish(&tree.first);
	free(tree.keep);
	pv_array_finish(&walk.stack);
	if (!ok) {
		free(walk.out);
		return false;
	}
	free(t->row);
	t->row = walk.out;
	t->rows = walk.n;
	return true;
}

/* Replaces the coverage line: a mistake in the filter is not the log's. */
static void say_what_is_wrong(struct pv_build *b)
{
	const char *text =
		pv_build_printf(b, "filter, character %zu: %s", b->wrong.at + 1, b->wrong.what);
	if (b->table)
		b->table->coverage = text;
}

static struct pv_table *finish_build(struct pv_build *b)
{
	struct pv_table *t = b->table;
	if (b->wrong.what[0])
		say_what_is_wrong(b);
	if (!b->table)
		return NULL;
	struct pv_row_order order;
	if (b->spec->tree) {
		name_sorted(b);
		order = choose_order(b);
		if (!unfold(b, &order)) {
			pv_build_fail(b);
			return NULL;
		}
	} else {
		leave_out_rows(b);
		order = choose_order(b);
		pv_rows_sort(t->row, t->rows, &order);
	}
	t->rows_all = t->rows + b->left_out;
	if (b->query->limit && t->rows > b->query->limit)
		t->rows = b->query->limit;
	b->table = NULL;
	return t;
}

struct pv_table *pv_build_finish(struct pv_build *b)
{
	struct pv_table *t = finish_build(b);
	bool whole = !b->filter.no_memory;
	pv_row_filter_finish(&b->filter);
	if (whole)
		return t;
	pv_table_destroy(t);
	return NULL;
}
