/* SPDX-License-Identifier: MIT */
/* `profview convert` to the formats of other programs. The main thread. */
#ifndef UI_EXPORT_RUN_H
#define UI_EXPORT_RUN_H

#include <stdbool.h>

struct ui_options;

/* Whether the options ask for such a format. */
bool ui_export_wanted(const struct ui_options *o);
/* Reads, writes, complains; the exit code. */
int ui_export_run(const struct ui_options *o);

#endif
