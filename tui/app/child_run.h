/* `profview run`: a program from its start to its end. One thread. */
#ifndef UI_CHILD_RUN_H
#define UI_CHILD_RUN_H

#include "tui/app/options.h"

/* Returns what to exit with: the program's own code, unless that is not to be had. */
int ui_child_run(const struct ui_options *given);

#endif
