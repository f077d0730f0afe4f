/* SPDX-License-Identifier: MIT */
/* Finds the shortest way from an object to a root. */
#include "common/heap/heap_paths.h"

#include <stdlib.h>

void pv_path_finish(struct pv_path *p)
{
	pv_array_finish(&p->step);
}

static uint32_t offset_in(const struct pv_graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t e = g->first[from]; e < g->first[from + 1]; e++)
		if (g->to[e] == to)
			return g->offset[e];
	return PV_GRAPH_NONE;
}

bool pv_path_find(const struct pv_heap *h, uint32_t node, struct pv_path *ret)
{
	*ret = (struct pv_path){ .root = SIZE_MAX };
	if (node >= h->graph.nodes || h->up[node] == PV_GRAPH_NONE)
		return true;
	for (;;) {
		uint32_t up = h->up[node];
		bool last = up == PV_HEAP_ROOTS;
		if (!pv_reserve(&ret->step, 1)) {
			pv_path_finish(ret);
			return false;
		}
		ret->step.v[ret->step.n++] = (struct pv_path_step){ node,
			last ? PV_GRAPH_NONE : offset_in(&h->graph, up, node) };
		if (last)
			break;
		node = up;
	}
	ret->root = pv_heap_best_root(h, node);
	return true;
}
