/*
 * `profview diff`: logs are read one after the other, their figures taken and judged. The main
 * thread.
 */
#ifndef UI_DIFF_RUN_H
#define UI_DIFF_RUN_H

struct ui_options;

/* The exit code. */
int ui_diff_run(const struct ui_options *o);

#endif
