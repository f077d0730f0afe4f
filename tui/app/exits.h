/* Exit codes, and the lines on standard error that go with them. The main thread. */
#ifndef UI_EXITS_H
#define UI_EXITS_H

#include "common/base/status.h"

struct ui_feed;
struct ui_options;

enum { EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_DAMAGED = 4, EXIT_OWN = 125 };

/* Says "profview: FILE: what happened" and returns the code; `path` may be NULL. */
int ui_exit_complain(const char *path, const struct pv_error *e);

/*
 * `code`, unless standard output could not be written; a reader that closed it early is no error.
 */
int ui_exit_output(int code);

/* Says errors of reading, once; `code`, else that of a record that could not be kept. */
int ui_exit_status(const struct ui_options *o, struct ui_feed *f, int code);

/* Says that logs could not be written whole, for `why` (errno); `code`, or EXIT_OWN where that is 0. */
int ui_exit_cut(const char *path, int why, int code);

/* Says that a log is waited for: a hang would look the same. */
void ui_exit_waits(const char *path);

/*
 * From now on SIGINT and SIGTERM, once each, only set the number that this gives, 0 before. It
 * lives as long as the program.
 */
volatile int *ui_exit_caught(void);

/* The log that is read, of a folder the one chosen last; owned by the options or the folder. */
const char *ui_input_name(const struct ui_options *o);

/* The name of -o in a complaint: an option's text or a literal, never NULL. */
const char *ui_output_name(const struct ui_options *o);

#endif
