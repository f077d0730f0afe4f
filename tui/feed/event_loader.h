/* SPDX-License-Identifier: MIT */
/* Reads the events that the stream pane wants, in the background. One thread (the screen's). */
#ifndef UI_EVENT_LOADER_H
#define UI_EVENT_LOADER_H

#include "tui/feed/feed_again.h"
#include "tui/screen/screen.h"

struct ui_event_loader {
	struct ui_feed *feed;
	struct ui_again *reading, *shown; /* under way; with its page on screen */
	struct ui_dying dying;
	int64_t begun_ns;
};

/* Call before every frame. True: call again soon, even without any event. */
bool ui_event_loader_turn(
	struct ui_event_loader *e, struct ui_screen *s, struct ui_query_worker *worker);
/* Waits until the page is read: for frames without a terminal. */
void ui_event_loader_wait(struct ui_event_loader *e, struct ui_screen *s);
/* The model is about to die; no query runs. `s` may be NULL: the screen is gone. */
void ui_event_loader_drop(struct ui_event_loader *e, struct ui_screen *s);

#endif
