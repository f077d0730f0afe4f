/* SPDX-License-Identifier: MIT */
/*
 * Rectangles in terminal cells. A rectangle may be empty (w or h 0) but is never negative. Pure:
 * any thread.
 */
#ifndef UI_RECT_H
#define UI_RECT_H

#include <stdbool.h>

struct ui_rect {
	int x, y, w, h;
};

/* The lesser of two numbers. */
static inline int ui_min(int a, int b)
{
	return a < b ? a : b;
}

/* The greater of two numbers. */
static inline int ui_max(int a, int b)
{
	return a > b ? a : b;
}

/* Whether the cell is inside. */
static inline bool ui_rect_has(struct ui_rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* `n` rows of `r` from row `from` on; what lies outside is cut off. */
static inline struct ui_rect ui_rows(struct ui_rect r, int from, int n)
{
	from = ui_max(0, ui_min(from, r.h));
	n = ui_max(0, ui_min(n, r.h - from));
	return (struct ui_rect){ r.x, r.y + from, r.w, n };
}

/* `n` columns of `r` from column `from` on. */
static inline struct ui_rect ui_cols(struct ui_rect r, int from, int n)
{
	from = ui_max(0, ui_min(from, r.w));
	n = ui_max(0, ui_min(n, r.w - from));
	return (struct ui_rect){ r.x + from, r.y, n, r.h };
}

/* Without a margin of dx columns and dy rows at each side. */
static inline struct ui_rect ui_inset(struct ui_rect r, int dx, int dy)
{
	return ui_rows(ui_cols(r, dx, r.w - 2 * dx), dy, r.h - 2 * dy);
}

#endif
