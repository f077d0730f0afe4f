/*
 * One filter for all views: it holds in each whose rows have what it asks for, and the others say why
 * it does not. Lists of details have one of their own. The screen's thread.
 */
#ifndef UI_ONE_FILTER_H
#define UI_ONE_FILTER_H

#include "common/base/filter.h"
#include "tui/screen/screen.h"

/*
 * Sets that of all views; of a list of details, where it has the keys, its own. The text is a filter
 * already.
 */
void ui_filter_set(struct ui_screen *s, const char *text);
void ui_filter_set_all(struct ui_screen *s, const char *text); /* in any case that of all views */
/* screen_state.c. The one that is set here, the screen's; never NULL. */
const char *ui_filter_now(const struct ui_screen *s);
/*
 * After a filter was set for good: where it asks for a thread, and one has that name or id, its figures
 * are those of all views; the thread of a filter before is given up.
 */
void ui_filter_follow(struct ui_screen *s);
/*
 * That of all views becomes the class of a row; the place of before is remembered already. Nothing
 * where rows are of many classes each, or this one has no name that could be asked for.
 */
void ui_filter_enter_class(struct ui_screen *s, enum pv_by by, const char *name);
/* Takes off what Enter set: it led to a row of something else. */
void ui_filter_leave_class(struct ui_screen *s);
/* Shows all rows again. False: there was no filter. */
bool ui_filter_clear(struct ui_screen *s);

/* As typed: names are replaced. False: it is none, and *wrong says why. */
bool ui_filter_read(const struct ui_screen *s, const char *text, char ret[UI_TEXT_MAX],
	struct pv_filter_error *wrong);

/* Gives the main list of a pane what of the filter it can use; before it asks. */
void ui_filter_place(const struct ui_screen *s, struct ui_pane *p);

#endif
