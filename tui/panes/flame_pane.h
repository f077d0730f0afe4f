/* SPDX-License-Identifier: MIT */
/*
 * The pane of flame graphs: what the graph shows, the cursor, and changes that can be undone. Asks
 * on the worker's thread, and draws finished answers on the screen's thread. The list of the pane
 * holds the text to search and to filter by.
 */
#ifndef UI_FLAME_H
#define UI_FLAME_H

#include "common/query/flame/flame.h"
#include "tui/chart/icicle.h"
#include "tui/list/list.h"
#include "tui/draw/shared.h"
#include "tui/panes/heat.h"

/* The parts of the picture that undo restores; owns all paths. */
struct ui_flame_view {
	struct pv_flame_path zoom;
	PV_ARRAY(struct pv_flame_cut) cut;
};

/* False when out of memory: `to` is empty then. */
bool ui_flame_view_copy(struct ui_flame_view *to, const struct ui_flame_view *from);
void ui_flame_view_finish(struct ui_flame_view *v);

/* A sandwich has two answers: callees of the frame, and callers. */
enum { UI_FLAME_MAIN, UI_FLAME_CALLERS, UI_FLAME_HALVES };

struct ui_flame {
	enum pv_flame_measure measure;
	bool chosen; /* the measure is the user's */
	bool upside_down, by_name, fold;
	unsigned least; /* index of the least share of a cell */
	struct ui_flame_view view;
	PV_ARRAY(struct ui_flame_view) before, after;

	/* the cursor: a cell of a half; in the next answer found by path */
	int half;
	uint32_t at;
	PV_ARRAY(uint64_t) path;

	/* the answers, and what they are of */
	struct pv_flame_tree *tree;
	struct pv_flame *answer[UI_FLAME_HALVES];
	struct ui_icicle_span *span[UI_FLAME_HALVES];
	int span_w;
	struct ui_request slot;
	bool stale, asking;
	const struct pv_model *of; /* compared only */
	enum pv_flame_measure of_measure;
	struct pv_query asked; /* its pointers are only compared */
	char filter[UI_TEXT_MAX], find[UI_TEXT_MAX];
	char *want; /* the cursor is to go to a frame of this name, owned */

	struct ui_heat heat;

	struct ui_rect drawn[UI_FLAME_HALVES];
	int level[UI_FLAME_HALVES]; /* first level drawn */
};

/* NULL: out of memory. ui_flame_destroy() frees the pane's state. */
struct ui_flame *ui_flame_create(void);
void ui_flame_destroy(struct ui_flame *f);
void ui_flame_forget(struct ui_flame *f); /* before the model is destroyed */

/*
 * Call when the cursor has another cell. ui_flame_want(): the cursor goes to the widest frame of
 * this name, in this answer or the next.
 */
void ui_flame_note_path(struct ui_flame *f);
void ui_flame_want(struct ui_flame *f, const char *name);

/* Asks what has changed. `l` has the filter and the search, and gets the outcome. */
void ui_flame_refresh(struct ui_flame *f, const struct ui_shared *s, struct ui_list *l);

/* Draws the answers there are. */
void ui_flame_draw(
	struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r);
/* The hottest frames within the cursor's, below a title; nothing where none did anything itself. */
void ui_flame_hottest(const struct ui_flame *f, struct ui_canvas *c, struct ui_rect r);
/*
 * Cells as the last drawing placed them, made when they are not, owned by `f`; NULL: out of memory.
 */
const struct ui_icicle_span *ui_flame_span(struct ui_flame *f, int half, int w);

bool ui_flame_undo(struct ui_flame *f); /* false: there is nothing to undo */
/* Sets the measure by the word of :measure; false: unknown word. */
bool ui_flame_measure(struct ui_flame *f, const char *word);
/* Words, a literal, for the effect of a command; NULL: the effect is visible. */
const char *ui_flame_said(const struct ui_flame *f, enum ui_command cmd);

/* The cell under the cursor, owned by the answer; NULL: none. */
const struct pv_flame_cell *ui_flame_cell(const struct ui_flame *f);

/* Least shares of a cell, in thousandths; 0: what a column is. */
enum { UI_FLAME_LEASTS = 6 };
extern const unsigned ui_flame_least[UI_FLAME_LEASTS];

#endif
