/* SPDX-License-Identifier: MIT */
/* Applies a filter to the rows of a table. */
#include "common/query/groups/row_filter.h"

#include <string.h>

#include "common/base/text/units.h"
#include "common/query/groups/readable.h"
#include "common/query/views.h"

/* --- columns */

bool pv_is_one_of(const char *id, const char *words)
{
	size_t n = strlen(id);
	for (const char *at = strstr(words, id); at; at = strstr(at + 1, id))
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static bool is_stack(const struct pv_column *c)
{
	return c->unit == PV_UNIT_LIST && !(c->flags & PV_COLUMN_NUMBERS);
}

/* Whether a field concerns a column; `named`: the column names the table's rows. */
static bool is_about(
	enum pv_filter_field field, const char *table, const struct pv_column *c, bool named)
{
	bool text = c->unit == PV_UNIT_TEXT, method = text && c->flags & PV_COLUMN_METHOD;
	bool class = text && (c->flags & PV_COLUMN_CLASS || strcmp(c->id, "class") == 0);
	switch (field) {
	case PV_FILTER_ANY:
		return text || is_stack(c);
	case PV_FILTER_CLASS:
		return class || method;
	case PV_FILTER_NAMESPACE:
		return (text && c->flags & PV_COLUMN_CLASS) || method;
	case PV_FILTER_METHOD:
		return method || (text && strcmp(c->id, "method") == 0);
	case PV_FILTER_ASSEMBLY:
		return class || method || strcmp(c->id, "assembly") == 0 ||
		       (named && strcmp(table, "assemblies") == 0);
	case PV_FILTER_MODULE:
		return class || method || pv_is_one_of(c->id, "image module") ||
		       (named && strcmp(table, "images") == 0);
	case PV_FILTER_THREAD:
		return strcmp(c->id, "thread") == 0 ||
		       (strcmp(table, "threads") == 0 && pv_is_one_of(c->id, "name id"));
	case PV_FILTER_STACK:
		return is_stack(c);
	case PV_FILTER_KIND:
		return text && pv_is_one_of(c->id, "kind type");
	case PV_FILTER_SITE:
		return is_stack(c) || method;
	default:
		return false;
	}
}

static enum pv_filter_unit unit_of(enum pv_unit unit)
{
	switch (unit) {
	case PV_UNIT_BYTES:
	case PV_UNIT_DELTA_BYTES:
		return PV_FILTER_BYTES;
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
		return PV_FILTER_NS;
	case PV_UNIT_PERCENT:
		return PV_FILTER_PERCENT;
	case PV_UNIT_NUMBER:
		return PV_FILTER_ALL_UNITS;
	default:
		return PV_FILTER_PLAIN;
	}
}

size_t pv_row_filter_numbers(const struct pv_column *column, size_t columns,
	struct pv_filter_column ret[PV_ROW_FILTER_COLUMNS])
{
	size_t n = 0;
	for (size_t i = 0; i < columns && i < PV_ROW_FILTER_COLUMNS; i++) {
		const struct pv_column *c = &column[i];
		if (c->unit != PV_UNIT_TEXT && c->unit != PV_UNIT_LIST)
			ret[n++] = (struct pv_filter_column){ c->id, unit_of(c->unit), (int)i };
	}
	return n;
}

bool pv_row_filter_make(struct pv_row_filter *ret, const struct pv_query *q, const char *table,
	const struct pv_column *column, size_t columns, const char *name,
	struct pv_filter_error *reterr)
{
	struct pv_filter_column numbers[PV_ROW_FILTER_COLUMNS];
	*ret = (struct pv_row_filter){ .name = -1 };
	for (size_t i = 0; i < columns && i < PV_ROW_FILTER_COLUMNS; i++) {
		const struct pv_column *c = &column[i];
		bool named = name && strcmp(c->id, name) == 0;
		if (named)
			ret->name = (int)i;
		for (enum pv_filter_field field = 0; field < PV_FILTER_FIELDS; field++)
			if (is_about(field, table, c, named))
				ret->column[field] |= UINT64_C(1) << i;
	}
	size_t n = pv_row_filter_numbers(column, columns, numbers);
	ret->f = pv_filter_make(q->filter, q->filter_way, numbers, n, reterr);
	return ret->f != NULL;
}

void pv_row_filter_finish(struct pv_row_filter *r)
{
	pv_filter_free(r->f);
	pv_name_places_finish(&r->places);
	pv_intern_finish(&r->frame);
	pv_array_finish(&r->frame_bits);
	r->f = NULL;
}

/* A word asks nothing of a table without a text. */
bool pv_row_filter_asks(const struct pv_row_filter *r)
{
	bool any = r->column[PV_FILTER_ANY] && r->name >= 0;
	for (size_t i = 0; i < pv_filter_leaves(r->f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(r->f, i);
		if (leaf->what == PV_FILTER_COMPARES || any ||
			(leaf->field && r->column[leaf->field]))
			return true;
	}
	return false;
}

bool pv_row_filter_wants_stacks(const struct pv_row_filter *r)
{
	return r->column[PV_FILTER_STACK] && (pv_filter_bits_of(r->f, PV_FILTER_ANY) ||
						     pv_filter_bits_of(r->f, PV_FILTER_STACK) ||
						     pv_filter_bits_of(r->f, PV_FILTER_SITE));
}

/* --- cells */

struct row {
	struct pv_row_filter *r;
	const struct pv_column *column;
	const struct pv_cell *cell;
};

/* Terms that hold for a frame, found once, as rows share frames. */
static uint64_t frame_bits(
	struct pv_row_filter *r, const struct pv_column *column, const char *at, size_t len)
{
	uint32_t id;
	if (!pv_intern_add(&r->frame, at, len, &id) ||
		!pv_reserve(&r->frame_bits, r->frame.text.n + 1 - r->frame_bits.n)) {
		r->no_memory = true;
		return 0;
	}
	if (r->frame_bits.n == 0)
		r->frame_bits.v[r->frame_bits.n++] = 0;
	if (id < r->frame_bits.n)
		return r->frame_bits.v[id];
	uint64_t bits = pv_name_bits(r->f, column, pv_intern_text(&r->frame, id), NULL, &r->places);
	if (id == r->frame_bits.n)
		r->frame_bits.v[r->frame_bits.n++] = bits;
	return bits;
}

static uint64_t stack_bits(
	struct pv_row_filter *r, const struct pv_column *column, const char *stack, bool innermost)
{
	uint64_t bits = 0;
	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, "\n");
		uint64_t more = frame_bits(r, column, at, len);
		bits = innermost ? more : bits | more;
		at += len + (at[len] == '\n');
	}
	return bits;
}

static bool cell_has(const struct row *row, const struct pv_filter_leaf *leaf, size_t i, size_t at)
{
	const struct pv_column *column = &row->column[i];
	const struct pv_cell *c = &row->cell[i];
	char hex[PV_UNIT_MAX], id[PV_UNIT_MAX];
	if (c->state != PV_CELL_VALUE)
		return false;
	if (column->unit == PV_UNIT_ADDRESS) {
		pv_units_hex(hex, c->u);
		return pv_filter_text_has(leaf, hex, strlen(hex));
	}
	if (column->unit == PV_UNIT_THREAD) { /* as hex or as shown */
		const char *text = pv_cell_text(c, PV_UNIT_THREAD, id, sizeof id);
		pv_units_hex(hex, c->u);
		return pv_filter_text_has(leaf, hex, strlen(hex)) ||
		       pv_filter_text_has(leaf, text, strlen(text));
	}
	if (!c->s || (column->unit != PV_UNIT_TEXT && column->unit != PV_UNIT_LIST))
		return false;
	if (column->unit == PV_UNIT_LIST)
		return stack_bits(row->r, column, c->s, leaf->field == PV_FILTER_SITE) >> at & 1;
	bool has_names = column->flags & (PV_COLUMN_METHOD | PV_COLUMN_CLASS);
	if (has_names)
		return pv_name_holds(leaf, column, c->s, &row->r->places);
	return pv_filter_text_has(leaf, c->s, strlen(c->s));
}

static bool compares(const struct row *row, const struct pv_filter_leaf *leaf)
{
	const struct pv_cell *c = &row->cell[leaf->place];
	enum pv_unit unit = row->column[leaf->place].unit, scaled;
	if (c->state != PV_CELL_VALUE)
		return false;
	switch (unit) {
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return pv_filter_number_is(leaf, (long double)c->i);
	case PV_UNIT_PERCENT:
		return pv_filter_number_is(leaf, (long double)c->d);
	case PV_UNIT_NUMBER:
		break;
	default:
		return pv_filter_number_is(leaf, (long double)c->u);
	}
	double v = pv_scaled((enum pv_scale)c->scale, c->d, &scaled);
	if (leaf->unit == PV_FILTER_PLAIN)
		return pv_filter_number_is(leaf, (long double)c->d);
	return unit_of(scaled) == leaf->unit && pv_filter_number_is(leaf, (long double)v);
}

static bool row_holds(const void *of, const struct pv_filter_leaf *leaf)
{
	const struct row *row = of;
	size_t at = (size_t)(leaf - pv_filter_leaf(row->r->f, 0));
	if (leaf->what == PV_FILTER_COMPARES)
		return compares(row, leaf);
	uint64_t left = row->r->column[leaf->field];
	int name = row->r->name;
	if (name >= 0 && left >> name & 1) { /* most matches are in the name */
		if (cell_has(row, leaf, (size_t)name, at))
			return true;
		left &= ~(UINT64_C(1) << name);
	}
	for (size_t i = 0; left; i++, left >>= 1)
		if (left & 1 && cell_has(row, leaf, i, at))
			return true;
	return false;
}

bool pv_row_filter_has(
	struct pv_row_filter *r, const struct pv_column *column, const struct pv_cell *cell)
{
	struct row row = { r, column, cell };
	return pv_filter_passes(r->f, row_holds, &row);
}
