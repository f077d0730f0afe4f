/* SPDX-License-Identifier: MIT */
/* Which process of a recorded folder is shown. The screen's thread. */
#ifndef UI_PROCESS_CHOICE_H
#define UI_PROCESS_CHOICE_H

#include "tui/screen/screen.h"

/*
 * Sets the list to show, and the model's process in the list (0: none). Borrowed: must live until
 * another list is set and no question is open.
 */
void ui_process_list(struct ui_screen *s, const struct pv_processes *list, uint64_t shown);

/* Enter on a row (NULL: there is none): s->shared.process_wanted, or a message why not. */
void ui_process_ask(struct ui_screen *s, const struct pv_row *row);

/* The cursor of the pane Processes goes to a row. */
void ui_process_at(struct ui_screen *s, uint64_t id);

/*
 * Another process's log is read from now on, and the model before is forgotten: goes to Home, with a
 * way back.
 */
void ui_process_begin(struct ui_screen *s, uint64_t shown);

/* There are no processes to choose from, and what records them. */
void ui_process_say_none(struct ui_screen *s);

#endif
