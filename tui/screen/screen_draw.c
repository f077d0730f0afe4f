/* SPDX-License-Identifier: MIT */
/* A frame, from the status line to the keys. */
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "tui/draw/entries.h"
#include "tui/list/list_query.h"
#include "tui/list/list_tags.h"
#include "tui/panes/room_line.h"
#include "tui/panes/sections.h"
#include "tui/screen/browser.h"
#include "tui/screen/export_rows.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"

static const char *hint_of(const struct ui_screen *s, char *buf, size_t size)
{
	if (s->menu.open)
		return "Up and Down move, Enter chooses, Esc closes";
	if (s->help.open)
		return "Space pages, / searches, q closes the help";
	if (s->output_open)
		return "/ searches upwards from the newest line, G follows again, O or q goes back";
	return ui_pane_hint(&s->pane[s->current], &s->shared, buf, size);
}

static void draw_bottom(struct ui_screen *s)
{
	const struct ui_layout *l = &s->layout;
	struct ui_canvas *c = &s->canvas;
	struct ui_rect line = l->keys;
	const char *feed = s->shared.feed.error;
	ui_frame_keys(c, l->keys, ui_screen_scopes(s), &s->shared);
	if (s->prompt.open) {
		ui_prompt_draw(&s->prompt, c, line);
		ui_complete_draw(s, c, l->coverage);
		if (s->message[0]) /* about a completion without result, or an invalid prompt */
			ui_clear(c, l->coverage, UI_PLAIN);
		if (s->message[0])
			ui_printf(c, l->coverage, s->message_bad ? UI_BAD : UI_STRONG, " %s",
				s->message);
		return;
	}
	const char *text = s->message[0] ? s->message : feed;
	bool bad = s->message[0] ? s->message_bad : s->shared.feed.state == UI_FEED_FAILED;
	if (!text[0])
		return;
	ui_clear(c, line, UI_PLAIN);
	ui_put(c, ui_cols(line, 1, line.w), bad ? UI_BAD : UI_STRONG, text);
	if (s->shared.identity.on_screen && s->shared.identity.reading && l->coverage.h)
		ui_frame_progress(c, l->coverage, &s->shared); /* the message says less */
}

/* Draws the progress of reading, else details of the selected row and its possible commands. */
static void draw_detail(struct ui_screen *s)
{
	const struct ui_rect line = s->layout.detail;
	const struct ui_pane *p = &s->pane[s->current];
	char exact[200] = "", hint[300], all[600], fits[600];
	if (!line.h || ui_frame_progress(&s->canvas, line, &s->shared))
		return;
	if (!s->menu.open && !s->help.open && !s->output_open && p->def->parts > 0)
		ui_list_exact(&p->list[p->focus], exact, sizeof exact);
	snprintf(all, sizeof all, "%s%s%s", exact, exact[0] ? "; " : "",
		hint_of(s, hint, sizeof hint));
	ui_put(&s->canvas, ui_cols(line, 1, line.w), UI_DIM,
		ui_entries_of(all, line.w - 2, fits, sizeof fits));
}

/* An answer can change which blocks exist. */
static void draw_home(struct ui_screen *s, struct ui_rect body)
{
	for (int i = 0; i < 2; i++) {
		ui_overview_place(&s->overview, &s->shared, body, ui_frame_strip(body));
		ui_overview_refresh(&s->overview, &s->shared);
	}
	ui_overview_draw(&s->overview, &s->shared, &s->canvas);
	ui_frame_axis(&s->canvas, s->overview.axis, s->overview.at[0], &s->shared);
}

static void draw_body(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	struct ui_rect body = s->layout.body;
	if (s->output_open) {
		ui_output_draw(s->output, &s->canvas, body);
	} else if (p->def->parts == 0) {
		draw_home(s, body);
	} else {
		ui_screen_finish_frame(s);
		p->ops->draw(p, &s->shared, &s->canvas);
	}
	if (s->help.open)
		ui_help_draw(&s->help, &s->canvas, body);
	if (s->menu.open)
		ui_menu_draw(&s->menu, &s->canvas, body);
}

/* The sums of tagged rows, and remarks on rows if there is no line for the selection. */
static void say_rows(const struct ui_screen *s, const struct ui_pane *p, char *to, size_t size)
{
	size_t n = 0;
	to[0] = 0;
	if (s->output_open || p->def->parts == 0)
		return;
	n = strlen(ui_list_tags_text(&p->list[p->focus], to, size));
	if (n && n + 2 < size)
		n += (size_t)snprintf(to + n, size - n, "; ");
	if (s->layout.crumb.h)
		return;
	const struct ui_list *l = &p->list[p->focus];
	if (ui_list_counted(l, &s->shared) == PV_COUNTED_SAMPLES && n < size)
		n += (size_t)snprintf(to + n, size - n, "by samples; ");
	if (l->splits && l->table && l->table->hidden && n < size)
		n += (size_t)snprintf(to + n, size - n, "hidden %zu, %.2g %%; ", l->table->hidden,
			l->table->hidden_percent);
	char rows[UI_TEXT_MAX];
	ui_filter_rows(&s->shared, rows);
	if (rows[0] && n < size)
		n += (size_t)snprintf(to + n, size - n, "%sfilter: %s; ",
			p->unfit[0] ? "not here: " : "", PV_FIT(rows, 60));
	if (p->group && n < size)
		n += (size_t)snprintf(to + n, size - n, "grouped by %s; ", pv_by_name(p->group));
	if (p->def->scope & UI_SCOPE_DIFF && s->shared.identity.newer && n < size)
		snprintf(to + n, size - n, "newer shots: u; ");
}

static void draw_coverage(struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	const struct ui_list *first = &s->overview.list[UI_HOME_METHODS];
	char rows[320], rounded[1200], all[1600], fits[600];
	const char *text = s->output_open  ? ""
			   : p->def->parts ? p->ops->now(p).coverage
			   : first->table  ? first->table->coverage
					   : "";
	say_rows(s, p, rows, sizeof rows);
	ui_entries_round(text ? text : "", rounded, sizeof rounded);
	/* Sums follow each key; which shots are compared is no sum. */
	snprintf(all, sizeof all, "%s%s", rows,
		ui_compare_has(p) ? rounded : ui_renew_coverage(&s->renewed, &s->shared, rounded));
	ui_entries_of(all, s->layout.coverage.w - 4, fits, sizeof fits);
	if (fits[0])
		ui_printf(&s->canvas, s->layout.coverage, UI_COVERAGE, " ▸ %s", fits);
}

void ui_screen_draw(struct ui_screen *s)
{
	struct ui_canvas *c = &s->canvas;
	const struct ui_layout *l = &s->layout;
	const struct ui_pane *p = &s->pane[s->current];
	s->shared.identity.on_screen = ui_compare_has(p) || ui_compare_to_one(p);
	s->shared.heap.on_screen = p->def->parts == 0 || ui_browser_pane(s) == p ||
				   pv_view_is(p->list[p->focus].view, PV_TRAIT_HEAP);
	ui_clear(c, ui_canvas_rect(c), UI_PLAIN);
	if (l->too_small) {
		ui_printf(c, l->body, UI_WARN, "too small: %dx%d of %dx%d", c->w, c->h, UI_MIN_W,
			UI_MIN_H);
		return;
	}
	ui_frame_status(c, l->status, &s->shared);
	ui_screen_tell_search(s);
	if (l->heap.h)
		ui_clock_refresh(&s->clock, &s->shared, l->heap.w);
	ui_frame_heap(c, l->heap, &s->clock, &s->shared);
	ui_frame_gc(c, l->gc, &s->clock, &s->shared);
	if (l->range.h)
		ui_frame_range(c, l->range, &s->shared);
	if (l->tabs.h)
		ui_room_line_draw(c, l->tabs, s->current, &s->shared);
	draw_body(s);
	if (l->crumb.h && s->output_open)
		ui_output_title(s->output, c, l->crumb);
	else if (l->crumb.h)
		ui_frame_crumb(c, l->crumb, &s->pane[s->current], &s->shared);
	if (l->crumb.h && !l->detail.h)
		ui_frame_progress(c, ui_cols(l->crumb, l->crumb.w / 3, l->crumb.w), &s->shared);
	draw_coverage(s);
	if (!l->crumb.h && !l->detail.h)
		ui_frame_progress(c, l->coverage, &s->shared);
	if (l->keys.h) {
		draw_detail(s);
		draw_bottom(s);
	}
	if (s->frame_to[0]) {
		ui_export_frame(s);
		draw_bottom(s);
	}
}
