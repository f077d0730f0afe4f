/* SPDX-License-Identifier: MIT */
/*
 * The stream of events: the page wanted as the user moves. event_loader.c reads pages; their rows
 * are a list like any other. One thread.
 */
#ifndef UI_STREAM_H
#define UI_STREAM_H

#include "tui/panes/pane.h"

struct ui_screen;
struct pv_event_page;

enum ui_stream_from { UI_STREAM_AROUND, UI_STREAM_FIRST, UI_STREAM_LAST };

/* Times are ns since zero. */
struct ui_stream_wish {
	enum ui_stream_from from;
	int64_t time_ns; /* AROUND: the moment, and the event there, 0: the first */
	uint64_t id;
	bool ranged, raw_names;
	int64_t from_ns, to_ns;
	char filter[UI_TEXT_MAX];
	char requests[UI_REQUESTS_MAX]; /* as the range has them */
};

struct ui_stream {
	struct ui_stream_wish wish;
	bool begun;                       /* there was a wish */
	bool asked;                       /* to be read */
	bool cancelled;                   /* the user stops the reading */
	bool jump;                        /* the cursor goes to the moment, else stays on its row */
	int finding;                      /* 1, -1: the page is for the next hit, still to come */
	struct ui_stream_wish found_from; /* the wish of the page on screen, meanwhile */
	int64_t cursor_ns;                /* of the strip, as last looked at; -1: there was none */
	uint64_t generation;              /* of the log when the page was asked for */
	int64_t cost_ns, read_ns;         /* of the last reading: duration, end */
};

/* Whether the stream is a part of the pane. */
bool ui_stream_has(const struct ui_pane *p);
/* Before the pane's lists ask: wants another page if something has changed. */
void ui_stream_place(struct ui_screen *s, struct ui_pane *p);
/* The page read, or why there is none; false: not shown, and may be freed. */
bool ui_stream_use(struct ui_screen *s, const struct pv_event_page *page, const char *error);
void ui_stream_forget(struct ui_screen *s);

/* UI_IGNORED: not a command of the stream. */
unsigned ui_stream_command(struct ui_screen *s, enum ui_command cmd);
/* goto.c: goes to a time as typed, "1.5s" or "00:01:12"; to the time of another pane's row. */
void ui_stream_goto(struct ui_screen *s, const char *text);
void ui_stream_at(struct ui_screen *s, int64_t time_ns);
/* From the log's first event that passes the list's filter. */
void ui_stream_begin(struct ui_screen *s);
/* The pane for events of this kind. */
enum ui_command ui_stream_owner(const char *kind);

#endif
