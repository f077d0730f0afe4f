#include "tui/screen/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/units.h"
#include "common/base/showable.h"
#include "tui/draw/chart.h"
#include "tui/draw/key.h"
#include "tui/draw/list_query.h"
#include "tui/panes/path_line.h"
#include "tui/panes/rooms.h"
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
	char now[PV_UNIT_MAX], most[PV_UNIT_MAX];
	ui_put(c, r, UI_DIM, " heap");
	if (!(s->all.recorded & PV_GROUP_GC)) {
		ui_put(c, room, UI_DIM, "no heap size recorded yet");
		return;
	}
	if (k->series[UI_CLOCK_HEAP])
		ui_spark(c, room, UI_HEAP, ui_series_values(c, k->series[UI_CLOCK_HEAP], room.w));
	pv_units_bytes(now, sizeof now, s->all.heap_bytes);
	pv_units_bytes(most, sizeof most, s->all.heap_max_bytes);
	if (r.w >= UI_CLOCK_NARROW)
		ui_printf(c, value, UI_PLAIN, "%s  max %s", now, most);
	else
		ui_put(c, value, UI_PLAIN, now);
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

/* --- rooms --- */

enum { ROOM_TEXT = 40 };

/* The current room says its name, on narrow screens that of its view too; others as there is room. */
static int room_text(int room, size_t current, bool narrow, char *buf, size_t size)
{
	const char *name = ui_rooms[room].name, *view = ui_pane_defs[current].tab;
	bool on = room == ui_room_of_pane(current);
	if (on && narrow && ui_room_views(room) > 1 && current != ui_room_first(room))
		snprintf(buf, size, "%c %s: %s", ui_room_key(room), name, view);
	else if (on || !narrow)
		snprintf(buf, size, "%c %s", ui_room_key(room), name);
	else
		snprintf(buf, size, "%c", ui_room_key(room));
	return pv_showable_cells(buf);
}

/* Columns of all rooms: one before each, one after the last. */
static int rooms_width(size_t current, bool narrow)
{
	int w = 1;
	for (int i = 0; i < UI_ROOMS; i++) {
		char text[ROOM_TEXT];
		w += room_text(i, current, narrow, text, sizeof text) + 1;
	}
	return w;
}

struct rooms_drawn {
	struct ui_canvas *c; /* NULL: nothing is drawn */
	unsigned groups;     /* of the log */
};

/* Goes from room to room with its column; stops where `at` is inside one, and returns that. */
static int walk_rooms(struct rooms_drawn d, struct ui_rect r, size_t current, int at)
{
	bool narrow = rooms_width(current, false) > r.w;
	int x = 0;
	for (int i = 0; i < UI_ROOMS && x < r.w; i++) {
		char text[ROOM_TEXT];
		int n = room_text(i, current, narrow, text, sizeof text);
		if (at >= r.x + x && at <= r.x + x + n)
			return i;
		if (d.c && i == ui_room_of_pane(current))
			ui_printf(d.c, ui_cols(r, x, n + 2), UI_TAB_ON, "[%s]", text);
		else if (d.c)
			ui_put(d.c, ui_cols(r, x + 1, n),
				ui_room_can(i, d.groups) ? UI_TAB : UI_DIM, text);
		x += n + 1;
	}
	return -1;
}

void ui_frame_rooms(
	struct ui_canvas *c, struct ui_rect r, size_t current, const struct ui_shared *s)
{
	ui_clear(c, r, UI_TAB);
	walk_rooms((struct rooms_drawn){ c, ui_groups(s) }, r, current, -1);
}

int ui_frame_room_at(struct ui_rect r, size_t current, int x)
{
	return walk_rooms((struct rooms_drawn){ 0 }, r, current, x);
}

/* --- selection --- */

static int add(struct ui_canvas *c, struct ui_rect r, int x, enum ui_style style, const char *text)
{
	int room = r.w - x;
	return room > 0 ? x + ui_put(c, ui_cols(r, x, room), style, text) : x;
}

/* The views of the pane's room by name, where they leave half of the line; else the pane's own. */
static int add_views(
	struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p, const struct ui_shared *s)
{
	int room = ui_room_of_command(p->def->room), x = 1;
	size_t first = ui_room_first(room), n = ui_room_views(room);
	int w = 0;
	for (size_t i = first; i < first + n; i++)
		w += ui_pane_exists(&ui_pane_defs[i], s) ? (int)strlen(ui_pane_defs[i].tab) + 2 : 0;
	bool all = w <= ui_max(r.w / 2, r.w - 40);
	for (size_t i = first; i < first + n; i++) {
		const struct ui_pane_def *def = &ui_pane_defs[i];
		char text[48];
		if (def == p->def) {
			snprintf(text, sizeof text, "[%s]", def->tab);
			x = add(c, r, x - 1, UI_TITLE, text);
		} else if (all && ui_pane_exists(def, s)) {
			x = 1 + add(c, r, x, ui_pane_can(def, ui_groups(s)) ? UI_PLAIN : UI_DIM,
					def->tab);
		}
	}
	return x;
}

/* Of what time the pane's figures are, where that is not all; objects of shots are of no range. */
static const char *time_text(
	const struct ui_pane *p, const struct ui_shared *s, char *buf, size_t size)
{
	char range[240];
	bool rolls = s->window_ns > 0 && !s->range.on && !ui_has_ended(s);
	buf[0] = 0;
	if (p->def->scope & (UI_SCOPE_DIFF | UI_SCOPE_OBJECTS))
		return buf;
	if (s->range.on)
		snprintf(buf, size, " ▸ %s", ui_strip_text(s, range, sizeof range));
	else if (rolls && p->def->windowed)
		snprintf(buf, size, " ▸ last %" PRIu64 " s", s->window_ns / 1000000000);
	else if (rolls && p->def->parts == 0)
		snprintf(buf, size, " ▸ methods and classes of the last %" PRIu64 " s",
			s->window_ns / 1000000000);
	return buf;
}

/* The figures, the way of the tree, and what a threshold hides. */
static int add_counted(struct ui_canvas *c, struct ui_rect r, int x, const struct ui_list *l,
	const struct ui_shared *s)
{
	enum { WIDE = 100 };
	char text[96];
	enum pv_counted by = ui_list_counted(l, s);
	bool wide = r.w >= WIDE;
	if (by == PV_COUNTED_CALLS)
		x = add(c, r, x, UI_PLAIN, wide ? " ▸ by calls (m: samples)" : " ▸ by calls (m)");
	else if (by == PV_COUNTED_SAMPLES)
		x = add(c, r, x, UI_PLAIN, wide ? " ▸ by samples (m: calls)" : " ▸ by samples (m)");
	if (l->view == PV_VIEW_CALL_TREE && l->splits && s->callers)
		x = add(c, r, x, UI_WARN, " ▸ callers");
	if (!l->splits || !s->least || !l->table || s->against)
		return x;
	snprintf(text, sizeof text, " ▸ hidden < %g %%: %zu row%s, %.2g %%", s->least / 100.0,
		l->table->hidden, l->table->hidden == 1 ? "" : "s", l->table->hidden_percent);
	return add(c, r, x, UI_WARN, text);
}

/* The filter of all views, and the list's own. */
static int add_filter(struct ui_canvas *c, struct ui_rect r, int x, const struct ui_pane *p,
	const struct ui_shared *s)
{
	char text[3 * UI_TEXT_MAX] = "";
	const struct ui_list *l = &p->list[p->focus];
	if (s->filter[0] && p->unfit[0])
		snprintf(text, sizeof text, " ▸ filter %s does not apply here: %s", s->filter,
			p->unfit);
	else if (s->filter[0])
		snprintf(text, sizeof text, " ▸ filter: %s", s->filter);
	x = add(c, r, x, UI_WARN, text);
	if (p->list[0].found[0]) {
		snprintf(text, sizeof text, " ▸ found: %s", p->list[0].found);
		x = add(c, r, x, UI_WARN, text);
	}
	if (p->focus > 0 && l->filter[0]) {
		snprintf(text, sizeof text, " ▸ filter of this list: %s", l->filter);
		x = add(c, r, x, UI_WARN, text);
	}
	return x;
}

void ui_frame_crumb(
	struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p, const struct ui_shared *s)
{
	char text[512];
	int x = add_views(c, r, p, s);
	x = add(c, r, x, UI_WARN, time_text(p, s, text, sizeof text));
	if (p->def->parts == 0) {
		if (s->filter[0])
			ui_printf(c, ui_cols(r, x, r.w), UI_WARN,
				" ▸ filter: %s, of the other views", s->filter);
		return;
	}
	if (p->def->scope & UI_SCOPE_HEAP && ui_schedule_on(&s->schedule)) {
		char when[64];
		snprintf(text, sizeof text, " ▸ shots %s",
			ui_schedule_text(&s->schedule, when, sizeof when));
		x = add(c, r, x, UI_LIVE, text);
	}
	if (p->def->scope & UI_SCOPE_OBJECTS) {
		snprintf(text, sizeof text, " ▸ %s", s->heap.trail);
		x = add(c, r, x, UI_PLAIN, text);
	} else if (p->group) {
		snprintf(text, sizeof text, " ▸ grouped by %s", pv_by_name(p->group));
		x = add(c, r, x, UI_WARN, text);
	}
	if (p->def->scope & UI_SCOPE_DIFF && s->identity.newer) {
		snprintf(text, sizeof text, " ▸ %" PRIu64 " newer shot%s, u follows",
			s->identity.newer, s->identity.newer == 1 ? "" : "s");
		x = add(c, r, x, UI_WARN, text);
	}
	if (s->net && p->def->scope & UI_SCOPE_CALLS)
		x = add(c, r, x, UI_WARN, " ▸ without the probe's cost");
	const struct ui_list *l = &p->list[p->focus];
	x = add_counted(c, r, x, l, s);
	if (l->table && l->table->time_of == PV_TIME_WALL)
		x = add(c, r, x, UI_WARN, " ▸ WALL");
	if (s->waits && p->def->scope & UI_SCOPE_CALLS)
		x = add(c, r, x, UI_WARN, " ▸ waits count");
	else if (l->table && l->table->waited > 0) {
		snprintf(text, sizeof text, " ▸ without waits, %.3g %%", 100 * l->table->waited);
		x = add(c, r, x, UI_WARN, text);
	}
	if (s->my_code && p->def->scope & UI_SCOPE_CALLS)
		x = add(c, r, x, UI_WARN, " ▸ my code");
	if (s->raw_names)
		x = add(c, r, x, UI_WARN, " ▸ raw names");
	x = add_filter(c, r, x, p, s);
	if (l->follow && !ui_has_ended(s))
		x = add(c, r, x, UI_LIVE, " ▸ following");
	if (ui_list_asking(l))
		x = add(c, r, x, UI_WAITING, " ▸ asking");
	if (s->paused && l->newer)
		x = add(c, r, x, UI_PAUSED, " ▸ as of now, not of the pause");
	const char *name = ui_pane_shown_name(p);
	if (name && name[0] && l->tree && ui_list_row(l)) {
		if (p->foot.h == 0)
			ui_path_draw(c, r, x, l);
	} else if (name && name[0]) {
		snprintf(text, sizeof text, " ▸ %s", name);
		add(c, r, x, UI_PLAIN, text);
	}
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

/* Only what can be done now. */
static bool is_in_bar(enum ui_command cmd, unsigned scopes, const struct ui_shared *s)
{
	return ui_command_row(cmd)->scope & scopes && (cmd != UI_CMD_TAKE_SHOT || ui_can_tell(s));
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
