/* SPDX-License-Identifier: MIT */
/*
 * Loaders read again in the background for the screen: the model of a range, the objects of a shot,
 * identities from shot to shot, a page of events. A loader takes the screen's wish, reads, and hands
 * the result over. One thread (the screen's).
 */
#ifndef UI_LOADER_H
#define UI_LOADER_H

#include "tui/feed/feed_again.h"
#include "tui/screen/screen.h"

enum { UI_LOAD_RANGE, UI_LOAD_SHOT, UI_LOAD_IDENTITY, UI_LOAD_EVENTS, UI_LOADERS };
enum { UI_HEAPS_OPEN = 3 };

struct ui_open_heap {
	struct ui_again *heap; /* NULL: none */
	uint32_t shot;
	bool weak;
	uint64_t used; /* when last wanted, by `clock` */
};

struct ui_loader {
	struct ui_feed *feed;
	struct ui_again *reading; /* under way */
	struct ui_again *shown;   /* the reading whose results the screen has */
	struct ui_dying dying;
	int64_t begun_ns;

	/* of a range */
	bool wanted;               /* a reading is to begin */
	int64_t ended_ns, cost_ns; /* end and duration of the last reading */

	/* of shots, a few of which are kept open; `next`: the shot being read */
	struct ui_open_heap open[UI_HEAPS_OPEN], next;
	uint64_t clock;
};

/* Differences of the four, a row each in loader.c. The flags are offsets in the screen. */
struct ui_loading {
	size_t asked, cancelled; /* flags: another thing is wanted; nothing is any more */
	void (*cancel)(struct ui_loader *l, struct ui_screen *s); /* the reading, if any */
	/* Begins what was asked for, or fails; NULL: `renew` does. */
	void (*begin)(struct ui_loader *l, struct ui_screen *s);
	/* How far the reading is; its result is there: `reading` moves to `shown`. */
	void (*tell)(struct ui_loader *l, struct ui_screen *s, const struct ui_again_status *st);
	void (*take)(struct ui_loader *l, struct ui_screen *s);
	void (*fail)(struct ui_loader *l, struct ui_screen *s, const char *why);
	/* Drops results of an older wish, before the look; reads again, after the look; or NULL. */
	void (*prepare)(struct ui_loader *l, struct ui_screen *s);
	void (*renew)(struct ui_loader *l, struct ui_screen *s);
	/* Whether more is to be done soon; sweeps what else was put down. */
	bool (*rest)(
		const struct ui_loader *l, struct ui_screen *s, struct ui_query_worker *worker);
	/* The screen lets go of what is shown, and of what the loader keeps. */
	void (*forget)(struct ui_loader *l, struct ui_screen *s);
};
extern const struct ui_loading ui_load_range, ui_load_shot, ui_load_identity, ui_load_events;

/* All read from this feed from here on. */
void ui_loaders_feed(struct ui_loader all[UI_LOADERS], struct ui_feed *feed);
/* Call before every frame. True: call again soon, without any event; *ret_pages: for events. */
bool ui_loaders_turn(struct ui_loader all[UI_LOADERS], struct ui_screen *s,
	struct ui_query_worker *worker, bool *ret_pages);
/* Waits until everything is read: for frames without a terminal. */
void ui_loaders_wait(struct ui_loader all[UI_LOADERS], struct ui_screen *s);
/* The models are about to die, the worker is idle. `s` may be NULL: the screen is gone. */
void ui_loaders_drop(struct ui_loader all[UI_LOADERS], struct ui_screen *s);

#endif
