/* SPDX-License-Identifier: MIT */
/* Keeps rows in place and figures unchanged for some seconds, so that a live table can be read. */
#include "tui/list/list_hold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/draw/columns.h"

#define FIGURES_NS INT64_C(2000000000)
#define PLACES_NS  INT64_C(3000000000)
#define CURSOR_NS  INT64_C(5000000000)

/* The place of a row: after the row before it, among rows placed so in the answer's order. */
struct place {
	uint64_t id;
	long before; /* in the table before; -1: before all of them */
	size_t now;
};

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_place_before(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->now > y->now) - (x->now < y->now);
}

/* Sorted by id. NULL: out of memory, or there are none. */
static struct place *places_of(const struct pv_table *t)
{
	struct place *p = t->rows ? malloc(t->rows * sizeof *p) : NULL;
	for (size_t i = 0; p && i < t->rows; i++)
		p[i] = (struct place){ t->row[i].id, (long)i, i };
	if (p)
		qsort(p, t->rows, sizeof *p, by_id);
	return p;
}

/*
 * Places for the answer's rows: a new row goes after its predecessor in the answer. *ret_same: no
 * row changes places.
 */
static struct place *places_in(const struct pv_table *old, const struct pv_table *t, bool *ret_same)
{
	struct place *known = places_of(old);
	struct place *p = known && t->rows ? malloc(t->rows * sizeof *p) : NULL;
	long last = -1;
	*ret_same = true;
	for (size_t i = 0; p && i < t->rows; i++) {
		const struct place key = { .id = t->row[i].id };
		const struct place *k = bsearch(&key, known, old->rows, sizeof *known, by_id);
		p[i] = (struct place){ key.id, k ? k->before : last, k ? 0 : i + 1 };
		*ret_same = *ret_same && p[i].before >= last;
		last = p[i].before;
	}
	free(known);
	return p;
}

/* The rows in these places. NULL: out of memory. */
static struct pv_row *rows_in_place(const struct pv_table *t, struct place *p)
{
	struct pv_row *row = malloc(t->rows * sizeof *row);
	struct place *known = places_of(t);
	qsort(p, t->rows, sizeof *p, by_place_before);
	for (size_t i = 0; row && known && i < t->rows; i++) {
		const struct place *k = bsearch(&p[i], known, t->rows, sizeof *known, by_id);
		row[i] = t->row[k->before];
	}
	if (!known) {
		free(row);
		row = NULL;
	}
	free(known);
	return row;
}

static double value_of(const struct pv_cell *c, enum pv_unit unit)
{
	switch (unit) {
	case PV_UNIT_COUNT:
	case PV_UNIT_BYTES:
		return (double)c->u;
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return c->d;
	default:
		return (double)c->i;
	}
}

static bool is_figure(const struct pv_column *column)
{
	return ui_column_tail(column) > 0;
}

/* Whether `row` is sorted but for differences of a twentieth. */
static bool is_nearly_sorted(const struct pv_table *t, const struct pv_row *row)
{
	const double near = 1.05;
	double least = INFINITY;
	if (t->sort < 0 || !t->descending || !is_figure(&t->column[t->sort]))
		return false;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = &row[i].cell[t->sort];
		const double v =
			c->state == PV_CELL_VALUE ? value_of(c, t->column[t->sort].unit) : 0;
		if (v < 0 || v > least * near)
			return false;
		least = v < least ? v : least;
	}
	return true;
}

bool ui_hold_ends(const struct ui_hold *h, const struct ui_shared *s)
{
	if (ui_has_ended(s))
		return true;
	return s->now_ns - h->placed_ns >= PLACES_NS &&
	       (!h->moved_ns || s->now_ns - h->moved_ns >= CURSOR_NS);
}

void ui_hold_rows(struct ui_hold *h, const struct ui_shared *s, const struct pv_table *shown,
	struct pv_table *answer)
{
	bool same = true;
	struct place *p = places_in(shown, answer, &same);
	struct pv_row *row = p && !same && !ui_has_ended(s) ? rows_in_place(answer, p) : NULL;
	const bool ends = ui_hold_ends(h, s);
	h->on = row && (!ends || is_nearly_sorted(answer, row));
	for (size_t i = 0; h->on && i < answer->rows; i++)
		answer->row[i] = row[i];
	if (!same && ends)
		h->placed_ns = s->now_ns;
	free(row);
	free(p);
}

/* --- figures --- */

void ui_hold_begin(struct ui_hold *h, int64_t now_ns)
{
	h->placed_ns = h->renewed_ns = now_ns;
	h->on = false;
	h->held.n = 0;
}

void ui_hold_finish(struct ui_hold *h)
{
	pv_array_finish(&h->held);
}

static bool is_near(const struct pv_cell *was, const struct pv_cell *is, enum pv_unit unit)
{
	const double near = 0.1;
	if (was->state != is->state || was->scale != is->scale)
		return false;
	if (is->state != PV_CELL_VALUE)
		return true;
	const double a = value_of(was, unit), b = value_of(is, unit);
	return fabs(b - a) <= near * fabs(a); /* not of NAN */
}

/* Figures of a row are of one moment: all are kept, or none. */
static bool row_stays(const struct pv_table *t, const struct pv_row *was, const struct pv_row *is)
{
	for (size_t i = 0; i < t->columns; i++)
		if (is_figure(&t->column[i]) && !(t->column[i].flags & PV_COLUMN_HIDE_SCREEN) &&
			!is_near(&was->cell[i], &is->cell[i], t->column[i].unit))
			return false;
	return true;
}

bool ui_hold_same_words(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "0123456789., ");
		b += strspn(b, "0123456789., ");
		if (*a != *b || !*a)
			return *a == *b;
		a++;
		b++;
	}
}

/* A text of numbers is held as they are: a copy, as the answer before goes. */
static bool hold_text(struct pv_table *t, const struct pv_cell *was, struct pv_cell *is)
{
	if (was->state != PV_CELL_VALUE || is->state != PV_CELL_VALUE || was->shown || is->shown ||
		!was->s || !is->s || strcmp(was->s, is->s) == 0 ||
		!ui_hold_same_words(was->s, is->s))
		return false;
	const char *copy = pv_arena_copy(&t->arena, was->s, strlen(was->s));
	is->s = copy ? copy : is->s;
	return copy != NULL;
}

static void hold_row(
	struct ui_hold *h, struct pv_table *t, const struct pv_row *was, struct pv_row *is)
{
	for (size_t i = 0; i < t->columns; i++) {
		const struct pv_cell now = is->cell[i];
		const bool words = t->column[i].unit == PV_UNIT_TEXT;
		if ((!words && !is_figure(&t->column[i])) || !pv_reserve(&h->held, 1))
			continue;
		if (words && !hold_text(t, &was->cell[i], &is->cell[i]))
			continue;
		if (!words)
			is->cell[i] = was->cell[i];
		h->held.v[h->held.n++] = (struct ui_held_figure){ &is->cell[i], now };
	}
}

void ui_hold_figures(struct ui_hold *h, const struct ui_shared *s, const struct pv_table *shown,
	struct pv_table *answer)
{
	h->held.n = 0;
	if (ui_has_ended(s) || s->paused || s->now_ns - h->renewed_ns >= FIGURES_NS ||
		shown->column != answer->column) {
		h->renewed_ns = s->now_ns;
		return;
	}
	struct place *known = places_of(shown);
	for (size_t i = 0; known && i < answer->rows; i++) {
		const struct place key = { .id = answer->row[i].id };
		const struct place *k = bsearch(&key, known, shown->rows, sizeof *known, by_id);
		const struct pv_row *was = k ? &shown->row[k->before] : NULL;
		if (was && row_stays(answer, was, &answer->row[i]))
			hold_row(h, answer, was, &answer->row[i]);
	}
	free(known);
}

void ui_hold_release(struct ui_hold *h)
{
	for (size_t i = 0; i < h->held.n; i++)
		*h->held.v[i].at = h->held.v[i].now;
	h->held.n = 0;
}
