/* SPDX-License-Identifier: MIT */
/*
 * State shared by all panes: the model to ask, the window, whether the picture is frozen, and the
 * user's selection, kept from pane to pane.
 */
#ifndef UI_SHARED_H
#define UI_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/query/views.h"
#include "tui/draw/query_worker.h"
#include "tui/draw/cost.h"
#include "tui/draw/feed_status.h"
#include "tui/draw/schedule.h"
#include "common/heap/heap.h"
#include "tui/draw/time_range.h"

enum { UI_TEXT_MAX = 128 }; /* bytes of a text to search or filter by */

/* Kind of thing in a row; UI_KIND_NONE rows are not followed. */
enum ui_kind { UI_KIND_NONE, UI_KIND_METHOD, UI_KIND_CLASS, UI_KIND_THREAD, UI_KIND_COUNT };

/* Consequences of a command; bits. */
enum ui_reply {
	UI_IGNORED = 0,
	UI_HANDLED = 1,
	UI_DRILL = 2,   /* Enter on a row that the list leaves to the pane */
	UI_REPAINT = 4, /* the terminal is drawn anew */
	UI_LEAVE = 8,
	UI_SHOOT = 16,        /* ask for a heap shot */
	UI_ZERO = 32,         /* the window starts anew */
	UI_STOP = 64,         /* nothing more is read */
	UI_CHEAPER = 128,     /* the dearest kind of event is turned off in the program */
	UI_END_PROGRAM = 256, /* with LEAVE: end the started program */
	UI_WHOLE = 512,       /* recording turned off before is on again */
};

/* The heap shot whose objects are looked at. */
struct ui_heap_shown {
	const struct pv_heap *heap; /* NULL: none is open */
	uint32_t shot;              /* wanted */
	bool weak;                  /* with weak references */
	bool reading, on_screen;    /* on_screen: a view of shots is, or Home */
	const char *phase;          /* of the reading, a constant */
	uint64_t step, steps;       /* within the phase; steps 0: not known */
	char error[120];            /* why there is none */
	char trail[240];            /* position of the user among the objects */
};

/* Objects followed between two heap shots. */
struct ui_identity_shown {
	const struct pv_identity *identity; /* NULL: none were, yet */
	struct pv_model *model;             /* of these */
	enum ui_same_by { UI_BY_IDENTITY, UI_BY_CLASS, UI_BY_ADDRESS, UI_BYS } by;
	bool reading, on_screen;
	uint64_t newer;       /* shots since, where the newest were wanted */
	const char *phase;    /* of the reading, a constant */
	uint64_t step, steps; /* within the phase; steps 0: not known */
	char error[120];      /* why there are none */
};

/* Single events of the log. */
struct ui_events_shown {
	const struct pv_event_page *page; /* NULL: none was read yet */
	bool reading;
	uint64_t read, total; /* bytes, at most `total` */
	char error[120];      /* why there is none */
};

struct pv_filter_names;
struct ui_against;
struct ui_settings;

struct ui_shared {
	struct pv_model *model;           /* to ask: of all, or of the range; NULL: none so far */
	const struct ui_against *against; /* base that rows are compared with; NULL: none */
	struct pv_model *whole;           /* of all, for the strip and for graphs */
	uint64_t whole_generation;
	struct pv_summary all; /* of the whole recording, `summary` is of what is asked */
	int64_t duration_ns;   /* of all */
	struct ui_range range;
	char filter[UI_TEXT_MAX];       /* of all views; lists of details have their own */
	struct pv_groups_cache *groups; /* of all questions; NULL is fine */
	struct ui_query_worker *worker; /* NULL: everything is asked at once */
	uint64_t generation;            /* of the model, as last looked at */
	int64_t now_ns;                 /* by the clock of ui_screen_update() */
	bool held;                      /* nothing newer is looked at now */
	struct pv_summary summary;
	struct ui_feed_status feed;
	const char *source, *title; /* as the user named it; a program's, to be shown, or NULL */
	const struct pv_processes *processes; /* of a folder; NULL: a log of one process */
	size_t others;                        /* of the command, apart from the process shown */
	uint64_t process;                     /* id of the model's process */
	uint64_t processes_turn;              /* changes with the list */
	uint64_t process_wanted;              /* open the log of this process; 0: none */
	const struct pv_filter_names *named;  /* of profview.conf, borrowed; NULL: none */
	struct ui_settings *settings;         /* likewise; NULL: nothing can be set */
	uint64_t window_ns;                   /* 0 = all */
	bool net, by_samples; /* calls without the probe's time; samples in the place of calls */
	const struct pv_source_wish *lines_of; /* of sources; NULL: of the hottest file */
	bool callers;                          /* the call tree goes up, to these */
	unsigned least;                        /* methods and tree: least share of a row, 0.01 % */
	bool my_code, physical; /* others' methods are folded into callers; stacks as recorded */
	bool raw_names;         /* of methods and classes, as the log has them */
	bool dots;              /* charts are drawn in Braille: series have two values a column */
	bool only_ascii, no_braille; /* as struct ui_screen_options has them */
	bool waits;                  /* threads' waiting time counts, too */
	struct ui_cost cost;         /* of recording, lately; unknown without a probe */
	bool paused, readonly;
	int64_t paused_at_ns;  /* the recording's time at the pause */
	int64_t paused_for_ns; /* how long ago, by the clock */
	struct ui_heap_shown heap;
	struct ui_identity_shown identity;
	struct ui_events_shown events;
	struct ui_schedule schedule; /* of heap shots */
	uint64_t base_shot;          /* row id, 0 = none */
	char *picked[UI_KIND_COUNT]; /* names, owned; NULL = nothing yet */
};

/* The objects of the newest shot if open now, borrowed like heap.heap; else NULL. */
static inline const struct pv_heap *ui_newest_heap(const struct ui_shared *s)
{
	const struct pv_heap *h = s->heap.heap;
	return h && h->graph.shot == s->all.shot ? h : NULL;
}

/* Whether nothing more will come of this log. */
static inline bool ui_has_ended(const struct ui_shared *s)
{
	return s->feed.state == UI_FEED_ENDED || s->feed.state == UI_FEED_FAILED;
}

/* The kind of time counted by samples and calls, as words of a title: a literal. */
static inline const char *ui_time_of(enum pv_time_of of)
{
	static const char *const text[] = { [PV_TIME_NONE] = "",
		[PV_TIME_RAN] = ", running",
		[PV_TIME_WAITS_TOO] = ", running and waiting",
		[PV_TIME_WALL] = ", WALL" };
	return text[of];
}

/* Whether commands can be sent to the program, as far as is known without asking. */
static inline bool ui_can_tell(const struct ui_shared *s)
{
	return s->feed.state == UI_FEED_LIVE && !s->readonly;
}

#endif
