/*
 * Bars, sparklines and graphs in block characters, which the canvas turns into ASCII, or in Braille.
 * Values that are NAN are unknown and leave their column blank. The screen's thread.
 */
#ifndef UI_CHART_H
#define UI_CHART_H

#include <stddef.h>

#include "common/query/series.h"
#include "tui/draw/canvas.h"

/* A bar from the left edge of the first row of `r`; `part` is 0..1 of its width. */
void ui_bar(struct ui_canvas *c, struct ui_rect r, enum ui_style style, double part);

/* One column a value in the first row of `r`, the last r.w of `n`; `max` is the full height. */
struct ui_values {
	const double *v;
	size_t n;
	double max;
	bool dots; /* two values a column, in Braille */
};
void ui_spark(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* The same over all rows of `r`. */
void ui_graph(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v);

/* Those of a series over `w` columns: in Braille where the canvas is drawn so and it has enough. */
struct ui_values ui_series_values(const struct ui_canvas *c, const struct pv_series *s, int w);
/* Values that such a series of `w` columns is to have. */
size_t ui_series_cells(bool dots, int w);

/* The greatest value that such a column has; NAN: none is known. */
double ui_series_at(const struct pv_series *s, int w, int column);

/*
 * How many times something happened, in the first row of `r`: `code` in each column where it did.
 * Where it did so twice in one column: as high as it is often, or, `counted`, a digit (# above 9).
 * Returns the character for one that happened.
 */
uint32_t ui_marks(struct ui_canvas *c, struct ui_rect r, enum ui_style style, struct ui_values v,
	uint32_t code, bool counted);

/* A number as a cell of that unit would show it. Returns `buf` or a literal, never NULL. */
const char *ui_value_text(double v, enum pv_unit unit, char *buf, size_t size);

#endif
