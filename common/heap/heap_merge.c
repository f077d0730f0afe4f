/* SPDX-License-Identifier: MIT */
/*
 * Merged paths: the part of the tree of shortest ways that leads to the set, each object once, is
 * summed up from its ends; then rows are made from the roots on.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/heap/heap_paths.h"

struct met {
	uint32_t node;
	uint32_t row;     /* index of the row */
	uint32_t offset;  /* in the object before */
	uint32_t waiting; /* objects after it that are not summed up yet */
	uint64_t through, bytes;
	bool own, placed; /* own: in the set; placed: offset is known */
};

struct merge {
	const struct pv_heap *h;
	struct pv_merged *to;
	PV_ARRAY(struct met) met;
	uint32_t *at;             /* [nodes] index in met + 1 */
	PV_ARRAY(uint32_t) order; /* of met: each before the object that leads to it */
	struct pv_map row_of;     /* parent, class and field -> index + 1 of the newest */
	PV_ARRAY(uint32_t) next;  /* of the same hash, index + 1; 0 ends */
};

/* Adds the object and all objects before it that are new. */
static bool meet_object(struct merge *m, uint32_t node)
{
	if (m->at[node])
		m->met.v[m->at[node] - 1].own = true;
	for (bool own = true; node != PV_HEAP_ROOTS && !m->at[node]; own = false) {
		if (!pv_reserve(&m->met, 1))
			return false;
		m->met.v[m->met.n++] =
			(struct met){ .node = node, .offset = PV_GRAPH_NONE, .own = own };
		m->at[node] = (uint32_t)m->met.n;
		node = m->h->up[node];
	}
	return true;
}

static struct met *before(struct merge *m, const struct met *x)
{
	uint32_t up = m->h->up[x->node];
	return up == PV_HEAP_ROOTS ? NULL : &m->met.v[m->at[up] - 1];
}

static void count_waiting(struct merge *m)
{
	for (size_t i = 0; i < m->met.n; i++) {
		struct met *up = before(m, &m->met.v[i]);
		if (up)
			up->waiting++;
	}
}

static bool sum_up_paths(struct merge *m)
{
	const struct pv_graph *g = &m->h->graph;
	if (!pv_reserve(&m->order, m->met.n))
		return false;
	count_waiting(m);
	for (size_t i = 0; i < m->met.n; i++)
		if (!m->met.v[i].waiting)
			m->order.v[m->order.n++] = (uint32_t)i;
	for (size_t i = 0; i < m->order.n; i++) {
		struct met *x = &m->met.v[m->order.v[i]], *up = before(m, x);
		x->through += x->own;
		x->bytes += x->own ? g->size[x->node] : 0;
		if (!up)
			continue;
		up->through += x->through;
		up->bytes += x->bytes;
		if (--up->waiting == 0)
			m->order.v[m->order.n++] = (uint32_t)(up - m->met.v);
	}
	return true;
}

static bool is_array(const char *name)
{
	size_t n = strlen(name);
	return n > 1 && name[n - 1] == ']';
}

/*
 * Offset of each object's reference in its predecessor; all elements of an array count as one row.
 */
static void find_offsets(struct merge *m)
{
	const struct pv_graph *g = &m->h->graph;
	for (size_t i = 0; i < m->met.n; i++) {
		uint32_t node = m->met.v[i].node;
		if (is_array(g->klass.v[g->class_of[node]].name))
			continue;
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
			uint32_t at = m->at[g->to[e]];
			struct met *x = at ? &m->met.v[at - 1] : NULL;
			if (!x || x->placed || m->h->up[x->node] != node)
				continue;
			x->offset = g->offset[e];
			x->placed = true;
		}
	}
}

/* --- rows */

static bool is_same_row(const struct pv_merged_row *a, const struct pv_merged_row *b)
{
	return a->parent == b->parent && a->klass == b->klass && a->offset == b->offset &&
	       a->area == b->area && a->source == b->source && a->field == b->field;
}

/* The row equal to `like`; the parent's when there are too many. PV_MAP_NONE: out of memory. */
static uint32_t row_like(struct merge *m, const struct pv_merged_row *like)
{
	uint64_t hash = pv_hash_word(1, (uint64_t)like->parent << 32 | like->klass);
	hash = pv_hash_word(
		hash, (uint64_t)like->offset << 32 | (like->area ^ (uint32_t)like->source << 24));
	hash = pv_hash_word(hash, (uintptr_t)like->field);
	uint32_t newest = pv_map_get(&m->row_of, hash);
	newest = newest == PV_MAP_NONE ? 0 : newest;
	for (uint32_t i = newest; i; i = m->next.v[i - 1])
		if (is_same_row(&m->to->row.v[i - 1], like))
			return i - 1;
	if (m->to->row.n >= PV_MERGED_ROWS && like->parent != PV_GRAPH_NONE) {
		m->to->cut = true;
		return like->parent;
	}
	if (!pv_reserve(&m->to->row, 1) || !pv_reserve(&m->next, 1) ||
		!pv_map_set(&m->row_of, hash, (uint32_t)m->to->row.n + 1))
		return PV_MAP_NONE;
	m->next.v[m->next.n++] = newest;
	m->to->row.v[m->to->row.n++] = *like;
	return (uint32_t)m->to->row.n - 1;
}

static uint32_t root_row(struct merge *m, const struct met *x)
{
	const struct pv_graph *g = &m->h->graph;
	size_t root = pv_heap_best_root(m->h, x->node);
	struct pv_merged_row like = { .parent = PV_GRAPH_NONE,
		.klass = PV_GRAPH_NONE,
		.offset = PV_GRAPH_NONE,
		.source = PV_ROOT_UNKNOWN };
	if (root != SIZE_MAX) {
		like.area = g->root.v[root].area;
		like.source = g->root.v[root].source;
		like.field = pv_graph_root_field(g, &g->root.v[root]);
	}
	uint32_t row = row_like(m, &like);
	if (row != PV_MAP_NONE) {
		m->to->row.v[row].through += x->through;
		m->to->row.v[row].bytes += x->bytes;
		m->to->row.v[row].objects++;
	}
	return row;
}

static bool make_rows(struct merge *m)
{
	const struct pv_graph *g = &m->h->graph;
	for (size_t i = m->order.n; i > 0; i--) {
		struct met *x = &m->met.v[m->order.v[i - 1]], *up = before(m, x);
		uint32_t parent = up ? up->row : root_row(m, x);
		if (parent == PV_MAP_NONE)
			return false;
		const struct pv_graph_field *field =
			up ? pv_graph_field(g, g->class_of[up->node], x->offset) : NULL;
		const struct pv_merged_row like = { .parent = parent,
			.depth = m->to->row.v[parent].depth + 1,
			.klass = g->class_of[x->node],
			.offset = up ? x->offset : PV_GRAPH_NONE,
			.field = field ? field->name : NULL };
		x->row = row_like(m, &like);
		if (x->row == PV_MAP_NONE)
			return false;
		struct pv_merged_row *row = &m->to->row.v[x->row];
		row->ends += x->own;
		if (x->row == parent)
			continue; /* no room: the parent's row counts the object already */
		row->objects++;
		row->through += x->through;
		row->bytes += x->bytes;
	}
	return true;
}

/* --- in order */

static int by_bytes(const void *a, const void *b, void *ctx)
{
	const struct pv_merged_row *v = ctx, *x = &v[*(const uint32_t *)a],
				   *y = &v[*(const uint32_t *)b];
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->through != y->through)
		return x->through > y->through ? -1 : 1;
	return (*(const uint32_t *)a > *(const uint32_t *)b) -
	       (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* Rows become preorder: heavier siblings first. Parents stand before their children already. */
static bool put_in_order(struct pv_merged *to)
{
	uint32_t n = (uint32_t)to->row.n, depth = 0;
	if (n == 0)
		return true;
	uint32_t *order = malloc((n + 1) * sizeof *order), *stack = malloc((n + 1) * sizeof *stack);
	uint32_t *now = malloc((n + 1) * sizeof *now);
	uint32_t *child = calloc(n + 1, sizeof *child), *next = calloc(n + 1, sizeof *next);
	struct pv_merged_row *rows = malloc((n + 1) * sizeof *rows);
	bool ok = order && stack && now && child && next && rows;
	for (uint32_t i = 0; ok && i < n; i++)
		order[i] = i;
	if (ok)
		qsort_r(order, n, sizeof *order, by_bytes, to->row.v);
	/* Lists grow at their head: added from the lightest on, the heaviest row comes first. */
	for (uint32_t i = n; ok && i > 0; i--) {
		uint32_t row = order[i - 1], parent = to->row.v[row].parent;
		uint32_t *head = parent == PV_GRAPH_NONE ? &child[n] : &child[parent];
		next[row] = *head;
		*head = row + 1;
	}
	uint32_t out = 0, at = ok ? child[n] : 0;
	while (at || depth) {
		if (!at) {
			at = next[stack[--depth]];
			continue;
		}
		uint32_t row = at - 1, parent = to->row.v[row].parent;
		now[row] = out;
		rows[out] = to->row.v[row];
		rows[out++].parent = parent == PV_GRAPH_NONE ? parent : now[parent];
		stack[depth++] = row;
		at = child[row];
	}
	if (ok)
		memcpy(to->row.v, rows, n * sizeof *rows);
	free(order);
	free(stack);
	free(now);
	free(child);
	free(next);
	free(rows);
	return ok;
}

bool pv_merged_paths(const struct pv_heap *h, const uint32_t *node, size_t n, struct pv_merged *ret)
{
	struct merge m = { .h = h, .to = ret };
	*ret = (struct pv_merged){ 0 };
	m.at = calloc((size_t)h->graph.nodes + 1, sizeof *m.at);
	bool ok = m.at != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		if (node[i] >= h->graph.nodes)
			continue;
		if (h->up[node[i]] == PV_GRAPH_NONE)
			ret->unreachable++;
		else
			ok = meet_object(&m, node[i]);
	}
	ok = ok && sum_up_paths(&m);
	if (ok)
		find_offsets(&m);
	ok = ok && make_rows(&m) && put_in_order(ret);
	free(m.at);
	pv_array_finish(&m.met);
	pv_array_finish(&m.order);
	pv_array_finish(&m.next);
	pv_map_finish(&m.row_of);
	if (!ok)
		pv_merged_finish(ret);
	return ok;
}

void pv_merged_finish(struct pv_merged *m)
{
	pv_array_finish(&m->row);
}
