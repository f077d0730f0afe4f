/* SPDX-License-Identifier: MIT */
/*
 * When frames are drawn: for keys at once, for what the log says anew twice a second, and never
 * faster than the terminal takes them. The screen's thread; private to the files of the program
 * around the screen.
 */
#ifndef UI_PACE_H
#define UI_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct app;
struct event;

/* Parts of a frame that are done elsewhere: two callbacks. */
struct ui_pace_work {
	void (*picture)(struct app *a, bool held); /* makes the picture; held: of known data */
	bool (*after)(struct app *a);              /* goes on; false: the loop ends */
};

/* Zeroed to begin with. Times are ns. */
struct ui_pace {
	const struct ui_pace_work *work;
	struct event *data, *answers, *frame, *refresh, *drained;
	int64_t drawn_ns;        /* when the last frame was */
	int64_t keyed_ns;        /* when the last frame for keys was drawn */
	int64_t looked_ns;       /* when new data was looked at */
	int64_t cost_ns;         /* of a frame */
	int64_t hasty_ns;        /* until then the user waits for answers */
	bool keyed;              /* the next frame is for keys */
	bool data_waits;         /* new data is there for the next frame */
	bool asked;              /* the next frame waits for all answers about new data */
	bool held;               /* the next frame waits for the terminal */
	bool rest;               /* the last frame is not shown whole yet */
	bool turns, turns_pages; /* a loader is under way, of pages of events */
};

/* Opens with the loop's base, and must be closed before the base is freed. False: out of memory. */
bool ui_pace_open(struct app *a, const struct ui_pace_work *work);
void ui_pace_close(struct app *a); /* before the base is freed */
/* Notices come from another feed from now on. False: out of memory. */
bool ui_pace_watch_feed(struct app *a);

void ui_pace_frame(struct app *a); /* draws a frame now */
/* Wants a frame: for keys; for another size or log, whose answers are awaited. */
void ui_pace_key(struct app *a);
void ui_pace_data(struct app *a); /* for new data */
void ui_pace_anew(struct app *a);
/* Call when the terminal may have answered that a frame was taken. */
void ui_pace_heard(struct app *a);

/* New data is read in `ms` milliseconds; whether a reading is planned already. */
void ui_pace_refresh(struct app *a, int64_t ms);
bool ui_pace_refreshes(const struct app *a);

/* The share of time that questions leave to reading, for ui_query_worker_spare(). */
unsigned ui_pace_spare(const struct app *a);

#endif
