/* SPDX-License-Identifier: MIT */
/*
 * Round times along an axis. Times: ns since the recording's zero. Pure, but for the canvas: the
 * screen's thread.
 */
#ifndef UI_TICKS_H
#define UI_TICKS_H

#include <stdint.h>

#include "tui/draw/canvas.h"

/* A span of time along the columns of `room`, half-open. */
struct ui_axis {
	struct ui_rect room;
	int64_t from_ns, to_ns;
};
/* The column of a time, from 0; outside: -1, or the number of columns. */
int ui_axis_column(const struct ui_axis *a, int64_t ns);
/* The first time in a column. */
int64_t ui_axis_time(const struct ui_axis *a, int column);
/* ns in one column. */
double ui_axis_width(const struct ui_axis *a);

/*
 * Draws the axis from `from_ns` at the left edge of `room` to `to_ns`, half-open, at the right
 * edge.
 */
void ui_ticks(struct ui_canvas *c, struct ui_rect room, int64_t from_ns, int64_t to_ns);

/* The same, without the label over this column; -1: all labels. */
void ui_axis_ticks(struct ui_canvas *c, const struct ui_axis *a, int column);

/*
 * Such a time in few letters: "3.2 s"; "1:12", "1:12.004" where times go beyond a minute, as `last`
 * does. Returns `buf`, the caller's, never NULL.
 */
const char *ui_tick_text(int64_t ns, int64_t last, char *buf, size_t size);

#endif
