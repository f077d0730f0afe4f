/* SPDX-License-Identifier: MIT */
/*
 * The call tree, cumulative: sums of enter/leave events and sample stacks. Flat figures are summed
 * from the tree when asked. Times are ns; all on the log's clock.
 *
 * Self time grows by intervals: each enter or leave gives the time since the thread's last event to
 * the method on top. Totals are added when a call ends; open calls count up to their thread's last
 * event when asked (pv_calls_open()).
 */
#ifndef PV_MODEL_CALLS_H
#define PV_MODEL_CALLS_H

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_TREE_CAP = 1000000, PV_STACK_DEPTH = 1 << 18 };

/*
 * Parents always have smaller numbers than their children. A sample's innermost node can stand
 * for a bare address outside managed code (names.method[].native).
 */
struct pv_tree_node {
	uint64_t key;      /* private: wire key, UINT64_MAX when no key finds the node */
	uint32_t parent;   /* node 0 is the root above all threads */
	uint32_t method;   /* id in names; 0 = "other": nodes folded at the cap */
	int64_t self_ns;   /* paid so far: without the last interval of the open top frame */
	uint32_t children; /* the fields that folding reads are together, up to here */
	uint32_t first_child, next_sibling; /* 0 = none */
	uint32_t recent;                    /* private: child entered last */
	uint32_t cell;                      /* private to the window */
	uint64_t calls;                     /* enters */
	int64_t total_ns;                   /* of ended calls of this node */
	int64_t max_ns;                     /* longest ended call */
	uint64_t exc_leaves;                /* calls ended by an exception */
	uint64_t samples;                   /* with this node as innermost frame */
	uint32_t stack; /* private: the same path in pv_stacks, 0 until asked for */
	uint32_t other; /* private: the child that is "other", 0 = none */
};

struct pv_frame {
	uint32_t node;
	int64_t enter_ns;
};

/* Open calls of one thread (native id, epoch). */
struct pv_thread_calls {
	PV_ARRAY(struct pv_frame) stack; /* innermost last */
	int64_t last_ns;                 /* self time is paid up to here */
	int64_t bucketed_ns; /* private: self time from here to last_ns is in no bucket yet */
	uint64_t too_deep;   /* calls open beyond PV_STACK_DEPTH */
	struct pv_open_index *open; /* private, calls_open.h; NULL: not asked for */
};

struct pv_calls {
	PV_ARRAY(struct pv_tree_node) node; /* grows by pv_table_reserve() */
	uint64_t calls, samples;
	uint64_t stray_leaves;   /* leave without an enter: popped nothing */
	uint64_t missing_leaves; /* closed when an outer frame left */
	uint64_t unwound;        /* closed because an exception left an outer frame */
	uint64_t gap_closed;     /* frames closed by a gap */
	uint64_t folded;         /* nodes folded into "other" at the cap */
	uint64_t folds;          /* number of folds: each changed node numbers */
	size_t cap;              /* PV_TREE_CAP, less in tests */

	/* private */
	uint32_t looked_at; /* nodes before this number were there at the last fold ... */
	int64_t bar_ns; /* ... and self time of the heaviest leaf folded by the last fold of all */
	struct pv_map wide; /* (parent << 32 | method) -> node, of parents with many children */
	/* Nodes of each method, as far as listed; see pv_calls_drop_key_lookup(). 0: no more. */
	PV_ARRAY(uint32_t) of_method, next_of_method;
	uint64_t of_folds; /* `folds` when the lists were made */
};

struct pv_model;

/* Time that open frames add to a node if they run to their thread's last event. */
struct pv_open_call {
	uint32_t node;
	int64_t self_ns, total_ns, max_ns;
};

struct pv_open_calls {
	PV_ARRAY(struct pv_open_call) call; /* each node once, ascending */
};

/* False when out of memory. The caller holds the model's lock, here and below. */
bool pv_calls_open(const struct pv_model *m, struct pv_open_calls *ret);
void pv_open_calls_finish(struct pv_open_calls *o);

/* Figures of a method, or of all methods of a group. */
struct pv_method_sum {
	uint64_t calls, exc_leaves;
	int64_t self_ns, max_ns;
	int64_t total_ns;                     /* outermost activations only */
	uint64_t samples_self, samples_total; /* total: once per stack */
	uint64_t cpu_user_ns, cpu_kernel_ns;  /* of the methods' own code */
};

/*
 * Flat figures, open frames included. group_of[method id] (names.method.n entries) is below
 * `groups`; methods of one group count as one, also when they call each other. `ret` has `groups`
 * entries and is overwritten. False when out of memory.
 */
bool pv_calls_flat(const struct pv_model *m, const uint32_t *group_of, size_t groups,
	struct pv_method_sum *ret);

#endif
