/* SPDX-License-Identifier: MIT */
/* Sums the objects that only roots dominate by keeper, and finds each keeper's main class. */
#include "common/heap/keepers.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/heap/heap.h"

/* Keys: static fields by slot, classes with static fields by area, the rest by kind and class. */
#define FIELD   (UINT64_C(1) << 63)
#define AREA    (UINT64_C(1) << 62)
#define NO_ROOT (UINT64_C(1) << 61)

/* The objects of a class that a keeper has. */
struct part {
	uint32_t keeper, klass;
	uint64_t objects, bytes;
};

struct finding {
	const struct pv_heap *h;
	struct pv_keepers *to;
	struct pv_map of_key;  /* key -> index of the keeper */
	uint32_t *first;       /* [nodes] beginning of the shortest way; NONE: not known so far */
	uint32_t *owner;       /* [nodes] index of the keeper, likewise */
	bool *refers;          /* [klass.n] objects of the class refer to others */
	struct pv_map of_part; /* keeper and class -> index in part */
	PV_ARRAY(struct part) part;
};

/* Follows `up` to the first node with a mark, and marks the way there. */
static uint32_t climb(const uint32_t *up, uint32_t *mark, uint32_t node)
{
	uint32_t end = node;
	while (mark[end] == PV_GRAPH_NONE)
		end = up[end];
	const uint32_t found = mark[end];
	for (uint32_t at = node; mark[at] == PV_GRAPH_NONE; at = up[at])
		mark[at] = found;
	return found;
}

/* The root-held node at the beginning of the shortest way to a node. */
static uint32_t held_by_root(struct finding *f, uint32_t node)
{
	return climb(f->h->up, f->first, node);
}

/* Key of a root's keeper: roots of equal keys have a common keeper. */
static uint64_t keeper_key(
	const struct pv_graph *g, const struct pv_graph_root *r, uint32_t node, bool *ret_named)
{
	*ret_named = true;
	if (pv_graph_root_field(g, r))
		return FIELD | r->slot;
	if (r->area && pv_graph_area_is_field(&g->area.v[r->area - 1]))
		return AREA | r->area;
	*ret_named = false;
	return (uint64_t)r->source << 40 | g->class_of[node];
}

static bool add_held(struct finding *f, uint32_t node)
{
	const struct pv_heap *h = f->h;
	const uint32_t held = held_by_root(f, node);
	const size_t root = pv_heap_best_root(h, held);
	bool named = true;
	const uint64_t key = root == SIZE_MAX
				     ? NO_ROOT
				     : keeper_key(&h->graph, &h->graph.root.v[root], held, &named);
	uint32_t at = pv_map_get(&f->of_key, key);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)f->to->keeper.n;
		if (!pv_reserve(&f->to->keeper, 1) || !pv_map_set(&f->of_key, key, at))
			return false;
		f->to->keeper.v[f->to->keeper.n++] = (struct pv_keeper){ .root = root,
			.klass = named ? PV_GRAPH_NONE : h->graph.class_of[held],
			.node = node,
			.most = PV_GRAPH_NONE };
	}
	struct pv_keeper *k = &f->to->keeper.v[at];
	k->holds++;
	k->bytes += h->retained[node];
	k->shared_bytes += held == node ? 0 : h->retained[node];
	if (h->retained[node] > h->retained[k->node])
		k->node = node;
	f->owner[node] = at;
	return true;
}

/* --- classes of a keeper --- */

static struct part *part_of(struct finding *f, uint32_t keeper, uint32_t klass)
{
	const uint64_t key = (uint64_t)keeper << 32 | klass;
	uint32_t at = pv_map_get(&f->of_part, key);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)f->part.n;
		if (!pv_reserve(&f->part, 1) || !pv_map_set(&f->of_part, key, at))
			return NULL;
		f->part.v[f->part.n++] = (struct part){ .keeper = keeper, .klass = klass };
	}
	return &f->part.v[at];
}

static bool sum_parts(struct finding *f)
{
	const struct pv_graph *g = &f->h->graph;
	for (uint32_t i = 0; i < g->nodes; i++) {
		f->refers[g->class_of[i]] |= g->first[i + 1] > g->first[i];
		if (f->h->idom[i] == PV_GRAPH_NONE)
			continue;
		const uint32_t owner = climb(f->h->idom, f->owner, i);
		struct part *p = part_of(f, owner, g->class_of[i]);
		if (!p)
			return false;
		p->objects++;
		p->bytes += g->size[i];
		f->to->keeper.v[owner].objects++;
	}
	return true;
}

static bool says_more(const struct finding *f, const struct part *p, const struct pv_keeper *k)
{
	if (k->most == PV_GRAPH_NONE || f->refers[p->klass] != f->refers[k->most])
		return k->most == PV_GRAPH_NONE || f->refers[p->klass];
	if (f->refers[p->klass] && p->objects != k->most_objects)
		return p->objects > k->most_objects;
	return p->bytes > k->most_bytes;
}

static void choose_most(const struct finding *f)
{
	for (size_t i = 0; i < f->part.n; i++) {
		const struct part *p = &f->part.v[i];
		struct pv_keeper *k = &f->to->keeper.v[p->keeper];
		if (!says_more(f, p, k))
			continue;
		k->most = p->klass;
		k->most_objects = p->objects;
		k->most_bytes = p->bytes;
	}
}

/* --- the whole heap --- */

static bool init_marks(struct finding *f)
{
	const uint32_t n = f->h->graph.nodes;
	const size_t room = n ? n : 1;
	f->first = malloc(room * sizeof *f->first);
	f->owner = malloc(room * sizeof *f->owner);
	f->refers = calloc(f->h->graph.klass.n + 1, sizeof *f->refers);
	if (!f->first || !f->owner || !f->refers)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		f->first[i] = f->h->up[i] == PV_HEAP_ROOTS ? i : PV_GRAPH_NONE;
		f->owner[i] = PV_GRAPH_NONE;
	}
	return true;
}

static bool add_all_held(struct finding *f)
{
	const struct pv_heap *h = f->h;
	const uint32_t roots = h->graph.nodes;
	for (uint32_t i = h->kept_first[roots]; i < h->kept_first[roots + 1]; i++)
		if (!add_held(f, h->kept[i]))
			return false;
	return true;
}

static int by_bytes(const void *a, const void *b)
{
	const struct pv_keeper *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

bool pv_keepers_find(const struct pv_heap *h, struct pv_keepers *ret)
{
	*ret = (struct pv_keepers){ 0 };
	struct finding f = { .h = h, .to = ret };
	bool ok = init_marks(&f) && add_all_held(&f) && sum_parts(&f);
	if (ok)
		choose_most(&f);
	if (ok && ret->keeper.n)
		qsort(ret->keeper.v, ret->keeper.n, sizeof *ret->keeper.v, by_bytes);
	free(f.first);
	free(f.owner);
	free(f.refers);
	pv_map_finish(&f.of_key);
	pv_map_finish(&f.of_part);
	pv_array_finish(&f.part);
	return ok;
}

void pv_keepers_finish(struct pv_keepers *k)
{
	pv_array_finish(&k->keeper);
}

/* --- a single class */

/* The outermost dominator of a node, held only by roots. `top` caches results, NONE: not yet. */
static uint32_t top_of(const struct pv_heap *h, uint32_t *top, uint32_t node)
{
	uint32_t at = node;
	while (top[at] == PV_GRAPH_NONE && h->idom[at] != PV_HEAP_ROOTS)
		at = h->idom[at];
	const uint32_t found = top[at] == PV_GRAPH_NONE ? at : top[at];
	for (at = node; top[at] == PV_GRAPH_NONE; at = h->idom[at]) {
		top[at] = found;
		if (at == found)
			break;
	}
	return found;
}

/* The object held only by roots that dominates most bytes of a class, if at least half; or NONE. */
static uint32_t most_under(const struct pv_heap *h, uint32_t klass)
{
	const struct pv_graph *g = &h->graph;
	uint32_t *top = malloc((g->nodes + 1) * sizeof *top), best = PV_GRAPH_NONE;
	uint64_t *bytes = top ? calloc(g->nodes + 1, sizeof *bytes) : NULL, all = 0;
	for (uint32_t i = 0; bytes && i < g->nodes; i++)
		top[i] = PV_GRAPH_NONE;
	for (uint32_t i = 0; bytes && i < g->nodes; i++) {
		if (g->class_of[i] != klass || h->idom[i] == PV_GRAPH_NONE)
			continue;
		const uint32_t at = top_of(h, top, i);
		all += g->size[i];
		bytes[at] += g->size[i];
		if (best == PV_GRAPH_NONE || bytes[at] > bytes[best])
			best = at;
	}
	if (best != PV_GRAPH_NONE && 2 * bytes[best] < all)
		best = PV_GRAPH_NONE;
	free(top);
	free(bytes);
	return best;
}

const struct pv_keeper *pv_keepers_most_of(const struct pv_heap *h, uint32_t klass)
{
	const uint32_t held = most_under(h, klass);
	for (size_t i = 0; held != PV_GRAPH_NONE && i < h->keepers.keeper.n; i++) {
		const struct pv_keeper *k = &h->keepers.keeper.v[i];
		if (k->node == held ||
			(k->root != SIZE_MAX && h->graph.root.v[k->root].node == held))
			return k;
	}
	return NULL;
}
