/* SPDX-License-Identifier: MIT */
/*
 * The heat strip below a flame graph: samples by time, a column a round time, with parts of the
 * column from top to bottom, so that bursts and periods show. A cell, or the time between two
 * cells, becomes the range. Asks on the worker's thread, draws finished answers on the screen's
 * thread. Times: ns since the recording's zero, half-open.
 */
#ifndef UI_HEAT_H
#define UI_HEAT_H

#include "common/query/coverage/thread_lanes.h"
#include "tui/draw/canvas.h"
#include "tui/draw/commands.h"
#include "tui/draw/key.h"
#include "tui/draw/shared.h"
#include "tui/panes/lanes_ask.h"

enum { UI_HEAT_ROWS = 5 /* parts of a column */ };

/* Valid when zeroed. */
struct ui_heat {
	bool on;       /* shown, and the arrows move its cursor */
	bool placed;   /* the cursor was put on the hottest cell, or by a key */
	int64_t at_ns; /* the cursor: a time within a cell */
	bool marked;   /* an end of a time is set at */
	int64_t mark_ns;
	uint32_t *samples; /* by cell, column by column; owned */
	size_t cells;
	uint32_t most;   /* in a cell */
	int64_t from_ns; /* of the first cell */
	int64_t cell_ns;
	bool sampled;            /* the log has samples */
	enum pv_time_of time_of; /* of the samples */
	struct ui_lanes_ask ask;
	struct pv_lanes_answer *answer; /* owned; NULL: none yet */
	int64_t least_ns;               /* samples are kept no finer */
	struct ui_rect drawn;           /* the cells, as last drawn */
	int room;                       /* columns for them, as last placed */
};

/* Finish frees everything; forget drops the answer, before the model is destroyed. */
void ui_heat_finish(struct ui_heat *h);
void ui_heat_forget(struct ui_heat *h);

/* Columns of cells in a pane. */
int ui_heat_columns(struct ui_rect r);
/* Rows for the strip in a pane of `rows` rows; all rows: no room for a flame graph. */
int ui_heat_rows(const struct ui_heat *h, int rows);
void ui_heat_refresh(struct ui_heat *h, const struct ui_shared *s, int columns);
void ui_heat_draw(struct ui_heat *h, struct ui_canvas *c, struct ui_rect r);

/* False: not a command of the strip, or the strip is off. */
bool ui_heat_command(struct ui_heat *h, enum ui_command cmd);
bool ui_heat_mouse(struct ui_heat *h, struct ui_mouse m);
/* The chosen cells' time; false: none are. */
bool ui_heat_time(const struct ui_heat *h, int64_t *ret_from, int64_t *ret_to);
uint64_t ui_heat_mark(const struct ui_heat *h); /* a hash of what keys can change */

#endif
