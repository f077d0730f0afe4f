/* SPDX-License-Identifier: MIT */
/*
 * Sets of a heap's objects: nodes, ascending, each once. Valid when zeroed. Any thread, with its
 * own set. Functions that return bool are false when out of memory only, and *ret is empty then.
 */
#ifndef PV_HEAP_HEAP_SET_H
#define PV_HEAP_HEAP_SET_H

#include "common/heap/heap.h"

struct pv_heap_set {
	PV_ARRAY(uint32_t) node;
	uint64_t bytes; /* of all objects */
};

enum pv_heap_set_op { PV_SET_UNION, PV_SET_INTERSECTION, PV_SET_DIFFERENCE };

void pv_heap_set_finish(struct pv_heap_set *s); /* frees the set */

/* All objects of the class. */
bool pv_heap_set_class(const struct pv_heap *h, uint32_t klass, struct pv_heap_set *ret);
/* The objects that a node dominates, with the node itself. */
bool pv_heap_set_kept(const struct pv_heap *h, uint32_t node, struct pv_heap_set *ret);
/* The objects that no root reaches. */
bool pv_heap_set_unreachable(const struct pv_heap *h, struct pv_heap_set *ret);
/* Sorts `n` nodes into a set; repeated nodes count once. */
bool pv_heap_set_of(
	const struct pv_heap *h, const uint32_t *node, size_t n, struct pv_heap_set *ret);

/*
 * Objects and bytes freed when all objects of the set go, with the set: objects that every way from
 * the roots reaches past an object of the set, each once. Unreachable objects are not freed by
 * that.
 */
bool pv_heap_set_retained(const struct pv_heap *h, const struct pv_heap_set *s,
	uint64_t *ret_objects, uint64_t *ret_bytes);

/* The result of an operation on two sets. */
bool pv_heap_set_combine(const struct pv_heap *h, enum pv_heap_set_op op,
	const struct pv_heap_set *a, const struct pv_heap_set *b, struct pv_heap_set *ret);

#endif
