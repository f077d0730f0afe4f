/*
 * A flame in a rectangle, a level a row: cells as wide as their weight, with a letter for their
 * kind. The screen's thread.
 */
#ifndef UI_ICICLE_H
#define UI_ICICLE_H

#include "common/query/flame/flame.h"
#include "tui/draw/against_base.h"
#include "tui/draw/canvas.h"

/* Columns of a cell from the left edge; w 0: thinner than one, or not placed. */
struct ui_icicle_span {
	double from; /* in weight, from the left edge */
	int x, w;
};

/* Of each cell of `f` in `w` columns, to free(); NULL when out of memory. */
struct ui_icicle_span *ui_icicle_lay(const struct pv_flame *f, int w);

struct ui_icicle_look {
	bool upside_down; /* the root below */
	uint32_t cursor;  /* a cell, UINT32_MAX: none */
	uint64_t same;    /* frames of this key are lit, 0: none */
	int from;         /* the first level drawn */
	const struct ui_against
		*against;              /* cells say how they changed; NULL: they are of one log */
	enum pv_flame_measure measure; /* of these */
};

/* '+' more, '-' less, '=' the same, '~' within noise. */
char ui_icicle_sign(enum pv_diff_verdict v);

/* Thinner than a column on the levels drawn: how many, and their weight together. */
struct ui_icicle_thin {
	uint64_t n, weight;
};

/* Draws the cells of `f` at the places `span`. */
struct ui_icicle_thin ui_icicle_draw(struct ui_canvas *c, struct ui_rect r,
	const struct pv_flame *f, const struct ui_icicle_span *span,
	const struct ui_icicle_look *look);

/* Both at once, without a cursor: of a box on another page. */
void ui_icicle(struct ui_canvas *c, struct ui_rect r, const struct pv_flame *f);

/* The word for it: a literal, never NULL. */
const char *ui_icicle_kind(const struct pv_flame_cell *cell);

#endif
