/* SPDX-License-Identifier: MIT */
/* Round times and their labels along an axis. */
#include "tui/chart/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "tui/draw/clock_text.h"

enum { TICK_ROOM = 12 };

double ui_axis_width(const struct ui_axis *a)
{
	return a->room.w > 0 ? ((double)a->to_ns - (double)a->from_ns) / a->room.w : 0;
}

int64_t ui_axis_time(const struct ui_axis *a, int column)
{
	/* Rounded up, so that the time lies in this column, not in the column before. */
	return a->from_ns + (int64_t)ceil(ui_axis_width(a) * column);
}

int ui_axis_column(const struct ui_axis *a, int64_t ns)
{
	const double width = ui_axis_width(a);
	if (ns < a->from_ns || !(width > 0))
		return -1;
	if (ns >= a->to_ns)
		return a->room.w;
	int column = (int)(((double)ns - (double)a->from_ns) / width);
	column += column + 1 < a->room.w && ui_axis_time(a, column + 1) <= ns;
	column -= column > 0 && ui_axis_time(a, column) > ns;
	return ui_min(column, a->room.w - 1);
}

/* The least round step with room for labels, ns; the greatest step if none has room. */
static double step_of(double duration_ns, int cells)
{
	static const double round[] = { 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8,
		1e9, 2e9, 5e9, 1e10, 15e9, 3e10, 6e10, 12e10, 3e11, 6e11, 12e11, 18e11, 36e11,
		72e11, 144e11, 432e11 };
	size_t i = 0;
	while (i + 1 < PV_COUNT_OF(round) && round[i] * cells < duration_ns * TICK_ROOM)
		i++;
	return round[i];
}

const char *ui_tick_text(int64_t ns, int64_t last, char *buf, size_t size)
{
	const double s = (double)ns / 1e9;
	if (ui_clock_on())
		return ui_clock_short(buf, size, ns);
	const int64_t ms = ns / 1000000;
	if (last < INT64_C(60000000000))
		snprintf(buf, size, "%.9g s", s);
	else if (ms % 1000)
		snprintf(buf, size, "%lld:%02lld.%03lld", (long long)(ms / 60000),
			(long long)(ms / 1000 % 60), (long long)(ms % 1000));
	else
		snprintf(buf, size, "%lld:%02lld", (long long)(ms / 60000),
			(long long)(ms / 1000 % 60));
	return buf;
}

void ui_axis_ticks(struct ui_canvas *c, const struct ui_axis *a, int column)
{
	const struct ui_rect room = a->room;
	const double from = (double)a->from_ns, length = (double)a->to_ns - from;
	const double step = step_of(length, room.w);
	if (room.w <= 0 || step * room.w < length)
		return;
	const double first = ceil(from / step);
	for (int i = 0; (first + i) * step < from + length; i++) {
		const double at = (first + i) * step;
		int cell = (int)((at - from) / length * room.w);
		char text[40];
		ui_tick_text((int64_t)at, a->to_ns, text, sizeof text);
		const int end = cell + (int)strlen(text);
		if (end <= room.w && (column < cell || column >= end))
			ui_put(c, ui_cols(room, cell, room.w), UI_DIM, text);
	}
}

void ui_ticks(struct ui_canvas *c, struct ui_rect room, int64_t from_ns, int64_t to_ns)
{
	const struct ui_axis a = { room, from_ns, to_ns };
	ui_axis_ticks(c, &a, -1);
}
