/* SPDX-License-Identifier: MIT */
/* Lines of the frame: views of the room, conditions of the figures, the function bar. */
#include "tui/screen/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/base/text/showable.h"
#include "tui/chart/chart.h"
#include "tui/draw/entries.h"
#include "tui/draw/figures.h"
#include "tui/draw/key.h"
#include "tui/list/list_query.h"
#include "tui/draw/shorten.h"
#include "tui/panes/path_line.h"
#include "tui/panes/rooms.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/strip.h"

void ui_clock_refresh(struct ui_graphs *k, const struct ui_shared *s, int w)
{
	static const enum pv_series_kind kinds[UI_CLOCK_SERIES] = {
		[UI_CLOCK_HEAP] = PV_SERIES_HEAP,
		[UI_CLOCK_MINOR] = PV_SERIES_MINOR,
		[UI_CLOCK_MAJOR] = PV_SERIES_MAJOR,
	};
	struct ui_graphs_wish wish = { .kind = kinds, .n = UI_CLOCK_SERIES, .all = true };
	wish.cells = ui_series_cells(s->dots, ui_frame_strip((struct ui_rect){ 0, 0, w, 1 }).w);
	ui_graphs_refresh(k, s, &wish);
}

void ui_frame_heap(
	struct ui_canvas *c, struct ui_rect r, const struct ui_graphs *k, const struct ui_shared *s)
{
	struct ui_rect room = ui_frame_strip(r), value = ui_cols(r, room.x + room.w + 1 - r.x, r.w);
	char now[PV_UNIT_MAX], most[PV_UNIT_MAX], top[PV_UNIT_MAX];
	ui_put(c, r, UI_DIM, " heap");
	if (!(s->all.recorded & PV_GROUP_GC)) {
		ui_put(c, room, UI_DIM, "no heap size recorded yet");
		return;
	}
	if (k->series[UI_CLOCK_HEAP]) {
		struct ui_values values = ui_series_values(c, k->series[UI_CLOCK_HEAP], room.w);
		values.max = k->top[UI_CLOCK_HEAP].top;
		ui_spark(c, room, UI_HEAP, values);
	}
	pv_units_bytes(now, sizeof now, s->all.heap_bytes);
	pv_units_bytes(most, sizeof most, s->all.heap_max_bytes);
	const struct pv_series *heap = k->series[UI_CLOCK_HEAP];
	ui_value_text(heap ? k->top[UI_CLOCK_HEAP].top : 0, PV_UNIT_BYTES, top, sizeof top);
	ui_figures(c, value, now, heap && heap->max > 0 ? most : NULL, top);
}

void ui_frame_gc(
	struct ui_canvas *c, struct ui_rect r, const struct ui_graphs *k, const struct ui_shared *s)
{
	struct ui_rect room = ui_frame_strip(r), value = ui_cols(r, room.x + room.w + 1 - r.x, r.w);
	ui_put(c, r, UI_DIM, " GC");
	if (!(s->all.recorded & PV_GROUP_GC))
		return;
	uint32_t minor = '\'';
	if (k->series[UI_CLOCK_MINOR])
		minor = ui_marks(c, room, UI_MINOR,
			ui_series_values(c, k->series[UI_CLOCK_MINOR], room.w), minor, false);
	if (k->series[UI_CLOCK_MAJOR])
		ui_marks(c, room, UI_MAJOR, ui_series_values(c, k->series[UI_CLOCK_MAJOR], room.w),
			'|', true);
	ui_printf(c, value, UI_PLAIN, "minor %" PRIu64 " %s  major %" PRIu64 " |",
		s->all.collections[0], minor == '\'' ? "'" : "▂",
		s->all.collections[1] + s->all.collections[2]);
}

/* --- selection --- */

enum { APART = 2 };

/* The views of the pane's room by name, where they leave half of the line; else the pane's own. */
static int put_views(
	struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p, const struct ui_shared *s)
{
	const int room = ui_room_of_command(p->def->room);
	const size_t first = ui_room_first(room), n = ui_room_views(room);
	int w = 0, x = 1;
	for (size_t i = first; i < first + n; i++)
		w += ui_pane_exists(&ui_pane_defs[i], s) ? (int)strlen(ui_pane_defs[i].tab) + 2 : 0;
	const bool all = w <= ui_max(r.w / 2, r.w - 40);
	for (size_t i = first; i < first + n; i++) {
		const struct ui_pane_def *def = &ui_pane_defs[i];
		if (def == p->def)
			x += ui_printf(c, ui_cols(r, x - 1, r.w), UI_TAB_ON, "[%s]", def->tab) - 1;
		else if (all && ui_pane_exists(def, s))
			x += 1 + ui_put(c, ui_cols(r, x, r.w),
					 ui_pane_can(def, ui_groups(s)) ? UI_PLAIN : UI_DIM,
					 def->tab);
	}
	return x;
}

/* The time of the pane's figures, unless all; objects of shots have no range. */
static void add_time(struct ui_entries *e, const struct ui_pane *p, const struct ui_shared *s)
{
	char range[240];
	const bool rolls = s->window_ns > 0 && !s->range.on && !ui_has_ended(s);
	const uint64_t last_s = s->window_ns / 1000000000;
	if (p->def->scope & (UI_SCOPE_DIFF | UI_SCOPE_OBJECTS))
		return;
	if (s->range.on)
		ui_entries_add(e, UI_WARN, 1, "%s", ui_strip_text(s, range, sizeof range));
	else if (rolls && p->def->windowed)
		ui_entries_add(e, UI_WARN, 1, "last %" PRIu64 " s", last_s);
	else if (rolls && p->def->parts == 0)
		ui_entries_add(
			e, UI_WARN, 1, "methods and classes of the last %" PRIu64 " s", last_s);
}

/* The figures, the way of the tree, and what a threshold hides. */
static void add_counted(
	struct ui_entries *e, const struct ui_list *l, const struct ui_shared *s, bool wide)
{
	const enum pv_counted by = ui_list_counted(l, s);
	if (by == PV_COUNTED_CALLS)
		ui_entries_add(e, UI_PLAIN, 6, wide ? "by calls (m: samples)" : "by calls (m)");
	else if (by == PV_COUNTED_SAMPLES)
		ui_entries_add(e, UI_PLAIN, 6, wide ? "by samples (m: calls)" : "by samples (m)");
	if (ui_list_turns(l) && l->splits && s->callers)
		ui_entries_add(e, UI_WARN, 2, "callers");
	if (l->splits && s->least && l->table && !s->against)
		ui_entries_add(e, UI_WARN, 3, "hidden < %g %%: %zu row%s, %.2g %%",
			s->least / 100.0, l->table->hidden, l->table->hidden == 1 ? "" : "s",
			l->table->hidden_percent);
}

/* The filter of all views, and the list's own. */
static void add_filter(struct ui_entries *e, const struct ui_pane *p, const struct ui_shared *s)
{
	const struct ui_list *l = &p->list[p->focus];
	char rows[UI_TEXT_MAX]; /* requests stand with the range */
	ui_filter_rows(s, rows);
	if (rows[0] && p->unfit[0])
		ui_entries_add(e, UI_WARN, 2, "filter %s does not apply here: %s", rows, p->unfit);
	else if (rows[0])
		ui_entries_add(e, UI_WARN, 1, "filter: %s", rows);
	if (p->list[0].found[0])
		ui_entries_add(e, UI_WARN, 1, "found: %s", p->list[0].found);
	if (p->focus > 0 && l->filter[0])
		ui_entries_add(e, UI_WARN, 1, "filter of this list: %s", l->filter);
}

/* The shots of the heap's figures. */
static void add_shots(struct ui_entries *e, const struct ui_pane *p, const struct ui_shared *s)
{
	char when[64];
	if (p->def->scope & UI_SCOPE_HEAP && ui_schedule_on(&s->schedule))
		ui_entries_add(e, UI_LIVE, 5, "shots %s",
			ui_schedule_text(&s->schedule, when, sizeof when));
	if (p->def->scope & UI_SCOPE_OBJECTS)
		ui_entries_add(e, UI_PLAIN, 1, "%s", s->heap.trail);
	else if (p->group)
		ui_entries_add(e, UI_WARN, 3, "grouped by %s", pv_by_name(p->group));
	if (p->def->scope & UI_SCOPE_DIFF && s->identity.newer)
		ui_entries_add(e, UI_WARN, 2, "%" PRIu64 " newer shot%s, u follows",
			s->identity.newer, s->identity.newer == 1 ? "" : "s");
}

/* Which kinds of time count. */
static void add_waits(struct ui_entries *e, const struct ui_pane *p, const struct ui_shared *s)
{
	const struct pv_table *t = p->list[p->focus].table;
	if (t && t->time_of == PV_TIME_WALL)
		ui_entries_add(e, UI_WARN, 3, "WALL");
	if (s->waits && p->def->scope & UI_SCOPE_CALLS)
		ui_entries_add(e, UI_WARN, 3, "waits count");
	else if (t && t->waited > 0)
		ui_entries_add(e, UI_WARN, 4, "waits left out %3.0f %%", 100 * t->waited);
}

/* All conditions of the pane's figures. */
static void add_conditions(
	struct ui_entries *e, const struct ui_pane *p, const struct ui_shared *s, bool wide)
{
	const struct ui_list *l = &p->list[p->focus];
	add_time(e, p, s);
	if (p->def->parts == 0) {
		char rows[UI_TEXT_MAX];
		ui_filter_rows(s, rows);
		if (rows[0])
			ui_entries_add(e, UI_WARN, 1, "filter: %s, of the other views", rows);
		return;
	}
	add_shots(e, p, s);
	if (s->net && p->def->scope & UI_SCOPE_CALLS)
		ui_entries_add(e, UI_WARN, 4, "without the probe's cost");
	add_counted(e, l, s, wide);
	add_waits(e, p, s);
	if (s->my_code && p->def->scope & UI_SCOPE_CALLS)
		ui_entries_add(e, UI_WARN, 3, "my code");
	if (s->physical)
		ui_entries_add(e, UI_WARN, 4, "physical");
	if (s->raw_names)
		ui_entries_add(e, UI_WARN, 5, "raw names");
	add_filter(e, p, s);
	if (l->follow && !ui_has_ended(s))
		ui_entries_add(e, UI_LIVE, 6, "following");
	if (ui_list_asking(l))
		ui_entries_add(e, UI_WAITING, 1, "asking");
	if (s->paused && l->newer)
		ui_entries_add(e, UI_PAUSED, 2, "as of now, not of the pause");
}

/* Whether rows are named by a text, as a line of source is: it has no namespace to leave out. */
static bool names_text(const struct ui_pane *p, const struct ui_list *l)
{
	const struct pv_table *t = p->flame || p->timeline ? NULL : l->table;
	const int name = t ? ui_columns_name(t->column, t->columns) : -1;
	return name >= 0 && strcmp(t->column[name].id, "text") == 0;
}

/* The selected row (in a tree with callers), unless the row has a line of its own. */
static void put_selected(struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p)
{
	enum { LEAST = 8 };
	const struct ui_list *l = &p->list[p->focus];
	const char *name = p->ops->now(p).shown;
	char small[512];
	if (p->def->parts == 0 || !name || !name[0] || p->foot.h > 0 || r.w < LEAST)
		return;
	if (l->tree && ui_list_row(l))
		ui_path_draw(c, r, 0, l);
	else
		ui_printf(c, r, UI_PLAIN, " ▸ %s",
			names_text(p, l) ? name + strspn(name, " \t")
					 : ui_shorten(name, r.w - 3, small, sizeof small));
}

void ui_frame_crumb(
	struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p, const struct ui_shared *s)
{
	enum { WIDE = 100 };
	struct ui_entries e = { .at_right = true };
	const int x = put_views(c, r, p, s);
	add_conditions(&e, p, s, r.w >= WIDE);
	ui_entries_fit(&e, APART, r.w - x - 1);
	ui_entries_draw(&e, c, ui_cols(r, x, r.w - x - 1), APART);
	put_selected(c, ui_cols(r, x, r.w - x - 1 - ui_entries_width(&e, APART) - APART), p);
}

/* --- function bar --- */

static const struct {
	enum ui_command cmd;
	const char *label;
} bar[] = {
	{ UI_CMD_HELP, "Help" },
	{ UI_CMD_SEARCH, "Search" },
	{ UI_CMD_FILTER, "Filter" },
	{ UI_CMD_FLIP, "Tree" },
	{ UI_CMD_SORT_MENU, "Sort" },
	{ UI_CMD_TAKE_SHOT, "Shot" },
	{ UI_CMD_QUIT_NOW, "Quit" },
};

static void function_key(void *ctx, int key)
{
	int *ret = ctx;
	if (key > UI_KEY_F0)
		*ret = key;
}

/* A program watched from outside takes no heap shots. */
static bool can_shoot(const struct ui_shared *s)
{
	return ui_can_tell(s) && strncmp(s->all.args, "profview:outside", 16) != 0;
}

/* Only what can be done now. */
static bool is_in_bar(enum ui_command cmd, unsigned scopes, const struct ui_shared *s)
{
	return ui_command_row(cmd)->scope & scopes && (cmd != UI_CMD_TAKE_SHOT || can_shoot(s));
}

static enum ui_command walk_bar(
	struct ui_canvas *c, struct ui_rect r, unsigned scopes, const struct ui_shared *s, int at)
{
	int x = 1;
	for (size_t i = 0; i < PV_COUNT_OF(bar); i++) {
		char name[16];
		int key = UI_KEY_NONE;
		if (!is_in_bar(bar[i].cmd, scopes, s))
			continue;
		ui_command_each_key(bar[i].cmd, function_key, &key);
		ui_key_name(key, name, sizeof name);
		int n = (int)strlen(name), w = n + (int)strlen(bar[i].label) + 1;
		if (x + w > r.w)
			break;
		if (at >= r.x + x && at < r.x + x + w)
			return bar[i].cmd;
		if (c) {
			ui_put(c, ui_cols(r, x, n), UI_KEYCAP, name);
			ui_put(c, ui_cols(r, x + n, w - n), UI_KEYTEXT, bar[i].label);
		}
		x += w + (r.w >= 80);
	}
	static const char command[] = ": command";
	if (c && x + (int)sizeof command < r.w)
		ui_put_right(c, r, UI_DIM, command);
	return UI_CMD_NONE;
}

void ui_frame_keys(
	struct ui_canvas *c, struct ui_rect r, unsigned scopes, const struct ui_shared *s)
{
	walk_bar(c, r, scopes, s, -1);
}

enum ui_command ui_frame_key_at(struct ui_rect r, unsigned scopes, const struct ui_shared *s, int x)
{
	return walk_bar(NULL, r, scopes, s, x);
}
