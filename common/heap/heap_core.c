/* SPDX-License-Identifier: MIT */
/* Errors, progress and the ranking of roots, for all computations on a heap. */
#include "common/heap/heap_parts.h"

bool pv_heap_nomem(struct pv_heap_work *w)
{
	return pv_fail(w->err, PV_ENOMEM, 0, "out of memory");
}

bool pv_heap_go_on(struct pv_heap_work *w, const char *phase, uint64_t done, uint64_t total)
{
	return pv_go_on(w->progress, phase, done, total) ||
	       pv_fail(w->err, PV_ECANCELLED, 0, "cancelled");
}

/* Among roots that are equally near, the root that explains most comes first: least rank. */
unsigned pv_heap_root_rank(const struct pv_graph_root *r)
{
	static const uint8_t last[] = { PV_ROOT_UNKNOWN, PV_ROOT_EPHEMERON, PV_ROOT_FINALIZER,
		PV_ROOT_HANDLE_STACK, PV_ROOT_STACK };
	if (r->flags & PV_GRAPH_WEAK)
		return 20;
	for (unsigned i = 0; i < PV_COUNT_OF(last); i++)
		if (r->source == last[i])
			return 10 - i;
	return r->source == PV_ROOT_STATIC ? 0 : 1;
}

size_t pv_heap_best_root(const struct pv_heap *h, uint32_t node)
{
	const struct pv_graph *g = &h->graph;
	size_t first, n = pv_graph_roots_of(g, node, &first), best = SIZE_MAX;
	for (size_t i = first; i < first + n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		if (pv_heap_counts(h, r) &&
			(best == SIZE_MAX ||
				pv_heap_root_rank(r) < pv_heap_root_rank(&g->root.v[best])))
			best = i;
	}
	return best;
}
