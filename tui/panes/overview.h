/* SPDX-License-Identifier: MIT */
/* Home: findings, time, memory, and lanes of time. The screen's thread. */
#ifndef UI_OVERVIEW_H
#define UI_OVERVIEW_H

#include "tui/draw/commands.h"
#include "tui/chart/graphs.h"
#include "tui/list/list.h"
#include "tui/panes/flame_pane.h"

enum { UI_SECTIONS = 12, UI_OVERVIEW_LISTS = 12, UI_LANES = 14 };

/* Valid after ui_overview_init(). Owns tables and series. */
struct ui_overview {
	struct ui_list list[UI_OVERVIEW_LISTS];
	struct ui_graphs graphs;        /* by number of the lane */
	struct ui_flame *flame;         /* of the running time; NULL: out of memory */
	struct ui_list of_flame;        /* a list without filter and search, for `flame` */
	bool all_code;                  /* all code in `flame`: own code is too little */
	struct ui_rect at[UI_SECTIONS]; /* empty: not on screen */
	struct ui_rect strip;           /* the columns for time */
	struct ui_rect axis;            /* the row of time under the lanes, may be empty */
	int focus;                      /* block */
	int lane;                       /* row of the lanes under the cursor */
	int parts;                      /* rows for lanes that are parts of other lanes */
};

/* Finish frees lists and series; forget drops their answers, before the model is destroyed. */
void ui_overview_init(struct ui_overview *o);
void ui_overview_finish(struct ui_overview *o);
void ui_overview_forget(struct ui_overview *o);

/* `strip` says the columns of time, as the rest of the screen has them. */
void ui_overview_place(struct ui_overview *o, const struct ui_shared *s, struct ui_rect body,
	struct ui_rect strip);
void ui_overview_refresh(struct ui_overview *o, const struct ui_shared *s);
void ui_overview_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c);

/* The next block; false after the last and before the first. */
bool ui_overview_next(struct ui_overview *o, const struct ui_shared *s, int dir);
/* The next row, or the next block at the end of the rows. */
bool ui_overview_step(struct ui_overview *o, const struct ui_shared *s, int dir);

/* The pane of the block with the keys; the block's list, owned by `o` (NULL: none). */
enum ui_command ui_overview_pane(const struct ui_overview *o, const struct ui_shared *s);
struct ui_list *ui_overview_list(struct ui_overview *o);
bool ui_overview_click(struct ui_overview *o, int x, int y);

#endif
