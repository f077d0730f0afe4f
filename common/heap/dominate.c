/*
 * Immediate dominators by semi-NCA: a depth-first numbering, semidominators by path compression
 * in reverse order, then the nearest common ancestor of each with its parent. Number 0 stands for
 * all roots together. Everything is by number, so neighbours on a path are neighbours in memory.
 */
#include <stdlib.h>

#include "common/heap/heap_parts.h"

struct dominate {
	struct pv_heap_work *w;
	const struct pv_graph *g;
	uint32_t n;                    /* numbers given out, 0 included */
	uint32_t *num;                 /* [nodes] number; 0: not reached */
	uint32_t *node;                /* [n] and back */
	uint32_t *above;               /* [n] parent; compressed on the way */
	uint32_t *semi, *label, *idom; /* [n] */
	uint32_t *pred_first, *pred;   /* predecessors, as numbers */
	PV_ARRAY(uint32_t) path;       /* scratch */
};

static bool alloc_u32(struct dominate *d, uint32_t **ret, size_t n)
{
	*ret = malloc((n + 1) * sizeof **ret);
	return *ret || pv_heap_nomem(d->w);
}

/* --- numbering */

static uint32_t visit(struct dominate *d, uint32_t *cursor, uint32_t node, uint32_t from)
{
	uint32_t i = d->n++;
	d->num[node] = i;
	d->node[i] = node;
	d->above[i] = from;
	cursor[i] = d->g->first[node];
	return i;
}

static bool number_from(struct dominate *d, uint32_t *cursor, uint32_t root)
{
	const struct pv_graph *g = d->g;
	uint32_t at = visit(d, cursor, root, 0);
	while (at) {
		uint32_t end = g->first[d->node[at] + 1], e = cursor[at];
		while (e < end && d->num[g->to[e]])
			e++;
		cursor[at] = e + 1;
		if (e >= end) {
			at = d->above[at];
			continue;
		}
		at = visit(d, cursor, g->to[e], at);
		if (at % PV_PROGRESS_STEP == 0 &&
			!pv_heap_go_on(d->w, "dominators: numbering", at, g->nodes))
			return false;
	}
	return true;
}

static bool number(struct dominate *d)
{
	const struct pv_graph *g = d->g;
	uint32_t *cursor = d->semi; /* not needed yet */
	d->n = 1;
	d->above[0] = d->node[0] = 0;
	for (size_t i = 0; i < g->root.n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		if (pv_heap_counts(d->w->h, r) && !d->num[r->node] &&
			!number_from(d, cursor, r->node))
			return false;
	}
	return true;
}

/* --- predecessors */

/* Root i of the list counts, and is not the same node again. */
static bool is_entry(const struct dominate *d, size_t i, uint32_t *last)
{
	const struct pv_graph_root *r = &d->g->root.v[i];
	if (!pv_heap_counts(d->w->h, r) || r->node == *last)
		return false;
	*last = r->node;
	return true;
}

static bool predecessors(struct dominate *d)
{
	const struct pv_graph *g = d->g;
	uint32_t last = PV_GRAPH_NONE;
	size_t all = (size_t)g->edges + g->root.n;
	d->pred_first = calloc((size_t)d->n + 2, sizeof *d->pred_first);
	if (!d->pred_first || !alloc_u32(d, &d->pred, all))
		return pv_heap_nomem(d->w);
	uint32_t *count = d->pred_first + 2, *at = d->pred_first + 1;
	for (uint32_t i = 1; i < d->n; i++)
		for (uint32_t e = g->first[d->node[i]]; e < g->first[d->node[i] + 1]; e++)
			count[d->num[g->to[e]]]++;
	for (size_t i = 0; i < g->root.n; i++)
		if (is_entry(d, i, &last))
			count[d->num[g->root.v[i].node]]++;
	for (uint32_t i = 0; i < d->n; i++)
		at[i + 1] += at[i];
	last = PV_GRAPH_NONE;
	for (size_t i = 0; i < g->root.n; i++)
		if (is_entry(d, i, &last))
			d->pred[at[d->num[g->root.v[i].node]]++] = 0;
	for (uint32_t i = 1; i < d->n; i++) {
		for (uint32_t e = g->first[d->node[i]]; e < g->first[d->node[i] + 1]; e++)
			d->pred[at[d->num[g->to[e]]]++] = i;
		if (i % PV_PROGRESS_STEP == 0 &&
			!pv_heap_go_on(d->w, "dominators: referrers", i, d->n))
			return false;
	}
	return true;
}

/* --- semidominators */

/* The least semidominator on the way up from v, among those done already: `last` and above. */
static bool eval(struct dominate *d, uint32_t v, uint32_t last, uint32_t *ret)
{
	d->path.n = 0;
	while (d->above[v] >= last) {
		if (!pv_reserve(&d->path, 1))
			return pv_heap_nomem(d->w);
		d->path.v[d->path.n++] = v;
		v = d->above[v];
	}
	uint32_t top = d->above[v], least = d->label[v];
	while (d->path.n) {
		uint32_t u = d->path.v[--d->path.n];
		least = d->label[u] < least ? d->label[u] : least;
		d->label[u] = least;
		d->above[u] = top;
	}
	*ret = least;
	return true;
}

static bool semidominators(struct dominate *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		d->label[i] = i;
		d->idom[i] = d->above[i];
	}
	for (uint32_t w = d->n - 1; w > 0; w--) {
		uint32_t semi = d->above[w], least;
		for (uint32_t p = d->pred_first[w]; p < d->pred_first[w + 1]; p++) {
			uint32_t v = d->pred[p];
			least = v;
			if (v > w && !eval(d, v, w + 1, &least))
				return false;
			semi = least < semi ? least : semi;
		}
		d->semi[w] = d->label[w] = semi;
		if (w % PV_PROGRESS_STEP == 0 && !pv_heap_go_on(d->w, "dominators", d->n - w, d->n))
			return false;
	}
	for (uint32_t w = 1; w < d->n; w++) {
		uint32_t up = d->idom[w];
		while (up > d->semi[w])
			up = d->idom[up];
		d->idom[w] = up;
	}
	return true;
}

/* --- results */

static void give_up(uint32_t **v)
{
	free(*v);
	*v = NULL;
}

static bool results(struct dominate *d)
{
	struct pv_heap *h = d->w->h;
	const struct pv_graph *g = d->g;
	give_up(&d->above);
	give_up(&d->semi);
	give_up(&d->label);
	give_up(&d->pred_first);
	give_up(&d->pred);
	h->retained = calloc((size_t)g->nodes + 1, sizeof *h->retained);
	if (!h->retained)
		return pv_heap_nomem(d->w);
	for (uint32_t i = d->n - 1; i > 0; i--) {
		uint32_t node = d->node[i];
		h->retained[node] += g->size[node];
		if (d->idom[i])
			h->retained[d->node[d->idom[i]]] += h->retained[node];
	}
	for (uint32_t node = 0; node < g->nodes; node++) {
		uint32_t i = d->num[node];
		h->unreachable += i == 0;
		h->unreachable_bytes += i == 0 ? g->size[node] : 0;
		d->num[node] = i == 0       ? PV_GRAPH_NONE
			       : d->idom[i] ? d->node[d->idom[i]]
					    : PV_HEAP_ROOTS;
	}
	h->idom = d->num;
	d->num = NULL;
	return true;
}

bool pv_heap_dominate(struct pv_heap_work *w)
{
	struct dominate d = { .w = w, .g = &w->h->graph };
	size_t n = (size_t)d.g->nodes + 1;
	d.num = calloc(n, sizeof *d.num);
	bool ok = d.num && alloc_u32(&d, &d.node, n) && alloc_u32(&d, &d.above, n) &&
		  alloc_u32(&d, &d.semi, n);
	ok = ok ? number(&d) : pv_heap_nomem(w);
	ok = ok && predecessors(&d) && alloc_u32(&d, &d.label, n) && alloc_u32(&d, &d.idom, n) &&
	     semidominators(&d) && results(&d);
	give_up(&d.num);
	give_up(&d.node);
	give_up(&d.above);
	give_up(&d.semi);
	give_up(&d.label);
	give_up(&d.idom);
	give_up(&d.pred_first);
	give_up(&d.pred);
	pv_array_finish(&d.path);
	return ok;
}
