/* SPDX-License-Identifier: MIT */
/*
 * Members that outlive their container, because they were loaded again into a later one: by the
 * container's key, in the order of their beginnings (ns, log clock). Each member is visited for at
 * most one end of a container, however many ends there are. Members are named by ids; 0 is none.
 * Part of the names: threads as in names.h.
 */
#ifndef PV_MODEL_NAMES_MEMBERS_H
#define PV_MODEL_NAMES_MEMBERS_H

#include "common/base/map.h"
#include "common/base/order.h"

struct pv_members {
	struct pv_order order; /* by id */
	struct pv_map root;    /* key -> its tree, 0: empty */
};

/* Adds a new id. False when out of memory. */
bool pv_members_add(struct pv_members *m, uint64_t key, uint32_t id, int64_t from);
/* Moves a member, if present, to another beginning. False when out of memory. */
bool pv_members_move(struct pv_members *m, uint64_t key, uint32_t id, int64_t from);
/* Takes out the first member that began at `time` or before; 0: none. */
uint32_t pv_members_take(struct pv_members *m, uint64_t key, int64_t time);
void pv_members_finish(struct pv_members *m);

#endif
