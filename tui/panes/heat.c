/* SPDX-License-Identifier: MIT */
/* The heat strip's columns, cursor and question. */
#include "tui/panes/heat.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"

#define LEAST INT64_C(1000000) /* ns of a cell; samples are kept no finer */
enum { COLUMNS_MAX = 400 };

void ui_heat_forget(struct ui_heat *h)
{
	ui_lanes_forget(&h->ask);
	pv_lanes_answer_destroy(h->answer);
	free(h->samples);
	h->answer = NULL;
	h->samples = NULL;
	h->cells = 0;
	h->least_ns = 0;
}

void ui_heat_finish(struct ui_heat *h)
{
	ui_heat_forget(h);
	*h = (struct ui_heat){ .on = false };
}

/* --- the cursor */

static size_t cell_at(const struct ui_heat *h, int64_t ns)
{
	int64_t i = h->cell_ns > 0 ? (ns - h->from_ns) / h->cell_ns : 0;
	return i < 0 ? 0 : i >= (int64_t)h->cells ? h->cells - 1 : (size_t)i;
}

static int64_t cell_time(const struct ui_heat *h, size_t cell)
{
	return h->from_ns + (int64_t)cell * h->cell_ns;
}

static void go_to(struct ui_heat *h, size_t cell)
{
	h->at_ns = cell_time(h, cell) + h->cell_ns / 2;
	h->placed = true;
}

static size_t hottest(const struct ui_heat *h)
{
	size_t best = 0;
	for (size_t i = 0; i < h->cells; i++)
		if (h->samples[i] > h->samples[best])
			best = i;
	return best;
}

static void chosen(const struct ui_heat *h, size_t *ret_first, size_t *ret_last)
{
	size_t at = cell_at(h, h->at_ns), mark = h->marked ? cell_at(h, h->mark_ns) : at;
	*ret_first = at < mark ? at : mark;
	*ret_last = at < mark ? mark : at;
}

bool ui_heat_time(const struct ui_heat *h, int64_t *ret_from, int64_t *ret_to)
{
	size_t first, last;
	if (!h->on || !h->cells || !h->most)
		return false;
	chosen(h, &first, &last);
	*ret_from = cell_time(h, first);
	*ret_to = cell_time(h, last + 1);
	return true;
}

/* --- asking */

/*
 * The least round time for a column, so that `columns` columns suffice and a cell is not finer than
 * `least`, the grain of samples.
 */
static int64_t column_for(int64_t length, int columns, int64_t least)
{
	static const int64_t step[] = { 1, 2, 5 };
	int64_t ten = LEAST * UI_HEAT_ROWS;
	for (; ten < INT64_MAX / 100; ten *= 10)
		for (size_t i = 0; i < PV_COUNT_OF(step); i++)
			if (length / (step[i] * ten) < columns &&
				step[i] * ten / UI_HEAT_ROWS >= least)
				return step[i] * ten;
	return ten;
}

/* Samples of running threads; with `waits` all samples. */
static uint32_t samples_in(const struct pv_lanes_answer *a, size_t cell, bool waits)
{
	const uint32_t *n = a->rows ? a->row[0].cell[cell].samples : NULL;
	uint32_t sum = 0;
	for (unsigned state = 0; n && state < PV_STATES; state++)
		if (waits || state == PV_STATE_RUNNING)
			sum += n[state];
	return sum;
}

static void take_heat(struct ui_heat *h, struct pv_lanes_answer *got)
{
	uint32_t *samples = got ? calloc(got->cells, sizeof *samples) : NULL;
	if (!samples) {
		pv_lanes_answer_destroy(got);
		return;
	}
	pv_lanes_answer_destroy(h->answer);
	free(h->samples);
	h->answer = got;
	h->samples = samples;
	h->cells = got->cells;
	h->from_ns = got->from_ns;
	h->cell_ns = (got->to_ns - got->from_ns) / (int64_t)got->cells;
	h->least_ns = got->width_ns;
	h->sampled = got->sampled;
}

static enum pv_time_of time_counted(const struct pv_lanes_answer *a, bool waits)
{
	const uint64_t *n = a && a->rows ? a->row[0].samples : NULL;
	if (waits)
		return PV_TIME_WAITS_TOO;
	return n && n[PV_STATE_UNSURE] && n[PV_STATE_UNSURE] == a->row[0].all ? PV_TIME_WALL
									      : PV_TIME_RAN;
}

static void count_samples(struct ui_heat *h, bool waits)
{
	h->most = 0;
	h->time_of = time_counted(h->answer, waits);
	for (size_t i = 0; i < h->cells; i++) {
		h->samples[i] = samples_in(h->answer, i, h->time_of != PV_TIME_RAN);
		h->most = h->samples[i] > h->most ? h->samples[i] : h->most;
	}
	if (h->cells && !h->placed)
		go_to(h, hottest(h));
}

static struct pv_lanes_wish wish_for(const struct ui_heat *h, const struct ui_shared *s)
{
	const struct ui_range *g = &s->range;
	const int64_t end = s->duration_ns + 1;
	int64_t from = g->on && g->from_ns > 0 ? g->from_ns : 0;
	int64_t to = g->on && g->to_ns < end ? g->to_ns : end;
	if (g->on && g->relative)
		from = g->from_ns + end > 0 ? g->from_ns + end : 0;
	if (to <= from)
		to = from + 1;
	int64_t column = column_for(to - from, h->room, h->least_ns);
	struct pv_lanes_wish w = { .hide_internal = true, .from_ns = from / column * column };
	int64_t columns = (to - w.from_ns + column - 1) / column;
	w.cells = (size_t)columns * UI_HEAT_ROWS;
	w.to_ns = w.from_ns + columns * column;
	return w;
}

void ui_heat_refresh(struct ui_heat *h, const struct ui_shared *s, int columns)
{
	if (!h->on || !s->model)
		return;
	h->room = columns < 1 ? 1 : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
	h->ask.sum = true;
	if (h->ask.of != s->model)
		h->least_ns = 0;
	take_heat(h, ui_lanes_take(&h->ask));
	for (int i = 0; i < 2; i++) { /* an answer may show a coarser grain of samples */
		struct pv_lanes_wish w = wish_for(h, s);
		take_heat(
			h, ui_lanes_ask(&h->ask, s, &w, h->answer ? &h->answer->generation : NULL));
	}
	count_samples(h, s->waits);
}

/* --- keys */

static bool step_cell(struct ui_heat *h, int64_t by)
{
	int64_t to = (int64_t)cell_at(h, h->at_ns) + by;
	if (to < 0 || to >= (int64_t)h->cells)
		return true;
	go_to(h, (size_t)to);
	return true;
}

static void toggle(struct ui_heat *h)
{
	h->on = !h->on;
	h->placed = h->marked = false;
	if (!h->on)
		ui_heat_forget(h);
}

bool ui_heat_command(struct ui_heat *h, enum ui_command cmd)
{
	if (cmd == UI_CMD_HEAT) {
		toggle(h);
		return true;
	}
	if (!h->on || !h->cells || !h->most)
		return false;
	switch (cmd) {
	case UI_CMD_LEFT:
		return step_cell(h, -UI_HEAT_ROWS);
	case UI_CMD_RIGHT:
		return step_cell(h, UI_HEAT_ROWS);
	case UI_CMD_UP:
		return step_cell(h, -1);
	case UI_CMD_DOWN:
		return step_cell(h, 1);
	case UI_CMD_TOP:
		go_to(h, 0);
		return true;
	case UI_CMD_BOTTOM:
		go_to(h, h->cells - 1);
		return true;
	case UI_CMD_HEAT_END:
		h->marked = !h->marked;
		h->mark_ns = h->at_ns;
		return true;
	default:
		return false;
	}
}

bool ui_heat_mouse(struct ui_heat *h, struct ui_mouse m)
{
	if (!h->on || !h->cells || !ui_rect_has(h->drawn, m.x, m.y) || m.click > UI_CLICK_DOUBLE)
		return false;
	size_t cell = (size_t)(m.x - h->drawn.x) * UI_HEAT_ROWS + (size_t)(m.y - h->drawn.y);
	if (cell < h->cells)
		go_to(h, cell);
	return true;
}

uint64_t ui_heat_mark(const struct ui_heat *h)
{
	const uint64_t value[] = { h->on, (uint64_t)h->at_ns, h->marked, (uint64_t)h->mark_ns };
	uint64_t d = 0;
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		d = pv_hash(d ^ value[i]) + i;
	return d;
}
