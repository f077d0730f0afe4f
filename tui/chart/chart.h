/* SPDX-License-Identifier: MIT */
/*
 * Bars, sparklines and graphs in block characters (ASCII on some canvases) or in Braille. Nothing
 * is blank: a value that is NAN has a sign, as not recorded or not read yet. The screen's thread.
 */
#ifndef UI_CHART_H
#define UI_CHART_H

#include <stddef.h>

#include "common/query/series.h"
#include "tui/draw/canvas.h"

/* A share as a stroke from the left edge of the first row of `r`; `part` is 0..1 of the width. */
void ui_bar(struct ui_canvas *c, struct ui_rect r, enum ui_style style, double part);

/*
 * A part of a whole in the first row of `r`: filled cells, with a gap at the right, so that parts
 * next to each other stay apart. `sign` stands in the first cell; 0: no sign.
 */
void ui_fill(struct ui_canvas *c, struct ui_rect r, enum ui_style style, uint32_t sign);

/* A column a value in the first row of `r`, the last r.w of `n`; `max` is the full height. */
struct ui_values {
	const double *v;
	size_t n;
	double max;
	bool dots;     /* two values a column, in Braille from three rows on */
	size_t unread; /* NAN values at the end not read so far */
};
void ui_spark(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* The same over all rows of `r`. */
void ui_graph(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* The values of a series over `w` columns: in Braille if the canvas uses it and values suffice. */
struct ui_values ui_series_values(const struct ui_canvas *c, const struct pv_series *s, int w);
/* Number of values that such a series needs for `w` columns. */
size_t ui_series_cells(bool dots, int w);

/* The greatest value in a column of such a series; NAN: unknown. */
double ui_series_at(const struct pv_series *s, int w, int column);

/*
 * Events over time, in the first row of `r`: `code` in each column with an event. If a column has
 * several: heights by the number of events or, with `counted`, digits (# above 9). Returns the
 * character for a single event.
 */
uint32_t ui_marks(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v,
	uint32_t code, bool counted);

/* A number as a cell of this unit would show it. Returns `buf` or a literal, never NULL. */
const char *ui_value_text(double v, enum pv_unit unit, char *buf, size_t size);

#endif
