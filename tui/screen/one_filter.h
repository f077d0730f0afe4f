/* SPDX-License-Identifier: MIT */
/*
 * One filter for all views, in effect in every view with matching columns; other views say why not.
 * Lists of details have their own filters. The screen's thread.
 */
#ifndef UI_ONE_FILTER_H
#define UI_ONE_FILTER_H

#include "common/base/filter/filter.h"
#include "tui/screen/screen.h"

/*
 * Sets the filter of all views or, if a list of details has the keys, the list's own. The text must
 * be a valid filter.
 */
void ui_filter_set(struct ui_screen *s, const char *text);
void ui_filter_set_all(struct ui_screen *s, const char *text); /* always for all views */
/* The filter that ui_filter_set() would replace, the screen's; never NULL. */
const char *ui_filter_now(const struct ui_screen *s);
/* Gets or replaces the terms about rows; terms about requests stay, where there is room. */
void ui_filter_rows(const struct ui_shared *s, char ret[UI_TEXT_MAX]);
void ui_filter_set_rows(struct ui_screen *s, const char *rows);
/*
 * After a filter was set for good, restricts all views to the thread (by name or id) and to the
 * requests in the filter, if any; restrictions by the filter before end.
 */
void ui_filter_follow(struct ui_screen *s);
/*
 * The filter of all views becomes the class of a row; the caller has remembered the place. Does
 * nothing where rows have many classes each, or the class has no name to ask for.
 */
void ui_filter_enter_class(struct ui_screen *s, enum pv_by by, const char *name);
/* Removes a class filter set by Enter, when Enter leads to another kind of row. */
void ui_filter_leave_class(struct ui_screen *s);
/* Shows all rows again. False: there was no filter. */
bool ui_filter_clear(struct ui_screen *s);

/* Reads a filter as typed, with names replaced. False: not a filter, see *wrong. */
bool ui_filter_read(const struct ui_screen *s, const char *text, char ret[UI_TEXT_MAX],
	struct pv_filter_error *wrong);

/* Gives a pane's main list the usable part of the filter; before the list asks. */
void ui_filter_place(const struct ui_screen *s, struct ui_pane *p);

/* Only requests slower than "200ms", or "all". Any other text: a message says the error. */
void ui_requests_slow(struct ui_screen *s, const char *text);

/* Only the request begun at `start_ns` since zero; `ret`: the terms now in effect. */
void ui_requests_began(struct ui_screen *s, int64_t start_ns, char ret[UI_REQUESTS_MAX]);

/* Also the prompt for a thread (thread_choice.h). UI_IGNORED: none of these commands. */
unsigned ui_requests_command(struct ui_screen *s, enum ui_command cmd);

#endif
