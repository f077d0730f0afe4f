/*
 * `profview diff`: logs are read one after the other, their figures taken and judged. The main
 * thread.
 */
#ifndef UI_DIFF_RUN_H
#define UI_DIFF_RUN_H

#include "tui/app/feed.h"
#include "tui/draw/against_base.h"

struct ui_options;

/* The base of a viewer, read to its end. */
struct ui_base_log {
	struct ui_feed *feed;
	struct ui_against against;
};
/* The exit code where it cannot be read or has nothing to divide by, which was said; 0: it is open. */
int ui_base_open(const struct ui_options *o, struct ui_base_log *ret);
void ui_base_close(struct ui_base_log *b); /* after the screen */

/* The exit code. */
int ui_diff_run(const struct ui_options *o);

#endif
