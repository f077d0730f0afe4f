/* SPDX-License-Identifier: MIT */
/*
 * Elements in the order of a key, found in logarithmic time, whatever order they come in: a treap
 * over the numbers of an array's elements. Of equal keys the lower number stands first. Each
 * element also has a reach: a search for elements that reach far enough skips subtrees by it. Valid
 * when zeroed. Not thread-safe.
 *
 * An array can be split into several trees, each with a root (number + 1, 0: empty); functions
 * without a root mean the root in the structure.
 */
#ifndef PV_BASE_ORDER_H
#define PV_BASE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

#define PV_ORDER_NONE UINT32_MAX

struct pv_order_node {
	int64_t key, reach;
	int64_t most;           /* greatest reach in the subtree */
	uint32_t before, after; /* subtrees: number + 1; 0: none */
};

struct pv_order {
	PV_ARRAY(struct pv_order_node) node; /* by number */
	uint32_t root;                       /* number + 1 */
};

/* Maps an unsigned number to a signed one of the same order. */
static inline int64_t pv_order_key(uint64_t v)
{
	return (int64_t)(v ^ UINT64_C(1) << 63);
}

/* Makes room for numbers below `numbers`: adding these needs no memory. False: no memory. */
bool pv_order_reserve(struct pv_order *o, uint32_t numbers);
/* Adds an element whose number is not in the tree. False when out of memory. */
bool pv_order_add(struct pv_order *o, uint32_t number, int64_t key, int64_t reach);
bool pv_order_add_to(
	struct pv_order *o, uint32_t *root, uint32_t number, int64_t key, int64_t reach);
/* `number` must be in the tree. */
void pv_order_remove(struct pv_order *o, uint32_t number);
void pv_order_remove_from(struct pv_order *o, uint32_t *root, uint32_t number);

/* Whether `number` is in the tree, by the key of its last addition. */
bool pv_order_has(const struct pv_order *o, uint32_t root, uint32_t number);

/* The last element with a key of at most `key`; the first with at least `key`; or none. */
uint32_t pv_order_at_most_in(const struct pv_order *o, uint32_t root, int64_t key);
uint32_t pv_order_at_least_in(const struct pv_order *o, uint32_t root, int64_t key);
/* The element after `number`, which must be in the tree. */
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
 * Visits elements with keys from `from` to `to`, both included, and a reach of at least `reach`,
 * from the last on, until `visit` returns false. `visit` may not add or remove elements.
 */
struct pv_order_look {
	int64_t from, to, reach;
	bool (*visit)(void *ctx, uint32_t number);
	void *ctx;
};
void pv_order_look(const struct pv_order *o, const struct pv_order_look *look);

/* Empties the tree and keeps the memory; the second frees the memory, too. */
void pv_order_clear(struct pv_order *o);
void pv_order_finish(struct pv_order *o);

#endif
