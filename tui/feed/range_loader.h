/* SPDX-License-Identifier: MIT */
/*
 * Reads the screen's range again in the background, and hands over the model. One thread (the
 * screen's).
 */
#ifndef UI_RANGE_LOADER_H
#define UI_RANGE_LOADER_H

#include "tui/feed/feed_again.h"
#include "tui/screen/screen.h"

struct ui_range_loader {
	struct ui_feed *feed;
	bool wanted;              /* a reading is to begin */
	struct ui_again *reading; /* under way */
	struct ui_again *shown;   /* the reading whose model the screen has */
	struct ui_dying dying;
	int64_t from_ns, to_ns;    /* of `reading` */
	int64_t ended_ns, cost_ns; /* end and duration of the last reading */
	int64_t begun_ns;
};

/* Call before and after every frame. True: call again soon, even without any event. */
bool ui_range_loader_turn(
	struct ui_range_loader *r, struct ui_screen *s, struct ui_query_worker *worker);
/* Waits until the range is read: for frames without a user. */
void ui_range_loader_wait(struct ui_range_loader *r, struct ui_screen *s);
/* Nothing of the feed's models may be asked any more; the worker is idle. */
void ui_range_loader_drop(struct ui_range_loader *r, struct ui_screen *s);

#endif
