/* SPDX-License-Identifier: MIT */
/* The end of the feed's log; the rules of feed.h on threads hold. */
#ifndef UI_FEED_END_H
#define UI_FEED_END_H

#include <stdbool.h>

#include "common/query/log_end.h"

struct ui_feed;

/* How the log ends, once nothing more comes, and the meaning for the program. */
struct ui_feed_end {
	bool cut_off;
	bool code_untrue; /* Mono, sampled: a crash, or FailFast, may have become exit code 0 */
	char line[PV_LOG_END_LINE]; /* "ended: the probe's farewell" */
};
/* `pid`, a child of profview, ended with `status` of waitpid(2); 0: not known. */
void ui_feed_end(struct ui_feed *f, long pid, int status, struct ui_feed_end *ret);

/* Waits until the record has all that came, or says why not. */
void ui_feed_record_wait(struct ui_feed *f);

#endif
