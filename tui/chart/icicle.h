/* SPDX-License-Identifier: MIT */
/*
 * A flame graph in a rectangle, a level a row: cells as wide as their weight, with a letter where
 * the kind of code changes. The screen's thread.
 */
#ifndef UI_ICICLE_H
#define UI_ICICLE_H

#include "common/query/flame/flame.h"
#include "tui/draw/against_base.h"
#include "tui/draw/canvas.h"

/* Columns of a cell from the left edge; w 0: narrower than a column, or not placed. */
struct ui_icicle_span {
	double from; /* in weight, from the left edge */
	int x, w;
	bool alt; /* second fill: the neighbour before has the same kind */
};

/* Of each cell of `f` in `w` columns, to free(); NULL when out of memory. */
struct ui_icicle_span *ui_icicle_lay(const struct pv_flame *f, int w);

struct ui_icicle_look {
	bool upside_down;                 /* the root below */
	uint32_t cursor;                  /* a cell, UINT32_MAX: none */
	uint64_t same;                    /* frames of this key are lit, 0: none */
	int from;                         /* the first level drawn */
	const struct ui_against *against; /* cells show their change; NULL: of one log */
	enum pv_flame_measure measure;    /* of these */
};

/* Thinner than a column on the levels drawn: how many, and their weight together. */
struct ui_icicle_thin {
	uint64_t n, weight;
};

/* Draws the cells of `f` at the places `span`. */
struct ui_icicle_thin ui_icicle_draw(struct ui_canvas *c, struct ui_rect r,
	const struct pv_flame *f, const struct ui_icicle_span *span,
	const struct ui_icicle_look *look);

/*
 * Lays out and draws without a cursor, for a box on another page. A chain of frames that have all
 * of the weight is one row.
 */
void ui_icicle(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f);

/* Letters and fills of the kinds of code, flush right, in as many words as fit; else nothing. */
enum { UI_ICICLE_LEGEND = 45 }; /* columns needed at least */
void ui_icicle_legend(struct ui_canvas *c, struct ui_rect r);

/*
 * The letter of a cell's kind: 'U' user, 'F' framework, 'N' native, 'R' runtime, 'C' class of
 * objects, '?' unknown. `ret_bar` (may be NULL) gets the style for bars instead of fills.
 */
char ui_icicle_letter(const struct pv_flame_cell *cell, enum ui_style *ret_bar);
/* The word for the kind: a literal, never NULL. */
const char *ui_icicle_kind(const struct pv_flame_cell *cell);

#endif
