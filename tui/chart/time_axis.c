/* SPDX-License-Identifier: MIT */
/* The axis of the whole recording, and heights of graphs that change seldom. */
#include "tui/chart/time_axis.h"

#include <math.h>

#define COLUMN_NS  INT64_C(100000000)
#define PATIENT_NS INT64_C(30000000000)

int64_t ui_time_end(const struct ui_shared *s, int columns)
{
	int64_t end = COLUMN_NS * ui_max(columns, 1);
	if (ui_has_ended(s))
		return s->duration_ns;
	while (end <= s->duration_ns && end < INT64_MAX / 4)
		end *= 2;
	return end;
}

struct ui_rect ui_time_room(struct ui_rect r)
{
	enum { NARROW = 60, WIDE = 100 };
	const int figures = r.w >= WIDE ? 28 : r.w >= NARROW ? 24 : 12;
	return ui_cols(r, UI_TIME_NAME, r.w - UI_TIME_NAME - figures);
}

struct ui_axis ui_time_axis(const struct ui_shared *s, struct ui_rect room)
{
	return (struct ui_axis){ room, 0, ui_time_end(s, room.w) };
}

int ui_time_column(const struct ui_shared *s, struct ui_rect room, int64_t ns)
{
	const struct ui_axis a = ui_time_axis(s, room);
	return ui_max(0, ui_min(ui_axis_column(&a, ns), room.w - 1));
}

double ui_top_of(double most, enum pv_unit unit)
{
	static const double front[] = { 1, 2, 5 };
	double scale = 1;
	if (!(most > 0) || !isfinite(most))
		return 0;
	if (unit == PV_UNIT_BYTES)
		while (most > 1000 * scale) /* 1000 KiB are written much as 1 MiB */
			scale *= 1024;
	scale *= pow(10, floor(log10(most / scale)));
	for (int i = 0; i < 3; i++)
		if (most <= front[i] * scale * (1 + 1e-9))
			return front[i] * scale;
	return 10 * scale;
}

void ui_top_follow(struct ui_top *t, double most, enum pv_unit unit, int64_t now_ns)
{
	const double top = ui_top_of(most, unit);
	if (top >= t->top) {
		*t = (struct ui_top){ top, -1 };
		return;
	}
	if (t->low_ns < 0 || now_ns < t->low_ns)
		t->low_ns = now_ns;
	if (now_ns - t->low_ns >= PATIENT_NS)
		*t = (struct ui_top){ top, -1 };
}
