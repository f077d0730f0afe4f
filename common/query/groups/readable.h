/* SPDX-License-Identifier: MIT */
/*
 * Readable names of methods and classes (base/readable_name.h) in a table, added to the log's
 * names, as ids, matches and JSON keep the latter. Made for visible rows only: a table of a million
 * methods costs no more. Pure but for tables, made by one thread.
 */
#ifndef PV_QUERY_READABLE_H
#define PV_QUERY_READABLE_H

#include "common/base/intern.h"
#include "common/base/text/readable_name.h"
#include "common/query/table.h"

enum { PV_READABLE_MAX = 4096 }; /* bytes with the NUL; longer names are shown as in the log */

/* Whether the column has names of methods or classes, or stacks of methods. */
bool pv_column_has_names(const struct pv_column *column);

/*
 * The text of one name in such a column, or of one frame of a stack, in each form with a room of
 * PV_READABLE_MAX bytes, all in little more than the time of one: in the room, or `raw` itself
 * where nothing better is known; never NULL, owned by the caller. NULL room: the form is not
 * wanted.
 */
void pv_readable_texts(const struct pv_column *column, const char *raw,
	char *const room[PV_NAME_FORMS], const char *ret[PV_NAME_FORMS]);

/* In one form: in `room`, the caller's, or `raw` itself; never NULL. */
static inline const char *pv_readable_text(const struct pv_column *column, const char *raw,
	enum pv_name_form form, char room[PV_READABLE_MAX])
{
	char *forms[PV_NAME_FORMS] = { NULL };
	const char *text[PV_NAME_FORMS];
	forms[form] = room;
	pv_readable_texts(column, raw, forms, text);
	return text[form];
}

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
 * Gives the rows' cells their readable text (pv_cell_shown()), where missing. `one`: only this
 * column, -1: all. False when out of memory.
 */
bool pv_table_readable(struct pv_table *t, int one);

#endif
