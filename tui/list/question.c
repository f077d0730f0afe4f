/* SPDX-License-Identifier: MIT */
/* Answers a list's question on the worker's thread: table, unfolding, search, trends. */
#include "tui/list/question.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/query/trends.h"
#include "tui/draw/columns.h"

enum { UNFOLD_MAX = 10000, FIRST_DEPTH = 12, PATH_DEPTH = 100 };

int ui_find_text(const char *text, const char *part)
{
	size_t len = strlen(part);
	if (len == 0)
		return -1;
	for (const char *at = text; *at; at++)
		if (strncasecmp(at, part, len) == 0)
			return (int)(at - text);
	return -1;
}

static bool hits(const struct pv_table *t, const struct pv_cell *cell, const struct ui_aim *aim)
{
	if (cell->state != PV_CELL_VALUE || !cell->s)
		return false;
	const char *shown = pv_cell_shown(t, cell).s;
	if (aim->exact)
		return strcmp(cell->s, aim->text) == 0 || strcmp(shown, aim->text) == 0;
	return ui_find_text(cell->s, aim->text) >= 0 || ui_find_text(shown, aim->text) >= 0;
}

bool ui_aim_next(const struct pv_table *t, const struct ui_aim *aim, size_t from, size_t *ret_at)
{
	int name = ui_columns_name(t->column, t->columns);
	if (name < 0 || t->rows == 0 ||
		(t->column[name].unit != PV_UNIT_TEXT && t->column[name].unit != PV_UNIT_LIST))
		return false;
	for (size_t step = aim->dir == 0 ? 0 : 1; step <= t->rows; step++) {
		size_t at = aim->dir < 0 ? (from + t->rows - step % t->rows) % t->rows
					 : (from + step) % t->rows;
		if (hits(t, &t->row[at].cell[name], aim)) {
			*ret_at = at;
			return true;
		}
	}
	return false;
}

size_t ui_ids_place(const uint64_t *id, size_t n, uint64_t wanted)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (id[mid] < wanted)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- asking --- */

static void open_id(struct ui_question *q, uint64_t id)
{
	size_t at = ui_ids_place(q->open.v, q->open.n, id);
	q->unfolded = true;
	if ((at < q->open.n && q->open.v[at] == id) || !pv_reserve(&q->open, 1))
		return;
	memmove(&q->open.v[at + 1], &q->open.v[at], (q->open.n - at) * sizeof *q->open.v);
	q->open.v[at] = id;
	q->open.n++;
}

static struct pv_table *table_of(const struct ui_question *q, const struct pv_query *query)
{
	const struct ui_against *a = q->against;
	if (a && a->has(q->view))
		return a->table(a->of, q->model, q->view, query, q->figure);
	return pv_view_table(q->model, q->view, query);
}

static struct pv_table *ask_table(struct ui_question *q)
{
	q->query.open = q->open.v;
	q->query.opens = q->open.n;
	return table_of(q, &q->query);
}

/* Replaces the answer; out of memory the old answer stays. */
static void ask_again(struct ui_question *q)
{
	struct pv_table *t = ask_table(q);
	if (!t)
		return;
	pv_table_destroy(q->table);
	q->table = t;
}

/* The whole tree, unfolded, in the list's order. */
static struct pv_table *ask_whole(const struct ui_question *q)
{
	struct pv_query whole = q->query;
	whole.open = NULL;
	whole.opens = whole.limit = 0;
	whole.open_all = true;
	return table_of(q, &whole);
}

bool ui_table_find(const struct pv_table *t, uint64_t id, size_t *ret_at)
{
	for (size_t i = 0; i < t->rows; i++) {
		if (t->row[i].id == id) {
			*ret_at = i;
			return true;
		}
	}
	return false;
}

/* If the selected row may lie beyond the limit, all rows are asked for. */
static void ask_wide(struct ui_question *q)
{
	size_t at;
	q->table = ask_table(q);
	if (!q->table || q->query.limit == 0 || q->table->rows >= q->table->rows_all)
		return;
	bool missing = q->keep && !ui_table_find(q->table, q->selected, &at);
	if (!missing && (!q->aim.text || q->tree))
		return;
	q->query.limit = 0;
	ask_again(q);
}

/* --- unfolding --- */

/* The heaviest child of an open row, the first in the list's order; 0: none. */
static uint64_t first_child(const struct pv_table *t, uint64_t id)
{
	size_t at;
	if (!ui_table_find(t, id, &at) || at + 1 >= t->rows)
		return 0;
	return t->row[at + 1].depth > t->row[at].depth ? t->row[at + 1].id : 0;
}

/*
 * Unfolds level by level, so that of a tree of a million rows only rows on the path and their
 * siblings are asked for.
 */
static void unfold_path(struct ui_question *q, uint64_t id, int levels)
{
	for (int i = 0; i < levels && id && q->table; i++) {
		open_id(q, id);
		ask_again(q);
		id = first_child(q->table, id);
	}
}

static void unfold_all(struct ui_question *q)
{
	struct pv_table *whole = ask_whole(q);
	q->unfolded = true;
	for (size_t i = 0; whole && i < whole->rows && q->open.n < UNFOLD_MAX; i++)
		if (whole->row[i].flags & PV_ROW_HAS_CHILDREN)
			open_id(q, whole->row[i].id);
	pv_table_destroy(whole);
	ask_again(q);
}

static void unfold(struct ui_question *q)
{
	switch (q->unfold) {
	case UI_UNFOLD_NOTHING:
		return;
	case UI_UNFOLD_ROOTS:
		for (size_t i = 0; i < q->table->rows; i++)
			if (q->table->row[i].depth == 0)
				open_id(q, q->table->row[i].id);
		ask_again(q);
		return;
	case UI_UNFOLD_HOT:
		unfold_path(q, q->table->row[0].id, FIRST_DEPTH);
		return;
	case UI_UNFOLD_PATH:
		unfold_path(q, q->selected, PATH_DEPTH);
		return;
	case UI_UNFOLD_ALL:
		unfold_all(q);
		return;
	}
}

/* --- finding --- */

static void unfold_above(struct ui_question *q, const struct pv_table *whole, size_t at)
{
	uint32_t depth = whole->row[at].depth;
	while (at-- > 0 && depth > 0) {
		if (whole->row[at].depth >= depth)
			continue;
		depth = whole->row[at].depth;
		open_id(q, whole->row[at].id);
	}
}

static void find_hit(struct ui_question *q)
{
	struct pv_table *whole = q->tree ? ask_whole(q) : NULL;
	const struct pv_table *t = q->tree ? whole : q->table;
	size_t from = q->tree ? 0 : q->at, at;
	if (t)
		ui_table_find(t, q->selected, &from);
	if (t && from < t->rows && ui_aim_next(t, &q->aim, from, &at)) {
		q->found = true;
		q->hit = t->row[at].id;
	}
	if (q->found && q->tree) {
		unfold_above(q, t, at);
		ask_again(q);
	}
	pv_table_destroy(whole);
}

/* The query's filter finds parts of names; here the class must be equal. */
static void keep_only(struct pv_table *t, const char *class_name)
{
	int column = pv_table_column(t, "class");
	size_t kept = 0;
	if (column < 0)
		return;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *cell = &t->row[i].cell[column];
		if (cell->state == PV_CELL_VALUE && strcmp(cell->s, class_name) == 0)
			t->row[kept++] = t->row[i];
	}
	t->rows_all -= t->rows - kept;
	t->rows = kept;
}

/* An unchanged model gives the trends already made. */
static void fill_trends(struct ui_question *q)
{
	struct pv_model *m = q->whole;
	if (!m || q->query.group != PV_BY_NAME || pv_table_column(q->table, PV_TREND_COLUMN) < 0)
		return;
	struct pv_trend_wish wish = { .view = q->view,
		.counted = q->query.counted,
		.from_ns = q->trend_from_ns,
		.to_ns = q->trend_to_ns,
		.beyond = q->trend_beyond };
	if (!pv_trends_is(q->trends, m, &wish, pv_view_generation(m))) {
		pv_trends_destroy(q->trends);
		q->trends = pv_trends_create(m, q->query.groups, &wish);
	}
	pv_trends_fill(q->trends, q->table);
}

static void run_question(struct ui_job *job)
{
	struct ui_question *q = (struct ui_question *)job;
	ask_wide(q);
	if (!q->table)
		return;
	if (q->about)
		keep_only(q->table, q->about);
	if (q->tree && q->table->rows > 0)
		unfold(q);
	if (q->aim.text)
		find_hit(q);
	fill_trends(q);
	q->silent = ui_columns_silent(q->table);
	int named = q->about ? pv_table_column(q->table, "class") : -1;
	if (named >= 0 && named < UI_COLUMNS_MAX)
		q->silent |= UINT32_C(1) << named; /* the class is in the title */
}

/* --- life --- */

static void drop_question(struct ui_job *job)
{
	ui_question_drop((struct ui_question *)job);
}

static char *copy_of(const char *text, bool *ok)
{
	char *copy = text ? strdup(text) : NULL;
	*ok = *ok && (copy || !text);
	return copy;
}

struct ui_question *ui_question_new(
	struct pv_model *m, enum pv_view view, const struct pv_query *query, const char *about)
{
	struct ui_question *q = calloc(1, sizeof *q);
	if (!q)
		return NULL;
	bool ok = true;
	q->job = (struct ui_job){ .run = run_question, .drop = drop_question };
	q->model = m;
	q->view = view;
	q->query = *query;
	q->query.filter = q->filter = copy_of(query->filter, &ok);
	q->about = copy_of(about, &ok);
	if (query->source) {
		q->source = *query->source;
		q->source.file = q->source_file = copy_of(query->source->file, &ok);
		q->source.method = q->source_method = copy_of(query->source->method, &ok);
		q->query.source = &q->source;
	}
	q->query.only = NULL;
	q->query.onlys = 0;
	if (ok && query->onlys && (ok = pv_reserve(&q->only, query->onlys))) {
		memcpy(q->only.v, query->only, query->onlys * sizeof *q->only.v);
		q->query.only = q->only.v;
		q->query.onlys = query->onlys;
	}
	if (ok && query->opens && (ok = pv_reserve(&q->open, query->opens))) {
		memcpy(q->open.v, query->open, query->opens * sizeof *q->open.v);
		q->open.n = query->opens;
	}
	if (ok)
		return q;
	ui_question_drop(q);
	return NULL;
}

void ui_question_drop(struct ui_question *q)
{
	if (!q)
		return;
	pv_table_destroy(q->table);
	pv_trends_destroy(q->trends);
	pv_array_finish(&q->open);
	pv_array_finish(&q->only);
	free(q->filter);
	free(q->about);
	free(q->source_file);
	free(q->source_method);
	free(q->aim.text);
	free(q);
}
