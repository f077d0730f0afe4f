#include "common/heap/graph.h"

#include <stdlib.h>

void pv_graph_finish(struct pv_graph *g)
{
	free(g->address);
	free(g->size);
	free(g->class_of);
	free(g->first);
	free(g->to);
	free(g->offset);
	pv_array_finish(&g->klass);
	pv_array_finish(&g->root);
	pv_array_finish(&g->area);
	pv_arena_finish(&g->text);
	*g = (struct pv_graph){ 0 };
}

uint32_t pv_graph_from(const struct pv_graph *g, uint64_t address)
{
	uint32_t low = 0, high = g->nodes;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (g->address[mid] < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t pv_graph_find(const struct pv_graph *g, uint64_t address)
{
	uint32_t at = pv_graph_from(g, address);
	return at < g->nodes && g->address[at] == address ? at : PV_GRAPH_NONE;
}

uint32_t pv_graph_class_of_id(const struct pv_graph *g, uint64_t id)
{
	for (size_t i = 0; i < g->klass.n; i++)
		if (g->klass.v[i].id == id)
			return (uint32_t)i;
	return PV_GRAPH_NONE;
}

size_t pv_graph_roots_of(const struct pv_graph *g, uint32_t node, size_t *ret_first)
{
	size_t low = 0, high = g->root.n, n = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (g->root.v[mid].node < node)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < g->root.n && g->root.v[low + n].node == node)
		n++;
	*ret_first = low;
	return n;
}

uint64_t pv_graph_memory(const struct pv_graph *g)
{
	uint64_t node =
		sizeof *g->address + sizeof *g->size + sizeof *g->class_of + sizeof *g->first;
	return g->nodes * node + g->edges * (sizeof *g->to + sizeof *g->offset) +
	       g->klass.room * sizeof *g->klass.v + g->root.room * sizeof *g->root.v +
	       g->area.room * sizeof *g->area.v + g->text.bytes;
}
