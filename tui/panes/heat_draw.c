/* SPDX-License-Identifier: MIT */
/* Draws the heat strip: cells, times of the rows, an axis for the columns. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "tui/chart/ticks.h"
#include "tui/panes/heat.h"

enum { LABEL = 8, FULL = 2 + UI_HEAT_ROWS + 1, WITH_FLAME = 16 };

int ui_heat_rows(const struct ui_heat *h, int rows)
{
	if (!h->on)
		return 0;
	return rows >= WITH_FLAME ? FULL : rows;
}

int ui_heat_columns(struct ui_rect r)
{
	return ui_max(1, r.w - LABEL);
}

/* Steps above zero: one hue that fills more and more of a cell. */
enum { STEPS = 4 };
static const uint32_t shades[STEPS] = { 0x2591, 0x2592, 0x2593, 0x2588 };

static uint32_t shade(uint32_t n, uint32_t most)
{
	return n ? shades[((uint64_t)n * STEPS - 1) / most] : ' ';
}

/* The most samples of a step. */
static uint32_t top_of(size_t step, uint32_t most)
{
	return (uint32_t)(((uint64_t)most * (step + 1)) / STEPS);
}

/* The steps, each with its most samples; steps without a number are left out. */
static void draw_legend(const struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	const char *unit = h->most == 1 ? " sample a cell " : " samples a cell ";
	char text[STEPS][PV_UNIT_MAX];
	int w = (int)strlen(unit);
	uint32_t below = 0;
	bool in[STEPS];
	for (size_t i = 0; i < STEPS; i++) {
		const uint32_t top = top_of(i, h->most);
		in[i] = top > below;
		below = top;
		pv_units_exact(text[i], sizeof text[i], top);
		w += in[i] ? (int)strlen(text[i]) + 3 : 0;
	}
	if (w + 5 > r.w)
		return;
	int x = r.w - w - 5;
	x += ui_put(c, ui_cols(r, x, r.w), UI_DIM, "   0 ");
	for (size_t i = 0; i < STEPS; i++) {
		if (!in[i])
			continue;
		ui_put_code(c, r.x + x, r.y, UI_BAR, shades[i]);
		x += 1 + ui_printf(c, ui_cols(r, x + 1, r.w), UI_DIM, " %s ", text[i]);
	}
	ui_put(c, ui_cols(r, x - 1, r.w), UI_DIM, unit);
}

static void draw_cells(const struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	size_t at = (size_t)((h->at_ns - h->from_ns) / h->cell_ns);
	int64_t from = 0, to = 0;
	ui_heat_time(h, &from, &to);
	for (size_t i = 0; i < h->cells; i++) {
		int x = (int)(i / UI_HEAT_ROWS), y = (int)(i % UI_HEAT_ROWS);
		int64_t begin = h->from_ns + (int64_t)i * h->cell_ns;
		bool in = begin >= from && begin < to;
		if (x >= r.w || y >= r.h)
			continue;
		ui_put_code(c, r.x + x, r.y + y,
			i == at         ? UI_CURSOR
			: h->samples[i] ? UI_BAR
					: UI_DIM,
			shade(h->samples[i], h->most));
		if (in && i != at)
			ui_mark(c, (struct ui_rect){ r.x + x, r.y + y, 1, 1 }, UI_SELECTED);
	}
}

static void draw_labels(const struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	for (int y = 0; y < UI_HEAT_ROWS && y < r.h; y++) {
		char text[PV_UNIT_MAX];
		ui_put_right(c, ui_cols(ui_rows(r, y, 1), 0, LABEL - 1), UI_DIM,
			pv_units_ns(text, sizeof text, y * h->cell_ns));
	}
}

static void draw_title(const struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	char column[PV_UNIT_MAX], cell[PV_UNIT_MAX];
	ui_hline(c, r);
	const int used =
		1 + ui_printf(c, ui_cols(r, 0, r.w), UI_TITLE,
			    " Heat: samples%s, a column %s, a row %s ", ui_time_of(h->time_of),
			    pv_units_ns(column, sizeof column, h->cell_ns * UI_HEAT_ROWS),
			    pv_units_ns(cell, sizeof cell, h->cell_ns));
	static const char keys[] = " Space an end, Enter its flame ";
	if (r.w - used > (int)sizeof keys)
		ui_put_right(c, ui_cols(r, 0, r.w - 1), UI_DIM, keys);
}

static void draw_chosen(const struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	int64_t from, to;
	char a[40], b[40], n[PV_UNIT_MAX];
	uint64_t sum = 0;
	if (!ui_heat_time(h, &from, &to))
		return;
	const int64_t last = h->from_ns + (int64_t)h->cells * h->cell_ns;
	for (size_t i = 0; i < h->cells; i++) {
		int64_t begin = h->from_ns + (int64_t)i * h->cell_ns;
		sum += begin >= from && begin < to ? h->samples[i] : 0;
	}
	const int used = 1 + ui_printf(c, ui_cols(r, 1, r.w), UI_PLAIN, "%s to %s · %s sample%s",
				     ui_tick_text(from, last, a, sizeof a),
				     ui_tick_text(to, last, b, sizeof b),
				     pv_units_exact(n, sizeof n, sum), sum == 1 ? "" : "s");
	draw_legend(h, c, ui_cols(r, used, r.w));
}

void ui_heat_draw(struct ui_heat *h, struct ui_canvas *c, struct ui_rect r)
{
	const bool titled = r.h > UI_HEAT_ROWS + 1, axis = r.h > UI_HEAT_ROWS + 2;
	h->drawn = (struct ui_rect){ 0 };
	if (r.h <= 0)
		return;
	if (!h->cells || !h->sampled || !h->most) {
		ui_put(c, ui_cols(ui_rows(r, 0, 1), 1, r.w), UI_PLAIN,
			!h->cells     ? "counting ..."
			: !h->sampled ? "heat is of samples, and the log has none"
				      : "nothing ran in this time; | counts what waited, too");
		return;
	}
	int y = 0;
	if (titled)
		draw_title(h, c, ui_rows(r, y++, 1));
	int rows = ui_min(UI_HEAT_ROWS, ui_max(1, r.h - y - 1 - axis));
	struct ui_rect cells = ui_cols(ui_rows(r, y, rows), LABEL, r.w - LABEL);
	draw_labels(h, c, ui_rows(r, y, rows));
	draw_cells(h, c, cells);
	h->drawn = cells;
	y += rows;
	struct ui_rect used = cells;
	used.w = ui_min(cells.w, (int)(h->cells / UI_HEAT_ROWS));
	if (axis)
		ui_ticks(c, (struct ui_rect){ used.x, r.y + y++, used.w, 1 }, h->from_ns,
			h->from_ns + (int64_t)h->cells * h->cell_ns);
	draw_chosen(h, c, ui_rows(r, y, 1));
}
