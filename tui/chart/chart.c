/* SPDX-License-Identifier: MIT */
/* Bars, fills, sparklines and graphs, in eighths of a cell or in Braille dots. */
#include "tui/chart/chart.h"

#include <math.h>

#include "tui/chart/time_axis.h"

enum { FULL = 0x2588, EIGHTHS = 8, SEVENTHS = 7, DOTS = 4, BRAILLE = 0x2800, DOTS_FROM = 3 };
enum { STROKE = 0x2501, HALF_STROKE = 0x2578, UNREAD = 0x254c, UNKNOWN = 0xb7 };

/* `part` in eighths of a cell, at least one if above 0, so that little does not show as nothing. */
static long eighths(double part, int cells)
{
	if (!(part > 0))
		return 0;
	if (part > 1)
		part = 1;
	long n = lround(part * cells * EIGHTHS);
	return n ? n : 1;
}

/*
 * Eighths of a column's height. In a single row at most seven: a full cell would melt into the row
 * above.
 */
static long height_of(double part, int rows)
{
	if (rows > 1 || !(part > 0))
		return eighths(part, rows);
	return ui_max(1, (int)lround(fmin(part, 1) * SEVENTHS));
}

void ui_bar(struct ui_canvas *c, struct ui_rect r, enum ui_style style, double part)
{
	if (r.w <= 0 || r.h <= 0)
		return;
	/* in halves of a cell; little is not nothing */
	long n = part > 0 ? ui_max(1, (int)lround(fmin(part, 1) * r.w * 2)) : 0;
	for (int x = 0; x < r.w && n > 0; x++, n -= 2)
		ui_put_code(c, r.x + x, r.y, style, n >= 2 ? STROKE : HALF_STROKE);
}

void ui_fill(struct ui_canvas *c, struct ui_rect r, enum ui_style style, uint32_t sign)
{
	const bool brackets = c->ascii || c->console; /* no character leaves an eighth free */
	const int last = r.w - 1;
	if (last < 0 || r.h <= 0)
		return;
	r = ui_rows(r, 0, 1);
	ui_clear(c, r, style);
	if (brackets && last > 0)
		ui_put_code(c, r.x, r.y, style, '[');
	if (brackets) {
		ui_put_code(c, r.x + last, r.y, style, last ? ']' : '|');
	} else if (last > 0 || !sign) {
		ui_put_code(c, r.x + last, r.y, style, UI_EDGE);
		ui_mark(c, ui_cols(r, last, 1), UI_HUE);
	}
	if (sign)
		ui_put_code(c, r.x, r.y, style, sign);
}

size_t ui_series_cells(bool dots, int w)
{
	return w > 0 ? (size_t)w * (dots ? 2 : 1) : 0;
}

struct ui_values ui_series_values(const struct ui_canvas *c, const struct pv_series *s, int w)
{
	return (struct ui_values){ .v = s->value,
		.n = s->n,
		.max = ui_top_of(s->max, s->unit),
		.unread = s->unread,
		.dots = c->dots && !c->ascii && s->n >= ui_series_cells(true, w) };
}

double ui_series_at(const struct pv_series *s, int w, int column)
{
	const size_t each = w > 0 ? s->n / (size_t)w : 0;
	double most = NAN;
	for (size_t i = 0; i < each && column >= 0 && column < w; i++)
		most = fmax(most, s->value[(size_t)column * each + i]);
	return most;
}

/* The i-th shown value; shown are the newest values, `most` at most. NAN: none. */
static double value_at(const struct ui_values *v, size_t most, size_t i)
{
	size_t shown = most < v->n ? most : v->n;
	return i < shown ? v->v[v->n - shown + i] : NAN;
}

static bool is_unread(const struct ui_values *v, size_t most, size_t i)
{
	const size_t shown = most < v->n ? most : v->n;
	return i < shown && i + v->unread >= shown;
}

/* A column without a value. In ASCII a question mark, since a dot is a height there. */
static void put_unknown(
	struct ui_canvas *c, int x, int y, const struct ui_values *v, size_t most, size_t i)
{
	if (is_unread(v, most, i))
		ui_put_code(c, x, y, UI_FRAME, UNREAD);
	else
		ui_put_code(c, x, y, UI_DIM, c->ascii ? '?' : UNKNOWN);
}

/* Dots of one half of a column, at least one if the value is above 0. */
static long dots_of(const struct ui_values *v, struct ui_rect r, int half)
{
	double value = value_at(v, 2 * (size_t)r.w, (size_t)half);
	if (!(value > 0) || !(v->max > 0))
		return 0;
	long n = lround(fmin(value / v->max, 1) * r.h * DOTS);
	return n ? n : 1;
}

/* The lowest `n` dots of one half of a cell. */
static uint32_t half_of(long n, bool right)
{
	static const uint32_t left_bits[] = { 0, 0x40, 0x44, 0x46, 0x47 };
	static const uint32_t right_bits[] = { 0, 0x80, 0xa0, 0xb0, 0xb8 };
	n = n < 0 ? 0 : n > DOTS ? DOTS : n;
	return right ? right_bits[n] : left_bits[n];
}

static void graph_in_dots(
	struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v)
{
	const size_t most = 2 * (size_t)r.w;
	for (int x = 0; x < r.w; x++) {
		long left = dots_of(&v, r, 2 * x), right = dots_of(&v, r, 2 * x + 1);
		if (isnan(value_at(&v, most, 2 * (size_t)x)) &&
			isnan(value_at(&v, most, 2 * (size_t)x + 1)))
			put_unknown(c, r.x + x, r.y + r.h - 1, &v, most, 2 * (size_t)x);
		for (int y = r.h - 1; y >= 0 && (left > 0 || right > 0); y--) {
			uint32_t bits = half_of(left, false) | half_of(right, true);
			ui_put_code(c, r.x + x, r.y + y, style, BRAILLE | bits);
			left -= DOTS;
			right -= DOTS;
		}
	}
}

void ui_graph(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v)
{
	if (r.h <= 0 || r.w <= 0)
		return;
	if (v.dots && r.h >= DOTS_FROM) {
		graph_in_dots(c, r, style, v);
		return;
	}
	const size_t each = v.dots ? 2 : 1, most = each * (size_t)r.w;
	for (int x = 0; x < r.w; x++) {
		const size_t at = each * (size_t)x;
		const double value =
			fmax(value_at(&v, most, at), value_at(&v, most, at + each - 1));
		if (isnan(value) || is_unread(&v, most, at)) {
			put_unknown(c, r.x + x, r.y + r.h - 1, &v, most, at);
			continue;
		}
		long n = v.max > 0 ? height_of(value / v.max, r.h) : 0;
		for (int y = r.h - 1; y >= 0 && n > 0; y--, n -= EIGHTHS) {
			uint32_t code = n >= EIGHTHS ? FULL : (uint32_t)(0x2580 + n);
			ui_put_code(c, r.x + x, r.y + y, style, code);
		}
	}
}

void ui_spark(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v)
{
	ui_graph(c, ui_rows(r, 0, 1), style, v);
}

/* Events in a column of one or two values. */
static double times_in(const struct ui_values *v, int w, int x)
{
	if (!v->dots)
		return value_at(v, (size_t)w, (size_t)x);
	double a = value_at(v, 2 * (size_t)w, 2 * (size_t)x);
	double b = value_at(v, 2 * (size_t)w, 2 * (size_t)x + 1);
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static uint32_t counted_code(double times, uint32_t once)
{
	if (times < 2)
		return once;
	return times < 10 ? '0' + (uint32_t)times : '#';
}

uint32_t ui_marks(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v,
	uint32_t code, bool counted)
{
	double most = 0;
	for (int x = 0; x < r.w; x++)
		most = fmax(most, times_in(&v, r.w, x)); /* fmax() passes over NAN */
	const bool heights = most >= 2 && !counted;
	for (int x = 0; x < r.w && r.h > 0; x++) {
		double times = times_in(&v, r.w, x);
		if (!(times > 0))
			continue;
		uint32_t shown = heights ? (uint32_t)(0x2580 + height_of(times / most, 1))
					 : counted_code(times, code);
		ui_put_code(c, r.x + x, r.y, style, shown);
	}
	return heights ? 0x2582 : code;
}

const char *ui_value_text(double v, enum pv_unit unit, char *buf, size_t size)
{
	struct pv_cell cell = { .state = PV_CELL_VALUE };
	if (isnan(v))
		cell.state = PV_CELL_NULL;
	switch (unit) {
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		cell.d = v;
		break;
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		cell.i = llround(v);
		break;
	default:
		cell.u = v > 0 ? (uint64_t)llround(v) : 0;
		break;
	}
	return pv_cell_text(&cell, unit, buf, size);
}
