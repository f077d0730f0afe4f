/*
 * Private to the query layer: rows of (class, stack), for figures of any kind. What reads the same
 * is one row. Under the model's lock. A row keeps the number of a stack until sorting and cutting
 * are done; only then is its text made.
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
#include "common/query/groups.h"

struct pv_site_rows {
	struct pv_build *b;
	const struct pv_model *m;
	struct pv_groups classes, methods;
	size_t class_column, stack_column;

	/* private */
	uint64_t *stack_hash; /* by stack id: equal for stacks that read the same */
	uint32_t *class_rank; /* by group of classes: places by name */
	uint32_t *stack_rank; /* by stack id: places by text */
	struct pv_map row_of; /* row id -> row */
};

struct pv_site_key {
	uint32_t class_use, stack;
	bool other;    /* several stacks, folded when there were too many */
	uint64_t kind; /* below 16: rows of different kinds are never one */
};

/* False when out of memory; finish is due then too. */
bool pv_site_rows_init(struct pv_site_rows *r, struct pv_build *b, struct pv_model *m,
	size_t class_column, size_t stack_column);
void pv_site_rows_finish(struct pv_site_rows *r);

/* The row's cells: figures are 0 when it is new. NULL when out of memory. */
struct pv_cell *pv_site_row(struct pv_site_rows *r, struct pv_site_key key);

/* Writes the stacks of the rows that stayed. False when out of memory. */
bool pv_site_rows_text(struct pv_table *t, const struct pv_model *m);

#endif
