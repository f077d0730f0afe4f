/*
 * Bars, sparklines and graphs in block characters (the canvas turns them into ASCII). Values that
 * are NAN are unknown and leave their column blank. The screen's thread.
 */
#ifndef UI_CHART_H
#define UI_CHART_H

#include <stddef.h>

#include "common/query/table.h"
#include "tui/draw/canvas.h"

/* A bar from the left edge of the first row of `r`; `part` is 0..1 of its width. */
void ui_bar(struct ui_canvas *c, struct ui_rect r, enum ui_style style, double part);

/* One column a value in the first row of `r`, the last r.w of `n`; `max` is the full height. */
struct ui_values {
	const double *v;
	size_t n;
	double max;
};
void ui_spark(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* The same over all rows of `r`. */
void ui_graph(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* A mark in each column of the first row of `r` whose value is above 0. */
void ui_marks(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v,
	uint32_t code);

/* A number as a cell of that unit would show it. Returns `buf` or a literal, never NULL. */
const char *ui_value_text(double v, enum pv_unit unit, char *buf, size_t size);

#endif
