/* SPDX-License-Identifier: MIT */
/* Exit codes, and the lines on standard error that go with them. The main thread. */
#ifndef UI_EXITS_H
#define UI_EXITS_H

#include "common/base/status.h"

struct ui_feed;
struct ui_options;

enum { EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_DAMAGED = 4, EXIT_OWN = 125 };

/* Says "profview: FILE: what happened" and returns the code; `path` may be NULL. */
int ui_exit_complain(const char *path, const struct pv_error *e);

/* Notes whether standard output is closed; before anything is opened, on the main thread. */
void ui_exit_note_output(void);

/*
 * `code`, or EXIT_OWN if standard output could not be written. A reader that closed early is no
 * error.
 */
int ui_exit_output(int code);

/* Reports errors of reading, once. Returns `code`; if 0, EXIT_OWN for a record not kept whole. */
int ui_exit_status(const struct ui_options *o, struct ui_feed *f, int code);

/*
 * Reports that logs could not be written whole, for `why` (errno). Returns `code`, EXIT_OWN if 0.
 */
int ui_exit_cut(const char *path, int why, int code);

/* Says that profview waits for a log, as silence would look like a hang. */
void ui_exit_waits(const char *path);

/*
 * From now on the first SIGINT or SIGTERM only sets the returned number (0 before). The number
 * lives as long as the program.
 */
volatile int *ui_exit_caught(void);

/*
 * Says that the output was not written, for a command stopped by a caught signal; returns its exit
 * code.
 */
int ui_exit_stopped(const char *output);

/* The log being read; in a folder the log chosen last. Owned by the options or the folder. */
const char *ui_input_name(const struct ui_options *o);

/* The name of -o in a complaint: an option's text or a literal, never NULL. */
const char *ui_output_name(const struct ui_options *o);

#endif
