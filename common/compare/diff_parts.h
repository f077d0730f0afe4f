/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: measures, data kept of each log, rows and judgements. One thread. Functions
 * that return bool are false when out of memory, unless they answer a question.
 */
#ifndef PV_COMPARE_DIFF_PARTS_H
#define PV_COMPARE_DIFF_PARTS_H

#include "common/base/intern.h"
#include "common/compare/diff.h"
#include "common/query/table.h"
#include "common/query/views.h"

enum { PV_DIFF_VALUES = 5, PV_DIFF_BLOCKS = 20 };

/* Lists with matched rows, of up to PV_DIFF_VALUES figures each. */
enum pv_diff_list {
	PV_DIFF_METHODS,
	PV_DIFF_CLASSES,
	PV_DIFF_SITES,
	PV_DIFF_HEAP,
	PV_DIFF_THROWN,
	PV_DIFF_LISTS
};

/* The origin of a figure, and so the effect of chance. */
enum pv_diff_kind {
	PV_DIFF_SAMPLED, /* a count of samples */
	PV_DIFF_TIMED,   /* exact times of one run */
	PV_DIFF_COUNTED, /* every event was counted, or a part with a known error */
	PV_DIFF_LEVEL,   /* a level at one time: not divided by time or work */
};

struct pv_diff_measure {
	const char *section; /* "methods.samples_self" */
	const char *title;
	enum pv_diff_list list;
	unsigned value;   /* of the list's row */
	const char *what; /* row of "coverage" that says if recorded */
	enum pv_diff_kind kind;
	enum pv_unit unit;
};
extern const struct pv_diff_measure pv_diff_measures[];
extern const size_t pv_diff_measure_count;
/* Columns of the list's view: figures, NULL ends; name, and for sites the stack. */
struct pv_diff_source {
	enum pv_view view;
	const char *value[PV_DIFF_VALUES], *name, *stack, *error;
	unsigned flags; /* of the name: PV_COLUMN_METHOD or PV_COLUMN_CLASS */
};
extern const struct pv_diff_source pv_diff_sources[PV_DIFF_LISTS];

struct pv_diff_log {
	const char *path, *args; /* in the arena */
	int64_t duration_ns;
	uint64_t samples, events, lost, damaged;
	uint64_t period_ns, alloc_period, pair_ns;
	double sample_weight; /* on average; 1 for most logs */
	bool wall;
	double units;    /* the divisor, with PV_PER_CALL and PV_PER_COUNTER */
	uint32_t absent; /* bit of a measure: not recorded */
};

struct pv_diff_name {
	uint32_t raw[PV_DIFF_SIDES];   /* in `text`; 0: not met on the side */
	uint32_t stack[PV_DIFF_SIDES]; /* likewise, of sites */
	uint32_t key;                  /* in rows' `key` */
	uint32_t same_as;              /* row + 1 that has taken over the figures; 0: none */
	bool group;                    /* several names of a side */
	bool signature;                /* matched without parameters */
};

/* Figures of a log's row. */
struct pv_diff_entry {
	uint64_t id; /* of the row in its table */
	uint32_t row, log;
	uint8_t side;
	double value[PV_DIFF_VALUES], error; /* 95 % error of the first figure; 0: exact */
};

struct pv_diff_rows {
	PV_ARRAY(struct pv_diff_name) name;
	PV_ARRAY(uint32_t) row_of; /* by id of the key; UINT32_MAX: none */
	PV_ARRAY(struct pv_diff_entry) entry;
	struct pv_intern key;
};

struct pv_diff_change {
	uint32_t row;
	double base, now, change;
	double interval, p; /* negative: none */
	enum pv_diff_verdict verdict;
};

struct pv_diff_judged {
	const struct pv_diff_measure *measure;
	enum pv_diff_per per;
	const char *why; /* NULL, or why there is no comparison; in the arena */
	bool recorded;   /* on one side or both */
	struct pv_diff_change total;
	PV_ARRAY(struct pv_diff_change) change;
	size_t verdicts[PV_DIFF_VERDICTS];
	double drift; /* the common part of most rows' changes; 1: none */
};

struct pv_diff {
	const struct pv_diff_options *options;
	struct pv_intern text;
	struct pv_arena arena;
	PV_ARRAY(struct pv_diff_log) log[PV_DIFF_SIDES];
	struct pv_diff_rows rows[PV_DIFF_LISTS];
	PV_ARRAY(const char *) note;
	PV_ARRAY(uint32_t) block[PV_DIFF_SIDES];     /* row of methods * PV_DIFF_BLOCKS: samples */
	const struct pv_query *query[PV_DIFF_SIDES]; /* borrowed; NULL: as for reports */
	uint64_t shot;                               /* row of the new side's shot; 0: the last */
};

/* Whether the options ask for the measure. */
bool pv_diff_wants(const struct pv_diff_options *o, const struct pv_diff_measure *m);
bool pv_diff_wants_list(const struct pv_diff_options *o, enum pv_diff_list list);
/* diff_rows.c: the row of a name and a stack ("": none), made when new. */
bool pv_diff_row(struct pv_diff *d, enum pv_diff_list list, const char *name, const char *stack,
	uint32_t *ret);
/* blocks.c: samples of a log by method and part of time; to be taken after the log's rows. */
bool pv_diff_take_blocks(struct pv_diff *d, enum pv_diff_side side, struct pv_model *m);
/*
 * By row of methods, how much more the parts of time differ than independent samples would, 1 at
 * least; free() the array.
 */
double *pv_diff_design_effects(const struct pv_diff *d);
/* Sentences about other differences between the sides. */
bool pv_diff_note_all(struct pv_diff *d);

/* Joins rows that differ in parameters only. Once, after the last log. */
bool pv_diff_join(struct pv_diff *d);
/* False: out of memory. `ret` is to be cleared in any case. */
bool pv_diff_judge(struct pv_diff *d, const struct pv_diff_measure *m, struct pv_diff_judged *ret);
void pv_diff_judged_clear(struct pv_diff_judged *j);

/* Tables of judgements, for printing; the caller frees them. NULL: out of memory. */
/* All changed rows, or with `all` every row, as the query says; row ids are the new side's. */
struct pv_table *pv_diff_rows_of(const struct pv_diff *d, const struct pv_diff_judged *j,
	const struct pv_query *q, bool all);
struct pv_table *pv_diff_rows_table(const struct pv_diff *d, const struct pv_diff_judged *j);
struct pv_table *pv_diff_totals_table(
	const struct pv_diff *d, const struct pv_diff_judged *j, size_t n);
extern const char *const pv_diff_row_keys[], *const pv_diff_site_keys[],
						     *const pv_diff_total_keys[];

#endif
