/*
 * The chart above a pane's lists: its series over the range of time, without one over the whole
 * recording. Above it stand the values at the cursor of time, below it round times. The screen's
 * thread; times are ns since the recording's zero.
 */
#ifndef UI_PANE_CHART_H
#define UI_PANE_CHART_H

#include "tui/draw/ticks.h"
#include "tui/panes/pane.h"

/* Asks for the series where others are to be shown, or there is more of them. */
void ui_chart_refresh(struct ui_pane *p, const struct ui_shared *s);
/* Into the pane's place for it; nothing where it has none, or no row. */
void ui_chart_draw(const struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c);

/* The time that its columns on screen show; no columns: there is no chart on screen. */
struct ui_axis ui_chart_axis(const struct ui_pane *p, const struct ui_shared *s);

#endif
