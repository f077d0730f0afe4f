/*
 * The course of each row's figure over the time that is shown: of methods, classes, threads, locks
 * and counters, from the time buckets, the longest waits and the counters' readings. Made at once for
 * all rows of a view; rows are known by name (threads by id, locks by address), so that tables of another model of the same log get theirs,
 * too. One thread at a time uses one.
 */
#ifndef PV_QUERY_TRENDS_H
#define PV_QUERY_TRENDS_H

#include "common/query/views.h"

enum { PV_TREND_CELLS = 10 };

struct pv_trends;

/* The id of the column that they are in. */
#define PV_TREND_COLUMN "trend"

/* `from_ns` >= `to_ns`: all of the recording. Since zero, half-open. */
struct pv_trend_wish {
	enum pv_view view;
	enum pv_counted counted;
	int64_t from_ns, to_ns;
};

/*
 * Takes the model's lock, and time linear in its buckets. NULL where the view has none, the log is
 * too short for its buckets, or memory is. The caller destroys it.
 */
struct pv_trends *pv_trends_create(
	struct pv_model *m, struct pv_groups_cache *groups, const struct pv_trend_wish *wish);
void pv_trends_destroy(struct pv_trends *t); /* NULL is fine */

/* Whether it still answers that, of this model as it is (`generation`). */
bool pv_trends_is(const struct pv_trends *t, const struct pv_model *m,
	const struct pv_trend_wish *wish, uint64_t generation);

/* Puts them into the rows of a table that no other thread has yet. NULL: there are none. */
void pv_trends_fill(struct pv_trends *t, struct pv_table *table);

#endif
