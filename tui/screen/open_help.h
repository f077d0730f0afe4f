/* The help for where the user is: keys, columns, and what asks for the same on a command line. */
#ifndef UI_OPEN_HELP_H
#define UI_OPEN_HELP_H

struct ui_screen;

/* Opens it, or closes it. The screen's thread. */
void ui_open_help(struct ui_screen *s);
/* Opens it at the commands that show the same frame, and report its figures. */
void ui_open_commands(struct ui_screen *s);

#endif
