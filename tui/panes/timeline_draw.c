/* SPDX-License-Identifier: MIT */
/* Lanes below their axis, and a line or two about the cursor's cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "tui/draw/shorten.h"
#include "tui/chart/ticks.h"
#include "tui/panes/timeline_pane.h"

enum { TALL = 9, MS = 1000000, FULL = 0x2587 };

/* In colour: a bar in the state's colour, lower for states that want the processor less. */
static const struct {
	enum ui_style style;
	uint32_t bar;
} states[PV_LANE_MARKS] = {
	[PV_STATE_RUNNING] = { UI_LANE_RUNNING, FULL },
	[PV_STATE_QUEUED] = { UI_LANE_QUEUED, 0x2584 },
	[PV_STATE_LOCK] = { UI_LANE_LOCK, FULL },
	[PV_STATE_POLL] = { UI_LANE_WAITING, 0x2581 },
	[PV_STATE_IO] = { UI_LANE_IO, FULL },
	[PV_STATE_SLEEP] = { UI_LANE_WAITING, 0x2581 },
	[PV_STATE_STOPPED] = { UI_LANE_QUEUED, 0x2582 },
	[PV_STATE_WAITING] = { UI_LANE_WAITING, 0x2581 },
	[PV_STATE_GC] = { UI_LANE_GC, FULL },
	[PV_STATE_UNSURE] = { UI_PLAIN, 0x2591 },
	[PV_LANE_NONE] = { UI_DIM, 0xb7 },
};

/* A letter where there is no colour, or too few heights of bars. */
static void draw_state(struct ui_canvas *c, int x, int y, unsigned mark)
{
	const bool bar = mark == PV_LANE_NONE || (c->hues && !c->ascii && !c->console);
	ui_put_code(c, x, y, states[mark].style,
		bar ? states[mark].bar : (uint32_t)pv_lanes_letter(mark));
	if (bar && states[mark].bar == FULL)
		ui_mark(c, (struct ui_rect){ x, y, 1, 1 }, UI_HUE);
}

int ui_timeline_names(struct ui_rect r)
{
	return ui_max(8, ui_min(24, r.w / 5));
}

static void draw_stops(struct ui_canvas *c, struct ui_rect r, const struct pv_lanes_answer *a)
{
	for (int x = 0; x < r.w && (size_t)x < a->cells; x++)
		if (a->stopped[x] > 0)
			ui_put(c, ui_cols(r, x, 1), UI_MAJOR, a->stopped[x] >= 0.5 ? "G" : "'");
}

/* How many spans of work ran at once. */
static void draw_spans(struct ui_canvas *c, struct ui_rect r, const struct pv_lanes_answer *a)
{
	for (int x = 0; x < r.w && (size_t)x < a->cells; x++) {
		char text[2] = { (char)('0' + (a->spans[x] < 10 ? a->spans[x] : 9)), 0 };
		if (a->spans[x])
			ui_put(c, ui_cols(r, x, 1), UI_SHOT, a->spans[x] > 9 ? "+" : text);
	}
}

static bool has_stops(const struct pv_lanes_answer *a)
{
	size_t i = 0;
	while (i < a->cells && !(a->stopped[i] > 0))
		i++;
	return i < a->cells;
}

static bool has_spans(const struct pv_lanes_answer *a)
{
	size_t i = 0;
	while (i < a->cells && !a->spans[i])
		i++;
	return i < a->cells;
}

static void draw_lane(
	const struct ui_timeline *t, struct ui_canvas *c, struct ui_rect r, size_t row)
{
	const struct pv_lanes_answer *a = t->answer;
	for (int x = 0; x < r.w && (size_t)x < a->cells; x++)
		draw_state(c, r.x + x, r.y, pv_lanes_mark(a, &a->row[row], (size_t)x));
}

static void draw_cursor(const struct ui_timeline *t, struct ui_canvas *c, struct ui_rect r)
{
	size_t first, last;
	ui_timeline_chosen(t, &first, &last);
	for (size_t i = first; i <= last; i++)
		ui_mark(c, ui_cols(r, (int)i, 1), UI_SELECTED);
	if (last > first) /* the moving end */
		ui_restyle(c, ui_cols(r, (int)ui_timeline_cell(t), 1), UI_CURSOR);
}

/* --- below */

static const char *mix_text(
	const struct ui_timeline *t, const struct pv_lanes_row *row, char *buf, size_t size)
{
	size_t first, last, n = 0;
	uint64_t sum[PV_STATES] = { 0 }, all = 0;
	double stopped = 0, locked = 0;
	char count[PV_UNIT_MAX];
	ui_timeline_chosen(t, &first, &last);
	for (size_t i = first; i <= last; i++) {
		stopped += t->answer->stopped[i];
		locked += (double)row->cell[i].locked;
		for (unsigned s = 0; s < PV_STATES; s++)
			sum[s] += row->cell[i].samples[s];
	}
	for (unsigned s = 0; s < PV_STATES; s++)
		all += sum[s];
	n = (size_t)snprintf(buf, size, all ? "" : "no sample");
	for (unsigned s = 0; s < PV_STATES && n < size; s++)
		if (sum[s])
			n += (size_t)snprintf(buf + n, size - n, "%s%s %.0f %%", n ? ", " : "",
				pv_lanes_word(s), 100 * (double)sum[s] / (double)all);
	if (all && n < size)
		n += (size_t)snprintf(buf + n, size - n, " of %s sample%s",
			pv_units_exact(count, sizeof count, all), all == 1 ? "" : "s");
	const double each = 100 / (double)(last - first + 1);
	if (locked * each >= 0.5 && n < size)
		n += (size_t)snprintf(
			buf + n, size - n, "; waited for a lock %.0f %%", fmin(100, locked * each));
	if (stopped > 0 && n < size)
		snprintf(buf + n, size - n, "; collector had it stopped %.0f %%", stopped * each);
	return buf;
}

static void draw_cell(const struct ui_timeline *t, struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_lanes_row *row = ui_timeline_row(t);
	char from[40], to[40], mix[240], name[64];
	int64_t begin, end;
	if (!row || r.h == 0)
		return;
	ui_timeline_time(t, &begin, &end);
	const int64_t last = t->answer->to_ns;
	const int64_t digit = end - begin >= 5 * MS ? MS : MS / 1000;
	begin = begin / digit * digit;
	end = (end + digit - 1) / digit * digit;
	int x = 1 + ui_put(c, ui_cols(r, 1, r.w / 3), UI_STRONG,
			    ui_shorten(row->name, r.w / 3, name, sizeof name));
	x += 1 + ui_printf(c, ui_cols(r, x + 1, r.w), UI_PLAIN, "%s to %s",
			 ui_tick_text(begin, last, from, sizeof from),
			 ui_tick_text(end, last, to, sizeof to));
	ui_printf(c, ui_cols(r, x, r.w), UI_PLAIN, " · %s", mix_text(t, row, mix, sizeof mix));
}

static void draw_legend(struct ui_canvas *c, struct ui_rect r)
{
	int x = 1;
	for (unsigned mark = 0; mark < PV_LANE_NONE; mark++) {
		int w = (int)strlen(pv_lanes_word(mark)) + 2;
		if (x + w > r.w)
			break;
		draw_state(c, r.x + x, r.y, mark);
		ui_put(c, ui_cols(r, x + 2, w), UI_DIM, pv_lanes_word(mark));
		x += w + 1;
	}
}

static const char *why_empty(const struct ui_timeline *t, const struct ui_shared *s)
{
	const struct pv_lanes_answer *a = t->answer;
	if (!a)
		return "";
	if (!a->sampled && s->range.on)
		return "no sample in this time, of this thread or these requests; Ctrl-R: all of them again";
	if (!a->sampled)
		return a->called ? "the log has calls, no samples: lanes are of samples (--sample)"
				 : "the log has no samples; profview run --sample records them";
	return "no thread has a sample in this time; - zooms out";
}

void ui_timeline_draw(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_lanes_answer *a = t->answer;
	const int names = ui_timeline_names(r), below = r.h >= TALL ? 2 : 1;
	t->lanes = (struct ui_rect){ 0 };
	if (!a || a->rows == 0) {
		ui_put(c, ui_cols(ui_rows(r, 1, 1), 1, r.w), UI_PLAIN, why_empty(t, s));
		return;
	}
	int y = 1;
	ui_ticks(c, ui_cols(ui_rows(r, 0, 1), names, r.w), a->from_ns, a->to_ns);
	if (below == 2 && has_stops(a)) {
		ui_put(c, ui_cols(ui_rows(r, y, 1), 1, names - 1), UI_DIM, "stops");
		draw_stops(c, ui_cols(ui_rows(r, y++, 1), names, r.w), a);
	}
	if (below == 2 && has_spans(a)) {
		ui_put(c, ui_cols(ui_rows(r, y, 1), 1, names - 1), UI_DIM, "spans");
		draw_spans(c, ui_cols(ui_rows(r, y++, 1), names, r.w), a);
	}
	struct ui_rect lanes = ui_rows(r, y, r.h - y - below);
	const size_t rows = (size_t)ui_max(1, lanes.h);
	if (t->row < t->top)
		t->top = t->row;
	if (t->row >= t->top + rows)
		t->top = t->row - rows + 1;
	if (t->top + rows > a->rows)
		t->top = a->rows > rows ? a->rows - rows : 0;
	for (size_t i = t->top; i < a->rows && i < t->top + (size_t)lanes.h; i++) {
		struct ui_rect line = ui_rows(lanes, (int)(i - t->top), 1);
		char name[64];
		ui_put(c, ui_cols(line, 1, names - 2), i == t->row ? UI_STRONG : UI_PLAIN,
			ui_shorten(a->row[i].name, names - 2, name, sizeof name));
		draw_lane(t, c, ui_cols(line, names, r.w), i);
		if (i == t->row) {
			ui_put(c, ui_cols(line, 0, 1), UI_STRONG, "▶");
			draw_cursor(t, c, ui_cols(line, names, r.w));
		}
	}
	t->lanes = ui_cols(lanes, names, r.w);
	draw_cell(t, c, ui_rows(r, r.h - below, 1));
	if (below == 2 && a->width_ns > MS && pv_lanes_cell_ns(a) < (double)a->width_ns)
		ui_printf(c, ui_cols(ui_rows(r, r.h - 1, 1), 1, r.w), UI_WARN,
			"samples of so long a time are kept by %g ms; o reads the time chosen anew, finer",
			(double)a->width_ns / MS);
	else if (below == 2)
		draw_legend(c, ui_rows(r, r.h - 1, 1));
}
