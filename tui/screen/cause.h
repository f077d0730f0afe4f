/*
 * The view Cause: one collection, and what was allocated before it. Which one it is, is the number
 * that its list asks for; its details are of the time before it, and there while that is the range.
 * The screen's thread.
 */
#ifndef UI_CAUSE_H
#define UI_CAUSE_H

#include "tui/panes/pane.h"

struct ui_screen;

/* Whether the pane is that view. */
bool ui_cause_has(const struct ui_pane *p);
/* Which lists it has now; before it is placed. */
void ui_cause_place(const struct ui_screen *s, struct ui_pane *p);
/*
 * Enter on a collection, and on the facts of one: the time before it is the range, if allocations
 * were recorded. Backspace returns.
 */
void ui_cause_enter(struct ui_screen *s, const struct ui_pane *p);

#endif
