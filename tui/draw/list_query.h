/* A list's question to the model. All calls on the screen's thread; only the last can fail. */
#ifndef UI_LIST_QUERY_H
#define UI_LIST_QUERY_H

#include "tui/draw/list.h"

/* Of objects followed between shots, which have a model of their own that does not change. */
bool ui_list_of_identity(const struct ui_list *l);

/* The same, or a list of the recording that the objects followed answer better. */
bool ui_list_follows(const struct ui_list *l, const struct ui_shared *s);

/* Of one collection, whose facts are those of the whole recording, whatever the range. */
bool ui_list_of_whole(const struct ui_list *l);
/* The model that it asks, borrowed; lives as long as what is shared. NULL: there is none. */
struct pv_model *ui_list_model(const struct ui_list *l, const struct ui_shared *s);

/* Borrows from the list and what is shared. */
struct pv_query ui_list_query(const struct ui_list *l, const struct ui_shared *s);

/*
 * The list's rows without a limit, if rows are tagged only these; the caller destroys them. Asks the
 * model and waits for it. NULL: out of memory, or there is no model.
 */
struct pv_table *ui_list_whole(const struct ui_list *l, const struct ui_shared *s);

/* The figures it counts: where calls and samples are two views. */
enum pv_counted ui_list_counted(const struct ui_list *l, const struct ui_shared *s);
/* A number for each choice of these, of the least share and of callers. */
uint64_t ui_list_part(const struct ui_list *l, const struct ui_shared *s);

/* The trends that there are go with the question; of what time, and of which model. */
void ui_list_hand_trends(struct ui_list *l, const struct ui_shared *s, struct ui_question *q);

#endif
