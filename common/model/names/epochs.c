/* SPDX-License-Identifier: MIT */
/* Meanings of keys in trees by time. */
#include "common/model/names/epochs.h"

static uint32_t root_of(const struct pv_epochs *e, uint64_t key)
{
	uint32_t root = pv_map_get(&e->root, key);
	return root == PV_MAP_NONE ? 0 : root;
}

static uint32_t epoch_id(uint32_t number)
{
	return number == PV_ORDER_NONE ? 0 : number;
}

bool pv_epochs_add(struct pv_epochs *e, uint64_t key, struct pv_epoch it, struct pv_epoch only)
{
	uint32_t root = root_of(e, key);
	if (root == 0 && !pv_order_add_to(&e->order, &root, only.id, only.from, 0))
		return false;
	return pv_order_add_to(&e->order, &root, it.id, it.from, 0) &&
	       pv_map_set(&e->root, key, root);
}

bool pv_epochs_move(struct pv_epochs *e, uint64_t key, struct pv_epoch it)
{
	uint32_t root = root_of(e, key);
	if (root == 0 || e->order.node.v[it.id].key == it.from)
		return true;
	pv_order_remove_from(&e->order, &root, it.id);
	return pv_order_add_to(&e->order, &root, it.id, it.from, 0) &&
	       pv_map_set(&e->root, key, root);
}

bool pv_epochs_around(
	const struct pv_epochs *e, uint64_t key, int64_t time, uint32_t *ret_at, uint32_t *ret_next)
{
	uint32_t root = root_of(e, key);
	uint32_t at = root ? pv_order_at_most_in(&e->order, root, time) : PV_ORDER_NONE;
	*ret_at = epoch_id(at);
	*ret_next = 0;
	if (root && at == PV_ORDER_NONE)
		*ret_next = epoch_id(pv_order_at_least_in(&e->order, root, INT64_MIN));
	else if (root)
		*ret_next = epoch_id(pv_order_after(&e->order, root, at));
	return root != 0;
}

uint32_t pv_epochs_next(const struct pv_epochs *e, uint64_t key, uint32_t id)
{
	uint32_t root = root_of(e, key);
	return root ? epoch_id(pv_order_after(&e->order, root, id)) : 0;
}

bool pv_epochs_link(struct pv_epochs *e, struct pv_map *first, uint64_t key, struct pv_epoch it,
	int64_t (*from)(const void *ctx, uint32_t id), const void *ctx)
{
	uint32_t id = pv_map_get(first, key);
	if (id == PV_MAP_NONE)
		return pv_map_set(first, key, it.id);
	return pv_epochs_add(e, key, it, (struct pv_epoch){ id, from(ctx, id) });
}

void pv_epochs_clear(struct pv_epochs *e)
{
	pv_order_clear(&e->order);
	pv_map_clear(&e->root);
}

void pv_epochs_finish(struct pv_epochs *e)
{
	pv_order_finish(&e->order);
	pv_map_finish(&e->root);
}
