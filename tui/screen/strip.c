/* SPDX-License-Identifier: MIT */
/* The time strip: cursor and range by keys, typing and mouse, and the model of the range. */
#include "tui/draw/clock_text.h"
#include "tui/screen/strip.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_split.h"
#include "common/base/utf8.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "tui/chart/time_axis.h"
#include "tui/panes/timeline_pane.h"
#include "tui/panes/flame_pane.h"
#include "tui/panes/pane_chart.h"

/* --- drawing --- */

struct ui_rect ui_frame_strip(struct ui_rect r)
{
	return ui_time_room(r);
}

static const char *state_text(const struct ui_shared *s, char *buf, size_t size)
{
	char part[PV_UNIT_MAX];
	const struct ui_range *r = &s->range;
	if (r->state == UI_RANGE_EXACT)
		return "";
	if (r->state == UI_RANGE_FAILED)
		snprintf(buf, size, " (to the bucket: %s)", PV_FIT(r->error, 60));
	else if (r->total)
		snprintf(buf, size, " (to the bucket; reading %s %%)",
			pv_units_percent(part, sizeof part, r->read, r->total));
	else
		snprintf(buf, size, " (to the bucket)");
	return buf;
}

const char *ui_strip_text(const struct ui_shared *s, char *buf, size_t size)
{
	char range[200], state[120];
	buf[0] = 0;
	if (s->range.window_s)
		snprintf(buf, size, "last %d s of the recording%s", s->range.window_s,
			state_text(s, state, sizeof state));
	else if (s->range.on)
		snprintf(buf, size, "%s%s",
			ui_range_said(&s->range, s->duration_ns, range, sizeof range),
			state_text(s, state, sizeof state));
	return buf;
}

void ui_frame_range(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s)
{
	char text[120];
	struct ui_rect room = ui_frame_strip(r);
	const struct ui_range *g = &s->range;
	ui_put(c, r, UI_DIM, " time");
	for (int x = 0; x < room.w; x++)
		ui_put(c, ui_cols(room, x, 1), UI_DIM, "·");
	if (g->on) {
		int from = ui_time_column(s, room, g->from_ns == INT64_MIN ? 0 : g->from_ns);
		int to = g->to_ns == INT64_MAX ? room.w - 1 : ui_time_column(s, room, g->to_ns - 1);
		for (int x = from; x <= to; x++)
			ui_put(c, ui_cols(room, x, 1), UI_STRONG, "=");
		ui_put(c, ui_cols(room, from, 1), UI_STRONG, "[");
		ui_put(c, ui_cols(room, to, 1), UI_STRONG, "]");
	}
	if (g->cursor_on)
		ui_put(c, ui_cols(room, ui_time_column(s, room, g->cursor_ns), 1), UI_CURSOR, "|");
	if (g->cursor_on)
		ui_printf(c, ui_cols(r, room.x + room.w + 1 - r.x, r.w), UI_PLAIN, "at %s",
			ui_clock_text(text, sizeof text, g->cursor_ns));
	else
		ui_put(c, ui_cols(r, room.x + room.w + 1 - r.x, r.w), UI_DIM, "all panes");
}

/* --- the axis of Home --- */

void ui_frame_axis(
	struct ui_canvas *c, struct ui_rect axis, struct ui_rect lanes, const struct ui_shared *s)
{
	struct ui_rect room = ui_frame_strip(axis.h ? axis : lanes);
	const struct ui_range *g = &s->range;
	if (axis.h && (g->on || g->cursor_on))
		ui_frame_range(c, axis, s);
	else if (axis.h && s->duration_ns > 0)
		ui_ticks(c, room, 0, ui_time_end(s, room.w));
	if (g->cursor_on && room.w > 0)
		for (int y = 0; y < lanes.h; y++)
			ui_mark(c,
				(struct ui_rect){ room.x + ui_time_column(s, room, g->cursor_ns),
					lanes.y + y, 1, 1 },
				UI_SELECTED);
}

/* --- keys --- */

static void changed(struct ui_screen *s)
{
	s->range_asked = true;
	ui_screen_place(s);
}

/* A range set by hand replaces the range of a window. */
static void asked(struct ui_screen *s)
{
	char text[220];
	if (s->shared.range.window_s || ui_has_ended(&s->shared))
		s->shared.window_ns = 0;
	s->shared.range.window_s = 0;
	if (s->shared.range.on)
		ui_screen_say(s, false, "figures %s%s; Ctrl-R: of all again",
			s->shared.range.threaded || s->shared.range.requests[0] ? "of " : "from ",
			ui_range_said(&s->shared.range, s->shared.duration_ns, text, sizeof text));
	else
		ui_screen_say(s, false, "figures of the whole recording");
	changed(s);
}

void ui_strip_set(struct ui_screen *s, const struct ui_range *r)
{
	struct ui_range *g = &s->shared.range;
	g->on = r->on;
	g->from_ns = r->from_ns;
	g->to_ns = r->to_ns;
	g->relative = r->relative;
	g->threaded = r->threaded;
	g->thread = r->thread;
	g->named = r->named;
	memcpy(g->thread_name, r->thread_name, sizeof g->thread_name);
	if (g->requests != r->requests)
		memcpy(g->requests, r->requests, sizeof g->requests);
	asked(s);
}

void ui_strip_window(struct ui_screen *s)
{
	struct ui_range *g = &s->shared.range;
	uint64_t window = s->shared.window_ns;
	bool last = window && ui_has_ended(&s->shared);
	if (!last && !g->window_s)
		return;
	g->on = last || g->threaded || g->requests[0];
	g->relative = last;
	g->from_ns = last ? -(int64_t)window : INT64_MIN;
	g->to_ns = INT64_MAX;
	g->window_s = last ? (int)(window / 1000000000) : 0;
	changed(s);
}

/* The cursor, else the newest moment there is. */
static int64_t here(const struct ui_shared *s)
{
	if (s->range.cursor_on)
		return s->range.cursor_ns;
	return s->paused ? s->paused_at_ns : s->duration_ns;
}

/* The axis of the cursor: of the chart on screen, else of the strip. */
static struct ui_axis axis_of(const struct ui_screen *s, bool chart)
{
	const struct ui_pane *p = &s->pane[s->current];
	struct ui_axis a = { 0 };
	if (chart && !s->help.open && !s->output_open && p->def->parts)
		a = ui_chart_axis(p, &s->shared);
	if (a.room.w <= 0 || a.room.h <= 0)
		a = ui_time_axis(&s->shared, ui_frame_strip(ui_canvas_rect(&s->canvas)));
	return a;
}

static void move_cursor(struct ui_screen *s, int dir)
{
	struct ui_range *g = &s->shared.range;
	const struct ui_axis a = axis_of(s, true);
	const bool zoomed = a.from_ns > 0 || a.to_ns < s->shared.duration_ns;
	const int last = ui_min(ui_axis_column(&a, s->shared.duration_ns), a.room.w - zoomed);
	const int to = ui_axis_column(&a, here(&s->shared)) + dir;
	g->cursor_on = true;
	g->cursor_ns = ui_axis_time(&a, ui_max(0, ui_min(to, last)));
	ui_screen_place(s);
	if (s->layout.range.h == 0 && (s->pane[s->current].def->parts || s->help.open ||
					      s->output_open || s->overview.axis.h == 0)) {
		char at[PV_UNIT_MAX];
		ui_screen_say(s, false, "the cursor of time is at %s",
			ui_clock_text(at, sizeof at, g->cursor_ns));
	}
}

static void zoom(struct ui_screen *s, int dir)
{
	if (ui_range_zoom(&s->shared.range, dir, s->shared.duration_ns))
		asked(s);
	else if (s->shared.duration_ns <= 0)
		ui_screen_say(s, true, "there is no time yet");
	else
		ui_screen_say(s, true,
			dir > 0 ? "a range of 1 ms is the shortest"
				: "all of the recording is seen");
}

static void step_range(struct ui_screen *s, int dir)
{
	if (!s->shared.paused) {
		ui_screen_say(s, true, "p pauses first; then , and . step through time");
		return;
	}
	ui_range_step(&s->shared.range, dir, s->shared.duration_ns);
	asked(s);
}

static void ask_range(struct ui_screen *s)
{
	char now[100] = "";
	if (s->shared.range.on)
		ui_range_typed(&s->shared.range, now, sizeof now);
	ui_prompt_open(&s->prompt, UI_PROMPT_RANGE,
		"Range A..B (1.5s..00:01:12, -10s.., @14:05..@14:06, all): ", now);
}

/* Takes the terms about requests out of the filter; other terms stay. */
static void drop_requests(struct ui_shared *s)
{
	struct pv_filter_split now;
	struct pv_filter_error ignored;
	if (pv_filter_split(s->filter, PV_FILTER_CAPITALS, &now, &ignored))
		snprintf(s->filter, sizeof s->filter, "%s", PV_FIT(now.rows, UI_TEXT_MAX - 1));
	s->range.requests[0] = 0;
}

static void clear(struct ui_screen *s)
{
	bool was = s->shared.range.on;
	s->shared.range.on = s->shared.range.cursor_on = s->shared.range.threaded = false;
	if (s->shared.range.requests[0])
		drop_requests(&s->shared);
	if (was)
		asked(s);
	else
		ui_screen_say(s, false, "there is no range; [ and ] set one");
	ui_screen_place(s);
}

unsigned ui_strip_command(struct ui_screen *s, enum ui_command cmd)
{
	struct ui_range *g = &s->shared.range;
	switch (cmd) {
	case UI_CMD_RANGE:
		ask_range(s);
		return UI_HANDLED;
	case UI_CMD_RANGE_START:
		ui_range_begin(g, here(&s->shared));
		asked(s);
		return UI_HANDLED;
	case UI_CMD_RANGE_END:
		ui_range_end(g, here(&s->shared) + !g->cursor_on);
		asked(s);
		return UI_HANDLED;
	case UI_CMD_RANGE_CLEAR:
		clear(s);
		return UI_HANDLED;
	case UI_CMD_CURSOR_LEFT:
	case UI_CMD_CURSOR_RIGHT:
		move_cursor(s, cmd == UI_CMD_CURSOR_LEFT ? -1 : 1);
		return UI_HANDLED;
	case UI_CMD_RANGE_IN:
	case UI_CMD_RANGE_OUT:
		zoom(s, cmd == UI_CMD_RANGE_IN ? 1 : -1);
		return UI_HANDLED;
	case UI_CMD_STEP_BACK:
	case UI_CMD_STEP_ON:
		step_range(s, cmd == UI_CMD_STEP_BACK ? -1 : 1);
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

/* Makes the ends times since zero, except ends that count from the end of a growing log. */
static bool is_sound(const struct ui_shared *s, struct ui_range *r, struct pv_error *reterr)
{
	const struct ui_log_time log = { s->duration_ns, s->all.start_time_ms };
	const bool ended = ui_has_ended(s);
	if (ended || r->relative & ~(unsigned)UI_RANGE_FROM_END)
		if (!ui_range_resolve(r, &log, reterr))
			return false;
	return ui_range_check(r, ended ? s->duration_ns : INT64_MAX, reterr);
}

unsigned ui_strip_typed(struct ui_screen *s, const char *text)
{
	struct ui_range r;
	struct pv_error e = { 0 };
	text += strspn(text, " ");
	if (!text[0] || strcmp(text, "all") == 0)
		clear(s);
	else if (!ui_range_parse(text, &r))
		ui_screen_say(s, true,
			"a range is A..B, like 1.5s..00:01:12, -10s.. or @14:05..@14:06, not %s",
			PV_FIT(text, 40));
	else if (!is_sound(&s->shared, &r, &e))
		ui_screen_say(s, true, "%s", e.what);
	else {
		ui_range_take_all(&r, &s->shared.range);
		ui_strip_set(s, &r);
	}
	return UI_HANDLED;
}

/* --- mouse --- */

static bool is_in_chart(const struct ui_screen *s, struct ui_mouse m)
{
	const struct ui_pane *p = &s->pane[s->current];
	return p->def->parts && !s->help.open && !s->output_open &&
	       ui_rect_has(ui_chart_axis(p, &s->shared).room, m.x, m.y);
}

bool ui_strip_has(const struct ui_screen *s, struct ui_mouse m)
{
	const struct ui_layout *l = &s->layout;
	const bool home = s->pane[s->current].def->parts == 0;
	const struct ui_rect room = ui_frame_strip(s->overview.at[0]);
	if (home && m.x >= room.x && m.x < room.x + room.w)
		return ui_rect_has(s->overview.at[0], m.x, m.y) ||
		       ui_rect_has(s->overview.axis, m.x, m.y);
	return is_in_chart(s, m) || ui_rect_has(l->heap, m.x, m.y) ||
	       ui_rect_has(l->gc, m.x, m.y) || ui_rect_has(l->range, m.x, m.y);
}

unsigned ui_strip_mouse(struct ui_screen *s, struct ui_mouse m)
{
	struct ui_range *g = &s->shared.range;
	const bool press = m.click != UI_CLICK_RELEASE;
	const struct ui_axis a = axis_of(s, press ? is_in_chart(s, m) : s->dragged_chart);
	const int cell = ui_max(0, ui_min(m.x - a.room.x, a.room.w - 1));
	if (press) {
		s->dragged_from = cell;
		s->dragged_chart = is_in_chart(s, m);
		g->cursor_on = true;
		g->cursor_ns = ui_axis_time(&a, cell);
		if (g->cursor_ns > s->shared.duration_ns)
			g->cursor_ns = s->shared.duration_ns;
		ui_screen_place(s);
		return UI_HANDLED;
	}
	int from = s->dragged_from < cell ? s->dragged_from : cell;
	int to = s->dragged_from < cell ? cell : s->dragged_from;
	if (from < 0 || from == to)
		return UI_HANDLED;
	s->dragged_from = -1;
	g->cursor_on = false;
	struct ui_range r = {
		.on = true, .from_ns = ui_axis_time(&a, from), .to_ns = ui_axis_time(&a, to + 1)
	};
	ui_range_take_all(&r, g);
	ui_strip_set(s, &r);
	return UI_HANDLED;
}

/* --- source of the figures --- */

/* An old answer may stay until the new answer arrives. */
static void ask_anew(struct ui_list *l, bool keep)
{
	if (keep)
		ui_slot_cancel(&l->slot);
	else
		ui_list_drop(l);
	l->stale = true;
}

/* Before a model dies: flame graphs and lanes forget the model, and those off screen ask later. */
static void forget_pictures(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++) {
		if (s->pane[i].flame)
			ui_flame_forget(s->pane[i].flame);
		if (s->pane[i].timeline)
			ui_timeline_forget(s->pane[i].timeline);
	}
	if (s->overview.flame)
		ui_flame_forget(s->overview.flame);
}

void ui_screen_use(struct ui_screen *s, struct pv_model *range_model)
{
	bool keep = !s->range_model && !s->shared.paused; /* the model of all lives on */
	if (s->range_model)
		forget_pictures(s);
	for (size_t i = 0; i < ui_pane_count; i++)
		for (int k = 0; k < s->pane[i].def->parts; k++)
			ask_anew(&s->pane[i].list[k], keep);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ask_anew(&s->overview.list[i], keep);
	ui_slot_cancel(&s->summary);
	s->summed_up = false;
	s->range_model = range_model;
	s->shared.model = range_model ? range_model : s->shared.whole;
	s->shared.generation = 0; /* another model's */
}
