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

#endif
