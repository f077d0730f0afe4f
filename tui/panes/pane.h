/* SPDX-License-Identifier: MIT */
/*
 * A pane, as a row of a table: a main list, up to three lists of details about its selected row,
 * and perhaps a chart above. Main thread; the terminal's cells. Fields of a part, and a pane of
 * panes.c that uses each: `drill` (Enter on a row), `tree` and `unfold` (Call tree), `newest` (GC),
 * `by_class` (Allocations: sites of the class), `of_second`, `only` and `unless` (shown where the
 * log has, or lacks, a group), `hide_empty` (damage), `order`.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "tui/chart/graphs.h"
#include "tui/draw/layout.h"
#include "tui/list/list.h"
#include "tui/panes/pane_ops.h"

enum { UI_PARTS = UI_SPLIT_PARTS };

enum ui_drill {          /* action of Enter on a row */
	UI_DRILL_DETAIL, /* the keys go to the first list of details */
	UI_DRILL_NARROW, /* the same, and the row becomes the filter of all views */
	UI_DRILL_MAIN,   /* the main list goes to the row of this name */
	UI_DRILL_METHODS,
	UI_DRILL_TREE,     /* pane Methods, or Call tree, at this method */
	UI_DRILL_CLASSES,  /* pane Allocations, at this class */
	UI_DRILL_OBJECTS,  /* pane Objects, at this class of the main list's shot */
	UI_DRILL_BROWSE,   /* the object browser goes there */
	UI_DRILL_OWNER,    /* the pane for the event's kind, at its time */
	UI_DRILL_EVIDENCE, /* the view with the finding's evidence */
	UI_DRILL_EVENTS,   /* the stream of events: of this thread, or of the time of this pause */
	UI_DRILL_HOLDER,   /* of a wait for a lock: the holder's calls meanwhile */
	UI_DRILL_THREADS,  /* of an edge: both threads, in their list */
	UI_DRILL_BEFORE,   /* of a collection: its cause, allocations since the last */
	UI_DRILL_FOLD,
	UI_DRILL_PROCESS, /* the process's log replaces the present log */
	UI_DRILL_SPAN,    /* the span's thread and time, in all views */
	UI_DRILL_KIND,    /* the stream of events of this kind */
	UI_DRILL_SOURCE,  /* the row's source line; in the source: its method */
	UI_DRILL_NOWHERE, /* events at the row's time, if it has one */
};

struct ui_part {
	enum pv_view view;
	const char *title; /* of details; "%s" is the name of the main list's row */
	enum ui_kind kind; /* kind of thing in the rows */
	enum ui_drill drill;
	const char *why;       /* a message for rows that lead nowhere; NULL: a general one */
	const char *order;     /* at first, a column's id; NULL: the view's */
	bool tree, hide_empty; /* the latter: left out without rows */
	enum ui_unfold unfold;
	bool newest;               /* the cursor begins at the last row and stays there */
	bool by_class, pools;      /* only the main list's class; threads of a name as one row */
	bool of_second, from_base; /* about the second list's row, too; from the base shot */
	unsigned only, unless;     /* groups: shown where the log has, or lacks, any */
};

struct ui_pane;
struct ui_flame;
struct ui_timeline;

enum { UI_CHART_OTHERS = 3 };

struct ui_chart {
	int rows; /* wanted; 0 = none */
	enum pv_series_kind kind[UI_GRAPHS_MAX];
	size_t kinds;
	/* Kinds that a command puts in the place of the last one, in turn. */
	enum pv_series_kind other[UI_CHART_OTHERS];
	size_t others;
	bool of_row;       /* of the main list's row, else of the whole recording */
	const char *title; /* "%s" is the name of the row */
};

/* Conditions of a hint; bits, all must hold. */
enum ui_hint_when {
	UI_HINT_ROWS = 1,   /* the main list has a row, */
	UI_HINT_TWO = 2,    /* two of them */
	UI_HINT_MORE = 4,   /* the first list of details has a row */
	UI_HINT_TELL = 8,   /* commands can be sent to the program */
	UI_HINT_GROWS = 16, /* rows may still be added */
};

enum { UI_HINTS = 5 };
struct ui_hint {
	unsigned when;
	const char *text;
};

struct ui_pane_def {
	enum ui_command command; /* opens the pane, and names it */
	enum ui_command room;    /* the pane's room; panes of a room are adjacent */
	const char *tab;
	unsigned needs;                    /* groups: the log must have one; 0: always shown */
	const char *records[PV_RECORDERS]; /* options of `run`, or a command; NULL: nothing does */
	struct ui_hint hint[UI_HINTS];
	unsigned scope;         /* more than any list has */
	int parts;              /* 0: drawn by the overview */
	bool windowed;          /* figures of the rolling window can be had */
	bool grouped;           /* rows can be grouped: key b */
	bool few, rare;         /* no list higher than its rows; shown if the log has some */
	enum ui_pane_kind kind; /* but for lists the list only has search and filter */
	bool either, folder;    /* the second detail in the place of the first; of folders only */
	struct ui_part part[UI_PARTS];
	struct ui_chart chart;
};

struct ui_pane {
	const struct ui_pane_def *def;
	const struct ui_pane_ops *ops;
	struct ui_list list[UI_PARTS];
	int focus;        /* the list with the keys */
	enum pv_by group; /* of rows of methods and classes */
	char unfit[96];   /* why the main list has no use for the filter; "" */
	bool no_details;  /* the main list needs no details at present */
	struct ui_split split;
	struct ui_rect foot, head; /* the cursor's path, of a call tree; the file of a source */
	struct ui_graphs graphs;
	size_t chart_other; /* 0: the chart's own kinds, else the number of the other kind from 1 */
	struct ui_flame *flame;       /* NULL: none */
	struct ui_timeline *timeline; /* likewise */
};

extern const struct ui_pane_def ui_pane_defs[]; /* by rooms, Home first */
extern const size_t ui_pane_count;

/* Finish frees lists, series and flame graph; forget comes before the model is destroyed. */
void ui_pane_init(struct ui_pane *p, const struct ui_pane_def *def);
void ui_pane_finish(struct ui_pane *p);
void ui_pane_forget(struct ui_pane *p);
/* Rectangle of the pane; needed before the operations refresh and draw. */
void ui_pane_place(struct ui_pane *p, const struct ui_shared *s, struct ui_rect body);
/* Sets the grouping of the pane, for all its lists. */
void ui_pane_set_group(struct ui_pane *p, enum pv_by group);
/* The pane comes on screen, with the user's selection. */
void ui_pane_enter(struct ui_pane *p, const struct ui_shared *s);
/* The next list of the pane in one direction; false: none. */
bool ui_pane_next_part(struct ui_pane *p, const struct ui_shared *s, int dir);
void ui_pane_focus(struct ui_pane *p, int part);

/* Bits of enum ui_scope; the list with the keys, owned by `p`, never NULL. */
unsigned ui_pane_scopes(const struct ui_pane *p);
struct ui_list *ui_pane_list(struct ui_pane *p);
/* Actions possible here now, for the message line. Returns `buf`, the caller's, never NULL. */
const char *ui_pane_hint(
	const struct ui_pane *p, const struct ui_shared *s, char *buf, size_t size);
const char *ui_pane_name(const struct ui_pane *p); /* by the pane's operation */
/* Remembers what the user has picked; `name` may be NULL: nothing changes. */
void ui_pick(struct ui_shared *s, enum ui_kind kind, const char *name);

#endif
