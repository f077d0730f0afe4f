#include "tui/panes/heat.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"

#define LEAST INT64_C(1000000) /* ns of a cell; samples are kept no finer */
enum { COLUMNS_MAX = 400 };

struct job {
	struct ui_job job;
	struct pv_model *model;
	struct pv_lanes_wish wish;
	bool waits;
	uint32_t *samples, most;
	int64_t width_ns;
	bool sampled;
	uint64_t generation;
};

/* Of all threads; what ran, or what waited, too. */
static void sum_up(struct job *q, const struct pv_lanes_answer *a)
{
	for (size_t row = 0; row < a->rows; row++)
		for (size_t i = 0; i < a->cells; i++)
			for (unsigned s = 0; s < PV_STATES; s++)
				if (q->waits || s == PV_STATE_RUNNING)
					q->samples[i] += a->row[row].cell[i].samples[s];
	for (size_t i = 0; i < a->cells; i++)
		q->most = q->samples[i] > q->most ? q->samples[i] : q->most;
	q->width_ns = a->width_ns;
	q->sampled = a->sampled;
	q->generation = a->generation;
}

static void run(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	struct pv_lanes_answer *a = pv_lanes_ask(q->model, &q->wish);
	q->samples = a ? calloc(a->cells, sizeof *q->samples) : NULL;
	if (q->samples)
		sum_up(q, a);
	pv_lanes_answer_destroy(a);
}

static void drop(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	free(q->samples);
	free(q);
}

void ui_heat_forget(struct ui_heat *h)
{
	ui_slot_cancel(&h->slot);
	free(h->samples);
	h->samples = NULL;
	h->cells = 0;
	h->of = NULL;
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

static int64_t time_of(const struct ui_heat *h, size_t cell)
{
	return h->from_ns + (int64_t)cell * h->cell_ns;
}

static void go_to(struct ui_heat *h, size_t cell)
{
	h->at_ns = time_of(h, cell) + h->cell_ns / 2;
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
	*ret_from = time_of(h, first);
	*ret_to = time_of(h, last + 1);
	return true;
}

/* --- asking */

/* A column is the least round time of which so many show all; in parts that are no finer than is kept. */
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

static void take(struct ui_heat *h, struct ui_job *done)
{
	struct job *q = (struct job *)done;
	if (q && q->samples) {
		free(h->samples);
		h->samples = q->samples;
		q->samples = NULL;
		h->cells = q->wish.cells;
		h->most = q->most;
		h->from_ns = q->wish.from_ns;
		h->cell_ns = (q->wish.to_ns - q->wish.from_ns) / (int64_t)q->wish.cells;
		h->least_ns = q->width_ns;
		h->sampled = q->sampled;
		h->generation = q->generation;
		if (!h->placed)
			go_to(h, hottest(h));
	}
	if (q)
		drop(&q->job);
}

static void post(
	struct ui_heat *h, const struct ui_shared *s, const struct pv_lanes_wish *w, bool urgent)
{
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run, .drop = drop, .urgent = urgent };
	q->model = s->model;
	q->wish = *w;
	q->waits = s->waits;
	h->of = s->model;
	h->of_from = w->from_ns;
	h->of_to = w->to_ns;
	h->of_cells = w->cells;
	h->of_waits = s->waits;
	ui_query_worker_post(s->worker, &h->slot, &q->job);
}

static struct pv_lanes_wish wish_for(const struct ui_heat *h, const struct ui_shared *s)
{
	const struct ui_range *g = &s->range;
	const int64_t end = s->duration_ns + 1;
	int64_t from = g->on && g->from_ns > 0 ? g->from_ns : 0;
	int64_t to = g->on && g->to_ns < end ? g->to_ns : end;
	if (g->on && g->from_end)
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

static bool is_answered(
	const struct ui_heat *h, const struct ui_shared *s, const struct pv_lanes_wish *w)
{
	return h->of == s->model && h->of_from == w->from_ns && h->of_to == w->to_ns &&
	       h->of_cells == w->cells && h->of_waits == s->waits;
}

void ui_heat_refresh(struct ui_heat *h, const struct ui_shared *s, int columns)
{
	if (!h->on || !s->model)
		return;
	h->room = columns < 1 ? 1 : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
	if (h->of != s->model)
		h->least_ns = 0;
	take(h, ui_slot_take(&h->slot));
	for (int i = 0; i < 2; i++) { /* an answer may say that samples are kept less fine */
		struct pv_lanes_wish w = wish_for(h, s);
		bool same = is_answered(h, s, &w), pending = ui_slot_pending(&h->slot);
		bool fresh = s->paused || (h->cells && h->generation == s->generation);
		if (same && (pending || fresh))
			return;
		post(h, s, &w, !same);
		take(h, same ? ui_slot_take(&h->slot) : ui_slot_await(&h->slot));
	}
}

/* --- keys */

static bool step(struct ui_heat *h, int64_t by)
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
		return step(h, -UI_HEAT_ROWS);
	case UI_CMD_RIGHT:
		return step(h, UI_HEAT_ROWS);
	case UI_CMD_UP:
		return step(h, -1);
	case UI_CMD_DOWN:
		return step(h, 1);
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
