/* SPDX-License-Identifier: MIT */
/* The time strip: cursor and range by keys, typing and mouse. The screen's thread. */
#ifndef UI_STRIP_H
#define UI_STRIP_H

#include "tui/screen/screen.h"

/* Cells: in narrower lines the clock says less. */
enum { UI_CLOCK_NARROW = 60 };

/* The part of the clock's lines for time. */
struct ui_rect ui_frame_strip(struct ui_rect r);
/* The line with range and cursor over the whole recording. */
/* On Home: ticks, or range and cursor, in the row `axis`; the cursor through the lanes. */
void ui_frame_axis(
	struct ui_canvas *c, struct ui_rect axis, struct ui_rect lanes, const struct ui_shared *s);
void ui_frame_range(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s);

/*
 * The range and the state of its figures, for a line: `buf`, the caller's, or a literal; never
 * NULL.
 */
const char *ui_strip_text(const struct ui_shared *s, char *buf, size_t size);

/* UI_IGNORED: not a command of the strip. */
unsigned ui_strip_command(struct ui_screen *s, enum ui_command cmd);
/* Takes the text typed as a range; "" or "all": no range any more. */
unsigned ui_strip_typed(struct ui_screen *s, const char *text);
/* A press on the strip's lines, and the release of the button. */
unsigned ui_strip_mouse(struct ui_screen *s, struct ui_mouse m);
bool ui_strip_has(const struct ui_screen *s, struct ui_mouse m);

/* The question was changed from outside: the figures follow. */
/*
 * In a finished recording the window becomes the range of the last seconds; in a growing recording
 * the window rolls. Call when window or state has changed.
 */
void ui_strip_window(struct ui_screen *s);
void ui_strip_set(struct ui_screen *s, const struct ui_range *r);

#endif
