/* SPDX-License-Identifier: MIT */
/* `profview dump`: prints every event of a log. */
#ifndef UI_DUMP_RUN_H
#define UI_DUMP_RUN_H

#include "tui/app/options.h"

/* The exit code, with complaints on standard error. Main thread. */
int ui_dump_run(const struct ui_options *o);

#endif
