/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table that a filter (base/filter.h) lets through, while rows are made or in a
 * finished table. A word is searched in every text of the row; a field is a column or part of a
 * name:
 *
 *     class method ns      in names of methods and classes
 *     asm module           by the origin of such names, or the columns "assembly", "image"
 *     thread kind          columns with these names; in the table of threads the names and ids
 *     stack site           a column of stacks; the innermost frame, or the method
 *
 * One thread at a time uses a row filter and its filter, since results for frames are kept.
 */
#ifndef PV_QUERY_ROW_FILTER_H
#define PV_QUERY_ROW_FILTER_H

#include "common/base/intern.h"
#include "common/query/groups/name_filter.h"
#include "common/query/views.h"

enum { PV_ROW_FILTER_COLUMNS = 64 };

struct pv_row_filter {
	struct pv_filter *f;
	uint64_t column[PV_FILTER_FIELDS]; /* bits of the columns of a field */
	int name;                          /* first column of PV_FILTER_ANY; -1: none */
	struct pv_name_places places;
	struct pv_intern frame;
	PV_ARRAY(uint64_t) frame_bits; /* by frame: terms that hold */
	bool no_memory;                /* rows may be missing as memory was short */
};

/*
 * For a table of these columns; `name`: the id of the naming column, or NULL. False: PV_EUSAGE with
 * the character, or PV_ENOMEM; *ret is to be finished all the same.
 */
bool pv_row_filter_make(struct pv_row_filter *ret, const struct pv_query *q, const char *table,
	const struct pv_column *column, size_t columns, const char *name,
	struct pv_filter_error *reterr);
void pv_row_filter_finish(struct pv_row_filter *r); /* fine when zeroed */

/* Whether the filter asks anything of such a table. */
bool pv_row_filter_asks(const struct pv_row_filter *r);
/* Whether the filter asks for texts of stacks, the last to be made. */
bool pv_row_filter_wants_stacks(const struct pv_row_filter *r);

/* Whether a row passes. */
bool pv_row_filter_has(
	struct pv_row_filter *r, const struct pv_column *column, const struct pv_cell *cell);

/* Whether a text is a filter for a view; false with the mistake. */
bool pv_view_filter_check(enum pv_view view, const char *text, enum pv_filter_way way,
	struct pv_filter_error *reterr);

/* Columns with comparable figures; at most PV_ROW_FILTER_COLUMNS, placed as in the table. */
size_t pv_row_filter_numbers(const struct pv_column *column, size_t columns,
	struct pv_filter_column ret[PV_ROW_FILTER_COLUMNS]);

/* Whether `id` is one of the words, blanks between them. */
bool pv_is_one_of(const char *id, const char *words);

#endif
