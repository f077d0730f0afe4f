#include "tui/draw/chart.h"

#include <math.h>

enum { FULL = 0x2588, EIGHTHS = 8, DOTS = 4, BRAILLE = 0x2800 };

/* In eighths of a cell; anything above 0 is at least one, so that little is not nothing. */
static long eighths(double part, int cells)
{
	if (!(part > 0))
		return 0;
	if (part > 1)
		part = 1;
	long n = lround(part * cells * EIGHTHS);
	return n ? n : 1;
}

void ui_bar(struct ui_canvas *c, struct ui_rect r, enum ui_style style, double part)
{
	if (r.w <= 0 || r.h <= 0)
		return;
	long n = eighths(part, r.w);
	for (int x = 0; x < r.w && n > 0; x++, n -= EIGHTHS) {
		uint32_t code = n >= EIGHTHS ? FULL : (uint32_t)(0x2590 - n);
		ui_put_code(c, r.x + x, r.y, style, code);
	}
}

size_t ui_series_cells(bool dots, int w)
{
	return w > 0 ? (size_t)w * (dots ? 2 : 1) : 0;
}

struct ui_values ui_series_values(const struct ui_canvas *c, const struct pv_series *s, int w)
{
	return (struct ui_values){ .v = s->value,
		.n = s->n,
		.max = s->max,
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

/* The i-th of those shown: they are as many as `most`, or fewer, the newest ones. */
static double value_at(const struct ui_values *v, size_t most, size_t i)
{
	size_t shown = most < v->n ? most : v->n;
	return i < shown ? v->v[v->n - shown + i] : NAN;
}

/* In dots of a column's half; anything above 0 is at least one. */
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
	for (int x = 0; x < r.w; x++) {
		long left = dots_of(&v, r, 2 * x), right = dots_of(&v, r, 2 * x + 1);
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
	if (v.dots) {
		graph_in_dots(c, r, style, v);
		return;
	}
	for (int x = 0; x < r.w; x++) {
		double value = value_at(&v, (size_t)r.w, (size_t)x);
		if (isnan(value))
			continue;
		long n = v.max > 0 ? eighths(value / v.max, r.h) : 0;
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

/* Of a column, whether it has one value or two. */
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
		uint32_t shown = heights ? (uint32_t)(0x2580 + ui_min((int)eighths(times / most, 1),
								       EIGHTHS))
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
