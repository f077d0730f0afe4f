#include "tui/draw/chart.h"

#include <math.h>

enum { FULL = 0x2588, EIGHTHS = 8 };

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

static double value_at(const struct ui_rect *r, const struct ui_values *v, int x)
{
	size_t shown = (size_t)r->w < v->n ? (size_t)r->w : v->n;
	size_t first = v->n - shown;
	return (size_t)x < shown ? v->v[first + (size_t)x] : NAN;
}

void ui_graph(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v)
{
	if (r.h <= 0)
		return;
	for (int x = 0; x < r.w; x++) {
		double value = value_at(&r, &v, x);
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

void ui_marks(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v,
	uint32_t code)
{
	for (int x = 0; x < r.w && r.h > 0; x++)
		if (value_at(&r, &v, x) > 0)
			ui_put_code(c, r.x + x, r.y, style, code);
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
