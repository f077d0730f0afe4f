#include "tui/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ui_list_init(struct ui_list *l, enum pv_view view, bool tree)
{
	*l = (struct ui_list){
		.view = view, .tree = tree, .limit = UI_LIST_FIRST_ROWS, .stale = true, .page = 1
	};
}

void ui_list_finish(struct ui_list *l)
{
	pv_table_destroy(l->table);
	pv_array_finish(&l->open);
	free(l->want);
	free(l->about);
	*l = (struct ui_list){ 0 };
}

void ui_list_forget(struct ui_list *l)
{
	pv_table_destroy(l->table);
	l->table = NULL;
	l->stale = true;
	l->selected = l->select = l->base = 0;
	l->pinned = l->unfolded = false;
	l->open.n = 0;
	l->at = l->top = 0;
	l->limit = UI_LIST_FIRST_ROWS;
}

static size_t row_count(const struct ui_list *l)
{
	return l->table ? l->table->rows : 0;
}

const struct pv_row *ui_list_row(const struct ui_list *l)
{
	return l->at < row_count(l) ? &l->table->row[l->at] : NULL;
}

const char *ui_list_name(const struct ui_list *l, const struct pv_row *row)
{
	if (!l->table || !row)
		return NULL;
	int name = ui_columns_name(l->table->column, l->table->columns);
	if (name < 0 || row->cell[name].state != PV_CELL_VALUE)
		return NULL;
	enum pv_unit unit = l->table->column[name].unit;
	return unit == PV_UNIT_TEXT || unit == PV_UNIT_LIST ? row->cell[name].s : NULL;
}

static struct pv_query query_of(const struct ui_list *l, const struct ui_shared *s)
{
	const char *filter = l->filter[0] || !l->about ? l->filter : l->about;
	return (struct pv_query){ .sort = l->sort, .invert = l->invert, .filter = filter,
		.limit = l->limit, .window_ns = s->window_ns, .select = l->select, .base = l->base,
		.open = l->open.v, .opens = l->open.n, .hide_internal = true };
}

static bool find_id(const struct ui_list *l, uint64_t id, size_t *ret_at)
{
	for (size_t i = 0; i < row_count(l); i++) {
		if (l->table->row[i].id == id) {
			*ret_at = i;
			return true;
		}
	}
	return false;
}

/* The cursor follows its row, and the row stays at its height on the screen. */
static void settle(struct ui_list *l)
{
	size_t height = l->at - (l->top < l->at ? l->top : l->at), at = 0;
	if ((l->follow || l->to_end) && row_count(l) > 0)
		at = row_count(l) - 1;
	else if (l->pinned && !find_id(l, l->selected, &at))
		at = l->at < row_count(l) ? l->at : row_count(l) ? row_count(l) - 1 : 0;
	l->pinned = l->pinned || l->to_end;
	l->to_end = false;
	l->at = at;
	l->top = at > height ? at - height : 0;
	const struct pv_row *row = ui_list_row(l);
	l->selected = row ? row->id : 0;
}

/* The query's filter finds parts of names; here it must be the very class. */
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

static bool ask(struct ui_list *l, const struct ui_shared *s)
{
	struct pv_query q = query_of(l, s);
	struct pv_table *t = pv_view_table(s->model, l->view, &q);
	if (!t)
		return false; /* out of memory: the old picture stays */
	pv_table_destroy(l->table);
	if (l->about)
		keep_only(t, l->about);
	l->table = t;
	l->all_rows = t->rows;
	l->silent = ui_columns_silent(t);
	int named = l->about ? pv_table_column(t, "class") : -1;
	if (named >= 0 && named < UI_COLUMNS_MAX)
		l->silent |= UINT32_C(1) << named; /* the title says it */
	l->stale = l->other = false;
	l->newer = s->paused;
	l->asked_window = s->window_ns;
	memcpy(l->asked_filter, l->filter, sizeof l->filter);
	return true;
}

/* The selected row may be one of those beyond the limit: then all are asked for. */
static void ask_wide(struct ui_list *l, const struct ui_shared *s)
{
	size_t at;
	if (!ask(l, s) || !l->pinned || l->limit == 0 || l->table->rows >= l->table->rows_all)
		return;
	if (find_id(l, l->selected, &at) && !l->follow)
		return;
	l->limit = 0;
	ask(l, s);
}

/* A method picked in one pane is looked for in the next. */
static void find_wanted(struct ui_list *l, const struct ui_shared *s)
{
	char *name = l->want;
	const char *here = ui_list_name(l, ui_list_row(l));
	l->want = NULL;
	if (!here || strcmp(here, name) != 0)
		ui_list_find_name(l, s, name);
	free(name);
}

static void forget_answer(struct ui_list *l)
{
	pv_table_destroy(l->table);
	l->table = NULL;
	l->at = l->top = 0;
}

void ui_list_refresh(struct ui_list *l, const struct ui_shared *s)
{
	if (!s->model)
		return;
	if (l->needs_select && !l->select) {
		forget_answer(l);
		l->stale = true;
		return;
	}
	bool moved_on = l->table && l->table->generation != s->generation;
	bool changed = l->stale || !l->table || l->asked_window != s->window_ns;
	if (s->paused && l->stale && l->table && !l->tree && ui_list_rearrange(l)) {
		l->stale = false;
		settle(l);
	} else if (changed || (moved_on && !s->paused)) {
		ask_wide(l, s);
		if (l->tree && !l->unfolded && row_count(l) > 0)
			ui_list_first_unfold(l, s);
		if (l->stale && l->table)
			ask(l, s);
		settle(l);
	}
	if (l->want && l->table)
		find_wanted(l, s);
}

void ui_list_move_to(struct ui_list *l, size_t row)
{
	size_t n = row_count(l);
	l->at = n == 0 ? 0 : row < n ? row : n - 1;
	l->pinned = l->at > 0;
	const struct pv_row *r = ui_list_row(l);
	l->selected = r ? r->id : 0;
	if (l->table && l->limit && l->table->rows < l->table->rows_all &&
		l->at + (size_t)l->page >= n) {
		l->limit *= 4;
		l->stale = true;
	}
}

void ui_list_want(struct ui_list *l, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	free(l->want);
	l->want = copy;
}

void ui_list_set_select(struct ui_list *l, uint64_t select, uint64_t base)
{
	if (l->select == select && l->base == base)
		return;
	l->select = select;
	l->base = base;
	l->stale = l->other = true;
	l->unfolded = false;
	l->open.n = 0;
	l->pinned = false;
	l->at = l->top = 0;
}

void ui_list_set_filter(struct ui_list *l, const char *filter)
{
	if (strcmp(l->filter, filter) == 0)
		return;
	snprintf(l->filter, sizeof l->filter, "%s", filter);
	l->stale = true;
}

void ui_list_set_about(struct ui_list *l, const char *class_name)
{
	if (l->about && class_name && strcmp(l->about, class_name) == 0)
		return;
	if (!l->about && !class_name)
		return;
	free(l->about);
	l->about = class_name ? strdup(class_name) : NULL;
	l->stale = l->other = true;
}

void ui_list_set_order(struct ui_list *l, const char *column)
{
	if (l->chosen || l->sort == column)
		return;
	l->sort = column;
	l->stale = true;
}

void ui_list_sort(struct ui_list *l, size_t column)
{
	if (!l->table || column >= l->table->columns)
		return;
	l->chosen = true;
	if ((int)column == l->table->sort)
		l->invert = !l->invert;
	else
		l->invert = false;
	l->sort = l->table->column[column].id;
	l->stale = true;
}

bool ui_list_shows(const struct ui_list *l, size_t column)
{
	return !(l->table->column[column].flags & PV_COLUMN_HIDE_SCREEN) &&
		(column >= UI_COLUMNS_MAX || !(l->silent >> column & 1));
}

/* The next column that is on screen for the eye, in either direction, round the end. */
static void sort_step(struct ui_list *l, int dir)
{
	if (!l->table || l->table->columns == 0)
		return;
	size_t n = l->table->columns, at = l->table->sort < 0 ? n - 1 : (size_t)l->table->sort;
	do
		at = dir > 0 ? (at + 1) % n : (at + n - 1) % n;
	while (!ui_list_shows(l, at) && (int)at != l->table->sort);
	if ((int)at != l->table->sort)
		ui_list_sort(l, at);
}

/* The n-th of the columns one can see when all fit. */
static void sort_nth(struct ui_list *l, size_t n)
{
	for (size_t i = 0; l->table && i < l->table->columns; i++) {
		if (!ui_list_shows(l, i))
			continue;
		if (n-- == 0) {
			ui_list_sort(l, i);
			return;
		}
	}
}

static void move_by(struct ui_list *l, long by)
{
	size_t step = (size_t)(by < 0 ? -by : by);
	l->follow = false;
	ui_list_move_to(l, by > 0 ? l->at + step : l->at > step ? l->at - step : 0);
}

static bool move_command(struct ui_list *l, enum ui_command cmd)
{
	long page = l->page > 2 ? l->page - 1 : 1;
	switch (cmd) {
	case UI_CMD_DOWN:
		move_by(l, 1);
		return true;
	case UI_CMD_UP:
		move_by(l, -1);
		return true;
	case UI_CMD_PAGE_DOWN:
		move_by(l, page);
		return true;
	case UI_CMD_PAGE_UP:
		move_by(l, -page);
		return true;
	case UI_CMD_HALF_DOWN:
		move_by(l, (page + 1) / 2);
		return true;
	case UI_CMD_HALF_UP:
		move_by(l, -(page + 1) / 2);
		return true;
	case UI_CMD_TOP:
		move_by(l, -(long)l->at);
		return true;
	case UI_CMD_BOTTOM:
		if (l->table && l->table->rows < l->table->rows_all) {
			l->limit = 0;
			l->stale = l->to_end = true;
		} else {
			ui_list_move_to(l, row_count(l));
		}
		return true;
	default:
		return false;
	}
}

static bool order_command(struct ui_list *l, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_SORT_NEXT:
		sort_step(l, 1);
		return true;
	case UI_CMD_SORT_PREV:
		sort_step(l, -1);
		return true;
	case UI_CMD_INVERT:
		l->invert = !l->invert;
		l->stale = true;
		return true;
	case UI_CMD_UNFILTER:
		ui_list_set_filter(l, "");
		return true;
	case UI_CMD_FOLLOW:
		l->follow = !l->follow;
		l->stale = true;
		return true;
	default:
		if (cmd < UI_CMD_SORT_1 || cmd > UI_CMD_SORT_7)
			return false;
		sort_nth(l, (size_t)(cmd - UI_CMD_SORT_1));
		return true;
	}
}

static void scroll_columns(struct ui_list *l, int by)
{
	size_t shown = 0;
	for (size_t i = 0; l->table && i < l->table->columns; i++)
		shown += ui_list_shows(l, i);
	if (by > 0 && l->skip + 2 < shown)
		l->skip++;
	else if (by < 0 && l->skip > 0)
		l->skip--;
}

unsigned ui_list_command(struct ui_list *l, const struct ui_shared *s, enum ui_command cmd)
{
	if (move_command(l, cmd) || order_command(l, cmd))
		return UI_HANDLED;
	if (cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV) {
		ui_list_find(l, s, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
		return UI_HANDLED;
	}
	if (l->tree)
		return ui_list_tree_command(l, s, cmd);
	switch (cmd) {
	case UI_CMD_RIGHT:
	case UI_CMD_LEFT:
		scroll_columns(l, cmd == UI_CMD_RIGHT ? 1 : -1);
		return UI_HANDLED;
	case UI_CMD_ENTER:
		return UI_HANDLED | (ui_list_row(l) ? UI_DRILL : 0);
	default:
		return UI_IGNORED;
	}
}

static unsigned click_header(struct ui_list *l, int x)
{
	for (size_t i = 0; i < l->columns.n; i++) {
		struct ui_column_place p = l->columns.at[i];
		if (x >= p.x - 1 && x < p.x + p.w + 1) {
			ui_list_sort(l, p.column);
			break;
		}
	}
	return UI_HANDLED;
}

unsigned ui_list_mouse(struct ui_list *l, const struct ui_shared *s, struct ui_mouse m)
{
	enum { WHEEL = 3, GUTTER = 2 };
	if (!ui_rect_has(l->drawn, m.x, m.y))
		return UI_IGNORED;
	if (m.click == UI_CLICK_WHEEL_UP || m.click == UI_CLICK_WHEEL_DOWN) {
		move_by(l, m.click == UI_CLICK_WHEEL_UP ? -WHEEL : WHEEL);
		return UI_HANDLED;
	}
	if (m.y == l->drawn.y)
		return click_header(l, m.x - l->drawn.x - GUTTER);
	size_t row = l->top + (size_t)(m.y - l->drawn.y - 1);
	if (row >= row_count(l))
		return UI_HANDLED;
	l->follow = false;
	ui_list_move_to(l, row);
	return m.click == UI_CLICK_DOUBLE ? ui_list_command(l, s, UI_CMD_ENTER) : UI_HANDLED;
}
