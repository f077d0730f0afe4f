/* SPDX-License-Identifier: MIT */
/*
 * The pane of the timeline of threads: the time in view, a cursor of a thread and a cell, and the
 * time between two cells. Asks on the worker's thread, draws finished answers on the screen's.
 * Times: ns since the recording's zero, half-open.
 */
#ifndef UI_TIMELINE_H
#define UI_TIMELINE_H

#include "common/query/coverage/thread_lanes.h"
#include "tui/draw/canvas.h"
#include "tui/draw/key.h"
#include "tui/list/list.h"
#include "tui/draw/shared.h"
#include "tui/panes/lanes_ask.h"

struct ui_timeline {
	bool zoomed; /* else all there is, or the range, is seen */
	int64_t from_ns, to_ns;
	bool placed;     /* the cursor has been put somewhere, */
	bool moved;      /* by a key; else a finer answer may move the cursor */
	uint64_t thread; /* id of the cursor's row */
	size_t row, top;
	int64_t at_ns; /* within the cursor's cell */
	bool marked;   /* an end of a time is set at */
	int64_t mark_ns;
	int64_t seek_from, seek_to; /* the next answer's cursor goes to a sample of this time */
	char find[UI_TEXT_MAX];

	struct pv_lanes_answer *answer; /* owned; NULL: none yet */
	struct ui_lanes_ask ask;
	int64_t all_ns; /* length of what is seen without a zoom */

	struct ui_rect lanes; /* as last drawn: a row a thread, a column a cell */
	int room;             /* columns for cells, as last placed */
};

void ui_timeline_forget(struct ui_timeline *t); /* before the model is destroyed */

/* Asks what has changed, for this rectangle. `l` has the search, and gets the outcome. */
void ui_timeline_refresh(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_list *l, struct ui_rect r);
void ui_timeline_draw(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r);
/* Columns of names. */
int ui_timeline_names(struct ui_rect r);

/* The row under the cursor, owned by the answer; NULL: none. The cursor's cell. */
const struct pv_lanes_row *ui_timeline_row(const struct ui_timeline *t);
size_t ui_timeline_cell(const struct ui_timeline *t);
/* The time of the cell, or between mark and cell; shown by cells `ret_first` to `ret_last`. */
void ui_timeline_time(const struct ui_timeline *t, int64_t *ret_from, int64_t *ret_to);
void ui_timeline_chosen(const struct ui_timeline *t, size_t *ret_first, size_t *ret_last);
/* Whether what is chosen has samples, none of which ran. */
bool ui_timeline_only_waits(const struct ui_timeline *t);
/*
 * Puts the cursor on the row of its thread; at first on the longest work of the thread that ran most.
 */
void ui_timeline_find_cursor(struct ui_timeline *t, struct ui_list *l);

#endif
