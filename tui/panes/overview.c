/* SPDX-License-Identifier: MIT */
/* Home: which blocks are shown and where, their questions, keys and drawing. */
#include "tui/panes/overview.h"

#include <stdio.h>
#include <string.h>

#include "common/base/system/processes.h"
#include "common/base/status.h"
#include "common/query/groups/code_kind.h"
#include "tui/chart/chart.h"
#include "tui/panes/sections.h"

enum { TWO_FROM = 78, THREE_FROM = 110, TALL_FROM = 24, AXIS_FROM = 14, PARTS_FROM = 27 };
enum { MOMENTS = 4096 }; /* shots and marks with a letter in the lane of marks */

static const enum pv_view views[UI_OVERVIEW_LISTS] = {
	[UI_HOME_FINDINGS] = PV_VIEW_FINDINGS,
	[UI_HOME_KINDS] = PV_VIEW_CODE_KINDS,
	[UI_HOME_METHODS] = PV_VIEW_METHODS,
	[UI_HOME_CLASSES] = PV_VIEW_CLASSES,
	[UI_HOME_HELD] = PV_VIEW_SHOT_CLASSES,
	[UI_HOME_HELD_BY] = PV_VIEW_HELD,
	[UI_HOME_LOCKS] = PV_VIEW_LOCKS,
	[UI_HOME_SHOTS] = PV_VIEW_SHOTS,
	[UI_HOME_MARKS] = PV_VIEW_MARKS,
	[UI_HOME_PROCESSES] = PV_VIEW_PROCESSES,
	[UI_HOME_SPANS] = PV_VIEW_SPANS,
	[UI_HOME_ROUTES] = PV_VIEW_ROUTES,
};

void ui_overview_init(struct ui_overview *o)
{
	*o = (struct ui_overview){ .focus = UI_BLOCK_WRONG };
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++) {
		ui_list_init(&o->list[i], views[i], false);
		o->list[i].limit = 32;
	}
	o->list[UI_HOME_SHOTS].limit = o->list[UI_HOME_MARKS].limit = MOMENTS;
	o->list[UI_HOME_HELD].needs_select = true;
	o->flame = ui_flame_create();
	ui_list_init(&o->of_flame, PV_VIEW_CALL_TREE, true);
}

void ui_overview_finish(struct ui_overview *o)
{
	ui_graphs_finish(&o->graphs);
	ui_flame_destroy(o->flame);
	o->flame = NULL;
	ui_list_finish(&o->of_flame);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_finish(&o->list[i]);
}

void ui_overview_forget(struct ui_overview *o)
{
	ui_graphs_finish(&o->graphs);
	if (o->flame)
		ui_flame_forget(o->flame);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_forget(&o->list[i]);
}

/* --- places --- */

static size_t rows_of(const struct ui_overview *o, int block)
{
	int list = ui_sections[block].list;
	const struct pv_table *t = list < 0 ? NULL : o->list[list].table;
	if (t && block == UI_BLOCK_WRONG)
		return ui_findings_wrong(t);
	return t ? t->rows : 0;
}

/* Whether the log has something for a block. */
static bool has_block(const struct ui_overview *o, const struct ui_shared *s, int block)
{
	const unsigned groups = s->summary.recorded | s->summary.enabled;
	int lanes[UI_LANES];
	switch (block) {
	case UI_BLOCK_LANES:
		return !ui_has_ended(s) || ui_lanes_shown(o, s, lanes) > 0;
	case UI_BLOCK_TIME:
	case UI_BLOCK_HOTTEST:
		return groups & (PV_GROUP_CALLS | PV_GROUP_SAMPLES);
	case UI_BLOCK_ALLOCATED:
		return groups & PV_GROUP_ALLOC;
	case UI_BLOCK_HELD:
		return s->summary.shots > 0;
	case UI_BLOCK_HELD_BY:
		return groups & PV_GROUP_HELD;
	case UI_BLOCK_WAITED:
		return s->summary.contentions > 0 && rows_of(o, block) > 0;
	case UI_BLOCK_SPANS:
		return groups & PV_GROUP_SPANS && rows_of(o, block) > 0;
	case UI_BLOCK_ROUTES:
		return groups & PV_GROUP_COUNTERS && rows_of(o, block) > 0;
	case UI_BLOCK_PROCESSES:
		return s->processes && s->processes->row.n > 1;
	case UI_BLOCK_COST:
		return s->cost.known;
	default:
		return true;
	}
}

/* Blocks next to each other. */
struct band {
	int block[UI_SECTIONS], n;
	int least, most; /* rows, titles among them */
};

static int wanted_rows(
	const struct ui_overview *o, const struct ui_shared *s, int block, int body_h, bool most)
{
	const bool tall = body_h >= TALL_FROM;
	const struct ui_section *d = &ui_sections[block];
	int lanes[UI_LANES];
	if (block == UI_BLOCK_LANES) {
		int n = most ? ui_lanes_shown(o, s, lanes) : ui_lanes_least(s);
		bool low = body_h < AXIS_FROM;
		return ui_max(1, low ? ui_min(n, 2) : tall || most ? n : ui_min(n, d->rows));
	}
	if (block == UI_BLOCK_WRONG)
		return ui_max(1, ui_min((int)rows_of(o, block), tall || most ? d->tall : d->rows));
	return most ? d->tall : d->rows;
}

/* The last blocks share their band as far as the screen is wide enough. */
static int arrange(const struct ui_overview *o, const struct ui_shared *s, struct ui_rect body,
	struct band band[UI_SECTIONS])
{
	int bands = 0, columns = body.w >= THREE_FROM ? 3 : body.w >= TWO_FROM ? 2 : 1;
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (!has_block(o, s, i))
			continue;
		struct band *b = bands ? &band[bands - 1] : NULL;
		if (!b || i <= UI_BLOCK_HOTTEST || b->block[0] < UI_BLOCK_HOTTEST ||
			b->n == columns) {
			b = &band[bands++];
			*b = (struct band){ 0 };
		}
		int title = i != UI_BLOCK_LANES, axis = i == UI_BLOCK_LANES && body.h >= AXIS_FROM;
		b->block[b->n++] = i;
		b->least = ui_max(b->least, title + axis + wanted_rows(o, s, i, body.h, false));
		b->most = ui_max(b->most, title + axis + wanted_rows(o, s, i, body.h, true));
	}
	return bands;
}

/* The first band to show, so that the band with the keys is in sight. */
static int first_band(const struct ui_overview *o, const struct band *band, int n, int h)
{
	int with_keys = 0, first = 0, sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < band[i].n; k++)
			with_keys = band[i].block[k] == o->focus ? i : with_keys;
	for (int i = 0; i <= with_keys; i++)
		sum += band[i].least;
	while (first < with_keys && sum > h)
		sum -= band[first++].least;
	return first;
}

static void place_band(struct ui_overview *o, struct ui_rect r, const struct band *b)
{
	int w = (r.w + 2) / b->n - 2;
	for (int i = 0; i < b->n; i++) {
		int x = i * (w + 2);
		o->at[b->block[i]] = ui_cols(r, x, i + 1 < b->n ? w : r.w - x);
	}
	if (b->block[0] == UI_BLOCK_LANES && o->at[0].h > b->least - 1 && b->least > 2) {
		o->axis = ui_rows(o->at[0], o->at[0].h - 1, 1);
		o->at[0].h--;
	}
}

void ui_overview_place(
	struct ui_overview *o, const struct ui_shared *s, struct ui_rect body, struct ui_rect strip)
{
	struct band band[UI_SECTIONS];
	o->parts = ui_max(0, body.h - PARTS_FROM);
	int n = arrange(o, s, body, band), y = 0, left = body.h, last;
	for (int i = 0; i < UI_SECTIONS; i++)
		o->at[i] = (struct ui_rect){ 0 };
	o->axis = (struct ui_rect){ 0 };
	o->strip = strip;
	if (!has_block(o, s, o->focus))
		o->focus = UI_BLOCK_WRONG;
	int first = first_band(o, band, n, body.h);
	for (last = first; last < n && left > 0 && (last == first || band[last].least <= left);
		last++)
		left -= band[last].least;
	for (int i = first; i < last; i++) {
		/* Bands are filled from the first on; the last band takes the rest. */
		int more = i + 1 < last ? ui_min(band[i].most - band[i].least, ui_max(left, 0))
					: ui_max(left, 0);
		if (body.h >= AXIS_FROM || i + 1 == last)
			left -= more;
		else
			more = 0;
		place_band(o, ui_rows(body, y, band[i].least + more), &band[i]);
		y += band[i].least + more;
	}
}

/* --- drawing --- */

static bool is_own_code(const struct pv_flame_cell *c)
{
	return c->kind == PV_CODE_USER || c->kind == PV_CODE_JIT || c->kind == PV_CODE_UNKNOWN;
}

/* The share of running time within the program's own code, callees included. */
static double own_part(const struct pv_flame *f)
{
	uint64_t own = 0;
	for (size_t i = 1; i < f->cells; i++) {
		const struct pv_flame_cell *c = &f->cell[i];
		bool within = false;
		for (uint32_t up = c->parent; up && !within; up = f->cell[up].parent)
			within = is_own_code(&f->cell[up]);
		own += !within && is_own_code(c) ? c->weight : 0;
	}
	return f->cells && f->cell[0].weight ? (double)own / (double)f->cell[0].weight : 0;
}

/*
 * With all code shown, frames too thin for the answer are missing from the share: so leaving this
 * state takes more than entering.
 */
static bool shows_all_code(const struct ui_overview *o)
{
	const struct pv_flame *f = o->flame->answer[UI_FLAME_MAIN];
	if (!f || f->cell[0].weight == 0)
		return o->all_code;
	return own_part(f) < (o->all_code ? 0.15 : 0.1);
}

/*
 * Asks for samples if there are enough, else for the times of calls, like the shares above. The few
 * levels are for the program's own code: other methods are folded into their callers.
 */
static void refresh_icicle(struct ui_overview *o, const struct ui_shared *s)
{
	enum { WITH_ICICLE = 3, ENOUGH = 30 };
	struct ui_flame *f = o->flame;
	if (!f || o->at[UI_BLOCK_TIME].h < WITH_ICICLE)
		return;
	bool calls = s->summary.samples < ENOUGH && s->summary.recorded & PV_GROUP_CALLS;
	f->measure = calls ? PV_FLAME_TIME : PV_FLAME_SAMPLES;
	f->chosen = true;
	struct ui_shared own = *s;
	o->all_code = shows_all_code(o);
	own.my_code = s->my_code || !o->all_code;
	ui_flame_refresh(f, &own, &o->of_flame);
}

/* Memory by keeper if the objects of the newest shot are at hand, else by class. */
static void choose_held(struct ui_list *l, const struct ui_shared *s)
{
	const enum pv_view view = ui_newest_heap(s) ? PV_VIEW_HEAP_KEEPERS : PV_VIEW_SHOT_CLASSES;
	if (l->view != view) {
		ui_list_forget(l);
		l->view = view;
		l->needs_select = pv_view_is(view, PV_TRAIT_OF_SHOT);
	}
	ui_list_set_select(l, l->needs_select ? s->summary.shots : 0, 0);
}

void ui_overview_refresh(struct ui_overview *o, const struct ui_shared *s)
{
	choose_held(&o->list[UI_HOME_HELD], s);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_refresh(&o->list[i], s);
	refresh_icicle(o, s);
	ui_lanes_refresh(o, s);
}

/* Times are of wall clocks if nothing tells whether threads ran: the title says so. */
static bool is_wall(const struct ui_overview *o, int i)
{
	const int list = ui_sections[i].list;
	const struct pv_table *t = list < 0 ? NULL : o->list[list].table;
	return (i == UI_BLOCK_TIME || i == UI_BLOCK_HOTTEST) && t && t->time_of == PV_TIME_WALL;
}

static void draw_title(
	const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c, int i)
{
	struct ui_rect line = ui_rows(o->at[i], 0, 1);
	const struct ui_command_row *row = ui_command_row(ui_sections[i].pane);
	char title[80];
	const bool kept =
		i == UI_BLOCK_HELD && pv_view_is(o->list[UI_HOME_HELD].view, PV_SECTION_GRAPH);
	if (kept)
		snprintf(title, sizeof title, "Held by, shot %u", s->all.shot);
	else if (is_wall(o, i))
		snprintf(title, sizeof title, "%s, WALL",
			i == UI_BLOCK_TIME ? "Where time went" : ui_sections[i].title);
	else
		snprintf(title, sizeof title, "%s", ui_sections[i].title);
	const int used = ui_put(
		c, ui_cols(line, 1, line.w - 1), o->focus == i ? UI_TAB_ON : UI_TITLE, title);
	const int key = row && row->keys[0] && line.w > used + 6 ? 2 : 0;
	ui_hline(c, ui_cols(line, used + 2, line.w - used - 3 - key));
	if (key)
		ui_printf(c, ui_cols(line, line.w - 2, 1), UI_KEYCAP, "%.1s", row->keys);
}

void ui_overview_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c)
{
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (o->at[i].h == 0)
			continue;
		bool titled = i != UI_BLOCK_LANES;
		if (titled)
			draw_title(o, s, c, i);
		ui_sections[i].draw(o, s, c, ui_rows(o->at[i], titled, o->at[i].h));
	}
}

/* --- keys --- */

bool ui_overview_next(struct ui_overview *o, const struct ui_shared *s, int dir)
{
	for (int to = o->focus + dir; to >= 0 && to < UI_SECTIONS; to += dir) {
		if (!has_block(o, s, to))
			continue;
		o->focus = to;
		return true;
	}
	return false;
}

struct ui_list *ui_overview_list(struct ui_overview *o)
{
	int list = ui_sections[o->focus].list;
	return list < 0 || o->focus == UI_BLOCK_TIME ? NULL : &o->list[list];
}

bool ui_overview_step(struct ui_overview *o, const struct ui_shared *s, int dir)
{
	int lanes[UI_LANES], to = o->lane + dir;
	struct ui_list *l = ui_overview_list(o);
	const int rows = o->at[o->focus].h - 1;
	if (o->focus == UI_BLOCK_LANES && to >= 0 &&
		to < ui_min(ui_lanes_shown(o, s, lanes), o->at[o->focus].h)) {
		o->lane = to;
		return true;
	}
	const long at = l ? (long)l->at + dir : -1;
	if (l && at >= 0 && at < (long)rows_of(o, o->focus) && at < rows) {
		ui_list_move_to(l, (size_t)at);
		return true;
	}
	if (!ui_overview_next(o, s, dir))
		return false;
	l = ui_overview_list(o);
	if (l && dir > 0)
		ui_list_move_to(l, 0);
	if (o->focus == UI_BLOCK_LANES && dir > 0)
		o->lane = 0;
	return true;
}

enum ui_command ui_overview_pane(const struct ui_overview *o, const struct ui_shared *s)
{
	int lanes[UI_LANES], n = ui_lanes_shown(o, s, lanes);
	if (o->focus == UI_BLOCK_LANES && o->lane < n)
		return ui_lanes[lanes[o->lane]].pane;
	return ui_sections[o->focus].pane;
}

bool ui_overview_click(struct ui_overview *o, int x, int y)
{
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (!ui_rect_has(o->at[i], x, y))
			continue;
		o->focus = i;
		int row = y - o->at[i].y - 1;
		struct ui_list *l = ui_overview_list(o);
		if (i == UI_BLOCK_LANES)
			o->lane = row + 1;
		else if (l && row >= 0)
			ui_list_move_to(l, (size_t)row);
		return true;
	}
	return false;
}
