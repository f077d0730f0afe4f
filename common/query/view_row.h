/* SPDX-License-Identifier: MIT */
/* The views that exist: the rows of views.def. Plain data, without the views' code; any thread. */
#ifndef PV_QUERY_VIEW_ROW_H
#define PV_QUERY_VIEW_ROW_H

#include <stdbool.h>

enum pv_view {
#define VIEW(symbol, name, ...) PV_VIEW_##symbol,
#include "common/query/views.def"
#undef VIEW
	PV_VIEW_COUNT
};

/* PV_SECTION_: of a view's section in a report; PV_TRAIT_: of the view. */
enum pv_view_flags {
	PV_SECTION_EXTRA = 1,            /* only when asked for by name */
	PV_SECTION_FACT = 1 << 1,        /* describes the log: neither cut, filtered nor sorted */
	PV_SECTION_CSV = 1 << 2,         /* too long for anything but CSV */
	PV_SECTION_GRAPH = 1 << 3,       /* needs the objects of a heap shot; not in "all" */
	PV_SECTION_IDENTITY = 1 << 4,    /* needs identity of objects; likewise */
	PV_SECTION_FOLDER = 1 << 5,      /* needs a recording of a folder; likewise */
	PV_SECTION_METHOD = 1 << 6,      /* is about one method; likewise */
	PV_SECTION_OBJECT = 1 << 7,      /* is about one object */
	PV_SECTION_CLASS = 1 << 8,       /* is about one class */
	PV_SECTION_CHOICE = 1 << 9,      /* of an object or class, if given: else of all */
	PV_SECTION_SETS = 1 << 10,       /* is about sets of objects */
	PV_SECTION_SINGLE = 1 << 11,     /* follows objects to one shot: a base may be missing */
	PV_SECTION_LEAVES = 1 << 12,     /* rows at depth 0 only hold others together */
	PV_SECTION_TREE = 1 << 13,       /* JSON has the parents of rows */
	PV_SECTION_FIGURES = 1 << 14,    /* is no list: figures only */
	PV_SECTION_SINCE_MLPD = 1 << 15, /* nothing in logs of 2007 */
	PV_SECTION_IF_ANY = 1u << 30,    /* in text only with rows, */
	PV_SECTION_ALWAYS = 1u << 31,    /* asked for or not */
	PV_TRAIT_NAMES = 1 << 16,        /* shows methods or classes, though no figure lacks any */
	PV_TRAIT_LISTED = 1 << 17,       /* a list of events without figures in other views */
	PV_TRAIT_HOLDERS = 1 << 18,      /* says who had a lock */
	PV_TRAIT_KINDS = 1 << 19,        /* counts kinds of events */
	PV_TRAIT_METERED = 1 << 20,      /* some rows come from a web server's counters */
	PV_TRAIT_UNNAMED = 1 << 21,      /* no column names its rows */
	PV_TRAIT_PATHS = 1 << 22,        /* of call paths: a filter may ask for any name on them */
	PV_TRAIT_PAGED = 1 << 23,        /* of the events in pv_query.page */
	PV_TRAIT_JUDGES = 1 << 25,       /* judges the newest shot's objects where none is chosen */
	PV_TRAIT_HEAP = 1 << 27,         /* other rows when another shot's objects are at hand */
	PV_TRAIT_FATES = 1 << 28,        /* says more where objects were followed */
	PV_TRAIT_CAUSE = 1 << 29,    /* explains one event, from the whole log whatever the range */
	PV_TRAIT_OF_SHOT = 1 << 26,  /* of heap shot row `select` */
	PV_TRAIT_COMPARED = 1 << 24, /* against another log, too */
};
/* Rows whose course over time is kept. */
enum pv_course {
	PV_COURSE_NONE,
	PV_COURSE_METHODS,
	PV_COURSE_CLASSES,
	PV_COURSE_THROWS,
	PV_COURSE_THREADS,
	PV_COURSE_LOCKS,
	PV_COURSE_COUNTERS
};

/* A row of views.def; plain data. Text is literals. */
struct pv_view_row {
	enum pv_view view;
	const char *name;
	const char *section;    /* NULL none; "gc.pauses": a list inside the group "gc" */
	const char *title;      /* of the text report */
	const char *json_after; /* the section before in JSON; NULL: ordered as here */
	const char *
		outer; /* a list for each row of the section before the dot: the column that tells them apart in CSV, */
	const char *lead;     /* and the title there */
	const char *without;  /* ids of columns missing in JSON; NULL: none */
	const char *followed; /* the section about followed objects; NULL: none */
	unsigned needs;       /* enum pv_group: one must be recorded or asked for; 0: none */
	unsigned
		concerns; /* bits of enum pv_what: basis of the figures; losses and damage always */
	unsigned flags;   /* enum pv_view_flags */
	enum pv_course course;
	const char *by_calls, *by_samples; /* the sort column, by what is counted; NULL: none */
	const char *remark;                /* in the coverage line; NULL: none */
};
extern const struct pv_view_row pv_view_rows[PV_VIEW_COUNT];
/* Whether the view has one of the flags; PV_VIEW_COUNT has none. */
bool pv_view_is(enum pv_view view, unsigned flags);

/* A literal, never NULL. */
const char *pv_view_name(enum pv_view view);

#endif
