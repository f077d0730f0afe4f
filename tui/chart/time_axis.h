/* SPDX-License-Identifier: MIT */
/*
 * The axis of the whole recording, and the height of its graphs: both stay unchanged as long as
 * possible, so that only new data changes the screen. Pure; the screen's thread.
 */
#ifndef UI_TIME_AXIS_H
#define UI_TIME_AXIS_H

#include "common/query/table.h"
#include "tui/draw/shared.h"
#include "tui/chart/ticks.h"

/*
 * During a recording a column lasts 0.1 s times a power of two: time is added at the right, and
 * pairs of columns merge when the row is full. A finished recording fills the row.
 */
int64_t ui_time_end(const struct ui_shared *s, int columns);
struct ui_axis ui_time_axis(const struct ui_shared *s, struct ui_rect room);
/* Columns of time in rows as wide as the screen: right of a name, left of figures. */
enum { UI_TIME_NAME = 8 };
struct ui_rect ui_time_room(struct ui_rect r);
/* The column of a moment in this room; a moment outside has the nearest column. */
int ui_time_column(const struct ui_shared *s, struct ui_rect room, int64_t ns);

/* The least round figure (1, 2 or 5 in front) not below `most`; bytes in binary units. */
double ui_top_of(double most, enum pv_unit unit);

/* A graph's top: rises at once, and falls when a lower top has sufficed for 30 s. */
struct ui_top {
	double top;
	int64_t low_ns; /* a lower top suffices since, recording's time; -1 */
};
void ui_top_follow(struct ui_top *t, double most, enum pv_unit unit, int64_t now_ns);

#endif
