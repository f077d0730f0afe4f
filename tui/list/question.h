/* SPDX-License-Identifier: MIT */
/*
 * A list's question as a job: the table, and facts that take several tables (rows to unfold, the
 * row of a name). Made on the screen's thread, answered on the worker's.
 */
#ifndef UI_QUESTION_H
#define UI_QUESTION_H

#include "common/base/mem.h"
#include "common/query/source_text.h"
#include "common/query/views.h"
#include "tui/draw/query_worker.h"
#include "tui/draw/against_base.h"

/* Rows of a tree to unfold. */
enum ui_unfold {
	UI_UNFOLD_NOTHING,
	UI_UNFOLD_ROOTS,
	UI_UNFOLD_HOT,  /* the heaviest path, some levels deep */
	UI_UNFOLD_PATH, /* the heaviest path below the selected row */
	UI_UNFOLD_ALL,
};

/* A row looked for by name. NULL text: none. */
struct ui_aim {
	char *text;
	bool exact; /* the whole name, else a part of the name, ignoring case */
	int dir;    /* 1 next, -1 before, 0 from this row on */
};

struct ui_question {
	struct ui_job job;
	struct pv_model *model;
	const struct ui_against *against; /* base to compare with; NULL: none */
	unsigned figure;                  /* index of the compared figure */
	enum pv_view view;
	struct pv_query query; /* filter, only and open belong to the question */
	PV_ARRAY(uint64_t) open, only;
	char *filter, *about; /* about: only rows of this class */
	char *source_file, *source_method;
	struct pv_source_wish source; /* of these */
	bool tree;
	enum ui_unfold unfold;
	bool keep; /* the row `selected` must be there, also beyond the limit */
	uint64_t selected;
	size_t at; /* index in the table before */
	struct ui_aim aim;
	struct pv_model *whole;             /* source of trends; NULL: no trends */
	int64_t trend_from_ns, trend_to_ns; /* as struct pv_trend_wish has them */
	bool trend_beyond;
	struct pv_trends *trends; /* owned: first of the last question, then of this; NULL */
	bool newer;               /* asked while the picture was frozen */

	/* the answer */
	struct pv_table *table; /* NULL: out of memory */
	uint32_t silent;        /* see columns.h */
	bool unfolded;          /* `unfold` was done: `open` has changed */
	bool found;             /* the aim: row `hit` */
	uint64_t hit;
};

/*
 * Copies the query with all referenced data; texts may be NULL. ui_question_drop() frees the
 * question. NULL: out of memory.
 */
struct ui_question *ui_question_new(
	struct pv_model *m, enum pv_view view, const struct pv_query *query, const char *about);
void ui_question_drop(struct ui_question *q); /* NULL is fine */

/* The next row that matches, from row `from` on, once round. False: none. */
bool ui_aim_next(const struct pv_table *t, const struct ui_aim *aim, size_t from, size_t *ret_at);

/* Whether `text` holds `part`, ignoring ASCII case; where, or -1. "" is nowhere. */
int ui_find_text(const char *text, const char *part);

/* The row of an id; false: none. */
bool ui_table_find(const struct pv_table *t, uint64_t id, size_t *ret_at);

/* The place of an id in a sorted array: the first element not below `wanted`. */
size_t ui_ids_place(const uint64_t *id, size_t n, uint64_t wanted);

#endif
