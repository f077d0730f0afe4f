/*
 * The program around the screen: the event loop with a terminal, or one frame as text without.
 * Feeds are borrowed. The only user of libevent.
 */
#ifndef UI_APP_H
#define UI_APP_H

#include "common/base/status.h"
#include "tui/app/feed.h"
#include "tui/app/child.h"
#include "tui/app/options.h"

/*
 * *f is the feed, and another one at the end where the user chose another process of a folder: then
 * that before is closed.
 *
 * Watches until the user leaves or a signal ends it; *ret_exit is the exit code: with a child (may
 * be NULL), the program that was started from here, its own.
 */
bool ui_app_run(struct ui_feed **f, const struct ui_options *o, struct ui_child *child,
	int *ret_exit, struct pv_error *reterr);

struct ui_app_frame {
	char *text; /* free() it */
	int exit_code;
	bool no_log; /* the input is none: the frame has nothing to say */
};

/*
 * Reads to the end, presses o->keys, and gives the frame as text. Without o->dump it has only what
 * is to be read, no tabs and keys. A signal stops the reading; the exit code then says so. False:
 * *reterr.
 */
bool ui_app_dump(struct ui_feed **f, const struct ui_options *o, struct ui_app_frame *ret,
	struct pv_error *reterr);

#endif
