/*
 * Private to the query layer: methods and classes grouped only by name, which most views need.
 * Taken under the model's lock; what is borrowed does not change, and may be read without the lock,
 * on any thread, until it is finished.
 */
#ifndef PV_QUERY_GROUPS_KEPT_H
#define PV_QUERY_GROUPS_KEPT_H

#include "common/query/groups_shared.h"

/* Row ids of different kinds of keys differ, so that a name and a bare key never share one. */
#define PV_ROW_NAMELESS (UINT64_C(1) << 62)
#define PV_ROW_NONE     (UINT64_C(1) << 63)

/*
 * Makes them where names changed since the last time, in parts between which it releases the lock;
 * pointers into the model are invalid afterwards. Until the lock is released next every id has its
 * group. Out of memory: borrowing tries again. Without a cache nothing is made.
 */
void pv_groups_prepare(struct pv_groups_cache *c, struct pv_model *m);

/*
 * The lock is held all the time. Without a cache (NULL) they are made each time. False when out of
 * memory. pv_groups_finish() gives it back.
 */
bool pv_groups_borrow(
	struct pv_groups_cache *c, struct pv_model *m, enum pv_grouped kind, struct pv_groups *ret);

/* How many have no name: of methods without bare addresses, of classes without "other". */
void pv_groups_nameless(
	struct pv_groups_cache *c, const struct pv_model *m, uint64_t ret[PV_GROUPED_KINDS]);

#endif
