/* SPDX-License-Identifier: MIT */
/*
 * The program around the screen: the event loop with a terminal, or one frame as text without.
 * Feeds are borrowed. The only user of libevent.
 */
#ifndef UI_APP_H
#define UI_APP_H

#include "common/base/status.h"
#include "tui/feed/feed.h"
#include "tui/app/child.h"
#include "tui/app/options.h"

/*
 * Watches until the user leaves or a signal ends the program. *f is the feed; where the user chose
 * another process of a folder, the feed before is closed and *f is the new one.
 *
 * *ret_exit is the exit code: with a child (the program started from here, may be NULL) the
 * child's.
 */
bool ui_app_run(struct ui_feed **f, const struct ui_options *o, struct ui_child *child,
	int *ret_exit, struct pv_error *reterr);

struct ui_app_frame {
	char *text; /* the caller frees */
	int exit_code;
	bool no_log; /* the input is none: the frame has nothing to say */
};

/*
 * Reads to the end, presses o->keys, and gives the frame as text. Without o->dump the frame has no
 * tabs and no keys, only content. A signal stops the reading, and the exit code then says so.
 * False: *reterr.
 */
bool ui_app_dump(struct ui_feed **f, const struct ui_options *o, struct ui_app_frame *ret,
	struct pv_error *reterr);

#endif
