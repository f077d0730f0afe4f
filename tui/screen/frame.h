/* SPDX-License-Identifier: MIT */
/*
 * The lines around every pane: status, clock, tabs, selection, coverage, keys. The screen's thread.
 */
#ifndef UI_FRAME_H
#define UI_FRAME_H

#include "tui/draw/canvas.h"
#include "tui/chart/graphs.h"
#include "tui/panes/pane.h"
#include "tui/draw/shared.h"

/* The line of source, state and rates. */
void ui_frame_status(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s);

/* How far loading is; false when nothing is loaded, or how much there is is not known. */
bool ui_frame_progress(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s);

/* A clock's series: heap size, and collections below. */
enum ui_clock { UI_CLOCK_HEAP, UI_CLOCK_MINOR, UI_CLOCK_MAJOR, UI_CLOCK_SERIES };
void ui_clock_refresh(struct ui_graphs *k, const struct ui_shared *s, int w);
void ui_frame_heap(struct ui_canvas *c, struct ui_rect r, const struct ui_graphs *k,
	const struct ui_shared *s);
void ui_frame_gc(struct ui_canvas *c, struct ui_rect r, const struct ui_graphs *k,
	const struct ui_shared *s);

/* The line of selection and filter. */
void ui_frame_crumb(
	struct ui_canvas *c, struct ui_rect r, const struct ui_pane *p, const struct ui_shared *s);

/* The function bar, for bits of enum ui_scope. */
void ui_frame_keys(
	struct ui_canvas *c, struct ui_rect r, unsigned scopes, const struct ui_shared *s);
/* The command of the function bar at column x, or UI_CMD_NONE. */
enum ui_command ui_frame_key_at(
	struct ui_rect r, unsigned scopes, const struct ui_shared *s, int x);

#endif
