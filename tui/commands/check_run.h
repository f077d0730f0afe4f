/* SPDX-License-Identifier: MIT */
/* `profview check`, and `profview run --check`. The main thread; says errors on standard error. */
#ifndef UI_CHECK_RUN_H
#define UI_CHECK_RUN_H

#include <stdbool.h>

struct ui_feed;
struct ui_options;

/* The exit code. */
int ui_check_run(const struct ui_options *o);

/*
 * Whether the rules of --check can be read; before a program is started. Says why not. *ret_shots:
 * they ask for a heap shot.
 */
bool ui_check_ready(const struct ui_options *o, bool *ret_shots, int *ret_code);
/* Judges the log of a program that was started here, with lines on standard error. */
int ui_check_feed(const struct ui_options *o, struct ui_feed *f);

#endif
