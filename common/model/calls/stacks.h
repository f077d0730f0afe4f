/* SPDX-License-Identifier: MIT */
/*
 * Call stacks as nodes (parent, method): every stack is one number, equal stacks share it. Node 0
 * is the empty stack. Parents always have smaller numbers than their children. Part of the model:
 * written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_STACKS_H
#define PV_MODEL_STACKS_H

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_STACKS_CAP = 1000000 };

struct pv_stack_node {
	uint32_t parent;
	uint32_t method; /* id in names; 0 = "other": deeper frames when the cap was reached */
};

struct pv_stacks {
	PV_ARRAY(struct pv_stack_node) node;
	struct pv_map child; /* (parent << 32 | method) -> node */
	size_t cap;          /* PV_STACKS_CAP, less in tests */
	size_t fold_at;      /* private: nodes at which the next fold is due */
	uint64_t folded;     /* stacks that ended in "other" because the cap was reached */
};

/* False when out of memory. */
bool pv_stacks_init(struct pv_stacks *s);
void pv_stacks_finish(struct pv_stacks *s);

/*
 * The child of `parent` for `method`, made when new. At the cap, which a single stack can still
 * reach, the parent's "other" child, or the parent itself if it is "other" or has none. PV_MAP_NONE
 * when out of memory.
 */
uint32_t pv_stacks_child(struct pv_stacks *s, uint32_t parent, uint32_t method);

#endif
