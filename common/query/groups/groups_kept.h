/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: methods and classes grouped only by name, as most views need. Taken
 * under the model's lock; a borrowed grouping does not change, and may be read without the lock, on
 * any thread, until pv_groups_finish().
 */
#ifndef PV_QUERY_GROUPS_KEPT_H
#define PV_QUERY_GROUPS_KEPT_H

#include "common/query/groups/groups_shared.h"

/* Row ids of names and of bare keys differ, so that a name and a key never share a row. */
#define PV_ROW_NAMELESS (UINT64_C(1) << 62)
#define PV_ROW_NONE     (UINT64_C(1) << 63)

/*
 * Makes the groupings if names changed since the last time, in parts, releasing the lock in
 * between; pointers into the model are invalid afterwards. Every id has a group until the lock is
 * released again. Out of memory: borrowing tries again. Without a cache nothing is made.
 */
void pv_groups_prepare(struct pv_groups_cache *c, struct pv_model *m);

/*
 * Takes a grouping without releasing the lock. Without a cache (NULL) the grouping is made each
 * time. False when out of memory. pv_groups_finish() gives a grouping back.
 */
bool pv_groups_borrow(
	struct pv_groups_cache *c, struct pv_model *m, enum pv_grouped kind, struct pv_groups *ret);

/* Counts ids without a name: methods but bare addresses, classes but "other". */
void pv_groups_nameless(
	struct pv_groups_cache *c, const struct pv_model *m, uint64_t ret[PV_GROUPED_KINDS]);

#endif
