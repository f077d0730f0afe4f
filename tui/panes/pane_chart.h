/* SPDX-License-Identifier: MIT */
/*
 * The chart above a pane's lists: series over the range of time, without a range over the whole
 * recording. The values at the cursor of time stand above, round times below. The screen's thread;
 * times are ns since the recording's zero.
 */
#ifndef UI_PANE_CHART_H
#define UI_PANE_CHART_H

#include "tui/chart/ticks.h"
#include "tui/panes/pane.h"

/* Asks for the series where others are to be shown, or there is more of them. */
void ui_chart_refresh(struct ui_pane *p, const struct ui_shared *s);
/* Draws in the pane's place for the chart; nothing without a chart or a row. */
void ui_chart_draw(const struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c);

/* The next of the other kinds, or the own one again; NULL without other kinds, else its name. */
const char *ui_chart_turn(struct ui_pane *p);

/* The axis of the chart's columns on screen; no columns: no chart on screen. */
struct ui_axis ui_chart_axis(const struct ui_pane *p, const struct ui_shared *s);

#endif
