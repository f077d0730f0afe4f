/* SPDX-License-Identifier: MIT */
/*
 * Calls that the probe summed up itself (extension family 0): the gain of a thread's call tree
 * since its last writing, node by node, so that the model is as if the calls had been traced. Each
 * buffer is complete: a node names its parent by the number of such events in between. Part of the
 * model: written by the ingest thread, read under the lock. Times are ns.
 */
#ifndef PV_MODEL_TREE_SUMS_H
#define PV_MODEL_TREE_SUMS_H

#include "common/base/mem.h"

/*
 * CPU time of a method's own code, ns: from sampled stacks, or as exactly as the probe was asked.
 */
struct pv_cpu_time {
	uint64_t user_ns, kernel_ns;
};

/* A node of the present buffer; `node` is its number as long as calls.folds equals `folds`. */
struct pv_tree_entry {
	uint64_t key, folds;
	uint32_t parent; /* index + 1; 0: a root */
	uint32_t node;
};

struct pv_tree_sums {
	PV_ARRAY(struct pv_cpu_time) cpu; /* by method id; may be shorter than the names */
	uint64_t nodes, cpu_times;        /* events */
	uint64_t lost;                    /* without a parent in the tree */

	/* private: of the present buffer */
	PV_ARRAY(struct pv_tree_entry) entry;
	PV_ARRAY(uint32_t) path; /* scratch */
	uint64_t buffer;
	/* Method and thread of the next CPU time, 0: none. */
	uint32_t method, thread;
};

struct pv_context;
struct pv_event;

/* Private to the model. False when out of memory. */
bool pv_tree_sums_apply(struct pv_context *x, const struct pv_event *e);
/* The node of a sample, and the thread's index: the CPU time of the sample may follow. */
void pv_tree_sums_sampled(struct pv_context *x, uint32_t node, uint32_t thread);
void pv_tree_sums_finish(struct pv_tree_sums *t);

#endif
