/* SPDX-License-Identifier: MIT */
/* Styles of cells as curses has them: pairs of colours and attributes. The screen's thread. */
#ifndef UI_PAINT_H
#define UI_PAINT_H

#include "tui/draw/theme.h"

struct ui_brush {
	int pair;
	unsigned attrs; /* as curses has them */
};

struct ui_paint {
	struct ui_brush brush[UI_STYLE_COUNT][UI_BITS];
	bool fills; /* cells can have a ground of their own; else the mark of a gap is a blank */
	bool hues;  /* there are colours */
};

/* Gives the pairs to curses; `theme` may be NULL. Without colour where the terminal has none. */
void ui_paint_open(
	struct ui_paint *p, const struct ui_theme *theme, enum ui_ground ground, bool wants_colour);
/* Never NULL; good as long as `p`. */
const struct ui_brush *ui_paint_brush(const struct ui_paint *p, const struct ui_cell *cell);
/* The character that is shown: the end of a fill needs a fill. */
uint32_t ui_paint_code(const struct ui_paint *p, const struct ui_cell *cell);

#endif
