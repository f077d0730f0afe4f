/* SPDX-License-Identifier: MIT */
/*
 * Sorts rows by numbers: rows are large and their cells lie apart, so each row's first key becomes
 * a number, in the order of the rows, and numbers are sorted. Only rows of equal numbers have their
 * cells compared.
 */
#include "common/query/groups/row_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *cell_text_of(const struct pv_row_order *o, const struct pv_cell *c)
{
	return o->shown && c->shown ? o->shown[c->shown - 1] : c->s;
}

static int compare_values(const struct pv_row_order *o, const struct pv_cell *x,
	const struct pv_cell *y, enum pv_unit unit)
{
	switch (unit) {
	case PV_UNIT_TEXT:
	case PV_UNIT_LIST:
		return strcmp(cell_text_of(o, x), cell_text_of(o, y));
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return (x->d > y->d) - (x->d < y->d);
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return (x->i > y->i) - (x->i < y->i);
	default:
		return (x->u > y->u) - (x->u < y->u);
	}
}

/* The size of a difference, in a column of numbers or of signed whole numbers. */
static struct pv_cell size_of(const struct pv_cell *c, enum pv_unit unit)
{
	struct pv_cell size = *c;
	if (unit == PV_UNIT_PERCENT || unit == PV_UNIT_NUMBER)
		size.d = fabs(c->d);
	else
		size.i = c->i < 0 && c->i != INT64_MIN ? -c->i : c->i;
	return size;
}

int pv_row_compare(const void *a, const void *b, void *order)
{
	const struct pv_row *x = a, *y = b;
	const struct pv_row_order *o = order;
	for (int i = 0; i < 3 && o->column[i] >= 0; i++) {
		const struct pv_cell *p = &x->cell[o->column[i]], *q = &y->cell[o->column[i]];
		bool p_null = p->state != PV_CELL_VALUE, q_null = q->state != PV_CELL_VALUE;
		if (p_null || q_null) {
			if (p_null != q_null)
				return p_null ? 1 : -1;
			continue;
		}
		struct pv_cell p_size, q_size;
		if (o->sizes[i]) {
			p_size = size_of(p, o->unit[i]);
			q_size = size_of(q, o->unit[i]);
			p = &p_size;
			q = &q_size;
		}
		int c = compare_values(o, p, q, o->unit[i]);
		if (c)
			return o->descending[i] ? -c : c;
	}
	if (x->rank != y->rank)
		return x->rank > y->rank ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* --- keys */

#define HIGHEST (UINT64_C(1) << 63)

static uint64_t text_key(const char *text)
{
	uint64_t key = 0;
	for (int shift = 56; shift >= 0 && *text; shift -= 8)
		key |= (uint64_t)(unsigned char)*text++ << shift;
	return key;
}

static uint64_t number_key(double v)
{
	uint64_t bits;
	v += 0.0; /* 0.0 and -0.0 are equal */
	memcpy(&bits, &v, sizeof bits);
	return bits & HIGHEST ? ~bits : bits | HIGHEST;
}

static uint64_t value_key(const struct pv_row_order *o, const struct pv_cell *c, enum pv_unit unit)
{
	switch (unit) {
	case PV_UNIT_TEXT:
	case PV_UNIT_LIST:
		return text_key(cell_text_of(o, c));
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return number_key(c->d);
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return (uint64_t)c->i ^ HIGHEST;
	default:
		return c->u;
	}
}

/* Rows with smaller keys come first; equal keys decide nothing. */
static uint64_t row_key_at(const struct pv_row *row, const struct pv_row_order *o, int level)
{
	if (o->column[level] < 0)
		return row->rank;
	const struct pv_cell *c = &row->cell[o->column[level]];
	if (c->state != PV_CELL_VALUE)
		return UINT64_MAX;
	const struct pv_cell size = o->sizes[level] ? size_of(c, o->unit[level]) : *c;
	uint64_t key = value_key(o, &size, o->unit[level]);
	return o->descending[level] ? ~key : key;
}

/* Rows of one key have equal cells. */
static bool is_exact(const struct pv_row_order *o, int level, uint64_t key)
{
	enum pv_unit unit = o->unit[level];
	return unit != PV_UNIT_TEXT && unit != PV_UNIT_LIST && key != UINT64_MAX;
}

/* --- sorting */

struct item {
	uint64_t key;
	size_t at; /* row */
};

struct sorting {
	const struct pv_row *row;
	const struct pv_row_order *order;
	struct item *other; /* as many as there are rows */
};

static int compare_items(const void *a, const void *b, void *sorting)
{
	const struct sorting *s = sorting;
	const struct item *x = a, *y = b;
	return pv_row_compare(&s->row[x->at], &s->row[y->at], (void *)(uintptr_t)s->order);
}

/* Radix sort, 8 bits at a time from the lowest; skips digits equal in all keys. */
static void sort_by_key(struct item *v, struct item *other, size_t n)
{
	enum { DIGITS = 8, VALUES = 256 };
	struct item *from = v, *to = other;
	uint64_t differ = 0;
	for (size_t i = 1; i < n; i++)
		differ |= v[i].key ^ v[0].key;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		size_t place[VALUES] = { 0 }, at = 0;
		unsigned shift = 8 * digit;
		if ((differ >> shift & (VALUES - 1)) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			place[from[i].key >> shift & (VALUES - 1)]++;
		for (size_t i = 0; i < VALUES; i++) {
			size_t count = place[i];
			place[i] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			to[place[from[i].key >> shift & (VALUES - 1)]++] = from[i];
		struct item *was = from;
		from = to;
		to = was;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
}

/* Sorts rows equal in the columns before `level`. */
static void sort_items(struct sorting *s, struct item *v, size_t n, int level)
{
	enum { FEW = 48 };
	if (n < FEW || level == 3 || (level && s->order->column[level] < 0)) {
		if (n > 1)
			qsort_r(v, n, sizeof *v, compare_items, s);
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i].key = row_key_at(&s->row[v[i].at], s->order, level);
	sort_by_key(v, s->other, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].key == v[i].key; end++)
			;
		bool next = s->order->column[level] >= 0 && is_exact(s->order, level, v[i].key);
		sort_items(s, v + i, end - i, next ? level + 1 : 3);
	}
}

static bool sort_keyed(struct pv_row *row, size_t n, const struct pv_row_order *order)
{
	struct item *v = malloc(n * sizeof *v);
	struct sorting s = { row, order, malloc(n * sizeof *s.other) };
	struct pv_row *sorted = malloc(n * sizeof *sorted);
	bool ok = v && s.other && sorted;
	if (ok) {
		for (size_t i = 0; i < n; i++)
			v[i].at = i;
		sort_items(&s, v, n, 0);
		for (size_t i = 0; i < n; i++)
			sorted[i] = row[v[i].at];
		memcpy(row, sorted, n * sizeof *row);
	}
	free(v);
	free(s.other);
	free(sorted);
	return ok;
}

void pv_rows_sort(struct pv_row *row, size_t n, const struct pv_row_order *order)
{
	if (n > 1 && !sort_keyed(row, n, order)) /* without more memory, too */
		qsort_r(row, n, sizeof *row, pv_row_compare, (void *)(uintptr_t)order);
}

/* --- the first rows: row[0 .. some - 1] is a heap whose top is the last in order so far */

static void swap(struct pv_row *a, struct pv_row *b)
{
	struct pv_row was = *a;
	*a = *b;
	*b = was;
}

static void sink(struct pv_row *heap, size_t at, size_t n, const struct pv_row_order *order)
{
	void *o = (void *)(uintptr_t)order;
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && pv_row_compare(&heap[child], &heap[child + 1], o) < 0)
			child++;
		if (pv_row_compare(&heap[at], &heap[child], o) >= 0)
			return;
		swap(&heap[at], &heap[child]);
	}
}

void pv_rows_first(struct pv_row *row, size_t n, size_t some, const struct pv_row_order *order)
{
	if (some > n / 2) {
		pv_rows_sort(row, n, order);
		return;
	}
	if (some == 0)
		return;
	for (size_t i = some / 2; i-- > 0;)
		sink(row, i, some, order);
	uint64_t worst = row_key_at(&row[0], order, 0);
	for (size_t i = some; i < n; i++) {
		if (row_key_at(&row[i], order, 0) > worst ||
			pv_row_compare(&row[i], &row[0], (void *)(uintptr_t)order) >= 0)
			continue;
		swap(&row[i], &row[0]);
		sink(row, 0, some, order);
		worst = row_key_at(&row[0], order, 0);
	}
}
