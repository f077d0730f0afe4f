/* SPDX-License-Identifier: MIT */
/*
 * The tree of awaits: rows are ways of equal classes from an outermost waiter on. An object with
 * several waiters is in the rows below each of them.
 */
#include <stdlib.h>

#include "common/base/map.h"
#include "common/heap/awaits_parts.h"

/* An object in a row. */
struct place {
	uint32_t row, node;
};

struct tree {
	struct pv_await_graph *a;
	struct pv_map row_of;         /* parent row and class -> row */
	struct pv_map met;            /* row and node */
	PV_ARRAY(struct place) place; /* in order of arrival */
};

enum { MOST_PLACES = 1 << 20 };

static int by_waiter(const void *a, const void *b)
{
	const struct pv_await_edge *x = a, *y = b;
	if (x->waiter != y->waiter)
		return x->waiter < y->waiter ? -1 : 1;
	return (x->awaited > y->awaited) - (x->awaited < y->awaited);
}

/* The first edge of a waiter, or of a later waiter. */
static size_t edges_of(const struct pv_await_graph *a, uint32_t waiter)
{
	size_t low = 0, high = a->edge.n;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (a->edge.v[mid].waiter < waiter)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint8_t kind_of(const struct pv_await_graph *a, uint32_t node)
{
	const uint8_t role = pv_await_role_of(a, node);
	return role == PV_ROLE_THREAD    ? PV_AWAIT_THREAD
	       : role == PV_ROLE_PROMISE ? PV_AWAIT_PROMISE
					 : PV_AWAIT_METHOD;
}

/* The row below `parent` (NONE: at the top) of the object's class; *ret NONE: no room. */
static bool await_row_of(struct tree *t, uint32_t parent, uint32_t node, uint32_t *ret)
{
	struct pv_awaits *to = t->a->to;
	const uint32_t klass = t->a->g->class_of[node];
	const uint64_t key = (uint64_t)(parent + 1) << 32 | klass; /* NONE + 1 is 0 */
	*ret = pv_map_get(&t->row_of, key);
	if (*ret != PV_MAP_NONE)
		return true;
	if (to->row.n == PV_AWAIT_ROWS) {
		to->cut = true;
		*ret = PV_GRAPH_NONE;
		return true;
	}
	*ret = (uint32_t)to->row.n;
	if (!pv_reserve(&to->row, 1) || !pv_map_set(&t->row_of, key, *ret))
		return false;
	to->row.v[to->row.n++] = (struct pv_await_row){
		.parent = parent, .klass = klass, .node = node, .kind = kind_of(t->a, node)
	};
	return true;
}

static bool put_waiting(struct tree *t, uint32_t parent, uint32_t node)
{
	uint32_t row;
	if (!await_row_of(t, parent, node, &row))
		return false;
	if (row == PV_GRAPH_NONE)
		return true;
	const uint64_t key = (uint64_t)row << 32 | node;
	if (pv_map_get(&t->met, key) != PV_MAP_NONE)
		return true;
	if (t->place.n == MOST_PLACES) {
		t->a->to->cut = true;
		return true;
	}
	if (!pv_reserve(&t->place, 1) || !pv_map_set(&t->met, key, 1))
		return false;
	t->place.v[t->place.n++] = (struct place){ row, node };
	struct pv_await_row *r = &t->a->to->row.v[row];
	r->objects++;
	r->bytes += t->a->g->size[node];
	t->a->to->threads += r->kind == PV_AWAIT_THREAD;
	return true;
}

/* Puts objects without a waiter at the top; the others get a place below each waiter. */
static bool put_outermost(struct tree *t)
{
	struct pv_await_graph *a = t->a;
	bool ok = true, *waited = calloc((size_t)a->g->nodes + 1, sizeof *waited);
	if (!waited)
		return false;
	for (size_t i = 0; i < a->edge.n; i++)
		if (a->edge.v[i].waiter != PV_GRAPH_NONE)
			waited[a->edge.v[i].awaited] = true;
	uint32_t last = PV_GRAPH_NONE;
	for (size_t i = 0; ok && i < a->edge.n; i++) {
		const struct pv_await_edge *e = &a->edge.v[i];
		const uint32_t node = e->waiter == PV_GRAPH_NONE ? e->awaited : e->waiter;
		if (node != last && !waited[node])
			ok = put_waiting(t, PV_GRAPH_NONE, node);
		last = node;
	}
	free(waited);
	return ok;
}

static bool put_inner(struct tree *t)
{
	struct pv_await_graph *a = t->a;
	for (size_t i = 0; i < t->place.n; i++) {
		const struct place at = t->place.v[i];
		size_t e = edges_of(a, at.node);
		if (e == a->edge.n || a->edge.v[e].waiter != at.node)
			a->to->row.v[at.row].ends++;
		for (; e < a->edge.n && a->edge.v[e].waiter == at.node; e++)
			if (!put_waiting(t, at.row, a->edge.v[e].awaited))
				return false;
	}
	return true;
}

static void sum_chains(struct pv_awaits *to)
{
	for (size_t i = to->row.n; i-- > 0;) {
		struct pv_await_row *r = &to->row.v[i];
		r->chains += r->ends;
		if (r->parent != PV_GRAPH_NONE)
			to->row.v[r->parent].chains += r->chains;
	}
}

bool pv_await_tree(struct pv_await_graph *a)
{
	struct tree t = { .a = a };
	if (a->edge.n)
		qsort(a->edge.v, a->edge.n, sizeof *a->edge.v, by_waiter);
	const bool ok = put_outermost(&t) && put_inner(&t);
	if (ok)
		sum_chains(a->to);
	pv_map_finish(&t.row_of);
	pv_map_finish(&t.met);
	pv_array_finish(&t.place);
	return ok;
}
