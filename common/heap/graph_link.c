/* SPDX-License-Identifier: MIT */
/* From listed objects to nodes by address and edges between them. */
#include <stdlib.h>
#include <string.h>

#include "common/heap/big.h"
#include "common/heap/graph_parts.h"
#include "common/heap/radix.h"

enum { PAGE_BITS = 12 };

struct link {
	struct pv_raw *raw;
	struct pv_graph *g;
	const struct pv_progress *progress;
	struct pv_error *err;
	uint32_t *order;    /* raw objects by address; equal ones in the order of the log */
	uint32_t *head;     /* [nodes] place in order of the node's first raw object */
	struct pv_map page; /* address >> PAGE_BITS -> index in page_first */
	PV_ARRAY(uint32_t) page_first; /* first node of the page; one more at the end */
};

static bool nomem(struct link *l)
{
	return pv_fail(l->err, PV_ENOMEM, 0, "out of memory");
}

static bool link_goes_on(struct link *l, const char *phase, uint64_t done, uint64_t total)
{
	return pv_go_on(l->progress, phase, done, total) ||
	       pv_fail(l->err, PV_ECANCELLED, 0, "cancelled");
}

/* --- by address */

static bool sorting(void *ctx)
{
	return link_goes_on(ctx, "sorting", 0, 0);
}

static bool sort(struct link *l)
{
	size_t n = l->raw->object.n;
	uint32_t *spare = malloc((n + 1) * sizeof *spare);
	l->order = malloc((n + 1) * sizeof *l->order);
	bool ok = (spare && l->order) || nomem(l);
	for (size_t i = 0; ok && i < n; i++)
		l->order[i] = (uint32_t)i;
	if (ok && n)
		ok = pv_radix_sort(&(struct pv_radix){ .key = &l->raw->object.v[0].address,
					   .stride = sizeof *l->raw->object.v,
					   .go_on = sorting,
					   .ctx = l },
			l->order, spare, n);
	free(spare);
	return ok;
}

/* --- nodes */

static bool is_head(const struct pv_raw_object *o)
{
	return o->size > 0 || o->unsized;
}

/* The raw object for order[i] to order[end - 1], all of one address; NULL: none. */
static const struct pv_raw_object *head_of(struct link *l, size_t i, size_t end)
{
	const struct pv_raw_object *head = NULL;
	for (; i < end; i++) {
		const struct pv_raw_object *o = &l->raw->object.v[l->order[i]];
		if (!is_head(o))
			continue;
		l->g->duplicates += head != NULL;
		head = head ? head : o;
	}
	return head;
}

static size_t same_address(const struct link *l, size_t i)
{
	const struct pv_raw_object *v = l->raw->object.v;
	size_t end = i + 1;
	while (end < l->raw->object.n && v[l->order[end]].address == v[l->order[i]].address)
		end++;
	return end;
}

static bool new_page(struct link *l, uint64_t address, uint32_t node)
{
	uint64_t page = address >> PAGE_BITS;
	if (node && l->g->address[node - 1] >> PAGE_BITS == page)
		return true;
	if (!pv_reserve(&l->page_first, 2) ||
		!pv_map_set(&l->page, page, (uint32_t)l->page_first.n))
		return false;
	l->page_first.v[l->page_first.n++] = node;
	return true;
}

static bool make_nodes(struct link *l)
{
	struct pv_graph *g = l->g;
	size_t n = l->raw->object.n;
	g->address = pv_big_alloc(n + 1, sizeof *g->address);
	g->size = pv_big_alloc(n + 1, sizeof *g->size);
	g->class_of = pv_big_alloc(n + 1, sizeof *g->class_of);
	l->head = malloc((n + 1) * sizeof *l->head);
	if (!g->address || !g->size || !g->class_of || !l->head)
		return nomem(l);
	for (size_t i = 0, end; i < n; i = end) {
		end = same_address(l, i);
		const struct pv_raw_object *head = head_of(l, i, end);
		if (!head) {
			g->strays += end - i;
			continue;
		}
		uint32_t node = g->nodes++;
		g->address[node] = head->address;
		g->size[node] = head->size;
		g->class_of[node] = head->type;
		g->bytes += head->size;
		g->unsized |= head->unsized;
		l->head[node] = (uint32_t)i;
		if (!new_page(l, head->address, node))
			return nomem(l);
	}
	if (!pv_reserve(&l->page_first, 1))
		return nomem(l);
	l->page_first.v[l->page_first.n] = g->nodes;
	return true;
}

static uint32_t find_node(const struct link *l, uint64_t address)
{
	uint32_t page = pv_map_get(&l->page, address >> PAGE_BITS);
	if (page == PV_MAP_NONE)
		return PV_GRAPH_NONE;
	uint32_t low = l->page_first.v[page], high = l->page_first.v[page + 1];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (l->g->address[mid] < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->page_first.v[page + 1] && l->g->address[low] == address ? low
										: PV_GRAPH_NONE;
}

/* --- edges */

static void connect(struct link *l, uint32_t object)
{
	const struct pv_raw *r = l->raw;
	struct pv_graph *g = l->g;
	uint32_t end =
		object + 1 < r->object.n ? r->object.v[object + 1].first : (uint32_t)r->target.n;
	for (uint32_t i = r->object.v[object].first; i < end; i++) {
		uint32_t to = r->target.v[i] ? find_node(l, r->target.v[i]) : PV_GRAPH_NONE;
		if (to == PV_GRAPH_NONE) {
			g->unlisted += r->target.v[i] != 0;
			continue;
		}
		g->to[g->edges] = to;
		g->offset[g->edges++] = r->offset.v[i];
	}
}

static bool make_edges(struct link *l)
{
	const struct pv_raw_object *v = l->raw->object.v;
	struct pv_graph *g = l->g;
	size_t n = l->raw->object.n;
	g->first = pv_big_alloc((size_t)g->nodes + 1, sizeof *g->first);
	g->to = pv_big_alloc(l->raw->target.n + 1, sizeof *g->to);
	g->offset = pv_big_alloc(l->raw->target.n + 1, sizeof *g->offset);
	if (!g->first || !g->to || !g->offset)
		return nomem(l);
	for (uint32_t node = 0; node < g->nodes; node++) {
		bool begun = false; /* further objects listed at the address are left out */
		g->first[node] = g->edges;
		for (size_t i = l->head[node]; i < n && v[l->order[i]].address == g->address[node];
			i++) {
			bool head = is_head(&v[l->order[i]]);
			if (!head || !begun)
				connect(l, l->order[i]);
			begun = begun || head;
		}
		if (node % PV_PROGRESS_STEP == 0 && !link_goes_on(l, "connecting", node, g->nodes))
			return false;
	}
	g->first[g->nodes] = g->edges;
	return true;
}

/* --- roots */

static int by_node(const void *a, const void *b)
{
	const struct pv_graph_root *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->source > y->source) - (x->source < y->source);
}

void pv_graph_sort_roots(struct pv_graph *g)
{
	if (g->root.n)
		qsort(g->root.v, g->root.n, sizeof *g->root.v, by_node);
}

static bool make_roots(struct link *l)
{
	struct pv_graph *g = l->g;
	if (!pv_reserve(&g->root, l->raw->root.n))
		return nomem(l);
	for (size_t i = 0; i < l->raw->root.n; i++) {
		const struct pv_raw_root *r = &l->raw->root.v[i];
		uint32_t node = r->object ? find_node(l, r->object) : PV_GRAPH_NONE;
		g->roots_unlisted += r->object && node == PV_GRAPH_NONE;
		if (node == PV_GRAPH_NONE)
			continue;
		g->root.v[g->root.n++] = (struct pv_graph_root){
			.node = node, .slot = r->slot, .source = r->source, .flags = r->flags
		};
	}
	pv_graph_sort_roots(g);
	return true;
}

static void shrink(uint32_t **v, size_t n)
{
	uint32_t *less = realloc(*v, (n + 1) * sizeof **v);
	if (less)
		*v = less;
}

bool pv_graph_link(struct pv_raw *r, const struct pv_progress *progress, struct pv_graph *g,
	struct pv_error *reterr)
{
	struct link l = { .raw = r, .g = g, .progress = progress, .err = reterr };
	bool ok = sort(&l) && make_nodes(&l) && make_edges(&l) && make_roots(&l);
	free(l.order);
	free(l.head);
	pv_map_finish(&l.page);
	pv_array_finish(&l.page_first);
	pv_array_finish(&r->object);
	pv_array_finish(&r->target);
	pv_array_finish(&r->offset);
	if (ok && g->edges) {
		shrink(&g->to, g->edges);
		shrink(&g->offset, g->edges);
	}
	return ok;
}
