/* SPDX-License-Identifier: MIT */
/* Checks whether a filter's fields and comparisons fit the rows of a view. */
#include "common/query/filter_fits.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/event_number.h"
#include "common/query/groups/row_filter.h"

struct having {
	bool field[PV_FILTER_FIELDS];             /* PV_FILTER_ANY: a text to search for words */
	PV_ARRAY(struct pv_filter_column) number; /* the first `own` are of the view's rows, */
	size_t own;                               /* the others of other views */
};

static bool add_numbers(struct having *h, enum pv_view view)
{
	size_t n;
	const struct pv_column *column = pv_view_columns(view, &n);
	if (!pv_reserve(&h->number, PV_ROW_FILTER_COLUMNS))
		return false;
	h->number.n += pv_row_filter_numbers(column, n, h->number.v + h->number.n);
	return true;
}

static bool add_own_numbers(struct having *h, enum pv_view view)
{
	if (pv_view_is(view, PV_TRAIT_PATHS))
		return true;
	if (!pv_view_is(view, PV_TRAIT_PAGED))
		return add_numbers(h, view);
	if (!pv_reserve(&h->number, PV_EVENT_NUMBERS))
		return false;
	memcpy(h->number.v, pv_event_columns, sizeof pv_event_columns);
	h->number.n = PV_EVENT_NUMBERS;
	return true;
}

static void find_fields(struct having *h, enum pv_view view)
{
	const struct pv_query none = { .filter = NULL };
	struct pv_row_filter f;
	struct pv_filter_error wrong;
	size_t n;
	const struct pv_column *column = pv_view_columns(view, &n);
	bool paths = pv_view_is(view, PV_TRAIT_PATHS), events = pv_view_is(view, PV_TRAIT_PAGED);
	pv_row_filter_make(&f, &none, pv_view_name(view), column, n, NULL, &wrong);
	for (enum pv_filter_field i = 0; i < PV_FILTER_FIELDS; i++)
		h->field[i] = f.column[i] ||
			      (i < PV_FILTER_ROUTE && (events || (paths && i != PV_FILTER_THREAD)));
	h->field[PV_FILTER_ANY] = h->field[PV_FILTER_ANY] && !pv_view_is(view, PV_TRAIT_UNNAMED);
	pv_row_filter_finish(&f);
}

static bool find_numbers(struct having *h, enum pv_view view)
{
	bool ok = add_own_numbers(h, view);
	h->own = h->number.n;
	for (enum pv_view i = 0; ok && i < PV_VIEW_COUNT; i++)
		ok = add_numbers(h, i);
	for (size_t i = 0; i < h->number.n; i++)
		h->number.v[i].place = (int)i;
	find_fields(h, view);
	return ok;
}

/* The column's name as a user would write, without a unit. */
static void name_column(const char *id, char *ret, size_t size)
{
	static const char *const unit[] = { "_ns", "_bytes", "_percent", "_ms" };
	size_t n = strlen(id);
	for (size_t i = 0; i < PV_COUNT_OF(unit); i++) {
		size_t len = strlen(unit[i]);
		if (n > len && strcmp(id + n - len, unit[i]) == 0) {
			n -= len;
			break;
		}
	}
	snprintf(ret, size, "no column %.*s", (int)n, id);
}

static bool has_fields(const struct having *h, const struct pv_filter *f, char *ret, size_t size)
{
	for (size_t i = 0; i < pv_filter_leaves(f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(f, i);
		if (leaf->what == PV_FILTER_COMPARES || h->field[leaf->field])
			continue;
		snprintf(ret, size, "no %s",
			leaf->field ? pv_filter_field_name(leaf->field) : "names");
		return false;
	}
	return true;
}

static size_t comparisons(const struct pv_filter *f)
{
	size_t n = 0;
	for (size_t i = 0; i < pv_filter_leaves(f); i++)
		n += pv_filter_leaf(f, i)->what == PV_FILTER_COMPARES;
	return n;
}

/* `wide` was parsed with the columns of all views, `f` with the view's own. */
static bool has_columns(const struct having *h, const struct pv_filter *f,
	const struct pv_filter *wide, char *ret, size_t size)
{
	if (comparisons(wide) == comparisons(f))
		return true;
	for (size_t i = 0; i < pv_filter_leaves(wide); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(wide, i);
		if (leaf->what != PV_FILTER_COMPARES || (size_t)leaf->place < h->own)
			continue;
		name_column(h->number.v[leaf->place].id, ret, size);
		return false;
	}
	return true;
}

static struct pv_filter *read(
	const struct having *h, size_t columns, const char *text, char *why, size_t size, bool *ok)
{
	struct pv_filter_error wrong;
	struct pv_filter *f =
		pv_filter_make(text, PV_FILTER_CAPITALS, h->number.v, columns, &wrong);
	if (!f && !wrong.no_memory) {
		*ok = false;
		snprintf(why, size, "%s", wrong.what);
	}
	return f;
}

bool pv_filter_fits(enum pv_view view, const char *text, char *ret, size_t size)
{
	struct having h = { .own = 0 };
	bool ok = true, found = find_numbers(&h, view);
	struct pv_filter *f = found ? read(&h, h.own, text, ret, size, &ok) : NULL;
	struct pv_filter *wide = f ? read(&h, h.number.n, text, ret, size, &ok) : NULL;
	if (wide)
		ok = has_columns(&h, f, wide, ret, size) && has_fields(&h, f, ret, size);
	pv_filter_free(wide);
	pv_filter_free(f);
	pv_array_finish(&h.number);
	return ok;
}
