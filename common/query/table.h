/* SPDX-License-Identifier: MIT */
/*
 * The form in which panes and reports get all data: an immutable table of rows and typed cells,
 * sorted and filtered, with a coverage line. A tree is a table whose rows have a depth. A table
 * owns everything but names, which live as long as the model. Any thread may read a table; destroy
 * with pv_table_destroy().
 */
#ifndef PV_QUERY_TABLE_H
#define PV_QUERY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"

enum pv_unit {
	PV_UNIT_TEXT,
	PV_UNIT_COUNT, /* a number of things */
	PV_UNIT_EXACT, /* a number never rounded: a place in a file */
	PV_UNIT_BYTES,
	PV_UNIT_NS,      /* a duration */
	PV_UNIT_TIME,    /* a point in time, ns since the recording's zero (signed) */
	PV_UNIT_PERCENT, /* d is 0..100 */
	PV_UNIT_ADDRESS, /* shown "0x..." */
	PV_UNIT_THREAD,  /* id of a thread: the kernel's as ps(1) shows them, others "0x..." */
	PV_UNIT_BOOL,
	PV_UNIT_NUMBER,      /* d unchanged */
	PV_UNIT_DELTA_COUNT, /* signed; the sign is shown */
	PV_UNIT_DELTA_BYTES,
	PV_UNIT_LIST, /* text: frames of a stack, outermost first, separated by '\n' */
};

enum pv_column_flags {
	PV_COLUMN_HIDE_SCREEN = 2, /* for reports only */
	PV_COLUMN_TREE = 4,        /* indented by depth */
	PV_COLUMN_ASCENDING = 8,   /* sorted ascending at first (names) */
	PV_COLUMN_GROWS = 16,      /* takes the spare width */
	PV_COLUMN_NUMBERS = 32,    /* a PV_UNIT_LIST of whole numbers */
	PV_COLUMN_METHOD = 64,     /* names of methods, */
	PV_COLUMN_CLASS = 128,     /* of classes: readable.h has readable names */
	PV_COLUMN_ADDS = 256,      /* figures of several rows make a sum: none counts twice */
	PV_COLUMN_SIGNED = 512,    /* a difference: shown with a sign, sorted by size */
	PV_COLUMN_REMARK = 1024,   /* words, not the names of rows */
	PV_COLUMN_SPARSE = 2048,   /* nothing on screen where there is no figure */
};

struct pv_column {
	const char *id;    /* JSON key, --sort key */
	const char *title; /* screen header, short */
	enum pv_unit unit;
	uint8_t width;    /* cells wanted on screen */
	uint8_t drop;     /* when narrow, columns with the highest drop go first; 0 = never */
	unsigned flags;   /* enum pv_column_flags */
	uint8_t json;     /* place among a report's keys, from 1; 0: for the screen only */
	const char *help; /* a sentence; NULL: by id in tui/columns.def */
};

/* How people read a PV_UNIT_NUMBER whose unit is the row's own: of counters. */
/* clang-format off */
enum pv_scale { PV_SCALE_NONE, PV_SCALE_BYTES, PV_SCALE_US, PV_SCALE_100NS, PV_SCALE_PERCENT,
	PV_SCALE_MS, PV_SCALE_S, PV_SCALE_MB };
/* clang-format on */

enum pv_cell_state {
	PV_CELL_VALUE,
	PV_CELL_NULL /* the log cannot say */,
	PV_CELL_PENDING /* ... */
};

struct pv_cell {
	union {
		uint64_t u; /* counts, bytes, addresses, bool */
		int64_t i;  /* times, durations, deltas */
		double d;   /* percent, number */
		const char *s;
	};
	uint8_t state;  /* enum pv_cell_state */
	uint8_t scale;  /* enum pv_scale, with PV_UNIT_NUMBER */
	uint32_t shown; /* private: text for people, in the table; 0: s itself */
};

enum pv_row_flags {
	PV_ROW_HAS_CHILDREN = 1, /* tree: there is something to unfold */
	PV_ROW_OPEN = 2,         /* tree: children follow */
	PV_ROW_MARKED = 4,
	PV_ROW_WARN = 8,
	PV_ROW_HOT = 16, /* among the rows with the most */
};

struct pv_row {
	uint64_t id;     /* stable across queries of one model; keeps the selection */
	uint64_t parent; /* tree: id of the parent row, 0 for roots */
	uint32_t depth;
	uint32_t flags;
	struct pv_cell *cell; /* `columns` cells */
	uint64_t rank;        /* decides between rows of one name, before ids do */
};

/* The time covered by figures. WALL: unknown whether running or waiting, so all of the time. */
enum pv_time_of { PV_TIME_NONE, PV_TIME_RAN, PV_TIME_WAITS_TOO, PV_TIME_WALL };

enum { PV_TABLE_HELD = 2 };
struct pv_groups_shared;

struct pv_table {
	const char *name; /* section name, e.g. "methods" */
	const struct pv_column *column;
	size_t columns;
	struct pv_row *row;
	size_t rows;
	size_t rows_all; /* before limit: "N more" = rows_all - rows */
	int sort;        /* column sorted by, -1 none */
	bool descending;
	const char *coverage; /* one line: gaps: not recorded, lost, damaged, folded, inferred */
	const char *about;    /* one line about all rows; NULL: nothing to say */
	size_t hidden;        /* rows below the query's `least`, and their share of all, percent */
	double hidden_percent;
	double waited;                                /* share of waits left out, 0 to 1 */
	enum pv_time_of time_of;                      /* for views with samples or times of calls */
	uint64_t generation;                          /* of the model when read */
	PV_ARRAY(const char *) shown;                 /* private: texts for people */
	struct pv_arena arena;                        /* private */
	struct pv_groups_shared *held[PV_TABLE_HELD]; /* private: groupings with names in use */
};

void pv_table_destroy(struct pv_table *t); /* NULL is fine */

/* Index of a column by id, -1 when there is none. */
int pv_table_column(const struct pv_table *t, const char *id);

/*
 * The cell as people read names, where the query asked for readable names; other cells unchanged.
 */
struct pv_cell pv_cell_shown(const struct pv_table *t, const struct pv_cell *c);

/* A number of the scale in the unit returned: "µs" become ns. */
double pv_scaled(enum pv_scale scale, double v, enum pv_unit *ret_unit);

/*
 * The text of a cell for people ("1.4 MiB", "00:01:02.400", "-" for null, "..." for pending).
 * Points into buf (`size` bytes; longer texts are cut) or at the cell's own text, owned by the
 * table.
 */
const char *pv_cell_text(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size);

#endif
