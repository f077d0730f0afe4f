/* SPDX-License-Identifier: MIT */
/* The help for the user's place: keys, columns, and a command line for the same figures. */
#ifndef UI_OPEN_HELP_H
#define UI_OPEN_HELP_H

struct ui_screen;

/* Opens or closes the help. The screen's thread. */
void ui_open_help(struct ui_screen *s);
/* Opens the help at the commands that show the same frame and report its figures. */
void ui_open_commands(struct ui_screen *s);

#endif
