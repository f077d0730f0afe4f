/* Which process of a recorded folder is looked at. The screen's thread. */
#ifndef UI_PROCESS_CHOICE_H
#define UI_PROCESS_CHOICE_H

#include "tui/screen/screen.h"

/*
 * The list to show, and the process in it that the model is of (0: none). Borrowed: it must live
 * until another one is set and no question is open.
 */
void ui_process_list(struct ui_screen *s, const struct pv_processes *list, uint64_t shown);

/* Enter on a row (NULL: there is none): s->shared.process_wanted, or a message why not. */
void ui_process_ask(struct ui_screen *s, const struct pv_row *row);

/* The cursor of the pane Processes goes to a row. */
void ui_process_at(struct ui_screen *s, uint64_t id);

size_t ui_process_pane(void); /* the place of that pane among all */

/* process_begin.c. Another one's log is read now, and the model before is forgotten: Home, with the way back. */
void ui_process_begin(struct ui_screen *s, uint64_t shown);

/* There are no processes to choose from, and what records them. */
void ui_process_say_none(struct ui_screen *s);

#endif
