/*
 * Things in the order of a key, found in time that grows with the logarithm of how many there are,
 * whatever order they come in: a treap over the numbers of an array's elements. Of equal keys the
 * lower number stands first. Each has a reach besides, by which a look at many leaves out those
 * that do not reach far enough. Valid when zeroed. Not thread-safe.
 *
 * An array can be parted into several trees, each with a root of its own (number + 1, 0: empty);
 * the functions without a root mean the one in the structure.
 */
#ifndef PV_BASE_ORDER_H
#define PV_BASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

#define PV_ORDER_NONE UINT32_MAX

struct pv_order_node {
	int64_t key, reach;
	int64_t most;           /* greatest reach in its subtree */
	uint32_t before, after; /* subtrees: number + 1; 0: none */
};

struct pv_order {
	PV_ARRAY(struct pv_order_node) node; /* by number */
	uint32_t root;                       /* number + 1 */
};

/* An unsigned number as one that has the same order. */
static inline int64_t pv_order_key(uint64_t v)
{
	return (int64_t)(v ^ UINT64_C(1) << 63);
}

/* Room for numbers below `numbers`: adding those needs no memory. False when there is none. */
bool pv_order_reserve(struct pv_order *o, uint32_t numbers);
/* An element whose number is not in it. False when out of memory. */
bool pv_order_add(struct pv_order *o, uint32_t number, int64_t key, int64_t reach);
bool pv_order_add_to(
	struct pv_order *o, uint32_t *root, uint32_t number, int64_t key, int64_t reach);
/* `number` is in it. */
void pv_order_remove(struct pv_order *o, uint32_t number);
void pv_order_remove_from(struct pv_order *o, uint32_t *root, uint32_t number);

/* Whether `number` is in it, by the key it had when it was added last. */
bool pv_order_has(const struct pv_order *o, uint32_t root, uint32_t number);

/* The last one whose key is at most `key`, the first whose key is at least that; or none. */
uint32_t pv_order_at_most_in(const struct pv_order *o, uint32_t root, int64_t key);
uint32_t pv_order_at_least_in(const struct pv_order *o, uint32_t root, int64_t key);
/* The one after `number`, which is in it. */
uint32_t pv_order_after(const struct pv_order *o, uint32_t root, uint32_t number);

/* The same in the structure's own tree. */
static inline uint32_t pv_order_at_most(const struct pv_order *o, int64_t key)
{
	return pv_order_at_most_in(o, o->root, key);
}

/* Likewise. */
static inline uint32_t pv_order_at_least(const struct pv_order *o, int64_t key)
{
	return pv_order_at_least_in(o, o->root, key);
}

/*
 * Those with keys from `from` to `to`, both included, that reach `reach` or farther, from the last
 * one on, until `visit` returns false. It may not add or remove any.
 */
struct pv_order_look {
	int64_t from, to, reach;
	bool (*visit)(void *ctx, uint32_t number);
	void *ctx;
};
void pv_order_look(const struct pv_order *o, const struct pv_order_look *look);

/* Empties it and keeps its memory; the second frees that too. */
void pv_order_clear(struct pv_order *o);
void pv_order_finish(struct pv_order *o);

#endif
