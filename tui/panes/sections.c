/* SPDX-License-Identifier: MIT */
/* Draws the blocks of Home: findings, time, memory, waits, spans, processes, cost. */
#include "tui/draw/clock_text.h"
#include "tui/panes/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "tui/chart/chart.h"
#include "tui/draw/shorten.h"

enum { LABEL = 10 };

static void say_value(
	struct ui_canvas *c, struct ui_rect r, int row, const char *label, const char *value)
{
	struct ui_rect at = ui_rows(r, row, 1);
	ui_put(c, ui_cols(at, 0, LABEL), UI_DIM, label);
	ui_put(c, ui_cols(at, LABEL, r.w), UI_PLAIN, value);
}

/* --- rows --- */

static bool is_at(const struct ui_overview *o, int block, size_t row)
{
	return o->focus == block && o->list[ui_sections[block].list].at == row;
}

static void mark_cursor(struct ui_canvas *c, struct ui_rect r)
{
	ui_put_code(c, r.x, r.y, UI_CURSOR, 0x25b6);
	ui_mark(c, r, UI_SELECTED);
}

static const char *text_in(const struct pv_table *t, const struct pv_row *row, const char *column)
{
	int i = t ? pv_table_column(t, column) : -1;
	return i < 0 || row->cell[i].state != PV_CELL_VALUE || !row->cell[i].s ? ""
									       : row->cell[i].s;
}

static enum ui_style style_of(const char *verdict)
{
	return strcmp(verdict, "severe") == 0    ? UI_BAD
	       : strcmp(verdict, "warning") == 0 ? UI_WARN
	       : strcmp(verdict, "note") == 0    ? UI_PLAIN
						 : UI_DIM;
}

size_t ui_findings_wrong(const struct pv_table *t)
{
	size_t n = 0;
	while (n < t->rows && style_of(text_in(t, &t->row[n], "verdict")) != UI_DIM)
		n++;
	return n;
}

static const char *sign_of(const char *verdict)
{
	return strcmp(verdict, "severe") == 0 ? "!!" : strcmp(verdict, "warning") == 0 ? "!" : "·";
}

/* "1 severe  1 warning", after the title. */
static void draw_counts(
	const struct pv_table *t, size_t wrong, struct ui_canvas *c, struct ui_rect r)
{
	static const char *const words[] = { "severe", "warning" };
	int x = 0;
	for (size_t k = 0; k < PV_COUNT_OF(words); k++) {
		int n = 0;
		for (size_t i = 0; i < wrong; i++)
			n += strcmp(text_in(t, &t->row[i], "verdict"), words[k]) == 0;
		if (n)
			x += ui_printf(
				c, ui_cols(r, x, r.w), style_of(words[k]), "  %d %s", n, words[k]);
	}
	if (x)
		ui_put_code(c, r.x + x, r.y, UI_FRAME, ' ');
}

/*
 * Sign, word and sentence of a finding; given room also the judged figure over time, and the rule.
 */
static void draw_finding(const struct ui_overview *o, const struct pv_table *t,
	const struct pv_row *row, struct ui_canvas *c, struct ui_rect at)
{
	enum { SIGN = 2, WORD = 5, TEXT = 14, NARROW = 60, RULE = 20, SPARK = 12, WIDE = 90 };
	const char *verdict = text_in(t, row, "verdict"), *rule = text_in(t, row, "finding");
	const enum ui_style style = style_of(verdict);
	const bool wide = at.w >= WIDE, narrow = at.w < NARROW;
	const int x = narrow ? WORD : TEXT;
	ui_put(c, ui_cols(at, SIGN, 2), style, sign_of(verdict));
	if (!narrow)
		ui_put(c, ui_cols(at, WORD, TEXT - WORD), style, verdict);
	ui_put(c, ui_cols(at, x, at.w - x - (wide ? RULE + SPARK + 1 : 0)),
		style == UI_BAD ? UI_STRONG : UI_PLAIN, text_in(t, row, "text"));
	if (!wide)
		return;
	ui_finding_spark(o, c, ui_cols(at, at.w - RULE - SPARK, SPARK), rule);
	ui_put(c, ui_cols(at, at.w - RULE + 2, RULE), UI_DIM, rule);
}

static void draw_wrong(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	const struct pv_table *t = o->list[UI_HOME_FINDINGS].table;
	if (!t || (ui_range_reading(&s->range) && !ui_findings_wrong(t))) {
		ui_put(c, ui_cols(r, 2, r.w), UI_DIM, "being judged ...");
		return;
	}
	const size_t wrong = ui_findings_wrong(t);
	if (wrong == 0)
		ui_put(c, ui_cols(r, 2, r.w), UI_DIM, "nothing stands out; M has what was judged");
	for (size_t i = 0; i < wrong && (long)i < r.h; i++) {
		const struct ui_rect at = ui_rows(r, (int)i, 1);
		draw_finding(o, t, &t->row[i], c, at);
		if (is_at(o, UI_BLOCK_WRONG, i))
			mark_cursor(c, at);
	}
	const int title = 1 + (int)strlen(ui_sections[UI_BLOCK_WRONG].title);
	draw_counts(t, wrong, c, (struct ui_rect){ r.x + title, r.y - 1, r.w - title - 4, 1 });
}

/* --- time by kind of code --- */

/* Kinds and styles as in a flame graph. */
static const struct {
	const char *kind, *word;
	enum ui_style style;
} kinds[] = { { "user", "own code", UI_FLAME_USER },
	{ "framework", "framework", UI_FLAME_FRAMEWORK },
	{ "runtime", "runtime", UI_FLAME_RUNTIME }, { "native", "native", UI_FLAME_NATIVE } };

static void draw_kind(struct ui_canvas *c, struct ui_rect r, const char *kind, double percent)
{
	const char *word = kind;
	enum ui_style style = UI_FLAME_OTHER;
	char text[64];
	for (size_t i = 0; i < PV_COUNT_OF(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0) {
			word = kinds[i].word;
			style = kinds[i].style;
		}
	ui_fill(c, r, style, 0);
	int n = snprintf(text, sizeof text, "%s %.0f %%", word, percent);
	if (n > r.w - 2)
		n = snprintf(text, sizeof text, "%.4s %.0f", word, percent);
	if (n <= r.w - 2)
		ui_put(c, ui_cols(r, 1, n), style, text);
}

/* The shares in one row, as the root of the flame graph below. */
static void draw_time(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	const struct pv_table *t = o->list[UI_HOME_KINDS].table;
	const int share = t ? pv_table_column(t, "share_percent") : -1;
	double sum = 0;
	(void)s;
	r = ui_cols(r, 1, r.w - 2);
	for (size_t i = 0; share >= 0 && i < t->rows; i++) {
		const struct pv_cell *cell = &t->row[i].cell[share];
		if (cell->state != PV_CELL_VALUE || cell->d < 0.5)
			continue;
		const int x = (int)lround(sum / 100 * r.w);
		sum += cell->d;
		const int w = (int)lround(sum / 100 * r.w) - x;
		if (w > 0 && x + w <= r.w)
			draw_kind(c, ui_cols(ui_rows(r, 0, 1), x, w),
				text_in(t, &t->row[i], "kind"), cell->d);
	}
	if (o->focus == UI_BLOCK_TIME && r.h > 0)
		ui_put_code(c, r.x - 1, r.y, UI_CURSOR, 0x25b6);
	if (sum <= 0)
		ui_put(c, ui_cols(r, 1, r.w), UI_DIM, "nothing yet");
	const struct pv_flame *f = o->flame ? o->flame->answer[UI_FLAME_MAIN] : NULL;
	if (f && r.h > 1 && f->cell[0].weight > 0)
		ui_icicle(c, ui_rows(r, 1, r.h - 1), f);
	else if (r.h > 1)
		ui_put(c, ui_cols(ui_rows(r, 1, 1), 1, r.w), UI_DIM,
			f ? "nothing ran in this time" : "counting ...");
}

/* --- shares --- */

/* The first share known: of time for traced calls, else of samples. */
static int share_column(const struct pv_table *t)
{
	for (size_t i = 0; t && t->rows && i < t->columns; i++)
		if (t->column[i].unit == PV_UNIT_PERCENT &&
			t->row[0].cell[i].state == PV_CELL_VALUE)
			return (int)i;
	return -1;
}

/* Of a stack, whose text has a line for each frame, the innermost. */
static const char *short_name(const struct ui_list *l, const struct pv_row *row)
{
	const char *name = ui_list_shown_name(l, row), *last = name ? strrchr(name, '\n') : NULL;
	return last ? last + 1 : name;
}

/* Rows of a table as "share bar figure name". */
static void draw_shares(const struct ui_overview *o, int block, struct ui_canvas *c,
	struct ui_rect r, const char *figure)
{
	enum { SHARE = 7, BAR = 6, FIGURE = 11, NAME = 24 };
	const struct ui_list *l = &o->list[ui_sections[block].list];
	const struct pv_table *t = l->table;
	int share = share_column(t);
	int more = t && figure ? pv_table_column(t, figure) : -1;
	if (t && t->rows == 0)
		ui_put(c, ui_cols(r, 2, r.w), UI_DIM, "nothing yet");
	for (int y = 0; t && y < r.h && (size_t)y < t->rows; y++) {
		const struct pv_row *row = &t->row[y];
		struct ui_rect at = ui_rows(r, y, 1);
		char text[48];
		int x = 1;
		if (share >= 0 && row->cell[share].state == PV_CELL_VALUE) {
			ui_put_right(c, ui_cols(at, x, SHARE - 2), UI_PLAIN,
				pv_cell_text(
					&row->cell[share], PV_UNIT_PERCENT, text, sizeof text));
			x = SHARE;
			if (at.w >= SHARE + BAR + NAME) {
				ui_bar(c, ui_cols(at, x, BAR), UI_BAR, row->cell[share].d / 100);
				x += BAR + 1;
			}
		}
		if (more >= 0 && (share < 0 || at.w >= x + FIGURE + NAME / 2)) {
			ui_put_right(c, ui_cols(at, x, FIGURE - 1), UI_PLAIN,
				pv_cell_text(
					&row->cell[more], t->column[more].unit, text, sizeof text));
			x += FIGURE;
		}
		const char *name = short_name(l, row);
		char small[400];
		ui_put(c, ui_cols(at, x, at.w), UI_PLAIN,
			name ? ui_shorten(name, at.w - x, small, sizeof small) : "-");
		if (is_at(o, block, (size_t)y))
			mark_cursor(c, at);
	}
}

static void draw_hottest(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	(void)s;
	draw_shares(o, UI_BLOCK_HOTTEST, c, r, NULL);
}

static void draw_allocated(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	(void)s;
	draw_shares(o, UI_BLOCK_ALLOCATED, c, r, "allocated_bytes");
}

static void draw_held(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	(void)s;
	const bool kept = pv_view_is(o->list[UI_HOME_HELD].view, PV_SECTION_GRAPH);
	draw_shares(o, UI_BLOCK_HELD, c, r, kept ? "retained_bytes" : "bytes");
}

static void draw_held_by(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	(void)s;
	draw_shares(o, UI_BLOCK_HELD_BY, c, r, "held_bytes");
}

static void draw_waited(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	(void)s;
	draw_shares(o, UI_BLOCK_WAITED, c, r, "wait_ns");
}

/* --- spans --- */

static int column_of(const struct pv_table *t, enum pv_unit unit)
{
	for (size_t i = 0; t && i < t->columns; i++)
		if (t->column[i].unit == unit)
			return (int)i;
	return -1;
}

/* "how long, when, what", the longest first. */
static void draw_spans(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	enum { TOOK = 10, AT = 10, WIDE = 50 };
	const struct ui_list *l = &o->list[UI_HOME_SPANS];
	const struct pv_table *t = l->table;
	const int took = column_of(t, PV_UNIT_NS), at_ns = column_of(t, PV_UNIT_TIME);
	(void)s;
	for (int y = 0; took >= 0 && y < r.h && (size_t)y < t->rows; y++) {
		const struct pv_row *row = &t->row[y];
		struct ui_rect at = ui_rows(r, y, 1);
		char text[48], clock[PV_UNIT_MAX], small[400];
		int x = 1 + TOOK;
		ui_put_right(c, ui_cols(at, 1, TOOK - 1), UI_PLAIN,
			pv_cell_text(&row->cell[took], PV_UNIT_NS, text, sizeof text));
		if (at.w >= WIDE && at_ns >= 0 && row->cell[at_ns].state == PV_CELL_VALUE) {
			ui_clock_text(clock, sizeof clock, row->cell[at_ns].i);
			ui_printf(c, ui_cols(at, x, AT - 1), UI_DIM, "%.8s",
				clock + (clock[0] == '@'));
			x += AT;
		}
		const char *name = ui_list_shown_name(l, row);
		ui_put(c, ui_cols(at, x, at.w), UI_PLAIN,
			ui_shorten(name ? name : "-", at.w - x, small, sizeof small));
		if (is_at(o, UI_BLOCK_SPANS, (size_t)y))
			mark_cursor(c, at);
	}
}

/* "how many, failed, slow, name", the most requested first. */
static void draw_routes(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	enum { COUNT = 9, FAILED = 14, SLOW = 15, WIDE = 60 };
	const struct ui_list *l = &o->list[UI_HOME_ROUTES];
	const struct pv_table *t = l->table;
	const int count = t ? pv_table_column(t, "count") : -1,
		  slow = t ? pv_table_column(t, "p95_ns") : -1;
	const int failed = t ? pv_table_column(t, "errors") : -1;
	(void)s;
	for (int y = 0; count >= 0 && slow >= 0 && failed >= 0 && y < r.h && (size_t)y < t->rows;
		y++) {
		const struct pv_row *row = &t->row[y];
		struct ui_rect at = ui_rows(r, y, 1);
		char text[48];
		int x = 1 + COUNT;
		ui_put_right(c, ui_cols(at, 1, COUNT - 1), UI_PLAIN,
			pv_cell_text(&row->cell[count], PV_UNIT_COUNT, text, sizeof text));
		ui_printf(c, ui_cols(at, x + 1, SLOW - 1), UI_PLAIN, "p95 %9s",
			pv_cell_text(&row->cell[slow], PV_UNIT_NS, text, sizeof text));
		x += SLOW;
		if (at.w >= WIDE) {
			bool any = row->cell[failed].state == PV_CELL_VALUE && row->cell[failed].u;
			pv_cell_text(&row->cell[failed], PV_UNIT_COUNT, text, sizeof text);
			if (any)
				ui_printf(c, ui_cols(at, x, FAILED - 1), UI_BAD, "%s failed", text);
			x += FAILED;
		}
		const char *name = ui_list_shown_name(l, row);
		ui_put_cut(c, ui_cols(at, x, at.w), UI_PLAIN, name ? name : "-");
		if (is_at(o, UI_BLOCK_ROUTES, (size_t)y))
			mark_cursor(c, at);
	}
}

/* --- processes --- */

/* "CPU time, state, command line" as a tree; a star marks the process of all views. */
static void draw_processes(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	enum { FIGURE = 9, STATE = 10, WIDE = 50 };
	const struct pv_table *t = o->list[UI_HOME_PROCESSES].table;
	int cpu = t ? pv_table_column(t, "cpu_ns") : -1;
	for (int y = 0; cpu >= 0 && y < r.h && (size_t)y < t->rows; y++) {
		const struct pv_row *row = &t->row[y];
		struct ui_rect at = ui_rows(r, y, 1);
		bool recorded = !*text_in(t, row, "reason");
		int x = 1 + FIGURE, indent = ui_min((int)row->depth * 2, at.w / 4);
		char text[48];
		ui_put_right(c, ui_cols(at, 1, FIGURE - 1), UI_PLAIN,
			pv_cell_text(&row->cell[cpu], PV_UNIT_NS, text, sizeof text));
		if (row->id == s->process)
			ui_put(c, ui_cols(at, x - 1, 1), UI_STRONG, "*");
		if (at.w >= WIDE) {
			ui_put(c, ui_cols(at, x, STATE - 1), UI_DIM,
				recorded ? text_in(t, row, "state") : "no log");
			x += STATE;
		}
		ui_put(c, ui_cols(at, x + indent, at.w), recorded ? UI_PLAIN : UI_DIM,
			text_in(t, row, "program"));
		if (is_at(o, UI_BLOCK_PROCESSES, (size_t)y))
			mark_cursor(c, at);
	}
}

/* --- cost --- */

/* The last rows: the cost of recording as a whole, then the dearest kinds. */
static void draw_cost(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	const struct ui_cost *k = &s->cost;
	char text[200], events[PV_UNIT_MAX], bytes[PV_UNIT_MAX];
	r = ui_cols(r, 1, r.w);
	if (o->focus == UI_BLOCK_COST)
		ui_put_code(c, r.x - 1, r.y, UI_CURSOR, 0x25b6);
	snprintf(text, sizeof text,
		"%s%.*f to %.*f %% of the program's own processor time, writing %.1f %%; "
		"lag %llu ms, lost %s",
		k->paused ? "paused; " : "", k->slower < 10, k->slower / 2, k->slower < 10,
		k->slower * 2, k->outside, (unsigned long long)k->lag_ms,
		pv_units_count(events, sizeof events, k->lost));
	say_value(c, r, 0, "cost", text);
	for (size_t i = 0; i < k->n && (int)i + 1 < r.h; i++) {
		const struct ui_cost_row *row = &k->row[i];
		snprintf(text, sizeof text, "~%.1f %%  %s/s  %s/s%s", row->slower,
			pv_units_count(events, sizeof events, row->events_per_s),
			pv_units_bytes(bytes, sizeof bytes, row->bytes_per_s),
			row->kind == ui_cost_dearest_now(k) ? "  T turns it off" : "");
		say_value(c, r, (int)i + 1, ui_cost_names[row->kind], text);
	}
}

const struct ui_section ui_sections[UI_SECTIONS] = {
	[UI_BLOCK_LANES] = { "Time", UI_CMD_CPU, -1, 3, UI_LANES, ui_lanes_draw },
	[UI_BLOCK_WRONG] = { "Findings", UI_CMD_FINDINGS, UI_HOME_FINDINGS, 3, 5, draw_wrong },
	[UI_BLOCK_TIME] = { "Where time ran", UI_CMD_CPU, UI_HOME_KINDS, 1, 8, draw_time },
	[UI_BLOCK_HOTTEST] = { "Hot methods, self", UI_CMD_CPU, UI_HOME_METHODS, 3, 8,
		draw_hottest },
	[UI_BLOCK_ALLOCATED] = { "Allocated", UI_CMD_ALLOC, UI_HOME_CLASSES, 3, 8, draw_allocated },
	[UI_BLOCK_HELD] = { "Held at the last shot", UI_CMD_HEAP, UI_HOME_HELD, 3, 8, draw_held },
	[UI_BLOCK_HELD_BY] = { "Held, by stack", UI_CMD_HELD, UI_HOME_HELD_BY, 3, 8, draw_held_by },
	[UI_BLOCK_WAITED] = { "Waited for", UI_CMD_LOCKS, UI_HOME_LOCKS, 2, 5, draw_waited },
	[UI_BLOCK_SPANS] = { "Spans, the longest", UI_CMD_SPANS, UI_HOME_SPANS, 2, 8, draw_spans },
	[UI_BLOCK_ROUTES] = { "Routes, the most requested", UI_CMD_ROUTES, UI_HOME_ROUTES, 2, 6,
		draw_routes },
	[UI_BLOCK_PROCESSES] = { "Processes", UI_CMD_PROCESSES, UI_HOME_PROCESSES, 3, 8,
		draw_processes },
	[UI_BLOCK_COST] = { "Cost of recording", UI_CMD_INFO, -1, 2, 4, draw_cost },
};
