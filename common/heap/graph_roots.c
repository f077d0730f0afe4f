/* SPDX-License-Identifier: MIT */
/*
 * Roots that the log does not list: in logs without roots, and in logs that list only static
 * fields. Such a field is a slot of an array that the runtime keeps for static fields, and no
 * element.
 */
#include <stdlib.h>
#include <string.h>

#include "common/heap/graph_parts.h"

/* --- static fields */

static bool is_static(const struct pv_graph_root *r)
{
	return r->source == PV_ROOT_STATIC || r->source == PV_ROOT_THREAD_STATIC;
}

/* Weak handles are no roots of the shot. */
static bool lists_only_statics(const struct pv_graph *g)
{
	bool some = false;
	for (size_t i = 0; i < g->root.n; i++) {
		some |= is_static(&g->root.v[i]);
		if (!is_static(&g->root.v[i]) && !(g->root.v[i].flags & PV_GRAPH_WEAK))
			return false;
	}
	return some;
}

/* The object around the slot; NONE: none. */
static uint32_t holder(const struct pv_graph *g, uint64_t slot)
{
	uint32_t at = pv_graph_from(g, slot);
	if (at < g->nodes && g->address[at] == slot)
		return at;
	return at && slot - g->address[at - 1] < g->size[at - 1] ? at - 1 : PV_GRAPH_NONE;
}

/* Arrays of statics: 1 in `ret_of` by node. False: there are none. */
static bool find_arrays(const struct pv_graph *g, uint8_t *ret_of)
{
	bool some = false;
	for (size_t i = 0; i < g->root.n; i++) {
		uint32_t node = g->root.v[i].source == PV_ROOT_STATIC ? holder(g, g->root.v[i].slot)
								      : PV_GRAPH_NONE;
		if (node == PV_GRAPH_NONE)
			continue;
		ret_of[node] = 1;
		some = true;
	}
	return some;
}

static bool has_root(const struct pv_graph *g, size_t listed, uint32_t node, uint64_t slot)
{
	size_t low = 0, high = listed;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pv_graph_root *r = &g->root.v[mid];
		if (r->node < node || (r->node == node && r->slot < slot))
			low = mid + 1;
		else
			high = mid;
	}
	return low < listed && g->root.v[low].node == node && g->root.v[low].slot == slot;
}

/* A reference from an array of statics is a static field; an unlisted field has no name. */
static bool make_root(struct pv_graph *g, size_t listed, uint32_t array, uint32_t edge)
{
	uint32_t node = g->to[edge];
	uint64_t slot = g->offset[edge] == PV_GRAPH_NONE ? 0 : g->address[array] + g->offset[edge];
	if (slot && has_root(g, listed, node, slot))
		return true;
	if (!pv_reserve(&g->root, 1))
		return false;
	g->root.v[g->root.n++] =
		(struct pv_graph_root){ .node = node, .slot = slot, .source = PV_ROOT_STATIC };
	return true;
}

/* Makes roots of the arrays' references. Listed roots are sorted, added roots are not yet. */
static bool cut_arrays(struct pv_graph *g, const uint8_t *array)
{
	size_t listed = g->root.n;
	uint32_t to = 0, first = 0;
	bool ok = true;
	for (uint32_t node = 0; ok && node < g->nodes; node++) {
		uint32_t end = g->first[node + 1];
		for (uint32_t e = first; ok && e < end; e++) {
			if (array[node]) {
				ok = make_root(g, listed, node, e);
				continue;
			}
			g->to[to] = g->to[e];
			g->offset[to++] = g->offset[e];
		}
		first = end;
		g->first[node + 1] = to;
	}
	g->edges = ok ? to : g->edges;
	return ok;
}

static bool take_statics(struct pv_graph *g)
{
	uint8_t *array = calloc((size_t)g->nodes + 1, 1);
	bool ok = array && (!find_arrays(g, array) || cut_arrays(g, array));
	free(array);
	return ok;
}

/* --- inferred roots */

static bool add_inferred_root(struct pv_graph *g, uint32_t node)
{
	if (!pv_reserve(&g->root, 1))
		return false;
	g->root.v[g->root.n++] = (struct pv_graph_root){
		.node = node, .source = PV_ROOT_UNKNOWN, .flags = PV_GRAPH_INFERRED
	};
	return true;
}

/* Infers a root for every object to which neither another object nor a listed root refers. */
static bool infer(struct pv_graph *g)
{
	uint8_t *referred = calloc((size_t)g->nodes + 1, 1);
	bool ok = referred != NULL;
	for (size_t i = 0; ok && i < g->root.n; i++)
		if (!(g->root.v[i].flags & PV_GRAPH_WEAK))
			referred[g->root.v[i].node] = 1;
	for (uint32_t node = 0; ok && node < g->nodes; node++)
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
			referred[g->to[e]] |= g->to[e] != node;
	for (uint32_t node = 0; ok && node < g->nodes; node++)
		ok = referred[node] || add_inferred_root(g, node);
	free(referred);
	return ok;
}

struct mark {
	const struct pv_graph *g;
	uint8_t *met; /* by node */
	uint32_t *queue;
};

static void reach(struct mark *m, uint32_t from)
{
	size_t n = 0;
	if (m->met[from])
		return;
	m->met[from] = 1;
	m->queue[n++] = from;
	while (n) {
		uint32_t node = m->queue[--n];
		for (uint32_t e = m->g->first[node]; e < m->g->first[node + 1]; e++) {
			if (m->met[m->g->to[e]])
				continue;
			m->met[m->g->to[e]] = 1;
			m->queue[n++] = m->g->to[e];
		}
	}
}

static void reach_from_roots(struct mark *m)
{
	memset(m->met, 0, m->g->nodes);
	for (size_t i = 0; i < m->g->root.n; i++)
		if (!(m->g->root.v[i].flags & PV_GRAPH_WEAK))
			reach(m, m->g->root.v[i].node);
}

/*
 * Everything is alive, so a ring that nothing reaches is held from outside: one of its objects is
 * taken as the held object. A later candidate may reach an earlier candidate, never the reverse: so
 * from the last on, candidates already reached are dropped.
 */
static bool infer_rings(struct pv_graph *g, struct mark *m)
{
	PV_ARRAY(uint32_t) candidate = { 0 };
	bool ok = true;
	reach_from_roots(m);
	for (uint32_t node = 0; ok && node < g->nodes; node++) {
		if (m->met[node])
			continue;
		ok = pv_reserve(&candidate, 1);
		if (!ok)
			break;
		candidate.v[candidate.n++] = node;
		reach(m, node);
	}
	if (ok && candidate.n)
		reach_from_roots(m);
	for (size_t i = candidate.n; ok && i > 0; i--) {
		uint32_t node = candidate.v[i - 1];
		if (m->met[node])
			continue;
		ok = add_inferred_root(g, node);
		reach(m, node);
	}
	pv_array_finish(&candidate);
	return ok;
}

static bool infer_all(struct pv_graph *g, bool live)
{
	struct mark m = { .g = g };
	if (!infer(g))
		return false;
	if (!live || !g->nodes)
		return true;
	m.met = calloc(g->nodes, 1);
	m.queue = malloc(g->nodes * sizeof *m.queue);
	bool ok = m.met && m.queue && infer_rings(g, &m);
	free(m.met);
	free(m.queue);
	return ok;
}

bool pv_graph_infer_roots(struct pv_graph *g, bool live)
{
	g->statics_only = !g->inferred && lists_only_statics(g);
	if (g->statics_only && !take_statics(g))
		return false;
	if ((g->inferred || g->statics_only) && !infer_all(g, live))
		return false;
	pv_graph_sort_roots(g);
	return true;
}
