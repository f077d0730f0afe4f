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

bool pv_path_kinds(const struct pv_heap *h, uint32_t node, uint32_t *ret_bits)
{
	const struct pv_graph *g = &h->graph;
	PV_ARRAY(uint32_t) queue = { 0 };
	uint32_t bits = 0;
	uint8_t *met = calloc(((size_t)g->nodes + 8) / 8, 1);
	bool ok = met && pv_reserve(&queue, 1);
	if (ok && node < g->nodes) {
		queue.v[queue.n++] = node;
		met[node / 8] |= (uint8_t)(1 << node % 8);
	}
	for (size_t at = 0; ok && at < queue.n; at++) {
		size_t first, n = pv_graph_roots_of(g, queue.v[at], &first);
		for (size_t i = first; i < first + n; i++)
			if (pv_heap_counts(h, &g->root.v[i]))
				bits |= UINT32_C(1) << g->root.v[i].source;
		uint32_t from = h->by_first[queue.v[at]], end = h->by_first[queue.v[at] + 1];
		ok = pv_reserve(&queue, end - from);
		for (uint32_t i = from; ok && i < end; i++) {
			uint32_t by = h->by[i];
			if (met[by / 8] >> by % 8 & 1)
				continue;
			met[by / 8] |= (uint8_t)(1 << by % 8);
			queue.v[queue.n++] = by;
		}
	}
	free(met);
	pv_array_finish(&queue);
	if (ok)
		*ret_bits = bits;
	return ok;
}
