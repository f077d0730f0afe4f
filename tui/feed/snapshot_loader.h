/* SPDX-License-Identifier: MIT */
/*
 * Reads the heap shot that the object browser wants, in the background, and keeps a few open. One
 * thread (the screen's).
 */
#ifndef UI_SNAPSHOT_LOADER_H
#define UI_SNAPSHOT_LOADER_H

#include "tui/feed/feed_again.h"
#include "tui/screen/screen.h"

enum { UI_HEAPS_OPEN = 3 };

struct ui_open_heap {
	struct ui_again *heap; /* NULL: none */
	uint32_t shot;
	bool weak;
	uint64_t used; /* when last wanted, by `clock` */
};

struct ui_snapshot_loader {
	struct ui_feed *feed;
	struct ui_open_heap open[UI_HEAPS_OPEN];
	struct ui_open_heap reading;
	uint64_t clock;
	struct ui_dying dying;
};

/* Call before every frame. True: call again soon, even without any event. */
bool ui_snapshot_loader_turn(
	struct ui_snapshot_loader *h, struct ui_screen *s, struct ui_query_worker *worker);
/* Waits until the shot is read: for frames without a user. */
void ui_snapshot_loader_wait(struct ui_snapshot_loader *h, struct ui_screen *s);
/* Before the model is destroyed; the worker is idle. `s` may be NULL: the screen is gone. */
void ui_snapshot_loader_drop(struct ui_snapshot_loader *h, struct ui_screen *s);

#endif
