/* SPDX-License-Identifier: MIT */
/*
 * A new order or filter made from the rows at hand: while the picture is frozen, since the model
 * has gone on, and until the model has answered.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/query/groups/row_filter.h"
#include "tui/list/list_tags.h"

struct order {
	const struct pv_table *table;
	int column, name;
	bool descending;
};

static int compare_numbers(const struct pv_cell *a, const struct pv_cell *b, enum pv_unit unit)
{
	switch (unit) {
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return (a->i > b->i) - (a->i < b->i);
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return (a->d > b->d) - (a->d < b->d);
	default:
		return (a->u > b->u) - (a->u < b->u);
	}
}

/* Of differences, without their signs. */
static int compare_sizes(const struct pv_cell *a, const struct pv_cell *b, enum pv_unit unit)
{
	bool d = unit == PV_UNIT_PERCENT || unit == PV_UNIT_NUMBER;
	double x = fabs(d ? a->d : (double)a->i), y = fabs(d ? b->d : (double)b->i);
	return (x > y) - (x < y);
}

static const char *frozen_text(const struct pv_table *t, const struct pv_cell *c)
{
	const char *text = pv_cell_shown(t, c).s;
	return text ? text : "";
}

/* Cells without a value come last in either direction, as in a query. */
static int compare_by(const struct order *o, const struct pv_row *x, const struct pv_row *y,
	int column, bool descending)
{
	const struct pv_cell *a = &x->cell[column], *b = &y->cell[column];
	bool a_known = a->state == PV_CELL_VALUE, b_known = b->state == PV_CELL_VALUE;
	if (!a_known || !b_known)
		return b_known - a_known;
	enum pv_unit unit = o->table->column[column].unit;
	bool words = unit == PV_UNIT_TEXT || unit == PV_UNIT_LIST;
	int r = words ? strcmp(frozen_text(o->table, a), frozen_text(o->table, b))
		: o->table->column[column].flags & PV_COLUMN_SIGNED ? compare_sizes(a, b, unit)
								    : compare_numbers(a, b, unit);
	return descending ? -r : r;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct pv_row *x = a, *y = b;
	int r = compare_by(o, x, y, o->column, o->descending);
	if (r == 0 && o->name >= 0)
		r = compare_by(o, x, y, o->name, false);
	return r ? r : (x->id > y->id) - (x->id < y->id);
}

/* Moves rows that do not match to the end, out of the count `rows`. */
static bool filter_by(struct ui_list *l, struct pv_row_filter *f)
{
	struct pv_table *t = l->table;
	bool all = !l->filter[0] || !pv_row_filter_asks(f);
	struct pv_row *out = malloc(l->all_rows * sizeof *out);
	if (!out)
		return false;
	size_t in = 0, kept_out = 0;
	for (size_t i = 0; i < l->all_rows; i++) {
		bool among = !l->only_tagged || ui_list_is_tagged(l, t->row[i].id);
		if (among && (all || pv_row_filter_has(f, t->column, t->row[i].cell)))
			t->row[in++] = t->row[i];
		else
			out[kept_out++] = t->row[i];
	}
	memcpy(t->row + in, out, kept_out * sizeof *out);
	free(out);
	t->rows = in;
	return true;
}

/* False where only the model knows what matches, as where a method's code is. */
static bool filter_rows(struct ui_list *l)
{
	struct pv_table *t = l->table;
	const struct pv_query q = { .filter = l->filter, .filter_way = PV_FILTER_CAPITALS };
	struct pv_row_filter f;
	struct pv_filter_error wrong;
	if (l->all_rows == 0)
		return true;
	int name = ui_columns_name(t->column, t->columns);
	bool ok = pv_row_filter_make(&f, &q, t->name, t->column, t->columns,
		name < 0 ? NULL : t->column[name].id, &wrong);
	ok = ok && !pv_name_places_wanted(f.f) && filter_by(l, &f);
	pv_row_filter_finish(&f);
	return ok;
}

/*
 * Whether all rows that pass the filter are at hand: no filter was asked for, or one word, and the
 * new filter is a word that contains the old.
 */
static bool has_all(const struct ui_list *l)
{
	if (l->asked_tagged)
		return false;
	return !l->asked_filter[0] || (!strpbrk(l->filter, " \t|!()\"/:<>=") &&
					      !strpbrk(l->asked_filter, " \t|!()\"/:<>=") &&
					      strstr(l->filter, l->asked_filter));
}

bool ui_list_rearrange(struct ui_list *l)
{
	struct pv_table *t = l->table;
	if (l->other)
		return false;
	if (t->rows_all > l->all_rows && (l->limit == 0 || l->limit > l->all_rows))
		return false; /* more rows are wanted than were taken */
	if (!has_all(l))
		return false; /* rows wanted now were left out */
	if (!filter_rows(l))
		return false;
	int column = l->sort ? pv_table_column(t, l->sort) : t->sort;
	if (column < 0)
		column = t->sort;
	if (column < 0 || t->rows == 0)
		return true;
	bool natural = !(t->column[column].flags & PV_COLUMN_ASCENDING);
	struct order o = { t, column, ui_columns_name(t->column, t->columns),
		l->invert ? !natural : natural };
	qsort_r(t->row, t->rows, sizeof *t->row, compare_rows, &o);
	t->sort = column;
	t->descending = o.descending;
	return true;
}
