/*
 * A row of a table: a main list, up to three lists of details about its selected row, and perhaps
 * a chart above. Its lists do what it does not, the screen the rest. Main thread; terminal's cells.
 *
 * Fields of a part, and a pane of panes.c that uses each: `drill` (Enter on a row), `tree` and
 * `unfold` (Call tree), `newest` (GC), `by_class` (Allocations: sites of the class), `of_second`,
 * `only` and `unless` (shown where the log has, or lacks, a group), `hide_empty` (damage), `order`.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "tui/draw/graphs.h"
#include "tui/draw/layout.h"
#include "tui/draw/list.h"

enum { UI_PARTS = UI_SPLIT_PARTS, UI_CHART_LABEL = 11 /* cells left of a chart */ };

enum ui_drill {          /* action of Enter on a row */
	UI_DRILL_DETAIL, /* the keys go to the first list of details */
	UI_DRILL_NARROW, /* the same, and the row becomes the filter of all views */
	UI_DRILL_MAIN,   /* the main list goes to the row of this name */
	UI_DRILL_METHODS,
	UI_DRILL_TREE,     /* pane Methods, or Call tree, at this method */
	UI_DRILL_CLASSES,  /* pane Allocations, at this class */
	UI_DRILL_OBJECTS,  /* pane Objects, at this class of the main list's shot */
	UI_DRILL_BROWSE,   /* the object browser goes there */
	UI_DRILL_OWNER,    /* the pane that an event is about, at its time */
	UI_DRILL_EVIDENCE, /* the view that a finding rests on */
	UI_DRILL_EVENTS,   /* the stream of events: of this thread, or of the time of this pause */
	UI_DRILL_HOLDER,   /* of a wait for a lock: the calls of its holder at that time */
	UI_DRILL_THREADS,  /* of an edge: both threads, in their list */
	UI_DRILL_BEFORE,   /* of a collection: its cause, what was allocated since the one before */
	UI_DRILL_FOLD,
	UI_DRILL_PROCESS, /* its log in the place of the one that is read */
	UI_DRILL_SPAN,    /* its thread and time, in all views */
	UI_DRILL_KIND,    /* the stream of events of this kind */
	UI_DRILL_NOWHERE, /* a row with a time leads to the events of that time all the same */
};

struct ui_part {
	enum pv_view view;
	const char *title; /* of details; "%s" is the name of the main list's row */
	enum ui_kind kind; /* the things that its rows show */
	enum ui_drill drill;
	const char *why;       /* said of rows that lead nowhere; NULL: a general sentence */
	const char *order;     /* at first, a column's id; NULL: the view's */
	bool tree, hide_empty; /* the latter: left out while it has no rows */
	enum ui_unfold unfold;
	bool newest;           /* the cursor begins at the last row and stays there */
	bool by_class, pools;  /* only the main list's class; threads of a name are one row */
	bool of_second;        /* about the row of the first list of details, too */
	unsigned only, unless; /* groups: shown where the log has, or lacks, one of them */
};

struct ui_pane;
struct ui_flame;
struct ui_timeline;

struct ui_chart {
	int rows; /* wanted; 0 = none */
	enum pv_series_kind kind[UI_GRAPHS_MAX];
	size_t kinds;
	bool of_row;       /* of the main list's row, else of the whole recording */
	const char *title; /* "%s" is the name of that row */
};

/* When a hint is true; bits, of which all must hold. */
enum ui_hint_when {
	UI_HINT_ROWS = 1,   /* the main list has a row, */
	UI_HINT_TWO = 2,    /* two of them */
	UI_HINT_MORE = 4,   /* the first list of details has one */
	UI_HINT_TELL = 8,   /* commands can be sent to the program */
	UI_HINT_GROWS = 16, /* rows may still be added */
};

enum { UI_HINTS = 5 };
struct ui_hint {
	unsigned when;
	const char *text;
};

struct ui_pane_def {
	enum ui_command command; /* opens it, and gives its name */
	enum ui_command room;    /* of the room it is a view of; those of a room stand together */
	const char *tab;
	unsigned needs; /* groups: one of them must be in the log; 0: shows whatever is there */
	const char *records; /* of `profview run`, what records them */
	struct ui_hint hint[UI_HINTS];
	unsigned scope; /* more than any list has */
	int parts;      /* 0: drawn by the overview */
	bool windowed;  /* figures of the rolling window can be had */
	bool grouped;   /* its rows can be put together: b */
	bool few, rare; /* no list takes more than its rows; it is there for logs that have some */
	bool flame, timeline; /* drawn by it: of the list only its search and filter are used */
	bool either, folder;  /* the second detail in the place of the first; of folders only */
	struct ui_part part[UI_PARTS];
	struct ui_chart chart;
};

struct ui_pane {
	const struct ui_pane_def *def;
	struct ui_list list[UI_PARTS];
	int focus;        /* the list that has the keys */
	enum pv_by group; /* its rows of methods and classes */
	char unfit[96];   /* why the screen's filter is none of the main list's; "": it is */
	bool no_details;  /* the main list needs no details at present */
	struct ui_split split;
	struct ui_rect foot; /* of a call tree: the line with the path to the cursor */
	struct ui_graphs graphs;
	struct ui_flame *flame;       /* NULL: it has none */
	struct ui_timeline *timeline; /* likewise */
};

extern const struct ui_pane_def ui_pane_defs[]; /* by rooms, Home first */
extern const size_t ui_pane_count;

/* Finish frees its lists, series and flame; forget is for before the model is destroyed. */
void ui_pane_init(struct ui_pane *p, const struct ui_pane_def *def);
void ui_pane_finish(struct ui_pane *p);
void ui_pane_forget(struct ui_pane *p);
/* Rectangle of the pane; needed before refresh and draw. */
void ui_pane_place(struct ui_pane *p, const struct ui_shared *s, struct ui_rect body);
void ui_pane_refresh(struct ui_pane *p, struct ui_shared *s);
void ui_pane_draw(struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c);
/* The grouping is the pane's own, of all its lists. */
void ui_pane_set_group(struct ui_pane *p, enum pv_by group);
/* It becomes the pane on screen: the user's selection comes along. */
void ui_pane_enter(struct ui_pane *p, const struct ui_shared *s);
/* Bits of enum ui_reply. */
unsigned ui_pane_command(struct ui_pane *p, struct ui_shared *s, enum ui_command cmd);
unsigned ui_pane_mouse(struct ui_pane *p, struct ui_shared *s, struct ui_mouse m);
/* The next list of the pane in one direction; false when there is none. */
bool ui_pane_next_part(struct ui_pane *p, const struct ui_shared *s, int dir);
void ui_pane_focus(struct ui_pane *p, int part);

/* Bits of enum ui_scope; the list with the keys, owned by `p`, never NULL. */
unsigned ui_pane_scopes(const struct ui_pane *p);
struct ui_list *ui_pane_list(struct ui_pane *p);
/* Actions possible here now, for the message line. Returns `buf`, the caller's, never NULL. */
const char *ui_pane_hint(
	const struct ui_pane *p, const struct ui_shared *s, char *buf, size_t size);
/* The coverage line of its table, owned by that, never NULL; "" without one. */
const char *ui_pane_coverage(const struct ui_pane *p);
/* Name of the focused row, of a stack its innermost frame; owned by its table; NULL: no row. */
const char *ui_pane_name(const struct ui_pane *p);
const char *ui_pane_shown_name(const struct ui_pane *p); /* as people read it */
/* Remembers what the user has picked; `name` may be NULL: nothing changes. */
void ui_pick(struct ui_shared *s, enum ui_kind kind, const char *name);

#endif
