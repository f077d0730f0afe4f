/* SPDX-License-Identifier: MIT */
/* A table on screen: asks for it, takes answers, moves the cursor, sorts and filters. */
#include "tui/list/list_query.h"
#include "common/query/trends.h"
#include "tui/list/list_tags.h"
#include "tui/draw/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ui_list_init(struct ui_list *l, enum pv_view view, bool tree)
{
	*l = (struct ui_list){
		.view = view, .tree = tree, .limit = UI_LIST_FIRST_ROWS, .stale = true, .page = 1
	};
}

static void drop_table(struct ui_list *l)
{
	ui_slot_cancel(&l->slot);
	pv_table_destroy(l->table);
	l->table = NULL;
	l->hold.held.n = 0;
}

void ui_list_finish(struct ui_list *l)
{
	drop_table(l);
	ui_hold_finish(&l->hold);
	pv_trends_destroy(l->trends);
	pv_array_finish(&l->open);
	pv_array_finish(&l->tagged);
	free(l->want);
	free(l->lost);
	free(l->about);
	*l = (struct ui_list){ 0 };
}

void ui_list_forget(struct ui_list *l)
{
	drop_table(l);
	pv_trends_destroy(l->trends); /* another model may get the same address */
	l->trends = NULL;
	l->stale = true;
	l->selected = l->select = l->base = 0;
	l->pinned = l->unfolded = false;
	l->open.n = 0;
	ui_list_untag(l);
	l->at = l->top = 0;
	l->limit = UI_LIST_FIRST_ROWS;
}

void ui_list_drop(struct ui_list *l)
{
	drop_table(l);
	l->stale = true;
}

static size_t row_count(const struct ui_list *l)
{
	return l->table ? l->table->rows : 0;
}

const struct pv_row *ui_list_row(const struct ui_list *l)
{
	return l->at < row_count(l) ? &l->table->row[l->at] : NULL;
}

/* The cursor follows its row, and the row keeps its height on the screen. */
static void clamp(struct ui_list *l)
{
	size_t height = l->at - (l->top < l->at ? l->top : l->at), at = 0;
	if ((l->follow || l->to_end) && row_count(l) > 0)
		at = row_count(l) - 1;
	else if (l->pinned && !(l->table && ui_table_find(l->table, l->selected, &at)))
		at = l->at < row_count(l) ? l->at : row_count(l) ? row_count(l) - 1 : 0;
	l->pinned = l->pinned || l->to_end;
	l->to_end = false;
	l->at = at;
	l->top = at > height ? at - height : 0;
	const struct pv_row *row = ui_list_row(l);
	l->selected = row ? row->id : 0;
}

/* Processes listed since the last question are unfolded like the ones before. */
static enum ui_unfold unfold_of(const struct ui_list *l, const struct ui_shared *s)
{
	bool others = pv_view_is(l->view, PV_SECTION_FOLDER) && l->asked_turn != s->processes_turn;
	return !l->unfolded || (others && !l->folded) ? l->unfold : l->unfold_next;
}

/* Everything the next answer is to set. NULL when out of memory. */
static struct ui_question *question_of(struct ui_list *l, const struct ui_shared *s)
{
	struct pv_query query = ui_list_query(l, s);
	struct ui_question *q = ui_question_new(ui_list_model(l, s), l->view, &query, l->about);
	if (!q)
		return NULL;
	bool look = l->look == UI_LOOK_ASKED;
	q->tree = l->tree;
	q->unfold = unfold_of(l, s);
	q->keep = l->pinned && !l->follow;
	q->selected = l->selected;
	q->at = l->at;
	q->against = s->against;
	q->figure = l->figure;
	ui_list_hand_trends(l, s, q);
	q->newer = s->paused && !s->range.on && !ui_list_follows(l, s);
	if (l->want || look)
		q->aim = (struct ui_aim){ .text = strdup(l->want ? l->want : l->search),
			.exact = l->want != NULL,
			.dir = l->want ? 0 : l->look_dir };
	return q;
}

static void post(struct ui_list *l, const struct ui_shared *s, bool changed)
{
	struct ui_question *q = question_of(l, s);
	if (!q)
		return; /* out of memory: the old picture stays */
	q->job.urgent = changed;
	l->stale = false;
	l->asked = q->query;
	l->asked_figure = l->figure;
	l->asked_model = pv_view_model(q->model);
	l->asked_ended = ui_has_ended(s);
	l->asked_turn = s->processes_turn;
	ui_query_worker_post(s->worker, &l->slot, &q->job);
}

/* The text searched for, if any, and the match, if any. */
static void take_aim(struct ui_list *l, const struct ui_question *q)
{
	bool wanted = q->aim.exact ? l->want && q->aim.text && strcmp(l->want, q->aim.text) == 0
				   : l->look == UI_LOOK_ASKED;
	if (!q->aim.text || !wanted)
		return;
	if (q->aim.exact && !q->found) {
		free(l->lost);
		l->lost = l->want;
		l->want = NULL;
	}
	if (q->aim.exact)
		ui_list_want(l, NULL);
	else
		l->look = q->found ? UI_LOOK_FOUND : UI_LOOK_MISSED;
	if (!q->found)
		return;
	l->selected = q->hit;
	l->pinned = true;
	l->follow = false;
}

static void take_table(struct ui_list *l, const struct ui_shared *s, struct ui_question *q)
{
	const bool same = l->table && !l->asking;
	if (same && !l->tree)
		ui_hold_rows(&l->hold, s, l->table, q->table);
	if (same)
		ui_hold_figures(&l->hold, s, l->table, q->table);
	else
		ui_hold_begin(&l->hold, s->now_ns);
	/* A column with figures once stays, whatever a window rolls past. */
	l->silent = q->silent & (same && l->table->rows ? l->silent : UINT32_MAX);
	pv_table_destroy(l->table);
	l->table = q->table;
	q->table = NULL;
	l->all_rows = l->table->rows;
	pv_trends_destroy(l->trends);
	l->trends = q->trends;
	q->trends = NULL;
	l->other = false;
	l->newer = q->newer;
	l->limit = q->query.limit;
	snprintf(l->asked_filter, sizeof l->asked_filter, "%s",
		q->query.filter_way == PV_FILTER_CAPITALS ? q->filter : "");
	l->asked_tagged = q->query.onlys > 0;
	if (l->tree && !l->unfolded)
		ui_list_begin_at_course(l);
	l->unfolded = l->unfolded || (l->tree && l->table->rows > 0);
	l->unfold_next = UI_UNFOLD_NOTHING;
	if (!q->unfolded)
		return;
	pv_array_finish(&l->open);
	l->open.v = q->open.v;
	l->open.n = q->open.n;
	l->open.room = q->open.room;
	q->open.v = NULL;
	q->open.n = q->open.room = 0;
}

/* False when there is no answer to take. */
static bool take_answer(struct ui_list *l, const struct ui_shared *s, struct ui_job *answer)
{
	struct ui_question *q = (struct ui_question *)answer;
	if (!q)
		return false;
	if (q->table) {
		take_table(l, s, q);
		take_aim(l, q);
		clamp(l);
	} else {
		l->stale = true;
	}
	ui_question_drop(q);
	return true;
}

static void forget_answer(struct ui_list *l)
{
	drop_table(l);
	l->at = l->top = 0;
}

bool ui_list_asking(const struct ui_list *l)
{
	return l->asking && ui_slot_pending(&l->slot);
}

bool ui_list_awaits(const struct ui_list *l)
{
	return !l->table && !l->off && !(l->needs_select && !l->select);
}

/* Sorts or filters the rows at hand anew, as the best there is until the answer. */
static bool rearranged(struct ui_list *l)
{
	if (l->tree || !l->table || pv_view_is(l->view, PV_TRAIT_PAGED) || !ui_list_rearrange(l))
		return false;
	clamp(l);
	return true;
}

/* Asks again if the question has changed or the model has gone on. */
static void ask_if_needed(struct ui_list *l, const struct ui_shared *s)
{
	enum { AT_ONCE_MAX = 20000 }; /* rows sorted without a noticeable wait */
	bool pending = ui_slot_pending(&l->slot);
	const struct pv_query now = ui_list_query(l, s);
	bool opened = (pv_view_is(l->view, PV_TRAIT_HEAP) && l->asked.heap != now.heap) ||
		      (pv_view_is(l->view, PV_TRAIT_PAGED) && l->asked.page != now.page) ||
		      (pv_view_is(l->view, PV_SECTION_FOLDER) && !s->paused &&
			      l->asked_turn != s->processes_turn);
	bool changed = l->stale || opened || l->asked_figure != l->figure ||
		       !ui_same_figures(&l->asked, &now) || (!pending && (!l->table || l->want));
	uint64_t generation = ui_list_of_whole(l) ? s->whole_generation : s->generation;
	bool moved_on = l->table && l->table->generation < generation && !ui_list_follows(l, s);
	moved_on = moved_on || (l->hold.on && ui_hold_ends(&l->hold, s)) ||
		   l->asked_ended != ui_has_ended(s); /* trends fill their cells at the end */
	if (!changed && (!moved_on || s->paused || pending))
		return;
	if (l->tree && l->asked_model && l->asked_model != pv_view_model(ui_list_model(l, s)))
		l->open.n = 0, l->unfolded = false; /* ids are the model's own */
	post(l, s, changed);
	l->asking = changed;
	struct ui_job *answer = changed ? ui_slot_await(&l->slot) : ui_slot_take(&l->slot);
	if (!take_answer(l, s, answer) && changed && l->all_rows <= AT_ONCE_MAX)
		rearranged(l);
}

static void hide_columns(struct ui_list *l, const struct ui_shared *s)
{
	bool own = l->table && !(s->against && s->against->has(l->view));
	l->hidden =
		own ? ui_settings_hidden(s->settings, l->view, l->table->column, l->table->columns)
		    : 0;
}

void ui_list_refresh(struct ui_list *l, const struct ui_shared *s)
{
	if (!s->model)
		return;
	l->off = ui_list_of_identity(l) && !s->identity.identity;
	if (l->off || (l->needs_select && !l->select)) {
		forget_answer(l);
		l->stale = true;
		return;
	}
	bool frozen = s->paused && l->stale && !ui_list_follows(l, s);
	if (l->stale && !frozen)
		ui_slot_cancel(&l->slot); /* not wanted any more */
	take_answer(l, s, ui_slot_take(&l->slot));
	if (s->paused || ui_has_ended(s))
		ui_hold_release(&l->hold);
	hide_columns(l, s);
	if (l->want && !l->stale && ui_list_find_wanted(l)) {
		free(l->want);
		l->want = NULL;
	}
	if (frozen && ui_slot_pending(&l->slot))
		return; /* the figures of the moment of the pause are still to come */
	if (frozen && l->look != UI_LOOK_ASKED && rearranged(l))
		l->stale = false;
	else
		ask_if_needed(l, s);
	hide_columns(l, s);
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

void ui_list_restart(struct ui_list *l)
{
	l->stale = l->other = true;
	l->unfolded = false;
	l->open.n = 0;
	ui_list_untag(l);
	l->pinned = false;
	l->at = l->top = 0;
}

void ui_list_set_select(struct ui_list *l, uint64_t select, uint64_t base)
{
	if (l->select == select && l->base == base)
		return;
	l->select = select;
	l->base = base;
	ui_list_restart(l);
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
	if (!l->table || column >= l->table->columns || !ui_column_sorts(&l->table->column[column]))
		return;
	l->chosen = true;
	if ((int)column == l->table->sort)
		l->invert = !l->invert;
	else
		l->invert = false;
	l->sort = l->table->column[column].id;
	ui_list_move_to(l, 0); /* a new order is read from the top */
	l->stale = true;
}

static bool can_sort(const struct ui_list *l, size_t column)
{
	return ui_list_shows(l, column) && ui_column_sorts(&l->table->column[column]);
}

/* Sorts by the next visible column in direction `dir`, round the end. */
static void sort_step(struct ui_list *l, int dir)
{
	if (!l->table || l->table->columns == 0)
		return;
	size_t n = l->table->columns, at = l->table->sort < 0 ? n - 1 : (size_t)l->table->sort;
	do
		at = dir > 0 ? (at + 1) % n : (at + n - 1) % n;
	while (!can_sort(l, at) && (int)at != l->table->sort);
	if ((int)at != l->table->sort)
		ui_list_sort(l, at);
}

/* Sorts by the n-th of the columns visible if all fit. */
static void sort_nth(struct ui_list *l, size_t n)
{
	for (size_t i = 0; l->table && i < l->table->columns; i++) {
		if (!can_sort(l, i))
			continue;
		if (n-- == 0) {
			ui_list_sort(l, i);
			return;
		}
	}
}

/* A delayed answer must not move a user who has moved by hand since. */
static void forget_aim(struct ui_list *l)
{
	ui_list_want(l, NULL);
	if (l->look == UI_LOOK_ASKED)
		l->look = UI_LOOK_NOT;
}

static void move_by(struct ui_list *l, long by)
{
	size_t step = (size_t)(by < 0 ? -by : by);
	forget_aim(l);
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
		forget_aim(l);
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
		ui_list_move_to(l, 0);
		l->stale = true;
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

static bool tag_command(struct ui_list *l, enum ui_command cmd)
{
	const struct pv_row *row = ui_list_row(l);
	if (cmd == UI_CMD_TAG && row) {
		ui_list_tag(l, row->id);
		move_by(l, 1);
	} else if (cmd == UI_CMD_UNTAG) {
		ui_list_untag(l);
	} else if (cmd == UI_CMD_TAGGED) {
		ui_list_only_tagged(l);
	} else {
		return cmd == UI_CMD_TAG;
	}
	return true;
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
	const bool moves = move_command(l, cmd);
	if (moves)
		l->hold.moved_ns = s->now_ns;
	if (moves || order_command(l, cmd) || tag_command(l, cmd))
		return UI_HANDLED;
	if (cmd == UI_CMD_FIGURE && s->against && s->against->has(l->view)) {
		l->figure++;
		return UI_HANDLED;
	}
	if (cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV) {
		ui_list_find(l, s, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
		return UI_HANDLED;
	}
	if (l->tree)
		return ui_list_tree_command(l, cmd);
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
