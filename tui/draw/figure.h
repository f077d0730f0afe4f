/* SPDX-License-Identifier: MIT */
/*
 * Numbers in cells: digits flush right, a blank, the unit flush left, so that a changing figure
 * moves no other. Pure: any thread; ui_figure_text() fills the caller's buffer.
 */
#ifndef UI_FIGURE_H
#define UI_FIGURE_H

#include "common/query/table.h"

/* Cells of three significant digits with their point, of a unit, and of both with the blank. */
enum { UI_DIGITS = 4, UI_UNIT = 3, UI_FIGURE = UI_DIGITS + 1 + UI_UNIT };

enum { UI_DIGITS_MAX = 24, UI_UNIT_MAX = 8 };
struct ui_figure {
	char digits[UI_DIGITS_MAX]; /* never empty: a point in the middle is zero, "-" not known */
	char unit[UI_UNIT_MAX];     /* may be empty */
};

/* The layout of cells of this unit. */
struct ui_figure_cells {
	int digits; /* 0: they are as long as they are */
	int unit;   /* 0: they have none */
};
struct ui_figure_cells ui_figure_cells(enum pv_unit unit, unsigned flags);

/*
 * The figure of a column's cell with these flags (enum pv_column_flags); no wider than
 * ui_figure_cells() says, where that is fixed.
 */
struct ui_figure ui_figure_of(const struct pv_cell *cell, enum pv_unit unit, unsigned flags);

/* Neither zero nor unknown. */
bool ui_figure_is_amount(const struct ui_figure *f);

/* Single amounts; zero is "0". */
struct ui_figure ui_figure_count(uint64_t n);
struct ui_figure ui_figure_bytes(uint64_t bytes);
struct ui_figure ui_figure_ns(int64_t ns);

/*
 * Digits and unit in UI_DIGITS, a blank and `unit` cells, padded with blanks: "1.21 k  ", cut where
 * `size` is short. Returns `buf`, the caller's. Never fails.
 */
const char *ui_figure_text(const struct ui_figure *f, int unit, char *buf, size_t size);

#endif
