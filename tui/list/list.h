/* SPDX-License-Identifier: MIT */
/*
 * Any query table on screen, flat or a tree: cursor, scrolling, sorting, filter, search, folding.
 * The cursor keeps to a row by its id, and so survives re-sorting and growth; a cursor never moved,
 * or sent to the top, stays on the first row.
 *
 * A list owns its table. Valid after ui_list_init(); all calls on the screen's thread.
 */
#ifndef UI_LIST_H
#define UI_LIST_H

#include "common/base/mem.h"
#include "tui/draw/canvas.h"
#include "tui/draw/columns.h"
#include "tui/draw/commands.h"
#include "tui/draw/key.h"
#include "tui/list/list_hold.h"
#include "tui/list/question.h"
#include "tui/draw/shared.h"

enum { UI_LIST_FIRST_ROWS = 1000 };
enum ui_look { UI_LOOK_NOT, UI_LOOK_ASKED, UI_LOOK_FOUND, UI_LOOK_MISSED }; /* of a search */

struct ui_list {
	enum pv_view view;
	bool tree, splits, pools, whole; /* splits: by calls, samples; whole: no limit */
	enum ui_unfold unfold;      /* the state of a tree before the user has folded anything */
	enum ui_unfold unfold_next; /* unfolding asked for since */
	bool needs_select;          /* without `select` there is nothing to ask */
	struct pv_table *table;     /* NULL before the first answer, or out of memory */

	/* the question asked */
	const char *sort; /* a column's id, NULL = the view's own */
	bool invert;
	unsigned figure; /* index of the figure compared, with a base */
	char filter[UI_TEXT_MAX], found[UI_TEXT_MAX]; /* found: this list's part */
	uint64_t select, base;
	enum pv_by group;              /* of methods and classes */
	const struct pv_heap_set *set; /* borrowed; see views.h */
	PV_ARRAY(uint64_t) open;
	PV_ARRAY(uint64_t) tagged; /* list_tags.h: sorted ids */
	bool only_tagged;          /* other rows are not asked for */
	size_t limit;

	struct ui_request slot;
	bool asking; /* the last question was a new one */

	/* the answer in `table` */
	bool stale;               /* the question has changed since the last post */
	char *about;              /* only rows of this class, owned; NULL = all */
	bool finished, reading;   /* no more will come; the range is still read: rows may */
	bool off;                 /* the subject does not exist: nothing is asked */
	bool chosen;              /* `sort` is the user's wish */
	struct pv_trends *trends; /* of the table's rows, owned; NULL: none */
	uint32_t silent, hidden; /* columns without figures, or not wanted: columns.h, settings.h */
	bool other;              /* ... to rows of something else: they must be asked for */
	bool newer;              /* asked after the picture was frozen */
	struct pv_query asked;   /* the last question: its pointers are only compared */
	unsigned asked_figure;
	uint64_t asked_turn, asked_model;
	bool asked_ended;
	char asked_filter[UI_TEXT_MAX]; /* of the table */
	bool asked_tagged;              /* the table has only tagged rows */
	size_t all_rows;       /* of a frozen table, with the filtered out rows at the end */
	bool unfolded, folded; /* `unfold` was done; and then a row folded by hand */

	/* position of the user */
	uint64_t selected;
	bool pinned;    /* the cursor keeps to `selected`; else to the top */
	bool follow;    /* ... to the last row */
	bool to_end;    /* once, as soon as all rows are there */
	size_t at, top; /* row numbers */
	size_t skip;    /* columns scrolled out */
	int page;       /* rows on screen, as last drawn */
	char search[UI_TEXT_MAX];
	enum ui_look look;
	int look_dir;
	bool look_tell; /* report a search without a hit */
	struct ui_hold hold;
	uint64_t marked;      /* a row with a sign, 0 = none */
	char *want, *lost;    /* names, owned: of a row to find; of a row not found */
	const char *none;     /* said where there are no rows, a constant; NULL: "nothing" */
	struct ui_rect drawn; /* for the mouse */
	struct ui_columns columns;
};

/* Finish frees the table, the question and all texts. */
void ui_list_init(struct ui_list *l, enum pv_view view, bool tree);
void ui_list_finish(struct ui_list *l);

/* Asks the model again if the question or the model has changed. */
void ui_list_refresh(struct ui_list *l, const struct ui_shared *s);

/* Drops the answer and keeps the place: the same is asked of another model. */
void ui_list_drop(struct ui_list *l);
/* Drops the answer, but not the question, before the model is destroyed. */
void ui_list_forget(struct ui_list *l);
/* Header and rows; `focus`: the keys go here. */
void ui_list_draw(struct ui_list *l, struct ui_canvas *c, struct ui_rect r, bool focus);
/* Exact counts of the selected row, rounded in columns: "29 328 calls", or "". Returns `buf`. */
const char *ui_list_exact(const struct ui_list *l, char *buf, size_t size);
/* Bits of enum ui_reply. */
unsigned ui_list_command(struct ui_list *l, const struct ui_shared *s, enum ui_command cmd);
unsigned ui_list_mouse(struct ui_list *l, const struct ui_shared *s, struct ui_mouse m);

/* The selected row; a row's name, and its name as shown. NULL: none. */
const struct pv_row *ui_list_row(const struct ui_list *l);
const char *ui_list_name(const struct ui_list *l, const struct pv_row *row);
const char *ui_list_shown_name(const struct ui_list *l, const struct pv_row *row);

/* Moves the cursor to a row; to the row of a name, once there; sets the list's subject. */
void ui_list_move_to(struct ui_list *l, size_t row);
void ui_list_want(struct ui_list *l, const char *name);
void ui_list_restart(struct ui_list *l); /* other rows will come */
void ui_list_set_select(struct ui_list *l, uint64_t select, uint64_t base);
/* In a list of sites: only sites of one class. */
void ui_list_set_about(struct ui_list *l, const char *class_name);
/* The order until the user chooses another. */
void ui_list_set_order(struct ui_list *l, const char *column);
void ui_list_set_filter(struct ui_list *l, const char *filter);
/* `column` is an index in the table; the column already sorted by is turned round. */
void ui_list_sort(struct ui_list *l, size_t column);
/* Whether a column of the table is to be shown, given room. */
static inline bool ui_list_shows(const struct ui_list *l, size_t column)
{
	return !(l->table->column[column].flags & PV_COLUMN_HIDE_SCREEN) &&
	       (column >= UI_COLUMNS_MAX || !((l->silent | l->hidden) >> column & 1));
}

/* Whether what is on screen is about to be replaced by the answer to something else. */
bool ui_list_asking(const struct ui_list *l);
/* Whether the first answer is still to come: keys have nothing to act on. */
bool ui_list_awaits(const struct ui_list *l);

/*
 * list_find.c. Goes to the next row (dir 1), the row before (-1), or the first from the cursor on
 * (0) whose name holds the search text; folded rows are unfolded. l->look has the result, at once
 * or after the next answer.
 */
void ui_list_find(struct ui_list *l, const struct ui_shared *s, int dir);
/* The wanted name among the rows at hand. False: they must be asked for. */
bool ui_list_find_wanted(struct ui_list *l);

/* list_tree.c: folds and unfolds. Bits of enum ui_reply. */
unsigned ui_list_tree_command(struct ui_list *l, enum ui_command cmd);

/* list_frozen.c: sorts and filters the table at hand instead of asking. False: cannot. */
bool ui_list_rearrange(struct ui_list *l);

#endif
