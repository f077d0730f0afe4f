/* SPDX-License-Identifier: MIT */
/*
 * The keepers of a heap: objects that only roots dominate, summed by the static field, the class
 * with static fields, or else the kind of root and the class of the held object. An object that
 * several roots hold counts for the root with the shortest way, and as shared. Pure functions of a
 * heap; any thread. Time and memory are linear in the heap's size.
 */
#ifndef PV_HEAP_KEEPERS_H
#define PV_HEAP_KEEPERS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/mem.h"

struct pv_heap;

struct pv_keeper {
	size_t root; /* any of its roots, index in the graph's root.v; SIZE_MAX: none is listed */
	uint32_t klass;        /* of the held object, index in klass; NONE: the root has a name */
	uint32_t node;         /* the largest held object */
	uint64_t holds;        /* held objects that no object dominates */
	uint64_t bytes;        /* retained by these objects */
	uint64_t shared_bytes; /* of `bytes`: other roots hold the objects, too */
	uint64_t objects;      /* retained by these objects */
	/* The class with most objects, among classes with references, or else with most bytes. */
	uint32_t most; /* index in klass */
	uint64_t most_objects, most_bytes;
};

struct pv_keepers {
	PV_ARRAY(struct pv_keeper) keeper; /* by bytes, descending */
};

/* False when out of memory; call pv_keepers_finish() in either case. */
bool pv_keepers_find(const struct pv_heap *h, struct pv_keepers *ret);
void pv_keepers_finish(struct pv_keepers *k);
/*
 * The keeper of the object that dominates most bytes of a class. NULL: no single object has half of
 * the bytes, or out of memory. The heap's.
 */
const struct pv_keeper *pv_keepers_most_of(const struct pv_heap *h, uint32_t klass);

#endif
