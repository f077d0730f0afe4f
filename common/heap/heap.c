/* SPDX-License-Identifier: MIT */
/* Computes referrers, shortest ways, the dominator tree and the sums of a heap. */
#include "common/heap/heap.h"

#include <stdlib.h>

#include "common/heap/big.h"
#include "common/heap/heap_parts.h"
#include "common/heap/radix.h"

/* --- referrers */

/* Distances of prefetches: memory is far, so entries to be written soon are requested early. */
enum { NEAR = 8, FAR = 24 };

static bool referrers(struct pv_heap_work *w)
{
	struct pv_heap *h = w->h;
	const struct pv_graph *g = &h->graph;
	h->by_first = pv_big_alloc((size_t)g->nodes + 2, sizeof *h->by_first);
	h->by = pv_big_alloc((size_t)g->edges + 1, sizeof *h->by);
	if (!h->by_first || !h->by)
		return pv_heap_nomem(w);
	uint32_t *count = h->by_first + 2, *at = h->by_first + 1, last = g->edges - (g->edges > 0);
	for (uint32_t e = 0; e < g->edges; e++) {
		__builtin_prefetch(&count[g->to[last - e > FAR ? e + FAR : last]], 1);
		count[g->to[e]]++;
	}
	for (uint32_t i = 0; i < g->nodes; i++)
		at[i + 1] += at[i];
	for (uint32_t node = 0; node < g->nodes; node++) {
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
			__builtin_prefetch(&at[g->to[last - e > FAR ? e + FAR : last]], 1);
			__builtin_prefetch(&h->by[at[g->to[last - e > NEAR ? e + NEAR : last]]], 1);
			h->by[at[g->to[e]]++] = node;
		}
		if (node % PV_PROGRESS_STEP == 0 && !pv_heap_go_on(w, "referrers", node, g->nodes))
			return false;
	}
	return true;
}

/* --- shortest ways */

static bool shortest(struct pv_heap_work *w)
{
	enum { RANKS = 21 };
	struct pv_heap *h = w->h;
	const struct pv_graph *g = &h->graph;
	uint32_t *queue = pv_big_alloc((size_t)g->nodes + 1, sizeof *queue);
	uint32_t head = 0, tail = 0;
	h->up = pv_big_alloc((size_t)g->nodes + 1, sizeof *h->up);
	bool ok = (queue && h->up) || pv_heap_nomem(w);
	for (uint32_t node = 0; ok && node < g->nodes; node++)
		h->up[node] = PV_GRAPH_NONE;
	for (unsigned k = 0; ok && k < RANKS; k++) {
		for (size_t i = 0; i < g->root.n; i++) {
			const struct pv_graph_root *r = &g->root.v[i];
			if (pv_heap_root_rank(r) != k || !pv_heap_counts(h, r) ||
				h->up[r->node] != PV_GRAPH_NONE)
				continue;
			h->up[r->node] = PV_HEAP_ROOTS;
			queue[tail++] = r->node;
		}
	}
	while (ok && head < tail) {
		uint32_t node = queue[head++];
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
			if (h->up[g->to[e]] != PV_GRAPH_NONE)
				continue;
			h->up[g->to[e]] = node;
			queue[tail++] = g->to[e];
		}
		if (head % PV_PROGRESS_STEP == 0)
			ok = pv_heap_go_on(w, "paths", head, g->nodes);
	}
	free(queue);
	return ok;
}

/* --- the dominator tree, downwards */

static bool sorting(void *ctx)
{
	return pv_heap_go_on(ctx, "biggest objects", 0, 0);
}

static uint32_t keeper(const struct pv_heap *h, uint32_t node)
{
	return h->idom[node] == PV_HEAP_ROOTS ? h->graph.nodes : h->idom[node];
}

/* Sorts all objects by retained size, then distributes them to their dominators. */
static bool tree(struct pv_heap_work *w)
{
	struct pv_heap *h = w->h;
	const struct pv_graph *g = &h->graph;
	uint32_t n = g->nodes;
	uint32_t *order = pv_big_alloc((size_t)n + 1, sizeof *order);
	h->kept = pv_big_alloc((size_t)n + 1, sizeof *h->kept);
	h->kept_first = pv_big_alloc((size_t)n + 3, sizeof *h->kept_first);
	bool ok = (order && h->kept && h->kept_first) || pv_heap_nomem(w);
	for (uint32_t i = 0; ok && i < n; i++)
		order[i] = i;
	ok = ok && pv_radix_sort(&(struct pv_radix){ .key = h->retained,
					 .stride = sizeof *h->retained,
					 .descending = true,
					 .go_on = sorting,
					 .ctx = w },
			   order, h->kept, n);
	for (uint32_t i = 0; ok && i < n; i++)
		if (h->idom[i] != PV_GRAPH_NONE)
			h->kept_first[keeper(h, i) + 2]++;
	for (uint32_t i = 0; ok && i <= n; i++)
		h->kept_first[i + 2] += h->kept_first[i + 1];
	for (uint32_t i = 0; ok && i < n; i++)
		if (h->idom[order[i]] != PV_GRAPH_NONE)
			h->kept[h->kept_first[keeper(h, order[i]) + 1]++] = order[i];
	free(order);
	return ok;
}

/* --- sums by root, and by text */

static bool summarise(struct pv_heap_work *w)
{
	return (pv_awaits_find(&w->h->graph, &w->h->awaits) &&
		       pv_keepers_find(w->h, &w->h->keepers) &&
		       pv_duplicates_find(w->h, &w->h->duplicates)) ||
	       pv_heap_nomem(w);
}

/* --- life */

bool pv_heap_init(struct pv_heap *h, struct pv_graph *graph, bool weak, bool classes,
	const struct pv_progress *progress, struct pv_error *reterr)
{
	struct pv_heap_work w = { .h = h, .progress = progress, .err = reterr };
	*h = (struct pv_heap){ .graph = *graph, .weak = weak };
	*graph = (struct pv_graph){ 0 };
	if (referrers(&w) && pv_heap_dominate(&w) && shortest(&w) && tree(&w) && summarise(&w) &&
		(!classes || pv_heap_retain_classes(&w)))
		return true;
	pv_heap_finish(h);
	return false;
}

void pv_heap_finish(struct pv_heap *h)
{
	pv_graph_finish(&h->graph);
	pv_awaits_finish(&h->awaits);
	pv_keepers_finish(&h->keepers);
	pv_duplicates_finish(&h->duplicates);
	free(h->idom);
	free(h->retained);
	free(h->by_first);
	free(h->by);
	free(h->up);
	free(h->kept_first);
	free(h->kept);
	free(h->class_retained);
	*h = (struct pv_heap){ 0 };
}
