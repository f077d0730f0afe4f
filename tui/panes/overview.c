#include "tui/panes/overview.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/status.h"
#include "tui/draw/chart.h"
#include "tui/panes/sections.h"

/* Sections stand in bands, side by side; a screen shows as many bands as it has rows for. */
enum { TWO_FROM = 78, FOUR_FROM = 116, SERIES_LABEL = 26, TALL_FROM = 26 };

static const enum pv_view views[UI_OVERVIEW_LISTS] = {
	[UI_TOP_METHODS] = PV_VIEW_METHODS,
	[UI_TOP_CLASSES] = PV_VIEW_CLASSES,
	[UI_GENERATIONS] = PV_VIEW_GENERATIONS,
	[UI_SHOT_LIST] = PV_VIEW_SHOTS,
};

static const enum pv_series_kind kinds[UI_OVERVIEW_SERIES] = { PV_SERIES_CALL_RATE,
	PV_SERIES_SAMPLE_RATE, PV_SERIES_ALLOC_RATE, PV_SERIES_PAUSE, PV_SERIES_THROW_RATE };

void ui_overview_init(struct ui_overview *o)
{
	*o = (struct ui_overview){ 0 };
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++) {
		ui_list_init(&o->list[i], views[i], false);
		o->list[i].limit = i == UI_SHOT_LIST ? 0 : 16;
	}
}

void ui_overview_finish(struct ui_overview *o)
{
	ui_graphs_finish(&o->graphs);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_finish(&o->list[i]);
}

void ui_overview_forget(struct ui_overview *o)
{
	ui_graphs_finish(&o->graphs);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_forget(&o->list[i]);
}

/* How many sections share the band that begins with section `first`. */
static int band_size(int first, int w)
{
	if (w < TWO_FROM)
		return 1;
	return first == UI_SECTIONS - 4 && w >= FOUR_FROM ? 4 : 2;
}

static int band_height(int first, int n, int body)
{
	int h = 0;
	for (int i = first; i < first + n; i++)
		h = ui_max(h, (body >= TALL_FROM ? ui_sections[i].tall : ui_sections[i].rows) + 1);
	return h;
}

/* Rows from band `first` to the one with the keys; 0 when that stands before it. */
static int rows_to_focus(const struct ui_overview *o, struct ui_rect body, int first)
{
	int h = 0;
	for (int i = first, n; i < UI_SECTIONS; i += n) {
		n = band_size(i, body.w);
		h += band_height(i, n, body.h);
		if (o->focus >= i && o->focus < i + n)
			return h;
	}
	return 0;
}

/* First band to show, so that the one with the keys is visible. */
static int first_band(const struct ui_overview *o, struct ui_rect body)
{
	int first = 0;
	for (;;) {
		int n = band_size(first, body.w);
		bool here = o->focus >= first && o->focus < first + n;
		if (here || rows_to_focus(o, body, first) <= body.h || first + n >= UI_SECTIONS)
			return first;
		first += n;
	}
}

static void place_band(struct ui_overview *o, struct ui_rect r, int first, int n)
{
	int w = (r.w + 2) / n - 2;
	for (int i = 0; i < n; i++) {
		int x = i * (w + 2);
		o->at[first + i] = ui_cols(r, x, i + 1 < n ? w : r.w - x);
	}
}

void ui_overview_place(struct ui_overview *o, struct ui_rect body)
{
	for (int i = 0; i < UI_SECTIONS; i++)
		o->at[i] = (struct ui_rect){ 0 };
	int y = 0, first = first_band(o, body), spare = body.h, grows = 0, last = first;
	for (int i = first; i < UI_SECTIONS && spare > 0; i += band_size(i, body.w)) {
		int n = band_size(i, body.w), h = band_height(i, n, body.h);
		if (h > spare && i > first)
			break;
		spare -= h;
		grows += ui_sections[i].grows;
		last = i;
	}
	for (int i = first; i <= last; i += band_size(i, body.w)) {
		int n = band_size(i, body.w), h = band_height(i, n, body.h);
		if (ui_sections[i].grows && spare > 0) {
			int more = spare / grows--;
			h += more;
			spare -= more;
		}
		place_band(o, ui_rows(body, y, h), i, n);
		y += h;
	}
}

void ui_overview_refresh(struct ui_overview *o, const struct ui_shared *s)
{
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		ui_list_refresh(&o->list[i], s);
	struct ui_rect r = o->at[0];
	struct ui_graphs_wish wish = { .kind = kinds, .n = UI_OVERVIEW_SERIES };
	wish.cells = r.w > SERIES_LABEL ? (size_t)(r.w - SERIES_LABEL) : 0;
	ui_graphs_refresh(&o->graphs, s, &wish);
}

static void draw_title(
	const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c, int i)
{
	struct ui_rect line = ui_rows(o->at[i], 0, 1);
	const struct ui_command_row *row = ui_command_row(ui_sections[i].pane);
	char title[80];
	bool cost = s->cost.known && ui_sections[i].with_cost;
	snprintf(title, sizeof title, " %s ",
		cost ? ui_sections[i].with_cost : ui_sections[i].title);
	ui_hline(c, line);
	bool on = o->focus == i;
	if (on)
		ui_put_code(c, line.x, line.y, UI_TITLE, 0x25b6);
	int used = ui_put(c, ui_cols(line, 1, line.w - 1), on ? UI_CURSOR : UI_TITLE, title);
	if (row && row->keys[0] && line.w > used + 6)
		ui_printf(c, ui_cols(line, line.w - 4, 3), UI_KEYCAP, " %.1s ", row->keys);
}

void ui_overview_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c)
{
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (o->at[i].h == 0)
			continue;
		draw_title(o, s, c, i);
		struct ui_rect r = ui_rows(o->at[i], 1, o->at[i].h - 1);
		ui_sections[i].draw(o, s, c, ui_cols(r, 1, r.w - 2));
	}
}

bool ui_overview_next(struct ui_overview *o, int dir)
{
	int to = o->focus + dir;
	if (to < 0 || to >= UI_SECTIONS)
		return false;
	o->focus = to;
	return true;
}

enum ui_command ui_overview_pane(const struct ui_overview *o)
{
	return ui_sections[o->focus].pane;
}

bool ui_overview_click(struct ui_overview *o, int x, int y)
{
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (!ui_rect_has(o->at[i], x, y))
			continue;
		o->focus = i;
		return true;
	}
	return false;
}
