/* The feed that a command's options ask for. The main thread. */
#ifndef UI_FEED_OF_H
#define UI_FEED_OF_H

#include "tui/app/feed.h"
#include "tui/app/options.h"

/*
 * Opens o->path, which must outlive the feed, as must the other texts of the options. The caller closes it. `screen`: reading
 * gives way to drawing. NULL: *reterr.
 */
struct ui_feed *ui_feed_of(const struct ui_options *o, bool screen, struct pv_error *reterr);

/*
 * The log at `path`, read to its end for a command without a screen: in the options' range, and of
 * `thread` where that is not NULL. The caller closes it, also where it could not be read: its status
 * says that. NULL: it could not be opened, *reterr.
 */
struct ui_feed *ui_feed_whole(
	const struct ui_options *o, const char *path, const char *thread, struct pv_error *reterr);

#endif
