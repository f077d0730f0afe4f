/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the order of a table's rows. Total where ids are: independent of the
 * order in which rows were made. Pure but for the rows: any thread.
 */
#ifndef PV_QUERY_ROW_ORDER_H
#define PV_QUERY_ROW_ORDER_H

#include "common/query/table.h"

struct pv_row_order {
	const char *const *shown; /* of the table; NULL: names are sorted as the log has them */
	enum pv_unit unit[3];
	int column[3]; /* -1 ends; the last is the name */
	bool descending[3];
	bool sizes[3]; /* numbers without their sign */
};

/*
 * By the columns, then rank, then id. Cells without a value come last, whichever way the column is
 * sorted. For qsort_r: `order` is a struct pv_row_order.
 */
int pv_row_compare(const void *a, const void *b, void *order);

/* Sorts by pv_row_compare(). */
void pv_rows_sort(struct pv_row *row, size_t n, const struct pv_row_order *order);

/*
 * Moves the `some` rows that sorting would put first to the front, unsorted; the others follow,
 * unsorted. No row is lost.
 */
void pv_rows_first(struct pv_row *row, size_t n, size_t some, const struct pv_row_order *order);

#endif
