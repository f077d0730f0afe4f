/*
 * The stream of events: which page of it is wanted, as the user moves. Who reads pages is
 * event_loader.h; their rows are a list like any other. One thread.
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
	int64_t time_ns; /* AROUND: the moment, and the event there, 0: the first one */
	uint64_t id;
	bool ranged, raw_names;
	int64_t from_ns, to_ns;
	char filter[UI_TEXT_MAX];
};

struct ui_stream {
	struct ui_stream_wish wish;
	bool begun;     /* there was a wish */
	bool asked;     /* it is to be read */
	bool cancelled; /* the user stops that */
	bool jump;      /* the cursor goes to the moment, else it stays on its row */
	int finding;    /* 1, -1: the page is for the next hit, which is not shown */
	struct ui_stream_wish found_from; /* the wish of the page on screen, meanwhile */
	int64_t cursor_ns;                /* of the strip, as last looked at; -1: there was none */
	uint64_t generation;              /* of the log when the page was asked for */
	int64_t cost_ns, read_ns;         /* of the last reading: how long, and when it was over */
};

/* Whether the stream is one of its parts. */
bool ui_stream_has(const struct ui_pane *p);
/* Before the pane's lists ask: what has changed that another page is wanted for? */
void ui_stream_place(struct ui_screen *s, struct ui_pane *p);
/* The page that was read, or why there is none; false: it is not shown, and may die. */
bool ui_stream_use(struct ui_screen *s, const struct pv_event_page *page, const char *error);
void ui_stream_forget(struct ui_screen *s);

/* UI_IGNORED when it is none of its commands. */
unsigned ui_stream_command(struct ui_screen *s, enum ui_command cmd);
/* goto.c: to a time as typed, "1.5s" or "00:01:12"; to one that a row of another pane has. */
void ui_stream_goto(struct ui_screen *s, const char *text);
void ui_stream_at(struct ui_screen *s, int64_t time_ns);
/* From the log's first event that the filter of the list lets through. */
void ui_stream_begin(struct ui_screen *s);
/* The pane that an event of this kind is about. */
enum ui_command ui_stream_owner(const char *kind);

#endif
