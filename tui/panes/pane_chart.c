/* SPDX-License-Identifier: MIT */
/* The chart above a pane's lists: its rows, title, figures and cursor. */
#include "tui/panes/pane_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "tui/chart/chart.h"
#include "tui/draw/shorten.h"
#include "tui/chart/time_axis.h"

enum { TITLE = 1 }; /* column of the title */

/* Rows of a chart: title, first series, a row for each further series, times. */
struct rows {
	struct ui_rect title, graph, more, ticks;
};

static struct rows rows_of(const struct ui_pane *p)
{
	const struct ui_rect r = p->split.chart;
	const int more = (int)p->def->chart.kinds - 1;
	int left = r.h - 1 - more; /* rows left beyond a graph of one row */
	struct rows ret = { .title = ui_rows(r, 0, left > 0) };
	ret.ticks = ui_rows(r, r.h - 1, left > 1);
	ret.graph = ui_rows(r, ret.title.h, r.h - ret.title.h - more - ret.ticks.h);
	ret.more = ui_rows(r, ret.title.h + ret.graph.h, more);
	return ret;
}

struct ui_axis ui_chart_axis(const struct ui_pane *p, const struct ui_shared *s)
{
	const struct ui_graphs *g = &p->graphs;
	struct ui_axis a = ui_time_axis(s, (struct ui_rect){ 0 });
	if (p->def->chart.kinds == 0 || p->split.chart.h <= 0)
		return a;
	const struct rows rows = rows_of(p);
	a = ui_time_axis(s, ui_time_room(rows.graph));
	const struct pv_series *shown = g->series[0];
	if (shown && shown->from_ns < shown->to_ns) {
		a.from_ns = shown->from_ns;
		a.to_ns = shown->to_ns;
	}
	return a;
}

/* The series' kind at present. */
static enum pv_series_kind chart_kind(const struct ui_pane *p, size_t i)
{
	const struct ui_chart *chart = &p->def->chart;
	const bool turned = p->chart_other && i + 1 == chart->kinds;
	return turned ? chart->other[p->chart_other - 1] : chart->kind[i];
}

const char *ui_chart_turn(struct ui_pane *p)
{
	const struct ui_chart *chart = &p->def->chart;
	if (chart->others == 0)
		return NULL;
	p->chart_other = (p->chart_other + 1) % (chart->others + 1);
	return pv_series_name(chart_kind(p, chart->kinds - 1));
}

void ui_chart_refresh(struct ui_pane *p, const struct ui_shared *s)
{
	const struct ui_chart *chart = &p->def->chart;
	const int w = ui_time_room(p->split.chart).w;
	enum pv_series_kind kind[UI_GRAPHS_MAX];
	struct ui_graphs_wish wish = { .kind = kind, .n = chart->kinds };
	if (chart->kinds == 0 || p->split.chart.h == 0 || w <= 0)
		return;
	for (size_t i = 0; i < chart->kinds; i++)
		kind[i] = chart_kind(p, i);
	if (chart->of_row && chart->kind[0] == PV_SERIES_THROWN)
		wish.thrown = ui_list_name(&p->list[0], ui_list_row(&p->list[0]));
	wish.id = chart->of_row ? p->list[0].selected : 0;
	wish.cells = chart->of_row && wish.id == 0 ? 0 : ui_series_cells(s->dots, w);
	ui_graphs_refresh(&p->graphs, s, &wish);
}

/* The column of the cursor of time; -1: outside of the chart. */
static int cursor_column(const struct ui_axis *a, const struct ui_shared *s)
{
	const int column = s->range.cursor_on ? ui_axis_column(a, s->range.cursor_ns) : -1;
	return column < a->room.w ? column : -1;
}

/* --- the title: of what, and the values at the cursor or how much time a column is --- */

static void put_chart_name(const struct ui_pane *p, int cells, char *to, size_t size)
{
	char small[UI_TEXT_MAX];
	const struct ui_list *l = &p->list[0];
	const char *title = p->def->chart.title;
	const char *name = p->def->chart.of_row ? ui_list_shown_name(l, ui_list_row(l)) : NULL;
	const char *hole = strstr(title, "%s");
	if (hole)
		snprintf(to, size, "%.*s%s%s", (int)(hole - title), title,
			name ? ui_shorten(name, cells - (int)strlen(title) + 2, small, sizeof small)
			     : "",
			hole + 2);
	else
		snprintf(to, size, "%s", title);
}

static const struct pv_series *series_at(const struct ui_pane *p, size_t i)
{
	const struct pv_series *s = p->graphs.series[i];
	return s && s->n ? s : NULL;
}

/* "/s" for rates whose unit does not say so. */
static const char *per_s(enum pv_series_kind kind)
{
	switch (kind) {
	case PV_SERIES_ALLOC_RATE:
	case PV_SERIES_EVENT_RATE:
	case PV_SERIES_CALL_RATE:
	case PV_SERIES_SAMPLE_RATE:
	case PV_SERIES_THROW_RATE:
	case PV_SERIES_THROWN:
	case PV_SERIES_SERVED:
		return "/s";
	default:
		return "";
	}
}

static const char *said_at(
	const struct pv_series *s, const struct ui_axis *a, int column, char *to, size_t size)
{
	char text[64];
	const double v = ui_series_at(s, a->room.w, column);
	if (isnan(v))
		snprintf(to, size, "not known");
	else
		snprintf(to, size, "%s", ui_value_text(v, s->unit, text, sizeof text));
	return to;
}

/* In as many digits as tell columns apart. */
static const char *put_time(const struct ui_axis *a, int column, char *to, size_t size)
{
	const int64_t ns = ui_axis_time(a, column), us = ui_axis_width(a) < 2e6 ? 1 : 1000;
	return ui_tick_text((ns + 500 * us) / (1000 * us) * 1000 * us, a->to_ns, to, size);
}

static size_t put_values(
	const struct ui_pane *p, const struct ui_axis *a, int column, char *to, size_t size)
{
	char value[80];
	size_t n = (size_t)snprintf(to, size, "at %s: ", put_time(a, column, value, sizeof value));
	for (size_t i = 0; i < p->def->chart.kinds && n < size; i++) {
		const struct pv_series *s = series_at(p, i);
		if (s && p->def->chart.kinds > 1)
			n += (size_t)snprintf(to + n, size - n, "%s%s ", i ? ", " : "", s->name);
		if (s && n < size)
			n += (size_t)snprintf(to + n, size - n, "%s%s",
				said_at(s, a, column, value, sizeof value),
				per_s(chart_kind(p, i)));
	}
	return n < size ? n : size - 1;
}

/* The time of a column, and whether the log's grain is coarser. */
static void put_note(const struct ui_pane *p, const struct ui_axis *a, char *to, size_t size)
{
	char width[PV_UNIT_MAX], grain[PV_UNIT_MAX];
	const double column = ui_axis_width(a);
	int64_t most = 0;
	for (size_t i = 0; i < p->def->chart.kinds; i++)
		if (series_at(p, i) && series_at(p, i)->grain_ns > most)
			most = series_at(p, i)->grain_ns;
	int n = snprintf(
		to, size, "a column %s", pv_units_ns(width, sizeof width, llround(column)));
	if ((double)most > column && n > 0 && (size_t)n < size)
		snprintf(to + n, size - (size_t)n, "; kept in steps of %s",
			pv_units_ns(grain, sizeof grain, most));
}

static void draw_title(const struct ui_pane *p, const struct ui_shared *s, const struct ui_axis *a,
	struct ui_canvas *c, struct ui_rect r)
{
	char name[UI_TEXT_MAX * 2], text[256];
	const int column = cursor_column(a, s);
	const bool in = column >= 0;
	r = ui_cols(r, TITLE, r.w);
	if (in)
		put_values(p, a, column, text, sizeof text);
	else
		put_note(p, a, text, sizeof text);
	const int figures = ui_min((int)strlen(text) + 2, r.w);
	put_chart_name(p, r.w - figures, name, sizeof name);
	const int used = ui_put(c, ui_cols(r, 0, r.w - figures), UI_TITLE, name);
	ui_put(c, ui_cols(r, used + 2, r.w), in ? UI_STRONG : UI_DIM, text);
}

/* --- figures --- */

/* Right of the columns: the figure at the cursor, else the height of the graph and its foot. */
static void draw_scale(const struct ui_pane *p, size_t i, const struct ui_axis *a, int column,
	struct ui_canvas *c, struct ui_rect r)
{
	char text[80];
	const struct pv_series *s = series_at(p, i);
	const char *per = per_s(chart_kind(p, i));
	const struct ui_rect at = ui_cols(r, a->room.x + a->room.w + 1 - r.x, r.w);
	if (column >= 0) {
		ui_printf(c, ui_rows(at, r.h - 1, 1), UI_STRONG, "%s%s",
			said_at(s, a, column, text, sizeof text), per);
		return;
	}
	ui_value_text(p->graphs.top[i].top, s->unit, text, sizeof text);
	if (r.h > 1)
		ui_put(c, ui_rows(at, r.h - 1, 1), UI_DIM, "0");
	ui_printf(c, ui_rows(at, 0, 1), UI_DIM, "%s%s%s", r.h > 1 ? "" : "top ", text, per);
}

static void draw_series(const struct ui_pane *p, size_t i, const struct ui_axis *a, int column,
	struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_series *s = series_at(p, i);
	if (!s)
		return;
	struct ui_values values = ui_series_values(c, s, a->room.w);
	values.max = p->graphs.top[i].top;
	if (p->def->chart.kinds > 1)
		ui_put(c, ui_cols(ui_rows(r, r.h - 1, 1), 1, UI_TIME_NAME - 1), UI_DIM, s->name);
	ui_graph(c, (struct ui_rect){ a->room.x, r.y, a->room.w, r.h }, i ? UI_WAITS : UI_HEAP,
		values);
	draw_scale(p, i, a, column, c, r);
}

/* The cursor is a selected column, and a mark in the row of times, visible in plain text, too. */
static void draw_cursor(const struct ui_axis *a, const struct rows *rows, const struct ui_shared *s,
	struct ui_canvas *c)
{
	const int column = cursor_column(a, s);
	const int x = a->room.x + column;
	if (column < 0)
		return;
	for (int y = rows->graph.y; y < rows->more.y + rows->more.h; y++)
		ui_mark(c, (struct ui_rect){ x, y, 1, 1 }, UI_SELECTED);
	if (rows->ticks.h)
		ui_put_code(c, x, rows->ticks.y, UI_CURSOR, 0x25b2);
}

static void draw_ticks(
	const struct ui_axis *a, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	if (r.h <= 0)
		return;
	struct ui_axis ticks = *a;
	ticks.room = (struct ui_rect){ a->room.x, r.y, a->room.w, r.h };
	ui_axis_ticks(c, &ticks, cursor_column(a, s));
}

void ui_chart_draw(const struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c)
{
	const struct ui_axis a = ui_chart_axis(p, s);
	const struct pv_row *row = ui_list_row(&p->list[0]);
	const bool parent = p->def->chart.of_row && p->list[0].tree && row && row->parent == 0;
	if (a.room.w <= 0 || a.room.h <= 0)
		return;
	const struct rows rows = rows_of(p);
	if (p->def->chart.of_row && !row)
		return;
	if (parent || !series_at(p, 0)) {
		char name[UI_TEXT_MAX * 2];
		put_chart_name(p, p->split.chart.w - TITLE, name, sizeof name);
		ui_put(c, ui_cols(rows.title.h ? rows.title : rows.graph, TITLE, p->split.chart.w),
			UI_TITLE, name);
		if (parent && rows.title.h)
			ui_put(c, ui_cols(ui_rows(rows.graph, 0, 1), TITLE, rows.graph.w), UI_DIM,
				"a counter below it shows its graph here");
		return;
	}
	if (rows.title.h)
		draw_title(p, s, &a, c, rows.title);
	for (int i = 0; i <= rows.more.h; i++)
		draw_series(p, (size_t)i, &a, cursor_column(&a, s), c,
			i ? ui_rows(rows.more, i - 1, 1) : rows.graph);
	draw_ticks(&a, s, c, rows.ticks);
	draw_cursor(&a, &rows, s, c);
}
