/*
 * Names of a table's methods and classes as a programmer writes them (base/readable_name.h), added
 * to those of the log, which ids, matches and JSON keep. Only what is shown is made: a table of a
 * million methods costs what its visible rows do. Pure but for tables, which one thread makes.
 */
#ifndef PV_QUERY_READABLE_H
#define PV_QUERY_READABLE_H

#include "common/base/intern.h"
#include "common/base/readable_name.h"
#include "common/query/table.h"

enum { PV_READABLE_MAX = 4096 }; /* bytes with the NUL; a longer name is shown as it is */

/* Whether the column has such names: of methods, of classes, or stacks of methods. */
bool pv_column_has_names(const struct pv_column *column);

/*
 * The text of one name in such a column, or of one frame of a stack: in `room`, or `raw` itself
 * where nothing better is known; never NULL, owned by the caller.
 */
const char *pv_readable_text(const struct pv_column *column, const char *raw,
	enum pv_name_form form, char room[PV_READABLE_MAX]);

/* Whether `text` contains `part`; ASCII case-insensitive; "" is in everything. */
bool pv_text_has(const char *text, const char *part);

/* Readable frames of stacks, each made once. Valid when zeroed. One thread at a time. */
struct pv_frames {
	struct pv_intern raw;
	PV_ARRAY(const char *) text; /* by id in raw; NULL: not made yet */
	struct pv_arena arena;
};

/* Of a frame of `len` bytes: good until pv_frames_finish(). NULL when out of memory. */
const char *pv_frames_text(
	struct pv_frames *f, const struct pv_column *column, const char *raw, size_t len);
void pv_frames_finish(struct pv_frames *f);

/*
 * Gives the rows' cells their readable text (pv_cell_shown()); those that have it keep it. `one`:
 * of this column only, -1: of all. False when out of memory.
 */
bool pv_table_readable(struct pv_table *t, int one);

#endif
