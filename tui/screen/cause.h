/* SPDX-License-Identifier: MIT */
/*
 * The view Cause: one collection, and the allocations before the collection. The collection is the
 * number that the list asks for (`select`); details exist while the range is the time before the
 * collection. The screen's thread.
 */
#ifndef UI_CAUSE_H
#define UI_CAUSE_H

#include "tui/panes/pane.h"

struct ui_screen;

/* Whether the pane is the view Cause. */
bool ui_cause_has(const struct ui_pane *p);
/* Sets which lists the pane has now; before the pane is placed. */
void ui_cause_place(const struct ui_screen *s, struct ui_pane *p);
/*
 * Enter on a collection, or on its facts: the range becomes the time before the collection, if
 * allocations were recorded. Backspace returns.
 */
void ui_cause_enter(struct ui_screen *s, const struct ui_pane *p);

#endif
