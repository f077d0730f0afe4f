/*
 * The rows of a table that a filter (base/filter.h) lets through, where they are made and where there
 * is a table already. A word is looked for in every text of the row; a field is a column, or a part of the names in one:
 *
 *     class method ns      of methods' and classes' names
 *     asm module           where those were loaded from, or the columns "assembly", "image"
 *     thread kind          columns of that name; of the table of threads its names and ids
 *     stack site           a column of stacks; its innermost frame, or the method
 *
 * One thread at a time uses one, and its filter, as what it finds out of frames is kept.
 */
#ifndef PV_QUERY_ROW_FILTER_H
#define PV_QUERY_ROW_FILTER_H

#include "common/base/intern.h"
#include "common/query/name_filter.h"
#include "common/query/views.h"

enum { PV_ROW_FILTER_COLUMNS = 64 };

struct pv_row_filter {
	struct pv_filter *f;
	uint64_t column[PV_FILTER_FIELDS]; /* bits of the columns that a field is about */
	int name;                          /* of those for any text the first; -1 none */
	struct pv_name_places places;
	struct pv_intern frame;
	PV_ARRAY(uint64_t) frame_bits; /* by frame: terms that hold for it */
	bool no_memory;                /* rows may have been left out for want of it */
};

/*
 * For a table of these columns; `name` is the id of the one that names its rows, or NULL. PV_EUSAGE
 * with the character, PV_ENOMEM: false, with *ret to be finished all the same.
 */
bool pv_row_filter_make(struct pv_row_filter *ret, const struct pv_query *q, const char *table,
	const struct pv_column *column, size_t columns, const char *name,
	struct pv_filter_error *reterr);
void pv_row_filter_finish(struct pv_row_filter *r); /* fine when zeroed */

/* Whether it asks anything of such a table. */
bool pv_row_filter_asks(const struct pv_row_filter *r);
/* Whether it asks for what is made last, texts of stacks. */
bool pv_row_filter_wants_stacks(const struct pv_row_filter *r);

/* Whether a row passes. */
bool pv_row_filter_has(
	struct pv_row_filter *r, const struct pv_column *column, const struct pv_cell *cell);

/* Whether a text is a filter for a view; false with the mistake. */
bool pv_view_filter_check(enum pv_view view, const char *text, enum pv_filter_way way,
	struct pv_filter_error *reterr);

/* Columns that can be compared; at most PV_ROW_FILTER_COLUMNS, the places those of the table. */
size_t pv_row_filter_numbers(const struct pv_column *column, size_t columns,
	struct pv_filter_column ret[PV_ROW_FILTER_COLUMNS]);

#endif
