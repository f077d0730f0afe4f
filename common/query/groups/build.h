/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: makes a table. Views append rows in any order; finishing filters,
 * sorts, unfolds and cuts them. Running out of memory sticks: later rows are discarded and finish
 * fails. One thread uses a build.
 */
#ifndef PV_QUERY_BUILD_H
#define PV_QUERY_BUILD_H

#include <math.h>

#include "common/query/groups/row_filter.h"
#include "common/query/views.h"

enum { PV_MAX_COLUMNS = 24 };

struct pv_build;

/* Rows with this id are dropped. */
#define PV_ROW_OUTSIDE UINT64_MAX

/* A view's description, without its figures. */
struct pv_view_spec {
	const struct pv_column *column;
	size_t columns;
	const char *name; /* the column of the rows' names, breaks ties; NULL: none */
	const char *sort; /* the view's own order; NULL: by id */
	const char *then; /* second key after `sort`; NULL: none */
	bool tree;
	bool streaming; /* a row is not read again once the next is begun; no tree */
	/* Append the rows: `copy` runs under the model's lock, `run` takes the lock itself. */
	void (*copy)(struct pv_build *b, struct pv_model *m);
	void (*run)(struct pv_build *b, struct pv_model *m);
	/* Fills in, under the lock, what only the remaining rows need. False: out of memory. */
	bool (*fill_chosen)(struct pv_table *t, struct pv_model *m, const struct pv_query *q);
};

struct pv_build {
	struct pv_table *table; /* NULL after out of memory */
	const struct pv_query *query;
	const struct pv_view_spec *spec;
	enum pv_view view;
	size_t room;
	size_t made;     /* rows with cells; cells beyond table->rows are free to use again */
	size_t left_out; /* rows never made, beyond the limit */
	bool filtered;   /* all rows match the filter already */
	struct pv_row_filter filter;
	const char *sort, *then;      /* the view's order by what the log has; NULL: the spec's */
	double weight;                /* of a sample, on average; 1 for most logs */
	bool filters;                 /* a filter, or `only`, concerns these rows */
	struct pv_filter_error wrong; /* with `what`: the filter is invalid, and no row passes */
	struct pv_cell scratch[PV_MAX_COLUMNS]; /* rows go here after out of memory */
};

/* Begins a table; pv_build_finish() hands the table over. False: out of memory. */
bool pv_build_init(struct pv_build *b, const struct pv_view_spec *spec, const char *name,
	const struct pv_query *query);

/* Before rows are made; takes the model's lock if need be. False: out of memory. */
bool pv_build_prepare(struct pv_build *b, struct pv_model *m);
/* Whether the filter must see texts of stacks. */
bool pv_build_wants_stacks(const struct pv_build *b);

/* The cells of a new row, all 0 and PV_CELL_VALUE; never NULL; valid until the next row. */
struct pv_cell *pv_build_row(struct pv_build *b, uint64_t id);
/* The same in a tree. Rows whose parent is not in the table are dropped. */
struct pv_cell *pv_build_child(struct pv_build *b, uint64_t id, uint64_t parent, unsigned flags);

/* A copy that lives as long as the table; "" when out of memory, a failure of the build. */
const char *pv_build_text(struct pv_build *b, const char *text);
const char *pv_build_hex(struct pv_build *b, uint64_t v);
const char *pv_build_printf(struct pv_build *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Before the first row: the screen leaves the column out, as the log has no figure for it. */
void pv_build_hide(struct pv_build *b, size_t column);

/* Makes the table hold a grouping whose names its rows use. False: too many, or out of memory. */
bool pv_build_hold(struct pv_build *b, struct pv_groups_shared *s);

/* The table, the caller's to destroy; NULL when memory ran out anywhere before. */
struct pv_table *pv_build_finish(struct pv_build *b);
void pv_build_fail(struct pv_build *b); /* as if memory had run out */

/*
 * Whether a tree row's children should be appended: the row is open, or a filter must see them.
 * Never beyond a million rows.
 */
bool pv_build_wants_children(const struct pv_build *b, uint64_t id);

/* The value of a cell; null: not known from the log. */
static inline void pv_cell_u(struct pv_cell *c, uint64_t v)
{
	*c = (struct pv_cell){ .u = v, .state = PV_CELL_VALUE };
}
static inline void pv_cell_i(struct pv_cell *c, int64_t v)
{
	*c = (struct pv_cell){ .i = v, .state = PV_CELL_VALUE };
}
static inline void pv_cell_s(struct pv_cell *c, const char *v)
{
	*c = (struct pv_cell){ .s = v, .state = v ? PV_CELL_VALUE : PV_CELL_NULL };
}
static inline void pv_cell_null(struct pv_cell *c)
{
	*c = (struct pv_cell){ .state = PV_CELL_NULL };
}

/* null unless `known`. */
static inline void pv_cell_u_if(struct pv_cell *c, bool known, uint64_t v)
{
	*c = (struct pv_cell){ .u = known ? v : 0, .state = known ? PV_CELL_VALUE : PV_CELL_NULL };
}
static inline void pv_cell_i_if(struct pv_cell *c, bool known, int64_t v)
{
	*c = (struct pv_cell){ .i = known ? v : 0, .state = known ? PV_CELL_VALUE : PV_CELL_NULL };
}

/* part of whole in percent; null when whole is 0. */
static inline void pv_cell_share(struct pv_cell *c, double part, double whole)
{
	bool known = whole > 0;
	*c = (struct pv_cell){ .d = known ? 100 * part / whole : 0,
		.state = known ? PV_CELL_VALUE : PV_CELL_NULL };
}

/*
 * The 95 % confidence half-width of a count of samples, in percent of all samples; null for a count
 * of 0, whose rarity is unknown. Weighed samples are fewer, by `weight`.
 */
static inline void pv_cell_error(
	struct pv_cell *c, const struct pv_build *b, uint64_t n, double all)
{
	pv_cell_share(c, 1.96 * sqrt((double)n * b->weight), n ? all : 0);
}

/* A number; null when infinite or NaN. */
static inline void pv_cell_d(struct pv_cell *c, double v)
{
	bool known = v - v == 0; /* neither infinite nor NaN */
	*c = (struct pv_cell){ .d = known ? v : 0, .state = known ? PV_CELL_VALUE : PV_CELL_NULL };
}

#endif
