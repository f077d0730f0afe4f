/*
 * Members that outlive the death of their container, because they came again and belong to a later
 * life: by the container's key, in the order of the times they came to life. A death looks at each
 * of them once at most, however many deaths there are. Members are named by ids; 0 is none. Part of
 * the names.
 */
#ifndef PV_MODEL_NAMES_MEMBERS_H
#define PV_MODEL_NAMES_MEMBERS_H

#include "common/base/map.h"
#include "common/base/order.h"

struct pv_members {
	struct pv_order order; /* by id */
	struct pv_map root;    /* key -> its tree, 0: empty */
};

/* An id that is not in it. False when out of memory. */
bool pv_members_add(struct pv_members *m, uint64_t key, uint32_t id, int64_t from);
/* It came to life at another time than was known; it may not be in it. */
bool pv_members_move(struct pv_members *m, uint64_t key, uint32_t id, int64_t from);
/* Takes out the first that came to life at `time` or before; 0: there is none. */
uint32_t pv_members_take(struct pv_members *m, uint64_t key, int64_t time);
void pv_members_finish(struct pv_members *m);

#endif
