/* SPDX-License-Identifier: MIT */
/* Private to awaits*.c: edges from waiters to awaited objects, before they become a tree. */
#ifndef PV_HEAP_AWAITS_PARTS_H
#define PV_HEAP_AWAITS_PARTS_H

#include "common/heap/awaits.h"
#include "common/heap/graph.h"

/* Role of an object, by its class. */
enum pv_await_role {
	PV_ROLE_NONE,
	PV_ROLE_METHOD,  /* box of an async method */
	PV_ROLE_PROMISE, /* a task of the library that others wait for */
	PV_ROLE_THREAD,  /* blocks a thread */
	PV_ROLE_ACTION,  /* delegate: leads to its target */
	PV_ROLE_STEP,    /* leads to an action or a promise */
	PV_ROLE_LIST,    /* of several waiters */
	PV_ROLE_ARRAY,
	PV_ROLE_DONE, /* in place of a waiter: the task is done */
};

struct pv_await_edge {
	uint32_t waiter, awaited; /* nodes */
};

struct pv_await_graph {
	const struct pv_graph *g;
	struct pv_awaits *to;
	uint8_t *role; /* [klass.n] enum pv_await_role */
	bool *done;    /* [nodes] tasks that are done */
	PV_ARRAY(struct pv_await_edge) edge;
	uint64_t steps; /* references that may still be followed */
};

/* enum pv_await_role of a node. */
static inline uint8_t pv_await_role_of(const struct pv_await_graph *a, uint32_t node)
{
	return a->role[a->g->class_of[node]];
}

/* awaits_class.c: the role of a class by name. */
enum pv_await_role pv_await_role_of_class(const char *name);

/* awaits_tree.c: sorts the edges and makes rows of them. False when out of memory. */
bool pv_await_tree(struct pv_await_graph *a);

#endif
