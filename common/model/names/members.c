/* SPDX-License-Identifier: MIT */
/* Members of containers in trees by time. */
#include "common/model/names/members.h"

static uint32_t root_of(const struct pv_members *m, uint64_t key)
{
	uint32_t root = pv_map_get(&m->root, key);
	return root == PV_MAP_NONE ? 0 : root;
}

bool pv_members_add(struct pv_members *m, uint64_t key, uint32_t id, int64_t from)
{
	uint32_t root = root_of(m, key);
	return pv_order_add_to(&m->order, &root, id, from, 0) && pv_map_set(&m->root, key, root);
}

bool pv_members_move(struct pv_members *m, uint64_t key, uint32_t id, int64_t from)
{
	uint32_t root = root_of(m, key);
	if (!pv_order_has(&m->order, root, id))
		return true;
	pv_order_remove_from(&m->order, &root, id);
	return pv_order_add_to(&m->order, &root, id, from, 0) && pv_map_set(&m->root, key, root);
}

uint32_t pv_members_take(struct pv_members *m, uint64_t key, int64_t time)
{
	uint32_t root = root_of(m, key);
	uint32_t id = root ? pv_order_at_least_in(&m->order, root, INT64_MIN) : PV_ORDER_NONE;
	if (id == PV_ORDER_NONE || m->order.node.v[id].key > time)
		return 0;
	pv_order_remove_from(&m->order, &root, id);
	pv_map_set(&m->root, key, root); /* the key is present: no growth */
	return id;
}

void pv_members_finish(struct pv_members *m)
{
	pv_order_finish(&m->order);
	pv_map_finish(&m->root);
}
