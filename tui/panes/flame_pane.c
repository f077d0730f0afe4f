/* SPDX-License-Identifier: MIT */
/* The cursor, zoom, cuts and undo of the flame pane, and its commands. */
#include "tui/panes/flame_pane.h"
#include "tui/panes/pane.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"

enum { LEVELS = 5, UNDO_MAX = 100, DEPTH_MAX = 4096 };

struct ui_flame *ui_flame_create(void)
{
	struct ui_flame *f = calloc(1, sizeof *f);
	if (f)
		f->stale = true;
	return f;
}

void ui_flame_destroy(struct ui_flame *f)
{
	if (!f)
		return;
	ui_flame_forget(f);
	ui_heat_finish(&f->heat);
	ui_flame_view_finish(&f->view);
	for (size_t i = 0; i < f->before.n; i++)
		ui_flame_view_finish(&f->before.v[i]);
	for (size_t i = 0; i < f->after.n; i++)
		ui_flame_view_finish(&f->after.v[i]);
	pv_array_finish(&f->before);
	pv_array_finish(&f->after);
	pv_array_finish(&f->path);
	free(f->want);
	free(f);
}

const struct pv_flame_cell *ui_flame_cell(const struct ui_flame *f)
{
	const struct pv_flame *a = f->answer[f->half];
	return a && f->at < a->cells ? &a->cell[f->at] : NULL;
}

const struct ui_icicle_span *ui_flame_span(struct ui_flame *f, int half, int w)
{
	if (f->span_w != w)
		for (int i = 0; i < UI_FLAME_HALVES; i++) {
			free(f->span[i]);
			f->span[i] = NULL;
		}
	f->span_w = w;
	if (!f->span[half] && f->answer[half])
		f->span[half] = ui_icicle_lay(f->answer[half], w);
	return f->span[half];
}

/* --- the cursor */

static bool is_seen(struct ui_flame *f, uint32_t cell)
{
	const struct ui_icicle_span *span = f->span_w ? ui_flame_span(f, f->half, f->span_w) : NULL;
	return !span || span[cell].w > 0;
}

static bool go_to(struct ui_flame *f, uint32_t cell)
{
	if (cell == f->at)
		return false;
	f->at = cell;
	ui_flame_note_path(f);
	return true;
}

static bool go_out(struct ui_flame *f)
{
	const struct pv_flame_cell *c = ui_flame_cell(f);
	if (!c || f->at == 0)
		return false;
	bool to_middle = f->half == UI_FLAME_CALLERS && c->depth == 1;
	if (to_middle) {
		f->half = UI_FLAME_MAIN;
		f->at = 0;
		ui_flame_note_path(f);
		return true;
	}
	return go_to(f, c->parent);
}

static bool go_in(struct ui_flame *f)
{
	const struct pv_flame *a = f->answer[f->half];
	const struct pv_flame_cell *c = ui_flame_cell(f);
	for (uint32_t n = 0; c && n < c->children; n++)
		if (is_seen(f, c->child + n))
			return a && go_to(f, c->child + n);
	return false;
}

/* To the neighbour on the same level, also under another parent. */
static bool go_aside(struct ui_flame *f, int dir)
{
	const struct pv_flame *a = f->answer[f->half];
	const struct pv_flame_cell *c = ui_flame_cell(f);
	if (!c)
		return false;
	for (int64_t i = (int64_t)f->at + dir; i > 0 && i < (int64_t)a->cells; i += dir) {
		if (a->cell[i].depth != c->depth)
			return false;
		if (is_seen(f, (uint32_t)i))
			return go_to(f, (uint32_t)i);
	}
	return false;
}

/* From the middle of a sandwich to a caller. */
static bool go_to_callers(struct ui_flame *f)
{
	if (f->half != UI_FLAME_MAIN || f->at != 0 || !f->answer[UI_FLAME_CALLERS] ||
		!f->answer[UI_FLAME_CALLERS]->cell[0].children)
		return false;
	f->half = UI_FLAME_CALLERS;
	return go_to(f, 1);
}

/* Up and down as they are seen. */
static bool go_vertical(struct ui_flame *f, int dir)
{
	bool sandwich = f->answer[UI_FLAME_CALLERS] != NULL;
	bool root_below = sandwich ? f->half == UI_FLAME_CALLERS : f->upside_down;
	bool in = root_below ? dir < 0 : dir > 0;
	if (!in && sandwich && f->half == UI_FLAME_MAIN && f->at == 0)
		return go_to_callers(f);
	return in ? go_in(f) : go_out(f);
}

static bool go_levels(struct ui_flame *f, int dir, int levels)
{
	bool moved = false;
	while (levels-- > 0 && go_vertical(f, dir))
		moved = true;
	return moved;
}

static bool go_hit(struct ui_flame *f, struct ui_list *l, int dir)
{
	const struct pv_flame *a = f->answer[f->half];
	uint32_t at = f->at, n = a ? (uint32_t)a->cells : 0;
	if (!l->search[0] || n == 0)
		return false;
	for (uint32_t step = 0; step < n; step++) {
		at = dir > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (a->cell[at].flags & PV_FLAME_HIT && is_seen(f, at)) {
			l->look = UI_LOOK_FOUND;
			return go_to(f, at) || at == f->at;
		}
	}
	l->look = UI_LOOK_MISSED;
	l->look_tell = true;
	return true;
}

/* --- changes that undo can take away */

static void clear_views(struct ui_flame_view *v, size_t *n)
{
	while (*n > 0)
		ui_flame_view_finish(&v[--*n]);
}

/* Pushes a copy of the view for undo; false: out of memory, and the view must not change. */
static bool remember_view(struct ui_flame *f)
{
	struct ui_flame_view copy;
	if (f->before.n == UNDO_MAX) {
		ui_flame_view_finish(&f->before.v[0]);
		memmove(f->before.v, f->before.v + 1, --f->before.n * sizeof *f->before.v);
	}
	if (!pv_reserve(&f->before, 1) || !ui_flame_view_copy(&copy, &f->view))
		return false;
	f->before.v[f->before.n++] = copy;
	clear_views(f->after.v, &f->after.n);
	f->stale = true;
	return true;
}

static void cursor_to_root(struct ui_flame *f)
{
	f->half = UI_FLAME_MAIN;
	f->at = 0;
	f->path.n = 0;
}

bool ui_flame_undo(struct ui_flame *f)
{
	if (f->before.n == 0 || !pv_reserve(&f->after, 1))
		return false;
	f->after.v[f->after.n++] = f->view;
	f->view = f->before.v[--f->before.n];
	f->stale = true;
	return true;
}

static bool redo(struct ui_flame *f)
{
	if (f->after.n == 0 || !pv_reserve(&f->before, 1))
		return false;
	f->before.v[f->before.n++] = f->view;
	f->view = f->after.v[--f->after.n];
	f->stale = true;
	return true;
}

/* The cursor's path from the view's root, with the path of the zoom in front. */
static bool path_of_cursor(const struct ui_flame *f, struct pv_flame_path *ret)
{
	bool callers = f->half == UI_FLAME_CALLERS;
	const struct pv_flame_path *z = &f->view.zoom;
	*ret = (struct pv_flame_path){ .way = callers ? PV_FLAME_UP : z->way, .focus = z->focus };
	bool lost = f->answer[UI_FLAME_MAIN] && f->answer[UI_FLAME_MAIN]->lost;
	size_t zoomed = callers || lost ? 0 : z->key.n, n = zoomed + f->path.n;
	if (n > DEPTH_MAX || !pv_reserve(&ret->key, n))
		return false;
	if (zoomed)
		memcpy(ret->key.v, z->key.v, zoomed * sizeof *ret->key.v);
	if (f->path.n)
		memcpy(ret->key.v + zoomed, f->path.v, f->path.n * sizeof *ret->key.v);
	ret->key.n = n;
	return true;
}

static bool zoom(struct ui_flame *f)
{
	struct pv_flame_path p;
	if (f->at == 0 || f->half == UI_FLAME_CALLERS || !path_of_cursor(f, &p))
		return false;
	if (!remember_view(f)) {
		pv_array_finish(&p.key);
		return false;
	}
	pv_array_finish(&f->view.zoom.key);
	f->view.zoom = p;
	cursor_to_root(f);
	return true;
}

static bool cut_frame(struct ui_flame *f, bool keep)
{
	struct pv_flame_cut c = { .keep = keep };
	if (f->at == 0 || !path_of_cursor(f, &c.at))
		return false;
	if (!remember_view(f) || !pv_reserve(&f->view.cut, 1)) {
		pv_array_finish(&c.at.key);
		return false;
	}
	f->view.cut.v[f->view.cut.n++] = c;
	if (f->path.n && !keep)
		f->path.n--;
	return true;
}

static bool turn_view(struct ui_flame *f, enum pv_flame_way way, uint64_t focus)
{
	if (!remember_view(f))
		return false;
	f->view.zoom.way = way;
	f->view.zoom.focus = focus;
	f->view.zoom.key.n = 0;
	cursor_to_root(f);
	return true;
}

static bool sandwich(struct ui_flame *f)
{
	const struct pv_flame_cell *c = ui_flame_cell(f);
	if (f->view.zoom.focus && (!c || c->key == f->view.zoom.focus || !c->key))
		return turn_view(f, PV_FLAME_DOWN, 0);
	return c && c->key && turn_view(f, PV_FLAME_DOWN, c->key);
}

/* --- measures and order */

static bool next_measure(struct ui_flame *f, const struct ui_shared *s)
{
	for (unsigned i = 1; i < PV_FLAME_MEASURES; i++) {
		enum pv_flame_measure m = (f->measure + i) % PV_FLAME_MEASURES;
		if (!pv_flame_recorded(s->summary.recorded, m))
			continue;
		f->measure = m;
		f->chosen = true;
		return true;
	}
	return false;
}

bool ui_flame_measure(struct ui_flame *f, const char *word)
{
	enum pv_flame_measure m;
	if (!pv_flame_of(word, &m))
		return false;
	f->measure = m;
	return f->chosen = true;
}

static bool change_least(struct ui_flame *f, int dir)
{
	int to = (int)f->least + dir;
	if (to < 0 || to >= UI_FLAME_LEASTS)
		return false;
	f->least = (unsigned)to;
	return f->stale = true;
}

static bool flip(struct ui_flame *f, bool *what)
{
	*what = !*what;
	return f->stale = true;
}

static bool is_handled(
	struct ui_flame *f, const struct ui_shared *s, struct ui_list *l, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_DOWN:
	case UI_CMD_UP:
		return go_vertical(f, cmd == UI_CMD_DOWN ? 1 : -1);
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_HALF_DOWN:
		return go_levels(f, 1, LEVELS);
	case UI_CMD_PAGE_UP:
	case UI_CMD_HALF_UP:
		return go_levels(f, -1, LEVELS);
	case UI_CMD_BOTTOM:
		return go_levels(f, 1, DEPTH_MAX);
	case UI_CMD_TOP:
		return go_levels(f, -1, DEPTH_MAX);
	case UI_CMD_LEFT:
	case UI_CMD_RIGHT:
		return go_aside(f, cmd == UI_CMD_RIGHT ? 1 : -1);
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV:
		return go_hit(f, l, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
	case UI_CMD_ENTER:
		return zoom(f);
	case UI_CMD_LEAVE_OUT:
	case UI_CMD_ONLY:
		return cut_frame(f, cmd == UI_CMD_ONLY);
	case UI_CMD_BOTTOM_UP:
		return turn_view(
			f, f->view.zoom.way == PV_FLAME_UP ? PV_FLAME_DOWN : PV_FLAME_UP, 0);
	case UI_CMD_SANDWICH:
		return sandwich(f);
	case UI_CMD_UNDO:
		return ui_flame_undo(f);
	case UI_CMD_REDO:
		return redo(f);
	case UI_CMD_MEASURE:
		return next_measure(f, s);
	case UI_CMD_RECURSION:
		return flip(f, &f->fold);
	case UI_CMD_ORDER:
		return flip(f, &f->by_name);
	case UI_CMD_UPSIDE_DOWN:
		return flip(f, &f->upside_down);
	case UI_CMD_SUM_MORE:
		return change_least(f, 1);
	case UI_CMD_SUM_LESS:
		return change_least(f, -1);
	default:
		return false;
	}
}

static unsigned command_flame(struct ui_pane *p, struct ui_shared *s, enum ui_command cmd)
{
	struct ui_flame *f = p->flame;
	int64_t from, to;
	if (cmd == UI_CMD_ENTER && ui_heat_time(&f->heat, &from, &to))
		return UI_HANDLED | UI_DRILL;
	if (!ui_heat_command(&f->heat, cmd))
		is_handled(f, s, &p->list[0], cmd);
	return UI_HANDLED;
}

static unsigned click_flame(struct ui_pane *p, struct ui_shared *s, struct ui_mouse m)
{
	struct ui_flame *f = p->flame;
	(void)s;
	if (ui_heat_mouse(&f->heat, m))
		return m.click == UI_CLICK_DOUBLE ? UI_HANDLED | UI_DRILL : UI_HANDLED;
	for (int half = 0; half < UI_FLAME_HALVES; half++) {
		struct ui_rect r = f->drawn[half];
		const struct pv_flame *a = f->answer[half];
		if (!a || !ui_rect_has(r, m.x, m.y) || m.click > UI_CLICK_DOUBLE)
			continue;
		const struct ui_icicle_span *span = ui_flame_span(f, half, r.w);
		bool below = half == UI_FLAME_CALLERS || (f->upside_down && !f->answer[1]);
		int level = below ? r.y + r.h - 1 - m.y : m.y - r.y;
		for (uint32_t i = 0; span && i < a->cells; i++) {
			if (a->cell[i].depth != level + f->level[half] || span[i].w == 0 ||
				m.x - r.x < span[i].x || m.x - r.x >= span[i].x + span[i].w)
				continue;
			f->half = half;
			f->at = i;
			ui_flame_note_path(f);
			if (m.click == UI_CLICK_DOUBLE)
				zoom(f);
			return UI_HANDLED;
		}
	}
	return UI_IGNORED;
}

const char *ui_flame_said(const struct ui_flame *f, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_MEASURE:
		return pv_flame_title(f->measure);
	case UI_CMD_RECURSION:
		return f->fold ? "a frame that calls itself is one" : "recursion as it was";
	case UI_CMD_ORDER:
		return f->by_name ? "siblings by name" : "siblings by weight";
	case UI_CMD_SUM_MORE:
	case UI_CMD_SUM_LESS:
		return ui_flame_least[f->least] ? "siblings below that share are summed up"
						: "all that has a column is shown";
	default:
		return NULL;
	}
}

static const char *why_in_flame(const struct ui_pane *p, enum ui_command cmd)
{
	const struct ui_flame *f = p->flame;
	if (cmd == UI_CMD_HEAT_END)
		return f->heat.on ? "there is no heat here" : "d shows the heat strip first";
	if (f->heat.on && f->heat.cells && (cmd == UI_CMD_LEFT || cmd == UI_CMD_UP))
		return "this is the beginning";
	if (f->heat.on && f->heat.cells && (cmd == UI_CMD_RIGHT || cmd == UI_CMD_DOWN))
		return "this is the end";
	if (!f->answer[UI_FLAME_MAIN] || f->answer[UI_FLAME_MAIN]->cells < 2)
		return "there is nothing to go to";
	switch (cmd) {
	case UI_CMD_DOWN:
	case UI_CMD_UP:
	case UI_CMD_BOTTOM:
	case UI_CMD_TOP:
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_PAGE_UP:
	case UI_CMD_HALF_DOWN:
	case UI_CMD_HALF_UP:
		return "no cell wide enough is there";
	case UI_CMD_LEFT:
	case UI_CMD_RIGHT:
		return "no cell is further on this level";
	case UI_CMD_ENTER:
		return "this is what is zoomed; arrows go to a cell";
	case UI_CMD_LEAVE_OUT:
	case UI_CMD_ONLY:
	case UI_CMD_SANDWICH:
		return "arrows go to a cell first";
	case UI_CMD_UNDO:
	case UI_CMD_BACK:
		return "there is nothing to undo";
	case UI_CMD_REDO:
		return "nothing was undone";
	case UI_CMD_MEASURE:
		return "no other measure was recorded";
	case UI_CMD_SUM_MORE:
	case UI_CMD_SUM_LESS:
		return "it is at its end";
	default:
		return "nothing changes by it here";
	}
}

static uint64_t flame_mark(const struct ui_pane *p)
{
	const struct ui_flame *f = p->flame;
	const uint64_t value[] = { f->measure, f->upside_down, f->by_name, f->fold, f->least,
		f->view.zoom.way, f->view.zoom.focus, f->view.zoom.key.n, f->view.cut.n,
		f->before.n, f->after.n, (uint64_t)f->half, f->at, ui_heat_mark(&f->heat) };
	uint64_t d = 0;
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		d = pv_hash(d ^ value[i]) + i;
	return d;
}

static bool create_flame(struct ui_pane *p)
{
	p->flame = ui_flame_create();
	return p->flame;
}

static void destroy_flame(struct ui_pane *p)
{
	ui_flame_destroy(p->flame);
	p->flame = NULL;
}

static void forget_flame(struct ui_pane *p)
{
	ui_flame_forget(p->flame);
}

static void refresh_flame(struct ui_pane *p, struct ui_shared *s)
{
	ui_flame_refresh(p->flame, s, &p->list[0]);
	ui_heat_refresh(&p->flame->heat, s, ui_heat_columns(p->split.part[0]));
}

static void draw_flame(struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c)
{
	ui_flame_draw(p->flame, s, c, p->split.part[0]);
}

static struct ui_pane_now flame_now(const struct ui_pane *p)
{
	const struct pv_flame *a = p->flame->answer[UI_FLAME_MAIN];
	const struct pv_flame_cell *c = ui_flame_cell(p->flame);
	const bool frame = c && c->key && !(c->flags & PV_FLAME_CLASS);
	return (struct ui_pane_now){ .name = frame ? c->name : NULL,
		.shown = c ? c->shown : NULL,
		.coverage = a ? a->coverage : NULL,
		.awaits = !a && ui_slot_pending(&p->flame->slot) };
}

const struct ui_pane_ops ui_pane_flame = {
	.create = create_flame,
	.destroy = destroy_flame,
	.forget = forget_flame,
	.why = why_in_flame,
	.mark = flame_mark,
	.refresh = refresh_flame,
	.draw = draw_flame,
	.command = command_flame,
	.mouse = click_flame,
	.now = flame_now,
};
