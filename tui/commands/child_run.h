/* SPDX-License-Identifier: MIT */
/* `profview run`: a program from start to end. One thread. */
#ifndef UI_CHILD_RUN_H
#define UI_CHILD_RUN_H

#include "tui/app/options.h"

/* Returns the exit code: the program's own, or one of profview's where none is known. */
int ui_child_run(const struct ui_options *given);

#endif
