/* SPDX-License-Identifier: MIT */
/*
 * The course of each row's figure over the shown time: of methods, classes, threads, locks and
 * counters, from the time buckets, the longest waits and the counters' readings. Made at once for
 * all rows of a view; rows are known by name (threads by id, locks by address), also in tables of
 * another model of the log. One thread at a time uses a trends object.
 */
#ifndef PV_QUERY_TRENDS_H
#define PV_QUERY_TRENDS_H

#include "common/query/views.h"

enum { PV_TREND_CELLS = 10 };

struct pv_trends;

/* The id of the column of trends. */
#define PV_TREND_COLUMN "trend"

/* `from_ns` >= `to_ns`: all of the recording. Since zero, half-open. */
struct pv_trend_wish {
	enum pv_view view;
	enum pv_counted counted;
	int64_t from_ns, to_ns;
	bool beyond; /* cells go on beyond the end of data; cells not over yet are unknown */
};

/*
 * Takes the model's lock, for a time linear in the buckets. NULL: the view has no trends, the log
 * is too short for buckets, or out of memory. The caller destroys the trends.
 */
struct pv_trends *pv_trends_create(
	struct pv_model *m, struct pv_groups_cache *groups, const struct pv_trend_wish *wish);
void pv_trends_destroy(struct pv_trends *t); /* NULL is fine */

/* Whether the trends answer the wish, for this model in its present state (`generation`). */
bool pv_trends_is(const struct pv_trends *t, const struct pv_model *m,
	const struct pv_trend_wish *wish, uint64_t generation);

/* Fills the trends into the rows of a table that no other thread has yet. NULL: no trends. */
void pv_trends_fill(struct pv_trends *t, struct pv_table *table);

#endif
