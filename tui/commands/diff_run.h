/* SPDX-License-Identifier: MIT */
/* `profview diff`: reads logs one after the other, and judges their figures. The main thread. */
#ifndef UI_DIFF_RUN_H
#define UI_DIFF_RUN_H

#include "tui/feed/feed.h"
#include "tui/draw/against_base.h"

struct ui_options;

/* The base log of a viewer, read to the end. */
struct ui_base_log {
	struct ui_feed *feed;
	struct ui_against against;
};
/*
 * 0: the base is open. Else an exit code, with a message printed: the base cannot be read, or has
 * nothing to divide by.
 */
int ui_base_open(const struct ui_options *o, struct ui_base_log *ret);
void ui_base_close(struct ui_base_log *b); /* after the screen */

/* The exit code. */
int ui_diff_run(const struct ui_options *o);

#endif
