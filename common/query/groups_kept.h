/*
 * Private to the query layer: methods and classes grouped by name alone, kept with the model from
 * one query to the next until a name changes. Taken under the model's lock; what is borrowed stays
 * as it is, and may be read without the lock, until it is given back, on whatever thread.
 */
#ifndef PV_QUERY_GROUPS_KEPT_H
#define PV_QUERY_GROUPS_KEPT_H

#include "common/query/groups.h"

/* Row ids tell kinds of keys apart, so that a name and a bare key never share one. */
#define PV_ROW_NAMELESS (UINT64_C(1) << 62)
#define PV_ROW_NONE (UINT64_C(1) << 63)

enum pv_grouped { PV_GROUPED_METHODS, PV_GROUPED_CLASSES, PV_GROUPED_KINDS };

/*
 * Makes them where names changed since the last time, in parts between which it lets go of the
 * lock; nothing that was looked up in the model before is good afterwards. In the hold in which it
 * returns every id has its group. Where it fails for want of memory borrowing tries again.
 */
void pv_groups_prepare(struct pv_model *m);

/* The lock is not let go of. False when out of memory. pv_groups_finish() gives it back. */
bool pv_groups_borrow(struct pv_model *m, enum pv_grouped kind, struct pv_groups *ret);
void pv_groups_give_back(struct pv_groups_shared *s);

/* How many have no name: of methods without bare addresses, of classes without "other". */
void pv_groups_nameless(const struct pv_model *m, uint64_t ret[PV_GROUPED_KINDS]);

#endif
