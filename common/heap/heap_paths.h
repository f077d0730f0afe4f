/* SPDX-License-Identifier: MIT */
/* Ways from roots to objects. Pure functions of a heap; any thread. */
#ifndef PV_HEAP_HEAP_PATHS_H
#define PV_HEAP_HEAP_PATHS_H

#include "common/heap/heap.h"

/* An object on a way to a root. */
struct pv_path_step {
	uint32_t node;
	uint32_t offset; /* of the reference in the next step (nearer to the root); NONE when not
			  * recorded, or for the last step */
};

struct pv_path {
	PV_ARRAY(struct pv_path_step) step; /* from the object to the object that a root holds */
	size_t root; /* index in the graph's root.v of the best root of the last step */
};

/* The shortest way; false when out of memory. No steps: no root reaches the object. */
bool pv_path_find(const struct pv_heap *h, uint32_t node, struct pv_path *ret);
void pv_path_finish(struct pv_path *p);

/*
 * The shortest ways of a set of objects, merged by class and field: a tree whose first level are
 * roots (by area, or by source), and whose rows have the number and bytes of the set's objects on
 * ways through them.
 */
struct pv_merged_row {
	uint32_t parent; /* index of the row, NONE for roots */
	uint32_t depth;
	uint32_t klass;    /* index in klass; of roots: NONE */
	uint32_t offset;   /* of the field in the parent's class; NONE: none, or array elements */
	uint32_t area;     /* of roots: index + 1, 0 none */
	uint8_t source;    /* of roots: enum pv_root_source */
	const char *field; /* name, of a root the static field's; NULL: not known */
	uint32_t objects;  /* distinct objects at this place of the ways */
	uint64_t through, bytes; /* objects of the set on ways through here, and their sizes */
	uint64_t ends;           /* objects of the set at this place itself */
};

struct pv_merged {
	PV_ARRAY(struct pv_merged_row) row; /* preorder; siblings by bytes, descending */
	uint64_t unreachable;               /* objects of the set that no root reaches */
	bool cut; /* rows beyond PV_MERGED_ROWS were left out; their parents count the objects */
};

enum { PV_MERGED_ROWS = 4096 };

/* `node` need not be sorted. False when out of memory. */
bool pv_merged_paths(
	const struct pv_heap *h, const uint32_t *node, size_t n, struct pv_merged *ret);
void pv_merged_finish(struct pv_merged *m);

#endif
