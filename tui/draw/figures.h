/* SPDX-License-Identifier: MIT */
/* Figures at the right of a graph's row. The screen's thread. */
#ifndef UI_FIGURES_H
#define UI_FIGURES_H

#include "tui/draw/canvas.h"

/*
 * A figure with its unit, digits flush right; after it, as room permits, "max 31/50 MiB" (the
 * greatest value of a column, and the height of the row), or the height only. Figures have units;
 * `most` and `top` may be NULL.
 */
void ui_figures(struct ui_canvas *c, struct ui_rect r, const char *value, const char *most,
	const char *top);

#endif
