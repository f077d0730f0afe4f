/*
 * The call tree, cumulative: what enter/leave events and sample stacks say. Flat figures are
 * summed from it when asked. Times are ns; all on the log's clock.
 *
 * Self time grows by segments: each enter or leave gives the time since the thread's last one to
 * the method on top. Totals are added when a call ends; open calls count up to their thread's
 * last event when asked (pv_calls_open()).
 */
#ifndef PV_MODEL_CALLS_H
#define PV_MODEL_CALLS_H

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_TREE_CAP = 1000000 };

struct pv_tree_node {
	uint32_t parent, first_child, next_sibling; /* 0 = none; node 0 is the root above all threads */
	uint32_t method;     /* id in names */
	uint64_t calls;      /* enters */
	int64_t self_ns;
	int64_t total_ns;    /* of ended calls of this node */
	int64_t max_ns;      /* longest ended call */
	uint64_t exc_leaves; /* calls ended by an exception */
	uint64_t samples;    /* whose innermost frame is this node */
	uint32_t stack;      /* the same path in pv_stacks, 0 until asked for */
	uint32_t cell;       /* private to the window: its slot in the current cell */
};

struct pv_frame {
	uint32_t node;
	int64_t enter_ns;
};

/* One (native thread id, epoch). */
struct pv_thread_calls {
	PV_ARRAY(struct pv_frame) stack; /* innermost last */
	int64_t last_ns; /* of the thread's newest enter or leave: self time is paid up to here */
	int64_t event_ns; /* of the thread's newest event of any kind in its own buffers */
};

struct pv_calls {
	PV_ARRAY(struct pv_tree_node) node;
	uint64_t calls, samples;
	uint64_t stray_leaves;   /* leave without an enter: popped nothing */
	uint64_t missing_leaves; /* closed when an outer frame left */
	uint64_t gap_closed;     /* frames closed by a gap */
	uint64_t folded;         /* nodes folded into "other" at the cap */
};

#endif
