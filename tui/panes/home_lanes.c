/* SPDX-License-Identifier: MIT */
/* The lanes of Home, and figures over time as evidence of findings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/query/facts.h"
#include "tui/chart/chart.h"
#include "tui/draw/figures.h"
#include "tui/chart/time_axis.h"
#include "tui/panes/sections.h"

enum { SAMPLES = UI_LANES }; /* not of a lane: samples of any state */

/* clang-format off */
const struct ui_lane ui_lanes[UI_LANES] = {
	{ "CPU", PV_SERIES_RAN, PV_GROUP_SAMPLES, UI_BAR, UI_CMD_CPU, UI_LANE_OF_TIME, .part = false },
	{ "ready", PV_SERIES_QUEUED, PV_GROUP_SAMPLES, UI_WAITS, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "lock", PV_SERIES_LOCKED, PV_GROUP_SAMPLES, UI_WAITS, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "idle", PV_SERIES_IDLE, PV_GROUP_SAMPLES, UI_WAITS, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "calls", PV_SERIES_CALL_RATE, PV_GROUP_CALLS, UI_BAR, UI_CMD_CPU, .part = false },
	{ "heap", PV_SERIES_HEAP, PV_GROUP_GC, UI_HEAP, UI_CMD_HEAP, .part = false },
	{ "young", PV_SERIES_YOUNG, PV_GROUP_COUNTERS, UI_MINOR, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "old", PV_SERIES_OLD, PV_GROUP_COUNTERS, UI_HEAP, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "large", PV_SERIES_LARGE, PV_GROUP_COUNTERS, UI_MAJOR, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "GC", PV_SERIES_PAUSE, PV_GROUP_GC | PV_GROUP_PAUSES, UI_HEAP, UI_CMD_GC, .part = false },
	{ "errors", PV_SERIES_THROW_RATE, PV_GROUP_EXCEPTIONS, UI_MINOR, UI_CMD_ERRORS, .part = false },
	{ "alloc", PV_SERIES_ALLOC_RATE, PV_GROUP_ALLOC, UI_HEAP, UI_CMD_ALLOC, .part = false },
	{ "waits", PV_SERIES_WAIT, PV_GROUP_LOCKS, UI_WAITS, UI_CMD_WAITS, .part = false },
	{ "marks", PV_SERIES_MAJOR, PV_GROUP_SHOTS | PV_GROUP_MARKS, UI_STRONG, UI_CMD_STREAM, .marks = true },
};
/* clang-format on */

/* --- figures over time --- */

void ui_lanes_refresh(struct ui_overview *o, const struct ui_shared *s)
{
	static enum pv_series_kind kinds[UI_LANES + 1];
	_Static_assert(UI_LANES + 1 <= UI_GRAPHS_MAX, "the graphs have room for all lanes");
	for (int i = 0; i < UI_LANES; i++)
		kinds[i] = ui_lanes[i].series;
	kinds[SAMPLES] = PV_SERIES_SAMPLE_RATE;
	struct ui_graphs_wish wish = { .kind = kinds, .n = UI_LANES + 1, .all = true };
	wish.cells = ui_series_cells(s->dots, o->strip.w);
	ui_graphs_refresh(&o->graphs, s, &wish);
}

static double sum_of(const struct pv_series *s)
{
	double sum = 0;
	for (size_t i = 0; s && i < s->n; i++)
		sum += isnan(s->value[i]) ? 0 : s->value[i];
	return sum;
}

/* The lane's share of all lanes that are parts of the same figure; 0 to 1. */
static double share_of(const struct ui_overview *o, int lane)
{
	double all = 0;
	for (int i = 0; i < UI_LANES; i++)
		if (ui_lanes[i].of == ui_lanes[lane].of)
			all += sum_of(o->graphs.series[i]);
	return all > 0 ? sum_of(o->graphs.series[lane]) / all : 0;
}

/* Whether samples say what their threads did; some old logs do not name the thread. */
static bool are_judged(const struct ui_overview *o)
{
	return share_of(o, UI_LANE_CPU) > 0 || share_of(o, UI_LANE_CPU + 1) > 0 ||
	       share_of(o, UI_LANE_CPU + 2) > 0 || share_of(o, UI_LANE_CPU + 3) > 0;
}

static const struct pv_series *series_of(const struct ui_overview *o, int lane)
{
	return o->graphs.series[lane == UI_LANE_CPU && !are_judged(o) ? SAMPLES : lane];
}

/* Folded stacks and processes added up have no times: a figure over time would be invented. */
static bool is_without_time(const struct ui_shared *s)
{
	return ui_has_ended(s) && s->duration_ns <= 0;
}

int ui_lanes_shown(const struct ui_overview *o, const struct ui_shared *s, int ret[UI_LANES])
{
	const double least = 0.01;
	int n = 0, parts = o->parts;
	for (int i = 0; i < UI_LANES && !is_without_time(s); i++) {
		if (!(s->all.recorded & ui_lanes[i].needs))
			continue;
		if (ui_lanes[i].part && (parts == 0 || share_of(o, i) < least))
			continue;
		parts -= ui_lanes[i].part;
		ret[n++] = i;
	}
	return n;
}

int ui_lanes_least(const struct ui_shared *s)
{
	int n = 0;
	for (int i = 0; i < UI_LANES && !is_without_time(s); i++)
		n += !ui_lanes[i].part && s->all.recorded & ui_lanes[i].needs;
	return n;
}

/* --- drawing --- */

/* If all samples ran, the share says nothing: shows how many cores ran, if the log has that. */
static bool all_ran(
	const struct ui_overview *o, int at, const struct pv_summary *m, char *to, size_t size)
{
	if (ui_lanes[at].part || share_of(o, at) < 0.995 || !m->running.known)
		return false;
	snprintf(to, size, "%.*f cores", m->running.mean < 0.095 ? 2 : 1, m->running.mean);
	return true;
}

static double cell_s(const struct pv_series *series)
{
	return series->n ? (double)(series->to_ns - series->from_ns) / 1e9 / (double)series->n : 0;
}

/* The mean of a finished recording; of a growing recording the mean of the last 2 s. */
static double mean_of(const struct pv_series *series, const struct ui_shared *s)
{
	const double each = cell_s(series), most = ui_has_ended(s) ? INFINITY : 2;
	double sum = 0, n = 0;
	for (size_t i = series->n; i-- > 0 && (n <= 0 || n * each < most);) {
		if (isnan(series->value[i]))
			continue;
		sum += series->value[i];
		n++;
	}
	return n > 0 ? sum / n : 0;
}

static bool is_level(const struct ui_lane *lane)
{
	return lane->series == PV_SERIES_HEAP || lane->of == UI_LANE_OF_HEAP;
}

/* Amounts within a column; other series are rates. */
static bool is_amount(const struct ui_lane *lane)
{
	return lane->series == PV_SERIES_PAUSE || lane->series == PV_SERIES_WAIT;
}

/* A figure with its unit, with "/s" if a rate. */
static void put_figure(const struct ui_lane *lane, const struct pv_series *series, double v,
	bool rate, char *to, size_t size)
{
	char text[48];
	snprintf(to, size, "%s%s", ui_value_text(v, series->unit, text, sizeof text),
		rate && !is_level(lane) ? "/s" : "");
}

/* The figure at the end of a lane: now or in the mean. */
static void lane_value(
	const struct ui_overview *o, int at, const struct ui_shared *s, char *to, size_t size)
{
	const struct ui_lane *lane = &ui_lanes[at];
	const struct pv_series *series = series_of(o, at);
	to[0] = 0;
	if (!series)
		return;
	if (lane->of == UI_LANE_OF_TIME && are_judged(o)) {
		if (!all_ran(o, at, &s->all, to, size))
			snprintf(to, size, "%.0f %%", 100 * share_of(o, at));
		return;
	}
	if (lane->series == PV_SERIES_PAUSE && !s->all.pauses_recorded)
		return;
	double v = is_level(lane) ? series->last : mean_of(series, s);
	if (is_amount(lane) && cell_s(series) > 0)
		v /= cell_s(series);
	put_figure(lane, series, v, true, to, size);
}

static void put_figures(const struct ui_lane *lane, const struct pv_series *series, double top,
	const char *value, struct ui_canvas *c, struct ui_rect r)
{
	const bool rate = !is_amount(lane);
	char most[64], high[64];
	if (lane->series == PV_SERIES_PAUSE && !value[0])
		ui_put(c, r, UI_DIM, "stops not recorded");
	if (!value[0])
		return;
	put_figure(lane, series, series->max, rate, most, sizeof most);
	put_figure(lane, series, top, rate, high, sizeof high);
	ui_figures(c, r, value, top > 0 ? most : NULL, high);
}

static double sum_at(const struct ui_overview *o, int column)
{
	double all = 0;
	for (int i = 0; i < UI_LANES; i++) {
		const struct pv_series *series = o->graphs.series[i];
		double v = series && ui_lanes[i].of == UI_LANE_OF_TIME
				   ? ui_series_at(series, o->strip.w, column)
				   : NAN;
		all += isnan(v) ? 0 : v;
	}
	return all;
}

/* The figure at the cursor of time; false: no cursor, or no figure. */
static bool value_at_cursor(
	const struct ui_overview *o, int at, const struct ui_shared *s, char *to, size_t size)
{
	const struct ui_axis a = ui_time_axis(s, o->strip);
	const struct pv_series *series = series_of(o, at);
	const int column =
		s->range.cursor_on ? ui_time_column(s, o->strip, s->range.cursor_ns) : -1;
	char text[48];
	if (column < 0 || !series)
		return false;
	const double v = ui_series_at(series, o->strip.w, column);
	const double all = ui_lanes[at].of == UI_LANE_OF_TIME ? sum_at(o, column) : 0;
	const char *word = ui_value_text(v, series->unit, text, sizeof text);
	if (isnan(v))
		snprintf(to, size, "not known");
	else if (all > 0)
		snprintf(to, size, "%.0f %%", 100 * v / all);
	else if (ui_lanes[at].series == PV_SERIES_PAUSE || ui_lanes[at].series == PV_SERIES_WAIT)
		snprintf(to, size, "%s in %s", word,
			pv_units_ns(
				(char[PV_UNIT_MAX]){ 0 }, PV_UNIT_MAX, llround(ui_axis_width(&a))));
	else
		snprintf(to, size, "%s%s", word,
			series->unit == PV_UNIT_BYTES && ui_lanes[at].series != PV_SERIES_ALLOC_RATE
				? ""
				: "/s");
	return true;
}

static const struct pv_cell *time_in(const struct pv_table *t, const struct pv_row *row)
{
	for (size_t i = 0; i < t->columns; i++)
		if (t->column[i].unit == PV_UNIT_TIME && row->cell[i].state == PV_CELL_VALUE)
			return &row->cell[i];
	return NULL;
}

/* A letter where each row's time is. */
static size_t draw_marks(const struct pv_table *t, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r, uint32_t letter)
{
	size_t n = 0;
	for (size_t i = 0; t && i < t->rows; i++) {
		const struct pv_cell *at = time_in(t, &t->row[i]);
		if (!at || s->duration_ns <= 0)
			continue;
		ui_put_code(c, r.x + ui_time_column(s, r, at->i), r.y,
			letter == '!' ? UI_BAD : UI_STRONG, letter);
		n++;
	}
	return n;
}

static void draw_moments(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r, char *to, size_t size)
{
	const struct pv_table *m = o->list[UI_HOME_MARKS].table, *h = o->list[UI_HOME_SHOTS].table;
	const size_t marks = m ? m->rows_all : 0, shots = h ? h->rows_all : 0;
	draw_marks(m, s, c, r, 'm');
	draw_marks(h, s, c, r, 'S');
	size_t found = draw_marks(o->list[UI_HOME_FINDINGS].table, s, c, r, '!');
	snprintf(to, size, "S %zu shot%s", shots, shots == 1 ? "" : "s");
	if (marks)
		snprintf(to, size, "S %zu  m %zu  ! %zu", shots, marks, found);
	else if (found)
		snprintf(to, size, "S %zu  ! %zu found", shots, found);
}

/* Parts of the heap share one height; lanes of threads have a height each. */
static double top_of(const struct ui_overview *o, int lane)
{
	const struct ui_graphs *g = &o->graphs;
	double top = g->top[lane == UI_LANE_CPU && !are_judged(o) ? SAMPLES : lane].top;
	for (int i = 0; ui_lanes[lane].of == UI_LANE_OF_HEAP && i < UI_LANES; i++)
		if (ui_lanes[i].of == UI_LANE_OF_HEAP)
			top = fmax(top, g->top[i].top);
	return top;
}

/*
 * Samples come in buffers of their threads: in a growing recording columns after the last sample
 * are still to be read, even though other events are there.
 */
static size_t unread_samples(const struct ui_overview *o, const struct ui_shared *s)
{
	const struct pv_series *any = o->graphs.series[SAMPLES];
	size_t n = 0;
	if (!any || ui_has_ended(s))
		return 0;
	while (n < any->n && !(any->value[any->n - 1 - n] > 0))
		n++;
	return n;
}

static void draw_lane(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect room, int lane)
{
	const struct pv_series *series = series_of(o, lane);
	struct ui_values values = ui_series_values(c, series, room.w);
	values.max = top_of(o, lane);
	if (ui_lanes[lane].of == UI_LANE_OF_TIME)
		values.unread = unread_samples(o, s);
	ui_spark(c, room, ui_lanes[lane].style, values);
}

static void draw_name(struct ui_canvas *c, struct ui_rect r, const char *name, bool on)
{
	ui_printf(c, r, on ? UI_PLAIN : UI_DIM, " %s", name);
	if (!on)
		return;
	ui_put_code(c, r.x, r.y, UI_CURSOR, 0x25b6);
	ui_mark(c, ui_cols(r, 0, r.w - 1), UI_SELECTED);
}

void ui_lanes_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	int lanes[UI_LANES], n = ui_lanes_shown(o, s, lanes);
	for (int y = 0; y < n && y < r.h; y++) {
		const struct ui_lane *lane = &ui_lanes[lanes[y]];
		const struct pv_series *series = series_of(o, lanes[y]);
		const struct ui_rect at = ui_rows(r, y, 1),
				     room = { o->strip.x, at.y, o->strip.w, 1 };
		const struct ui_rect end = ui_cols(at, room.x + room.w + 1 - at.x, at.w);
		char text[80] = "";
		draw_name(c, ui_cols(at, 0, room.x - at.x), lane->name,
			o->focus == UI_BLOCK_LANES && o->lane == y);
		if (lane->marks) {
			draw_moments(o, s, c, room, text, sizeof text);
			ui_put(c, end, UI_PLAIN, text);
			continue;
		}
		if (!series)
			continue;
		draw_lane(o, s, c, room, lanes[y]);
		if (value_at_cursor(o, lanes[y], s, text, sizeof text)) {
			ui_figures(c, end, text, NULL, NULL);
			ui_restyle(c, end, UI_STRONG);
			continue;
		}
		lane_value(o, lanes[y], s, text, sizeof text);
		put_figures(lane, series, top_of(o, lanes[y]), text, c, end);
	}
	if (n == 0)
		ui_put(c, ui_cols(r, 1, r.w), UI_DIM, "nothing yet");
}

/* --- proofs of findings --- */

static const struct pv_series *series_for(const struct ui_overview *o, enum pv_series_kind kind)
{
	for (int i = 0; i < UI_LANES; i++)
		if (ui_lanes[i].series == kind && !ui_lanes[i].marks)
			return o->graphs.series[i];
	return NULL;
}

/* Shrinks to fewer cells: each gets the greatest value, as rare values prove most. */
static void shrink(const struct pv_series *from, double *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = NAN;
	for (size_t i = 0; i < from->n; i++) {
		double *at = &to[i * (size_t)n / from->n];
		if (!isnan(from->value[i]) && !(*at >= from->value[i]))
			*at = from->value[i];
	}
}

void ui_finding_spark(
	const struct ui_overview *o, struct ui_canvas *c, struct ui_rect r, const char *rule)
{
	enum { MOST = 16 };
	double value[MOST];
	const struct pv_series *s = NULL;
	const enum pv_series_kind *kind = pv_finding_proof(rule);
	for (; kind && *kind != PV_SERIES_KINDS && !(s && s->max > 0); kind++)
		s = series_for(o, *kind);
	int n = s && s->n < MOST ? (int)s->n : r.w < MOST ? r.w : MOST;
	if (!s || !(s->max > 0) || n <= 0)
		return;
	shrink(s, value, n);
	ui_spark(c, r, UI_BAR,
		(struct ui_values){
			.v = value, .n = (size_t)n, .max = ui_top_of(s->max, s->unit) });
}
