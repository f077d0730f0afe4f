/* SPDX-License-Identifier: MIT */
/*
 * A shot's graph and the facts computed from it: which object keeps which alive. All is made once,
 * on one thread; then any thread may read.
 *
 * Reachable objects are all objects that a counting root leads to. X dominates Y when every way
 * from the roots to Y passes X; the nearest such X is Y's immediate dominator. Retained is the size
 * of all objects that X dominates, X included: the bytes freed by removing X.
 */
#ifndef PV_HEAP_HEAP_H
#define PV_HEAP_HEAP_H

#include "common/base/status.h"
#include "common/heap/awaits.h"
#include "common/heap/duplicates.h"
#include "common/heap/graph.h"
#include "common/heap/keepers.h"
#include "common/heap/progress.h"

#define PV_HEAP_ROOTS (UINT32_MAX - 1) /* in place of a dominator: only the roots */

struct pv_heap {
	struct pv_graph graph; /* owned */
	bool weak;             /* weak roots count */

	uint32_t *idom;     /* [nodes] immediate dominator, ROOTS, or NONE: unreachable */
	uint64_t *retained; /* [nodes] bytes; unreachable objects: 0 */
	uint64_t unreachable, unreachable_bytes;

	uint32_t *by_first; /* [nodes + 1] referrers of node i: by_first[i] to by_first[i + 1] */
	uint32_t *by;       /* [edges] nodes, ascending for each */

	uint32_t *up; /* [nodes] previous node on a shortest way from the roots, ROOTS, or NONE:
		       * unreachable */

	uint32_t *kept_first; /* [nodes + 2] directly dominated by i; [nodes]: by the roots */
	uint32_t *kept;       /* by retained size, descending, then by address */

	struct pv_awaits awaits;
	struct pv_keepers keepers;
	struct pv_duplicates duplicates;

	uint64_t *class_retained; /* [klass.n] bytes freed were all objects of the class gone */
	bool class_least;         /* the sizes are lower bounds: there were too many combinations
				   * for time and memory linear in the shot's size */
};

/*
 * Takes the graph over (finished on failure). `classes`: class_retained too. PV_ENOMEM or
 * PV_ECANCELLED.
 */
bool pv_heap_init(struct pv_heap *h, struct pv_graph *graph, bool weak, bool classes,
	const struct pv_progress *progress, struct pv_error *reterr);
void pv_heap_finish(struct pv_heap *h); /* zeroed is fine */

/* True if the root keeps things alive here. */
static inline bool pv_heap_counts(const struct pv_heap *h, const struct pv_graph_root *r)
{
	return h->weak || !(r->flags & PV_GRAPH_WEAK);
}

/* The root that best explains why a node is kept: index in root.v; SIZE_MAX: none counts. */
size_t pv_heap_best_root(const struct pv_heap *h, uint32_t node);

#endif
