/* The lanes of Home, and the figures over time that prove its findings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/units.h"
#include "tui/draw/chart.h"
#include "tui/draw/ticks.h"
#include "tui/panes/sections.h"

enum { SAMPLES = UI_LANES }; /* not of a lane: samples of any state */

/* clang-format off */
const struct ui_lane ui_lanes[UI_LANES] = {
	{ "CPU", PV_SERIES_RAN, PV_GROUP_SAMPLES, UI_BAR, UI_CMD_CPU, UI_LANE_OF_TIME, .part = false },
	{ "ready", PV_SERIES_QUEUED, PV_GROUP_SAMPLES, UI_MINOR, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "lock", PV_SERIES_LOCKED, PV_GROUP_SAMPLES, UI_WARN, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "idle", PV_SERIES_IDLE, PV_GROUP_SAMPLES, UI_WAITING, UI_CMD_TIMELINE, UI_LANE_OF_TIME, .part = true },
	{ "calls", PV_SERIES_CALL_RATE, PV_GROUP_CALLS, UI_BAR, UI_CMD_CPU, .part = false },
	{ "heap", PV_SERIES_HEAP, PV_GROUP_GC, UI_HEAP, UI_CMD_HEAP, .part = false },
	{ "young", PV_SERIES_YOUNG, PV_GROUP_COUNTERS, UI_MINOR, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "old", PV_SERIES_OLD, PV_GROUP_COUNTERS, UI_HEAP, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "large", PV_SERIES_LARGE, PV_GROUP_COUNTERS, UI_MAJOR, UI_CMD_COUNTERS, UI_LANE_OF_HEAP, .part = true },
	{ "GC", PV_SERIES_PAUSE, PV_GROUP_GC | PV_GROUP_PAUSES, UI_MAJOR, UI_CMD_GC, .part = false },
	{ "error", PV_SERIES_THROW_RATE, PV_GROUP_EXCEPTIONS, UI_WARN, UI_CMD_ERRORS, .part = false },
	{ "alloc", PV_SERIES_ALLOC_RATE, PV_GROUP_ALLOC, UI_HEAP, UI_CMD_ALLOC, .part = false },
	{ "waits", PV_SERIES_WAIT, PV_GROUP_LOCKS, UI_WAITING, UI_CMD_WAITS, .part = false },
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

/* Of those that are parts of the same figure as this lane; 0 to 1. */
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

int ui_lanes_shown(const struct ui_overview *o, const struct ui_shared *s, int ret[UI_LANES])
{
	const double least = 0.01;
	int n = 0, parts = o->parts;
	for (int i = 0; i < UI_LANES; i++) {
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
	for (int i = 0; i < UI_LANES; i++)
		n += !ui_lanes[i].part && s->all.recorded & ui_lanes[i].needs;
	return n;
}

/* --- drawing --- */

/* Of samples all of which ran the share says nothing: how much ran, if the log has it, and how many. */
static bool all_ran(
	const struct ui_overview *o, int at, const struct pv_summary *m, char *to, size_t size)
{
	char n[PV_UNIT_MAX];
	if (ui_lanes[at].part || share_of(o, at) < 0.995)
		return false;
	if (m->running.known)
		snprintf(to, size, "%.*f cores", m->running.mean < 0.095 ? 2 : 1, m->running.mean);
	else
		snprintf(to, size, "%s samples", pv_units_count(n, sizeof n, m->samples));
	return true;
}

/* The figure at the end of a lane, of the whole recording. */
static void lane_value(
	const struct ui_overview *o, int at, const struct ui_shared *s, char *to, size_t size)
{
	const struct pv_summary *m = &s->all;
	const struct ui_lane *lane = &ui_lanes[at];
	const struct pv_series *series = series_of(o, at);
	char a[48], b[48];
	if (lane->of == UI_LANE_OF_TIME && are_judged(o) && all_ran(o, at, m, to, size))
		return;
	if (lane->of == UI_LANE_OF_TIME && are_judged(o)) {
		snprintf(to, size, "%.0f %% %s", 100 * share_of(o, at),
			lane->part ? series->name : "ran");
		return;
	}
	switch (lane->series) {
	case PV_SERIES_HEAP:
		snprintf(to, size, "%s  max %s", pv_units_bytes(a, sizeof a, m->heap_bytes),
			pv_units_bytes(b, sizeof b, m->heap_max_bytes));
		break;
	case PV_SERIES_YOUNG:
	case PV_SERIES_OLD:
	case PV_SERIES_LARGE:
		snprintf(to, size, "%s  max %s",
			ui_value_text(series->last, PV_UNIT_BYTES, a, sizeof a),
			ui_value_text(series->max, PV_UNIT_BYTES, b, sizeof b));
		break;
	case PV_SERIES_PAUSE:
		if (m->pauses_recorded)
			snprintf(to, size, "%s %%  max %s",
				pv_units_percent(
					a, sizeof a, m->pause_ns, (uint64_t)m->duration_ns),
				pv_units_ns(b, sizeof b, (int64_t)m->pause_max_ns));
		else
			snprintf(to, size, "stops not recorded");
		break;
	case PV_SERIES_THROW_RATE:
		snprintf(to, size, "%s thrown", pv_units_count(a, sizeof a, m->thrown));
		break;
	case PV_SERIES_WAIT:
		snprintf(to, size, "%s waited", pv_units_ns(a, sizeof a, (int64_t)m->wait_ns));
		break;
	default:
		snprintf(to, size, "%s/s at most",
			ui_value_text(series ? series->max : 0,
				series ? series->unit : PV_UNIT_COUNT, a, sizeof a));
		break;
	}
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

/* The figure in the column of the cursor of time; false: it is in none. */
static bool value_at_cursor(
	const struct ui_overview *o, int at, const struct ui_shared *s, char *to, size_t size)
{
	const struct ui_axis a = { o->strip, 0, s->duration_ns };
	const struct pv_series *series = series_of(o, at);
	const int column = s->range.cursor_on
				   ? ui_min(ui_axis_column(&a, s->range.cursor_ns), o->strip.w - 1)
				   : -1;
	char text[48];
	if (column < 0 || !series)
		return false;
	const double v = ui_series_at(series, o->strip.w, column);
	const double all = ui_lanes[at].of == UI_LANE_OF_TIME ? sum_at(o, column) : 0;
	const char *word = ui_value_text(v, series->unit, text, sizeof text);
	if (isnan(v))
		snprintf(to, size, "not known");
	else if (all > 0)
		snprintf(to, size, "%.0f %% %s", 100 * v / all,
			ui_lanes[at].part ? series->name : "ran");
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
		double x = (double)at->i / (double)s->duration_ns * r.w;
		int cell = x < 0 ? 0 : x >= r.w ? r.w - 1 : (int)x;
		ui_put_code(c, r.x + cell, r.y, letter == '!' ? UI_BAD : UI_STRONG, letter);
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

/* Parts of the heap are as high as it is; what threads did has each its own height. */
static double height_of(const struct ui_overview *o, int lane)
{
	const struct pv_series *series = series_of(o, lane);
	double max = series->max;
	for (int i = 0; ui_lanes[lane].of == UI_LANE_OF_HEAP && i < UI_LANES; i++)
		if (o->graphs.series[i] && ui_lanes[i].of == UI_LANE_OF_HEAP &&
			o->graphs.series[i]->max > max)
			max = o->graphs.series[i]->max;
	return max;
}

static void draw_lane(struct ui_canvas *c, struct ui_rect room, enum ui_style style,
	const struct pv_series *series, double height)
{
	struct ui_values values = ui_series_values(c, series, room.w);
	values.max = height;
	ui_spark(c, room, style, values);
}

void ui_lanes_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	int lanes[UI_LANES], n = ui_lanes_shown(o, s, lanes);
	for (int y = 0; y < n && y < r.h; y++) {
		const struct ui_lane *lane = &ui_lanes[lanes[y]];
		const struct pv_series *series = series_of(o, lanes[y]);
		struct ui_rect at = ui_rows(r, y, 1);
		struct ui_rect room = { o->strip.x, at.y, o->strip.w, 1 };
		bool on = o->focus == UI_BLOCK_LANES && o->lane == y;
		char text[80];
		ui_printf(c, ui_cols(at, 0, room.x - at.x), on ? UI_CURSOR : UI_DIM, " %s",
			lane->name);
		if (on)
			ui_put_code(c, at.x, at.y, UI_CURSOR, 0x25b6);
		if (lane->marks)
			draw_moments(o, s, c, room, text, sizeof text);
		else if (series)
			draw_lane(c, room, lane->style, series, height_of(o, lanes[y]));
		bool here = !lane->marks && value_at_cursor(o, lanes[y], s, text, sizeof text);
		if (!lane->marks && !here)
			lane_value(o, lanes[y], s, text, sizeof text);
		ui_put(c, ui_cols(at, room.x + room.w + 1 - at.x, at.w),
			here ? UI_STRONG : UI_PLAIN, text);
	}
	if (n == 0)
		ui_put(c, ui_cols(r, 1, r.w), UI_DIM, "nothing yet");
}

/* --- proofs of findings --- */

/* The figure that each rule judges, over time; rules that judge none are not here. */
static const struct {
	const char *rule;
	enum pv_series_kind kind[2]; /* the first that the log has */
} proofs[] = {
	{ "gc-time", { PV_SERIES_PAUSE, PV_SERIES_PAUSE } },
	{ "long-pause", { PV_SERIES_PAUSE, PV_SERIES_PAUSE } },
	{ "full-collections", { PV_SERIES_PAUSE, PV_SERIES_PAUSE } },
	{ "futile-collections", { PV_SERIES_HEAP, PV_SERIES_HEAP } },
	{ "explicit-gc", { PV_SERIES_PAUSE, PV_SERIES_PAUSE } },
	{ "rising-floor", { PV_SERIES_HEAP, PV_SERIES_HEAP } },
	{ "leak", { PV_SERIES_HEAP, PV_SERIES_HEAP } },
	{ "static-holder", { PV_SERIES_HEAP, PV_SERIES_HEAP } },
	{ "large-objects", { PV_SERIES_ALLOC_RATE, PV_SERIES_ALLOC_RATE } },
	{ "string-churn", { PV_SERIES_ALLOC_RATE, PV_SERIES_ALLOC_RATE } },
	{ "boxing", { PV_SERIES_ALLOC_RATE, PV_SERIES_ALLOC_RATE } },
	{ "closures", { PV_SERIES_ALLOC_RATE, PV_SERIES_ALLOC_RATE } },
	{ "resizing", { PV_SERIES_ALLOC_RATE, PV_SERIES_ALLOC_RATE } },
	{ "exception-flow", { PV_SERIES_THROW_RATE, PV_SERIES_THROW_RATE } },
	{ "type-init", { PV_SERIES_THROW_RATE, PV_SERIES_THROW_RATE } },
	{ "lock-contention", { PV_SERIES_WAIT, PV_SERIES_WAIT } },
	{ "hot-method", { PV_SERIES_RAN, PV_SERIES_CALL_RATE } },
};

static const struct pv_series *series_for(const struct ui_overview *o, enum pv_series_kind kind)
{
	for (int i = 0; i < UI_LANES; i++)
		if (ui_lanes[i].series == kind && !ui_lanes[i].marks)
			return o->graphs.series[i];
	return NULL;
}

/* Of many cells fewer: the greatest of each, as what is rare is what proves most. */
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
	for (size_t i = 0; i < PV_COUNT_OF(proofs); i++) {
		if (strcmp(proofs[i].rule, rule) != 0)
			continue;
		const struct pv_series *s = series_for(o, proofs[i].kind[0]);
		if (!s || !(s->max > 0))
			s = series_for(o, proofs[i].kind[1]);
		int n = s && s->n < MOST ? (int)s->n : r.w < MOST ? r.w : MOST;
		if (!s || !(s->max > 0) || n <= 0)
			return;
		shrink(s, value, n);
		ui_spark(c, r, UI_BAR, (struct ui_values){ value, (size_t)n, s->max, false });
		return;
	}
}
