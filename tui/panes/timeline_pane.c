/* SPDX-License-Identifier: MIT */
/* The cursor, zoom and search of the timeline of threads, and its commands. */
#include "tui/panes/pane.h"
#include "tui/panes/timeline_pane.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"

#define CELL_LEAST INT64_C(1000000) /* ns; finer than samples come */
enum { PAGE = 10 };

/* --- the cursor */

const struct pv_lanes_row *ui_timeline_row(const struct ui_timeline *t)
{
	return t->answer && t->row < t->answer->rows ? &t->answer->row[t->row] : NULL;
}

static size_t cell_at(const struct pv_lanes_answer *a, int64_t ns)
{
	if (!a || ns <= a->from_ns)
		return 0;
	if (ns >= a->to_ns)
		return a->cells - 1;
	double part = (double)(ns - a->from_ns) / (double)(a->to_ns - a->from_ns);
	size_t i = (size_t)(part * (double)a->cells);
	return i < a->cells ? i : a->cells - 1;
}

size_t ui_timeline_cell(const struct ui_timeline *t)
{
	return cell_at(t->answer, t->at_ns);
}

static int64_t middle(const struct pv_lanes_answer *a, size_t cell)
{
	int64_t from = pv_lanes_time(a, cell);
	return from + (pv_lanes_time(a, cell + 1) - from) / 2;
}

void ui_timeline_chosen(const struct ui_timeline *t, size_t *ret_first, size_t *ret_last)
{
	size_t at = ui_timeline_cell(t), mark = t->marked ? cell_at(t->answer, t->mark_ns) : at;
	*ret_first = at < mark ? at : mark;
	*ret_last = at < mark ? mark : at;
}

void ui_timeline_time(const struct ui_timeline *t, int64_t *ret_from, int64_t *ret_to)
{
	size_t first, last;
	*ret_from = *ret_to = 0;
	if (!t->answer)
		return;
	ui_timeline_chosen(t, &first, &last);
	*ret_from = pv_lanes_time(t->answer, first);
	*ret_to = pv_lanes_time(t->answer, last + 1);
}

bool ui_timeline_only_waits(const struct ui_timeline *t)
{
	const struct pv_lanes_row *row = ui_timeline_row(t);
	size_t first, last;
	uint64_t waits = 0;
	if (!row)
		return false;
	ui_timeline_chosen(t, &first, &last);
	for (size_t i = first; i <= last; i++) {
		if (row->cell[i].samples[PV_STATE_RUNNING])
			return false;
		for (unsigned s = PV_STATE_RUNNING + 1; s < PV_STATES; s++)
			waits += row->cell[i].samples[s];
	}
	return waits > 0;
}

static bool go_to_cell(struct ui_timeline *t, int64_t cell)
{
	const struct pv_lanes_answer *a = t->answer;
	int64_t most = (int64_t)a->cells - 1;
	cell = cell < 0 ? 0 : cell > most ? most : cell;
	if ((size_t)cell == ui_timeline_cell(t))
		return false;
	t->at_ns = middle(a, (size_t)cell);
	return true;
}

static bool go_to_row(struct ui_timeline *t, int64_t row)
{
	int64_t most = (int64_t)t->answer->rows - 1;
	row = row < 0 ? 0 : row > most ? most : row;
	if (row < 0 || row == (int64_t)t->row) /* no lanes: a filter leaves none */
		return false;
	t->row = (size_t)row;
	t->thread = t->answer->row[t->row].id;
	return true;
}

/* To the next cell of the lane with another mark. */
static bool go_to_change(struct ui_timeline *t, int dir)
{
	const struct pv_lanes_answer *a = t->answer;
	const struct pv_lanes_row *row = ui_timeline_row(t);
	int64_t at = (int64_t)ui_timeline_cell(t), i = at + dir;
	if (!row)
		return false;
	const unsigned here = pv_lanes_mark(a, row, (size_t)at);
	while (i >= 0 && i < (int64_t)a->cells && pv_lanes_mark(a, row, (size_t)i) == here)
		i += dir;
	return go_to_cell(t, i);
}

static bool has_sample(const struct pv_lanes_answer *a, const struct pv_lanes_row *row, size_t cell)
{
	unsigned mark = pv_lanes_mark(a, row, cell);
	return mark != PV_LANE_NONE && mark != PV_LANE_GC;
}

/* The first cell of the longest run of the lane, else the first with a sample. */
static size_t busiest(const struct pv_lanes_answer *a, const struct pv_lanes_row *row)
{
	size_t best = 0, longest = 0, length = 0;
	for (size_t i = 0; i < a->cells; i++) {
		length = pv_lanes_mark(a, row, i) == PV_STATE_RUNNING ? length + 1 : 0;
		if (length <= longest)
			continue;
		longest = length;
		best = i + 1 - length;
	}
	while (!longest && best < a->cells && !has_sample(a, row, best))
		best++;
	return best < a->cells ? best : 0;
}

/* To the next row with the text in its name, and to the row's work. */
static bool find_row(struct ui_timeline *t, struct ui_list *l, int dir)
{
	const struct pv_lanes_answer *a = t->answer;
	size_t n = a ? a->rows : 0;
	l->look = UI_LOOK_MISSED;
	for (size_t i = dir ? 1 : 0; i <= n && n; i++) {
		size_t row = (t->row + (dir < 0 ? n - i % n : i)) % n;
		if (!strcasestr(a->row[row].name, l->search))
			continue;
		l->look = UI_LOOK_FOUND;
		go_to_row(t, (int64_t)row);
		if (!t->moved ||
			pv_lanes_mark(a, &a->row[row], ui_timeline_cell(t)) != PV_STATE_RUNNING)
			t->at_ns = middle(a, busiest(a, &a->row[row]));
		return true;
	}
	l->look_tell = true;
	return false;
}

/* After a zoom in, a cell is several: goes to the first of them with a sample. */
static void seek(struct ui_timeline *t)
{
	const struct pv_lanes_answer *a = t->answer;
	const struct pv_lanes_row *row = ui_timeline_row(t);
	size_t last = cell_at(a, t->seek_to - 1);
	if (t->seek_from >= t->seek_to || !row)
		return;
	for (size_t i = cell_at(a, t->seek_from); i <= last; i++) {
		if (pv_lanes_mark(a, row, i) == PV_LANE_NONE)
			continue;
		if (pv_lanes_mark(a, row, ui_timeline_cell(t)) == PV_LANE_NONE)
			t->at_ns = middle(a, i);
		break;
	}
	t->seek_from = t->seek_to = 0;
}

void ui_timeline_find_cursor(struct ui_timeline *t, struct ui_list *l)
{
	const struct pv_lanes_answer *a = t->answer;
	size_t row = 0;
	if (!a || a->rows == 0)
		return;
	while (row < a->rows && a->row[row].id != t->thread)
		row++;
	t->row = row < a->rows && t->thread ? row : t->row < a->rows ? t->row : a->rows - 1;
	t->thread = a->row[t->row].id;
	const struct pv_lanes_row *here = &a->row[t->row];
	if (!t->placed || (!t->moved && !has_sample(a, here, ui_timeline_cell(t)))) {
		t->at_ns = middle(a, busiest(a, here));
		t->placed = true;
		t->moved = false;
	}
	seek(t);
	if (strcmp(t->find, l->search) == 0 && l->look != UI_LOOK_ASKED)
		return;
	memcpy(t->find, l->search, sizeof t->find);
	if (l->search[0])
		find_row(t, l, 0);
}

/* --- zoom */

/* The next round width of a cell: 1, 2, 5 times a power of ten. */
static int64_t round_width(int64_t width, int dir)
{
	int64_t ten = CELL_LEAST, best = CELL_LEAST;
	static const int64_t step[] = { 1, 2, 5 };
	for (; ten < INT64_MAX / 100; ten *= 10) {
		for (size_t i = 0; i < PV_COUNT_OF(step); i++) {
			int64_t w = step[i] * ten;
			if (dir > 0 && w > width)
				return w;
			if (dir < 0 && w >= width)
				return best;
			best = w;
		}
	}
	return best;
}

/* Width of a cell as wished for, ns; at least 1. */
static int64_t width_of(const struct ui_timeline *t)
{
	int64_t length = t->zoomed ? t->to_ns - t->from_ns : t->all_ns;
	return length > t->room ? length / t->room : 1;
}

/*
 * Zooms to cells of this width: the cursor keeps its column, and no cell lies before the
 * recording's zero.
 */
static bool zoom_to(struct ui_timeline *t, int64_t width)
{
	int64_t cells = t->room, column = (int64_t)ui_timeline_cell(t);
	if (t->zoomed)
		column = (t->at_ns - t->from_ns) / width_of(t);
	int64_t from = t->at_ns / width * width - column * width;
	ui_timeline_time(t, &t->seek_from, &t->seek_to);
	t->zoomed = true;
	t->from_ns = from > 0 ? from : 0;
	t->to_ns = t->from_ns + cells * width;
	return true;
}

static bool zoom(struct ui_timeline *t, int dir)
{
	int64_t width = width_of(t);
	int64_t next = round_width(width, dir);
	if (dir < 0)
		return width > CELL_LEAST && zoom_to(t, next);
	if (!t->zoomed)
		return false;
	if (next >= t->all_ns / t->room) {
		t->zoomed = false;
		return true;
	}
	return zoom_to(t, next);
}

/* Moves a zoomed view when the cursor would leave it. */
static bool go_aside(struct ui_timeline *t, const struct ui_shared *s, int64_t cells)
{
	const struct pv_lanes_answer *a = t->answer;
	int64_t at = (int64_t)ui_timeline_cell(t) + cells, n = (int64_t)a->cells;
	if (!t->zoomed || (at >= 0 && at < n))
		return go_to_cell(t, at);
	int64_t width = (a->to_ns - a->from_ns) / n;
	int64_t by = (at < 0 ? at : at - n + 1) * width;
	if (a->from_ns + by < 0)
		by = -a->from_ns;
	if (by > 0 && a->to_ns >= s->duration_ns)
		return go_to_cell(t, at);
	if (by == 0)
		return go_to_cell(t, at);
	t->from_ns = a->from_ns + by;
	t->to_ns = a->to_ns + by;
	t->at_ns = t->from_ns + (at < 0 ? 0 : n - 1) * width + width / 2;
	return true;
}

static bool set_mark(struct ui_timeline *t)
{
	t->marked = !t->marked;
	t->mark_ns = t->at_ns;
	return true;
}

/* --- keys */

static bool is_handled(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_list *l, enum ui_command cmd)
{
	if (!t->answer || t->answer->rows == 0)
		return false;
	const int64_t row = (int64_t)t->row;
	switch (cmd) {
	case UI_CMD_DOWN:
		return go_to_row(t, row + 1);
	case UI_CMD_UP:
		return go_to_row(t, row - 1);
	case UI_CMD_PAGE_DOWN:
		return go_to_row(t, row + ui_max(1, t->lanes.h));
	case UI_CMD_PAGE_UP:
		return go_to_row(t, row - ui_max(1, t->lanes.h));
	case UI_CMD_HALF_DOWN:
		return go_to_row(t, row + ui_max(1, t->lanes.h / 2));
	case UI_CMD_HALF_UP:
		return go_to_row(t, row - ui_max(1, t->lanes.h / 2));
	case UI_CMD_BOTTOM:
		return go_to_row(t, INT64_MAX);
	case UI_CMD_TOP:
		return go_to_row(t, 0);
	case UI_CMD_CELL_LEFT:
	case UI_CMD_CURSOR_LEFT:
		return go_aside(t, s, -1);
	case UI_CMD_CELL_RIGHT:
	case UI_CMD_CURSOR_RIGHT:
		return go_aside(t, s, 1);
	case UI_CMD_CELLS_LEFT:
		return go_aside(t, s, -PAGE);
	case UI_CMD_CELLS_RIGHT:
		return go_aside(t, s, PAGE);
	case UI_CMD_CHANGE_BEFORE:
	case UI_CMD_CHANGE_AFTER:
		return go_to_change(t, cmd == UI_CMD_CHANGE_AFTER ? 1 : -1);
	case UI_CMD_ZOOM_IN:
		return zoom(t, -1);
	case UI_CMD_ZOOM_OUT:
		return zoom(t, 1);
	case UI_CMD_ZOOM_ALL:
		t->zoomed = false;
		return true;
	case UI_CMD_TIME_END:
		return set_mark(t);
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV:
		return l->search[0] && find_row(t, l, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
	default:
		return false;
	}
}

static unsigned command_timeline(struct ui_pane *p, struct ui_shared *s, enum ui_command cmd)
{
	struct ui_timeline *t = p->timeline;
	bool in = cmd == UI_CMD_ENTER && ui_timeline_row(t);
	t->moved = true;
	is_handled(t, s, &p->list[0], cmd);
	return in ? UI_HANDLED | UI_DRILL : UI_HANDLED;
}

static unsigned click_timeline(struct ui_pane *p, struct ui_shared *s, struct ui_mouse m)
{
	struct ui_timeline *t = p->timeline;
	(void)s;
	const struct pv_lanes_answer *a = t->answer;
	if (!a || !ui_rect_has(t->lanes, m.x, m.y) || m.click > UI_CLICK_DOUBLE)
		return UI_IGNORED;
	t->moved = true;
	go_to_row(t, (int64_t)t->top + m.y - t->lanes.y);
	go_to_cell(t, m.x - t->lanes.x);
	return m.click == UI_CLICK_DOUBLE ? UI_HANDLED | UI_DRILL : UI_HANDLED;
}

static const char *why_in_timeline(const struct ui_pane *p, enum ui_command cmd)
{
	const struct ui_timeline *t = p->timeline;
	if (!t->answer || t->answer->rows == 0)
		return "there are no lanes here";
	switch (cmd) {
	case UI_CMD_DOWN:
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_HALF_DOWN:
	case UI_CMD_BOTTOM:
		return "this is the last thread";
	case UI_CMD_UP:
	case UI_CMD_PAGE_UP:
	case UI_CMD_HALF_UP:
	case UI_CMD_TOP:
		return "this is the first thread";
	case UI_CMD_CELL_LEFT:
	case UI_CMD_CELLS_LEFT:
	case UI_CMD_CURSOR_LEFT:
		return "this is the beginning";
	case UI_CMD_CELL_RIGHT:
	case UI_CMD_CELLS_RIGHT:
	case UI_CMD_CURSOR_RIGHT:
		return "this is the end";
	case UI_CMD_CHANGE_BEFORE:
	case UI_CMD_CHANGE_AFTER:
		return "the thread does the same up to the edge";
	case UI_CMD_ZOOM_IN:
		return "a cell is 1 ms, samples come no finer";
	case UI_CMD_ZOOM_OUT:
	case UI_CMD_ZOOM_ALL:
		return "all is seen";
	default:
		return "nothing changes by it here";
	}
}

static uint64_t timeline_mark(const struct ui_pane *p)
{
	const struct ui_timeline *t = p->timeline;
	const uint64_t value[] = { t->zoomed, (uint64_t)t->from_ns, (uint64_t)t->to_ns, t->row,
		(uint64_t)t->at_ns, t->marked, (uint64_t)t->mark_ns };
	uint64_t d = 0;
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		d = pv_hash(d ^ value[i]) + i;
	return d;
}

static bool create_timeline(struct ui_pane *p)
{
	p->timeline = calloc(1, sizeof *p->timeline);
	return p->timeline;
}

static void forget_timeline(struct ui_pane *p)
{
	ui_timeline_forget(p->timeline);
}

static void destroy_timeline(struct ui_pane *p)
{
	ui_timeline_forget(p->timeline);
	free(p->timeline);
	p->timeline = NULL;
}

static void refresh_timeline(struct ui_pane *p, struct ui_shared *s)
{
	ui_timeline_refresh(p->timeline, s, &p->list[0], p->split.part[0]);
}

static void draw_timeline(struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c)
{
	ui_timeline_draw(p->timeline, s, c, p->split.part[0]);
}

static struct ui_pane_now timeline_now(const struct ui_pane *p)
{
	const struct pv_lanes_answer *a = p->timeline->answer;
	const struct pv_lanes_row *row = ui_timeline_row(p->timeline);
	const char *name = row ? row->name : NULL;
	return (struct ui_pane_now){ name, name, a ? a->coverage : NULL,
		!a && ui_slot_pending(&p->timeline->ask.slot) };
}

const struct ui_pane_ops ui_pane_timeline = {
	.create = create_timeline,
	.destroy = destroy_timeline,
	.forget = forget_timeline,
	.why = why_in_timeline,
	.mark = timeline_mark,
	.refresh = refresh_timeline,
	.draw = draw_timeline,
	.command = command_timeline,
	.mouse = click_timeline,
	.now = timeline_now,
};
