/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: rows of (class, stack), for figures of any kind. Keys with the same
 * text are one row. Under the model's lock. A row keeps the number of a stack; the text is made
 * after sorting and cutting.
 *
 * 	struct pv_site_rows r;
 * 	if (pv_site_rows_init(&r, b, m, S_CLASS, S_STACK)) {
 * 		struct pv_cell *c = pv_site_row(&r, (struct pv_site_key){ class_use, stack });
 * 		...
 * 	}
 * 	pv_site_rows_finish(&r);
 *
 * (one column for both: the figures are of no class) and pv_site_rows_text as the function of
 * the spec that fills texts when rows are shown; the column of stacks has the id "stack".
 */
#ifndef PV_QUERY_SITE_ROWS_H
#define PV_QUERY_SITE_ROWS_H

#include "common/base/map.h"
#include "common/query/groups/logical.h"

struct pv_site_rows {
	struct pv_build *b;
	const struct pv_model *m;
	struct pv_groups classes, methods;
	size_t class_column, stack_column;

	/* private */
	struct pv_logical logical;
	uint64_t *
		stack_hash; /* by the logical number of a stack: equal for stacks that read the same */
	uint32_t *class_rank; /* by group of classes: places by name */
	uint32_t *stack_rank; /* likewise: places by text */
	struct pv_map row_of; /* row id -> row */
};

struct pv_site_key {
	uint32_t class_use, stack;
	bool other;    /* several stacks, folded when there were too many */
	uint64_t kind; /* below 16: rows of different kinds are never the same */
};

/* False when out of memory; finish is due then too. */
bool pv_site_rows_init(struct pv_site_rows *r, struct pv_build *b, struct pv_model *m,
	size_t class_column, size_t stack_column);
void pv_site_rows_finish(struct pv_site_rows *r);

/* The row's cells, 0 in a new row, valid until the next row. NULL when out of memory. */
struct pv_cell *pv_site_row(struct pv_site_rows *r, struct pv_site_key key);

/* Writes the stacks of the remaining rows. False when out of memory. */
bool pv_site_rows_text(struct pv_table *t, struct pv_model *m, const struct pv_query *q);

#endif
