/* SPDX-License-Identifier: MIT */
/* The feed that a command's options ask for. The main thread. */
#ifndef UI_FEED_OF_H
#define UI_FEED_OF_H

#include "tui/feed/feed.h"
#include "tui/app/options.h"

/*
 * Opens o->path; the texts of the options must outlive the feed. The caller closes the feed.
 * `screen`: reading yields to drawing. NULL: *reterr.
 */
struct ui_feed *ui_feed_of(const struct ui_options *o, bool screen, struct pv_error *reterr);

/*
 * Reads the log at `path` to the end, for a command without a screen: in the options' range, and
 * restricted to `thread` unless NULL. The caller closes the feed; a failed reading shows in its
 * status. NULL: cannot be opened, *reterr.
 */
struct ui_feed *ui_feed_whole(
	const struct ui_options *o, const char *path, const char *thread, struct pv_error *reterr);

#endif
