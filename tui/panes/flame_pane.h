/*
 * The pane of flames: what is shown of one, the cursor in it, and what can be undone. It asks on
 * the worker's thread and draws finished answers on the screen's. Names it searches and filters by
 * are its list's.
 */
#ifndef UI_FLAME_H
#define UI_FLAME_H

#include "common/query/flame/flame.h"
#include "tui/draw/icicle.h"
#include "tui/draw/list.h"
#include "tui/draw/shared.h"
#include "tui/panes/heat.h"

/* The picture, as far as it can be undone; owns its paths. */
struct ui_flame_view {
	struct pv_flame_path zoom;
	PV_ARRAY(struct pv_flame_cut) cut;
};

/* False when out of memory: `to` is empty then. */
bool ui_flame_view_copy(struct ui_flame_view *to, const struct ui_flame_view *from);
void ui_flame_view_finish(struct ui_flame_view *v);

/* A sandwich has two answers: what the frame calls, and its callers. */
enum { UI_FLAME_MAIN, UI_FLAME_CALLERS, UI_FLAME_HALVES };

struct ui_flame {
	enum pv_flame_measure measure;
	bool chosen; /* the measure is the user's */
	bool upside_down, by_name, fold;
	unsigned least; /* index of the least share that is a cell */
	struct ui_flame_view view;
	PV_ARRAY(struct ui_flame_view) before, after;

	/* the cursor: a cell of a half, found again in the next answer by its path */
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
	uint64_t of_window;
	enum pv_flame_measure of_measure;
	bool of_net, of_waits, of_mine, of_raw;
	char filter[UI_TEXT_MAX], find[UI_TEXT_MAX];
	char *want; /* the cursor is to go to a frame of this name, owned */

	struct ui_heat heat;

	struct ui_rect drawn[UI_FLAME_HALVES];
	int level[UI_FLAME_HALVES]; /* the first one drawn */
};

/* NULL: out of memory. ui_flame_destroy() frees it. */
struct ui_flame *ui_flame_create(void);
void ui_flame_destroy(struct ui_flame *f);
void ui_flame_forget(struct ui_flame *f); /* before the model is destroyed */

/* The cursor goes to the widest frame of this name, in this answer or the next one. */
/* The cursor has another cell. */
void ui_flame_note_path(struct ui_flame *f);
void ui_flame_want(struct ui_flame *f, const char *name);

/* Asks what has changed. `l` has the filter and the search, and gets the outcome. */
void ui_flame_refresh(struct ui_flame *f, const struct ui_shared *s, struct ui_list *l);
/* Whether the first answer is still to come. */
bool ui_flame_awaits(const struct ui_flame *f);

/* Draws the answers there are. */
void ui_flame_draw(
	struct ui_flame *f, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r);
/*
 * Cells as the last drawing placed them, made when they are not, owned by `f`; NULL: out of memory.
 */
const struct ui_icicle_span *ui_flame_span(struct ui_flame *f, int half, int w);

/* Bits of enum ui_reply. */
unsigned ui_flame_command(
	struct ui_flame *f, const struct ui_shared *s, struct ui_list *l, enum ui_command cmd);
unsigned ui_flame_mouse(struct ui_flame *f, struct ui_mouse m);
bool ui_flame_undo(struct ui_flame *f); /* false: there is nothing to undo */
/* By the word of :measure; false: there is none of that name. */
bool ui_flame_measure(struct ui_flame *f, const char *word);
/* Words, a literal, for what a command has changed; NULL: it shows on the screen. */
const char *ui_flame_said(const struct ui_flame *f, enum ui_command cmd);
/* The reason why a command changed nothing: a literal, never NULL. */
const char *ui_flame_why(const struct ui_flame *f, enum ui_command cmd);
/* Changes with everything that a key can change. */
uint64_t ui_flame_mark(const struct ui_flame *f);

/* The cell under the cursor, owned by the answer; NULL: none. */
const struct pv_flame_cell *ui_flame_cell(const struct ui_flame *f);
/* The name of its function as the log has it, owned by the model; NULL: it is none. */
const char *ui_flame_name(const struct ui_flame *f);

/* Least shares of a cell, in thousandths; 0: what a column is. */
enum { UI_FLAME_LEASTS = 6 };
extern const unsigned ui_flame_least[UI_FLAME_LEASTS];

#endif
