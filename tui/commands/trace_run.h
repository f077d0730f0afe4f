/* SPDX-License-Identifier: MIT */
/* `profview convert --to chrome`: a timeline, from a second reading of the log. The main thread. */
#ifndef UI_TRACE_RUN_H
#define UI_TRACE_RUN_H

#include <stdbool.h>

struct ui_options;

/* Whether the options ask for a timeline. Pure. */
bool ui_trace_wanted(const struct ui_options *o);
int ui_trace_run(const struct ui_options *o); /* the exit code */

#endif
