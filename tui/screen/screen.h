/* SPDX-License-Identifier: MIT */
/*
 * The front end without terminal and input: keys go in, a canvas comes out. app.c drives the screen
 * from a terminal, --dump and tests by keys as text. One thread. The model must outlive the screen
 * or be taken back with ui_screen_forget(). A bool: false when out of memory, if not said otherwise.
 */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "tui/screen/browser.h"
#include "tui/screen/compare.h"
#include "tui/screen/complete.h"
#include "tui/screen/frame.h"
#include "tui/panes/help.h"
#include "tui/list/list_place.h"
#include "tui/draw/menu.h"
#include "tui/panes/output.h"
#include "tui/panes/overview.h"
#include "tui/panes/pane.h"
#include "tui/panes/rooms.h"
#include "tui/panes/renew.h"
#include "tui/draw/prompt.h"
#include "tui/screen/source_way.h"
#include "tui/screen/stream.h"

struct ui_place { /* of the user when Enter led away */
	size_t pane;
	int focus;
	bool evidence; /* Enter set the range, or a filter of details: these, as they were */
	bool waits, by_samples, entered; /* the latter: Enter had set the filter */
	struct ui_range range;
	struct ui_list *list; /* details with their own filter, borrowed; NULL: none */
	char own[UI_TEXT_MAX], filter[UI_TEXT_MAX]; /* theirs; the screen's, in any case */
	struct ui_list_place of[UI_PARTS];          /* the lists of the pane left */
};

struct ui_screen {
	struct ui_shared shared;
	struct ui_canvas canvas;
	struct ui_layout layout;
	struct ui_pane *pane; /* ui_pane_count of them */
	struct ui_overview overview;
	struct ui_graphs clock; /* see enum ui_clock */
	struct ui_request summary;
	bool summed_up, bare; /* `summary` was answered; for reading only: no tabs, no keys */
	size_t current;
	size_t room_view[UI_ROOMS];          /* pane seen last in each room; 0: none */
	bool filters_thread, filter_entered; /* the range's thread, by filter; filter, by Enter */
	int seeking;  /* which_figures.c: kinds of figures yet to be tried for a row */
	bool settled; /* the lists have answered the last key */
	struct ui_help help;
	struct ui_output *output; /* of the program started from here, borrowed; NULL: none was */
	bool output_open, program_runs, message_bad;
	struct ui_prompt prompt;
	struct ui_complete complete;
	struct ui_menu menu;
	struct ui_browser browser;
	struct ui_compare compare;
	struct ui_stream stream;
	struct ui_source source;
	char frame_to[UI_PROMPT_MAX]; /* the next frame is written there */
	char message[256];
	PV_ARRAY(struct ui_place) history;
	char search[UI_TEXT_MAX]; /* the last, for lists without one */
	char was[UI_TEXT_MAX];    /* state changed by a prompt while typing */
	size_t was_at;
	struct pv_model *range_model;    /* of the range, once read; NULL */
	uint64_t summary_generation;     /* of `whole`, when asked */
	bool dragged_chart, range_asked; /* the latter: another range than before, or none */
	bool range_cancelled;            /* its reading shall end */
	int dragged_from;                /* cell of the strip or the chart, -1 */
	int64_t now_ns, paused_since_ns; /* by the clock of ui_screen_update() */
	struct ui_renewed renewed;
};

struct ui_screen_options {
	const char *source;             /* as the user named the log; borrowed */
	struct ui_query_worker *worker; /* borrowed; NULL: the model is asked at once, here */
	struct pv_groups_cache *groups; /* borrowed, likewise; NULL is fine */
	bool only_ascii, no_braille;    /* only ASCII can be shown; all but Braille */
	bool readonly;
	struct ui_output *output; /* borrowed; NULL: no program was started from here */
};

/* Finish frees everything; resize sets the size in cells. */
bool ui_screen_init(struct ui_screen *s, const struct ui_screen_options *options);
void ui_screen_finish(struct ui_screen *s);
bool ui_screen_resize(struct ui_screen *s, int w, int h);

/* The sources to show; `now_ns` is any monotonic clock. */
void ui_screen_update(
	struct ui_screen *s, struct pv_model *m, const struct ui_feed_status *feed, int64_t now_ns);
/* strip.c: the range's own model, or NULL. All answers are asked for anew, places stay. */
void ui_screen_use(struct ui_screen *s, struct pv_model *range_model);
/* The lines have other places: a range came or went. */
void ui_screen_place(struct ui_screen *s);
/* Drops everything that came from the model, so that the model may be destroyed. */
void ui_screen_forget(struct ui_screen *s);

/*
 * Bits of enum ui_reply for the caller to do: LEAVE, REPAINT, SHOOT, ZERO, STOP, CHEAPER,
 * END_PROGRAM.
 */
unsigned ui_screen_key(struct ui_screen *s, int key);
unsigned ui_screen_mouse(struct ui_screen *s, struct ui_mouse m);
unsigned ui_screen_command(struct ui_screen *s, enum ui_command cmd);
/* The same, by this key (UI_KEY_NONE: typed); without any effect a message says why. */
unsigned ui_screen_act(struct ui_screen *s, int key, enum ui_command cmd);
/* Takes the answers for the pane's lists; asks only what has changed. */
void ui_screen_finish_frame(struct ui_screen *s);
/* screen_draw.c. Asks what must be asked anew, and draws everything into `canvas`. */
void ui_screen_draw(struct ui_screen *s);
/* Shown until the next key. */
void ui_screen_say(struct ui_screen *s, bool bad, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* By themselves: as `word` says, NULL: the next usual way. */
void ui_screen_schedule(struct ui_screen *s, const char *word);
uint64_t ui_screen_collections(const struct ui_screen *s);
void ui_screen_window(struct ui_screen *s, uint64_t seconds); /* 0: all */
/* How the pane puts rows together; NULL: the next way. */
void ui_screen_group(struct ui_screen *s, const char *word);

/* screen_target.c: UI_IGNORED: not a command about the program. */
unsigned ui_screen_target(struct ui_screen *s, enum ui_command cmd);

/* goto.c: between panes. */
void ui_screen_go(struct ui_screen *s, enum ui_command pane);
void ui_screen_go_in(struct ui_screen *s);
void ui_screen_go_to_flame(struct ui_screen *s); /* at the selected method */
void ui_screen_go_to_paths(struct ui_screen *s); /* merged, in the object browser */
/* To the row of this name in a pane, or to the overview's box. False: it leads nowhere. */
bool ui_screen_go_to_row(struct ui_screen *s, enum ui_command pane, const char *name);
bool ui_screen_go_to_box(struct ui_screen *s, const char *title);
bool ui_screen_go_back(struct ui_screen *s);
void ui_screen_go_on(struct ui_screen *s, int dir);
void ui_screen_list_rooms(struct ui_screen *s); /* opens the menu of rooms */
void ui_screen_choose(struct ui_screen *s, enum ui_menu_answer answer); /* of a menu, if any */
/* typing.c: prompts and the command line. */
void ui_screen_ask(struct ui_screen *s, enum ui_prompt_kind kind);
void ui_screen_tell_search(struct ui_screen *s);  /* their outcome since the last frame */
void ui_screen_search_again(struct ui_screen *s); /* all of a log is there */
unsigned ui_screen_type(struct ui_screen *s, int key);
unsigned ui_screen_run(struct ui_screen *s, const char *line);
/* Whether the key needs rows still being asked for: press the key again then. */
bool ui_screen_awaits(const struct ui_screen *s, int key);
unsigned ui_screen_scopes(const struct ui_screen *s); /* bits of enum ui_scope */
/* The list with the keys, owned by the screen; NULL in the overview. */
struct ui_list *ui_screen_list(struct ui_screen *s);

#endif
