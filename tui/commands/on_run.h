/* SPDX-License-Identifier: MIT */
/*
 * profview --on WHERE: a command runs on another machine and is seen here. The main thread, before
 * others.
 */
#ifndef UI_ON_RUN_H
#define UI_ON_RUN_H

#include <stdbool.h>

#include "tui/app/options.h"

/* A log that comes from the other machine. */
struct ui_far;

/*
 * Runs the command line on the other machine. Output of a command without a screen is printed here;
 * a log that is browsed, followed or recorded comes here, and `view` shows the log. Returns the
 * exit code.
 */
int ui_on_run(int argc, char *const argv[], const struct ui_options *o,
	int (*view)(const struct ui_options *o));

/* Asks the program there for a heap shot; ten seconds at most. `far` is a struct ui_far. False: PV_EIO. */
bool ui_far_shot(void *far, struct pv_error *reterr);

/* The relay's own life, where this program is called `profview relay`. */
int ui_on_serve(int argc, char *const argv[]);

#endif
