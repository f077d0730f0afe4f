/* SPDX-License-Identifier: MIT */
/*
 * A list's question to the model. All calls on the screen's thread; only ui_list_whole() can fail.
 */
#ifndef UI_LIST_QUERY_H
#define UI_LIST_QUERY_H

#include "tui/list/list.h"

/* Whether the list is of objects followed between shots, with an unchanging model of their own. */
bool ui_list_of_identity(const struct ui_list *l);

/* Likewise, or of the recording but better answered by the followed objects. */
bool ui_list_follows(const struct ui_list *l, const struct ui_shared *s);

/* Whether the list is of one collection: facts of the whole recording, in any range. */
bool ui_list_of_whole(const struct ui_list *l);
/* Whether the list is a tree of calls, and can be turned to lead from methods to callers. */
bool ui_list_turns(const struct ui_list *l);
/* The model to ask, borrowed; lives as long as the shared state. NULL: none. */
struct pv_model *ui_list_model(const struct ui_list *l, const struct ui_shared *s);

/* Borrows from the list and what is shared. */
struct pv_query ui_list_query(const struct ui_list *l, const struct ui_shared *s);

/*
 * All rows of the list without a limit, or only tagged rows if there are any; the caller destroys
 * the table. Asks the model and waits. NULL: out of memory, or no model.
 */
struct pv_table *ui_list_whole(const struct ui_list *l, const struct ui_shared *s);

/* The figures counted: where calls and samples are two views. */
enum pv_counted ui_list_counted(const struct ui_list *l, const struct ui_shared *s);
/* Whether both queries count the same things in the same way and time. */
bool ui_same_figures(const struct pv_query *a, const struct pv_query *b);

/* Moves the list's trends into the question, with the model and the span of time for new trends. */
void ui_list_hand_trends(struct ui_list *l, const struct ui_shared *s, struct ui_question *q);

/* In a first answer: selects the first counter that changes, since most counters stay at zero. */
void ui_list_begin_at_course(struct ui_list *l);

#endif
