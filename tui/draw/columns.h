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
};

struct ui_columns {
	struct ui_column_place at[UI_COLUMNS_MAX];
	size_t n;
	int bar_x, bar_w; /* room for bars of the first percent column, 0 wide = none */
	size_t bar_column;
	int instead; /* a column without room that the name makes way for, in rows that have it; -1
		      */
};

/*
 * The column that names rows: the tree's, else the growing text, else the first text; -1 when
 * there is none.
 */
int ui_columns_name(const struct pv_column *column, size_t n);

/* Whether rows have an order by it: a course has none. */
bool ui_column_sorts(const struct pv_column *column);

/* Whether its text is flush left. */
bool ui_column_is_text(const struct pv_column *column);

/*
 * A bit for each column of which no row says anything: the log has no such events, or there are none
 * but zeros in a column of amounts that others may go before.
 */
uint32_t ui_columns_silent(const struct pv_table *t);

struct ui_columns_wish {
	int width;       /* cells there are */
	size_t skip;     /* movable columns (all but the name) scrolled out to the left */
	uint32_t silent; /* columns that are left out */
};

/*
 * Places columns. Those with the highest `drop` go first when room is short; the name stays.
 */
void ui_columns_fit(const struct pv_table *t, struct ui_columns_wish wish, struct ui_columns *ret);

#endif
