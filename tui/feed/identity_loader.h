/* SPDX-License-Identifier: MIT */
/*
 * Follows objects from shot to shot for the panes that compare shots, in the background. One thread
 * (the screen's).
 */
#ifndef UI_IDENTITY_LOADER_H
#define UI_IDENTITY_LOADER_H

#include "tui/feed/feed_again.h"
#include "tui/screen/screen.h"

struct ui_identity_loader {
	struct ui_feed *feed;
	struct ui_again *reading; /* under way */
	struct ui_again *shown;   /* the reading whose identities the screen shows */
	struct ui_dying dying;
};

/* Call before every frame. True: call again soon, even without any event. */
bool ui_identity_loader_turn(
	struct ui_identity_loader *f, struct ui_screen *s, struct ui_query_worker *worker);
/* Waits until they are followed: for frames without a user. */
void ui_identity_loader_wait(struct ui_identity_loader *f, struct ui_screen *s);
/* Before the feed's model is destroyed; the worker is idle. `s` may be NULL: the screen is gone. */
void ui_identity_loader_drop(struct ui_identity_loader *f, struct ui_screen *s);

#endif
