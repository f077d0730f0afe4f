/* SPDX-License-Identifier: MIT */
/* Makes and combines sets of heap objects, and computes the retained size of a set. */
#include "common/heap/heap_set.h"

#include <stdlib.h>

void pv_heap_set_finish(struct pv_heap_set *s)
{
	pv_array_finish(&s->node);
	s->bytes = 0;
}

static bool add_set_node(const struct pv_heap *h, struct pv_heap_set *s, uint32_t node)
{
	if (!pv_reserve(&s->node, 1))
		return false;
	s->node.v[s->node.n++] = node;
	s->bytes += h->graph.size[node];
	return true;
}

static bool done(bool ok, struct pv_heap_set *s)
{
	if (!ok)
		pv_heap_set_finish(s);
	return ok;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static bool is_sorted(const struct pv_heap_set *s)
{
	for (size_t i = 1; i < s->node.n; i++)
		if (s->node.v[i - 1] >= s->node.v[i])
			return false;
	return true;
}

/*
 * A key is answered while people wait: large sets are sorted by a bit for each object of the heap.
 */
static void sort(const struct pv_heap *h, struct pv_heap_set *s)
{
	enum { MANY = 4096 };
	if (is_sorted(s))
		return;
	size_t words = (size_t)h->graph.nodes / 64 + 1, n = 0;
	uint64_t *in = s->node.n < MANY ? NULL : calloc(words, sizeof *in);
	if (!in) {
		qsort(s->node.v, s->node.n, sizeof *s->node.v, ascending);
		return;
	}
	for (size_t i = 0; i < s->node.n; i++)
		in[s->node.v[i] / 64] |= UINT64_C(1) << s->node.v[i] % 64;
	for (size_t i = 0; i < words; i++)
		for (uint64_t left = in[i]; left; left &= left - 1)
			s->node.v[n++] = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(left));
	s->node.n = n; /* repeated nodes are there once */
	free(in);
}

bool pv_heap_set_of(
	const struct pv_heap *h, const uint32_t *node, size_t n, struct pv_heap_set *ret)
{
	struct pv_heap_set all = { 0 };
	bool ok = true;
	*ret = (struct pv_heap_set){ 0 };
	for (size_t i = 0; ok && i < n; i++)
		ok = node[i] >= h->graph.nodes || add_set_node(h, &all, node[i]);
	sort(h, &all);
	for (size_t i = 0; ok && i < all.node.n; i++)
		ok = (i > 0 && all.node.v[i - 1] == all.node.v[i]) ||
		     add_set_node(h, ret, all.node.v[i]);
	pv_heap_set_finish(&all);
	return done(ok, ret);
}

bool pv_heap_set_class(const struct pv_heap *h, uint32_t klass, struct pv_heap_set *ret)
{
	bool ok = true;
	*ret = (struct pv_heap_set){ 0 };
	for (uint32_t i = 0; ok && i < h->graph.nodes; i++)
		ok = h->graph.class_of[i] != klass || add_set_node(h, ret, i);
	return done(ok, ret);
}

bool pv_heap_set_unreachable(const struct pv_heap *h, struct pv_heap_set *ret)
{
	bool ok = true;
	*ret = (struct pv_heap_set){ 0 };
	for (uint32_t i = 0; ok && i < h->graph.nodes; i++)
		ok = h->idom[i] != PV_GRAPH_NONE || add_set_node(h, ret, i);
	return done(ok, ret);
}

bool pv_heap_set_kept(const struct pv_heap *h, uint32_t node, struct pv_heap_set *ret)
{
	*ret = (struct pv_heap_set){ 0 };
	bool ok = node >= h->graph.nodes || add_set_node(h, ret, node);
	for (size_t at = 0; ok && at < ret->node.n; at++) {
		uint32_t by = ret->node.v[at];
		for (uint32_t i = h->kept_first[by]; ok && i < h->kept_first[by + 1]; i++)
			ok = add_set_node(h, ret, h->kept[i]);
	}
	sort(h, ret);
	return done(ok, ret);
}

bool pv_heap_set_combine(const struct pv_heap *h, enum pv_heap_set_op op,
	const struct pv_heap_set *a, const struct pv_heap_set *b, struct pv_heap_set *ret)
{
	size_t i = 0, j = 0;
	bool ok = true;
	*ret = (struct pv_heap_set){ 0 };
	while (ok && (i < a->node.n || j < b->node.n)) {
		bool left = i < a->node.n && (j == b->node.n || a->node.v[i] <= b->node.v[j]);
		bool right = j < b->node.n && (i == a->node.n || b->node.v[j] <= a->node.v[i]);
		uint32_t node = left ? a->node.v[i] : b->node.v[j];
		bool in = op == PV_SET_UNION ||
			  (op == PV_SET_INTERSECTION ? left && right : left && !right);
		ok = !in || add_set_node(h, ret, node);
		i += left;
		j += right;
	}
	return done(ok, ret);
}

/* --- kept alive by a set */

struct reach {
	const struct pv_heap *h;
	uint64_t *seen; /* a bit for each node */
	uint32_t *stack;
	size_t n;
};

static void meet_node(struct reach *r, uint32_t node)
{
	uint64_t bit = UINT64_C(1) << node % 64;
	if (r->seen[node / 64] & bit)
		return;
	r->seen[node / 64] |= bit;
	r->stack[r->n++] = node; /* each node once: there is room */
}

/* Reaches all objects that roots lead to without passing an object of the set. */
static void reach_around(struct reach *r)
{
	const struct pv_graph *g = &r->h->graph;
	for (size_t i = 0; i < g->root.n; i++)
		if (pv_heap_counts(r->h, &g->root.v[i]))
			meet_node(r, g->root.v[i].node);
	while (r->n) {
		uint32_t at = r->stack[--r->n];
		for (uint32_t i = g->first[at]; i < g->first[at + 1]; i++)
			meet_node(r, g->to[i]);
	}
}

bool pv_heap_set_retained(const struct pv_heap *h, const struct pv_heap_set *s,
	uint64_t *ret_objects, uint64_t *ret_bytes)
{
	size_t nodes = h->graph.nodes;
	struct reach r = { .h = h,
		.seen = calloc(nodes / 64 + 1, sizeof *r.seen),
		.stack = calloc(nodes + 1, sizeof *r.stack) };
	bool ok = r.seen && r.stack;
	*ret_objects = *ret_bytes = 0;
	for (size_t i = 0; ok && i < s->node.n; i++)
		r.seen[s->node.v[i] / 64] |= UINT64_C(1) << s->node.v[i] % 64;
	if (ok)
		reach_around(&r);
	for (size_t i = 0; ok && i < s->node.n; i++)
		r.seen[s->node.v[i] / 64] &= ~(UINT64_C(1) << s->node.v[i] % 64);
	for (size_t i = 0; ok && i < nodes; i++) {
		if (h->idom[i] == PV_GRAPH_NONE || r.seen[i / 64] >> i % 64 & 1)
			continue;
		++*ret_objects;
		*ret_bytes += h->graph.size[i];
	}
	free(r.seen);
	free(r.stack);
	return ok;
}
