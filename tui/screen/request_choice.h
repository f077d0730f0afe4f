/* SPDX-License-Identifier: MIT */
/*
 * Chooses requests for all views, by a row's route or query or by time, as terms in the filter of
 * all views. The screen's thread.
 */
#ifndef UI_REQUEST_CHOICE_H
#define UI_REQUEST_CHOICE_H

#include "tui/screen/screen.h"

/* Only requests of the row's route or with the row's query; if already so, all again. */
void ui_requests_of_row(struct ui_screen *s);
/* Only requests slower than "200ms", or "all". Any other text: a message says the error. */
void ui_requests_slow(struct ui_screen *s, const char *text);

/* Only the request begun at `start_ns` since zero; `ret`: the terms now in effect. */
void ui_requests_began(struct ui_screen *s, int64_t start_ns, char ret[UI_REQUESTS_MAX]);

/* Also the prompt for a thread (thread_choice.h). UI_IGNORED: none of these commands. */
unsigned ui_requests_command(struct ui_screen *s, enum ui_command cmd);

#endif
