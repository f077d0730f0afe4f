/* SPDX-License-Identifier: MIT */
/* The columns of a table that fit, and their places. Pure: any thread. */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "common/query/table.h"

enum { UI_COLUMNS_MAX = 32 };

struct ui_column_place {
	size_t column; /* index in the table */
	int x, w;
	int tail; /* cells of `w` right of the digits: a unit, or the order's sign */
};

struct ui_columns {
	struct ui_column_place at[UI_COLUMNS_MAX];
	size_t n;
	int bar_x, bar_w; /* room for bars of the first percent column, 0 wide = none */
	size_t bar_column;
	int instead; /* column without room that replaces the name where it has a value; -1 */
};

/* The column that names rows: the tree's, else the growing text, else the first text; -1: none. */
int ui_columns_name(const struct pv_column *column, size_t n);

/* Whether rows can be sorted by the column; a course has no order. */
bool ui_column_sorts(const struct pv_column *column);

/* Cells to the right of the digits; 0: a column without digits. */
int ui_column_tail(const struct pv_column *column);

/* Whether the column's text is flush left. */
bool ui_column_is_text(const struct pv_column *column);

/*
 * A bit for each column that says nothing in any row: no such events in the log, or, in a column
 * that may be dropped, only amounts of zero or empty texts.
 */
uint32_t ui_columns_silent(const struct pv_table *t);

struct ui_columns_wish {
	int width;       /* cells there are */
	size_t skip;     /* movable columns (all but the name) scrolled out to the left */
	uint32_t silent; /* columns left out */
};

/* Places columns. Short of room, columns with the highest `drop` go first; the name stays. */
void ui_columns_fit(const struct pv_table *t, struct ui_columns_wish wish, struct ui_columns *ret);

#endif
