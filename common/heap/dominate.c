/*
 * Immediate dominators by semi-NCA: a depth-first numbering, semidominators in reverse order, then
 * the nearest common ancestor of each with its parent. Least semidominators on a way up come from
 * Lengauer and Tarjan's forest with balanced links, since depth-first trees of heaps are deep.
 * Number 1 stands for all roots together, 0 for nothing. What belongs to a number lies by number:
 * neighbours on a path are neighbours in memory.
 */
#include <stdlib.h>

#include "common/heap/big.h"
#include "common/heap/heap_parts.h"

struct tree {
	uint32_t above; /* in the forest, 0: a root of it; not the parent once links are balanced */
	uint32_t label; /* least semidominator from here up to there */
};

struct balance {
	uint32_t size, child;
};

struct dominate {
	struct pv_heap_work *w;
	const struct pv_graph *g;
	uint32_t n;              /* numbers given out, 0 and 1 included */
	uint32_t *num;           /* [nodes] number; 0: not reached */
	uint32_t *node;          /* [n] and back */
	struct tree *up;         /* [n] */
	struct balance *balance; /* [n] */
	uint32_t *semi, *idom;   /* [n] */
	uint64_t *met, *entry;   /* [nodes / 64] bits: reached; held by a root that counts */
	PV_ARRAY(uint32_t) path; /* scratch */
};

/* --- numbering */

static uint32_t visit(struct dominate *d, uint32_t node, uint32_t from)
{
	uint32_t i = d->n++;
	d->met[node / 64] |= UINT64_C(1) << node % 64;
	d->num[node] = i;
	d->node[i] = node;
	d->idom[i] = from;              /* the parent */
	d->semi[i] = d->g->first[node]; /* where it stands in its references */
	return i;
}

static bool number_from(struct dominate *d, uint32_t root)
{
	const struct pv_graph *g = d->g;
	uint32_t at = visit(d, root, 1);
	while (at > 1) {
		uint32_t end = g->first[d->node[at] + 1], e = d->semi[at];
		while (e < end && d->met[g->to[e] / 64] >> g->to[e] % 64 & 1)
			e++;
		d->semi[at] = e + 1;
		if (e >= end) {
			at = d->idom[at];
			continue;
		}
		at = visit(d, g->to[e], at);
		if (at % PV_PROGRESS_STEP == 0 &&
			!pv_heap_go_on(d->w, "dominators: numbering", at, g->nodes))
			return false;
	}
	return true;
}

static bool number(struct dominate *d)
{
	const struct pv_graph *g = d->g;
	d->n = 2;
	for (size_t i = 0; i < g->root.n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		if (pv_heap_counts(d->w->h, r) && !d->num[r->node] && !number_from(d, r->node))
			return false;
	}
	return pv_heap_go_on(d->w, "dominators: numbering", d->n, d->n);
}

/* --- the forest of those whose semidominators are known */

/* The parent `v` takes over the tree of `w`. */
static void join(struct dominate *d, uint32_t v, uint32_t w)
{
	struct tree *up = d->up;
	struct balance *b = d->balance;
	uint32_t s = w, least = up[w].label;
	while (least < up[b[s].child].label) {
		uint32_t child = b[s].child, below = b[child].child;
		if ((uint64_t)b[s].size + b[below].size >= 2 * (uint64_t)b[child].size) {
			up[child].above = s;
			b[s].child = below;
		} else {
			b[child].size = b[s].size;
			up[s].above = child;
			s = child;
		}
	}
	up[s].label = least;
	b[v].size += b[w].size;
	if (b[v].size < 2 * (uint64_t)b[w].size) {
		uint32_t was = b[v].child;
		b[v].child = s;
		s = was;
	}
	for (; s; s = b[s].child)
		up[s].above = v;
}

/* The least semidominator on the way up from v, below the forest's root. */
static bool eval(struct dominate *d, uint32_t v, uint32_t *ret)
{
	struct tree *up = d->up;
	*ret = up[v].label;
	if (!up[v].above)
		return true;
	d->path.n = 0;
	for (uint32_t u = v; up[up[u].above].above; u = up[u].above) {
		if (!pv_reserve(&d->path, 1))
			return pv_heap_nomem(d->w);
		d->path.v[d->path.n++] = u;
	}
	while (d->path.n) {
		struct tree *u = &up[d->path.v[--d->path.n]], a = up[u->above];
		u->label = a.label < u->label ? a.label : u->label;
		u->above = a.above;
	}
	uint32_t top = up[up[v].above].label;
	*ret = top < up[v].label ? top : up[v].label;
	return true;
}

/* --- semidominators */

/* What will be asked for soon is fetched: most of it lies anywhere. */
static void fetch(const struct dominate *d, uint32_t w)
{
	enum { FAR = 24, NEAR = 12, MOST = 8 };
	const struct pv_heap *h = d->w->h;
	if (w <= FAR + 2)
		return;
	__builtin_prefetch(&h->by_first[d->node[w - FAR]]);
	uint32_t first = h->by_first[d->node[w - NEAR]], end = h->by_first[d->node[w - NEAR] + 1];
	for (uint32_t p = first; p < end && p < first + MOST; p++)
		__builtin_prefetch(&d->num[h->by[p]]);
	first = h->by_first[d->node[w - 4]], end = h->by_first[d->node[w - 4] + 1];
	for (uint32_t p = first; p < end && p < first + MOST; p++)
		__builtin_prefetch(&d->up[d->num[h->by[p]]]);
}

static bool semidominator(struct dominate *d, uint32_t w, uint32_t *ret)
{
	const struct pv_heap *h = d->w->h;
	uint32_t semi = d->idom[w], node = d->node[w], least;
	if (d->entry[node / 64] >> node % 64 & 1)
		semi = 1;
	for (uint32_t p = h->by_first[node]; semi > 1 && p < h->by_first[node + 1]; p++) {
		uint32_t v = d->num[h->by[p]];
		if (v == 0)
			continue; /* it cannot be reached itself */
		least = v;
		if (v > w && !eval(d, v, &least))
			return false;
		semi = least < semi ? least : semi;
	}
	*ret = semi;
	return true;
}

static bool semidominators(struct dominate *d)
{
	for (uint32_t i = 1; i < d->n; i++) {
		d->up[i].label = i;
		d->balance[i].size = 1;
	}
	for (uint32_t w = d->n - 1; w > 1; w--) {
		fetch(d, w);
		if (!semidominator(d, w, &d->semi[w]))
			return false;
		d->up[w].label = d->semi[w];
		join(d, d->idom[w], w);
		if (w % PV_PROGRESS_STEP == 0 && !pv_heap_go_on(d->w, "dominators", d->n - w, d->n))
			return false;
	}
	for (uint32_t w = 2; w < d->n; w++) {
		uint32_t up = d->idom[w];
		while (up > d->semi[w])
			up = d->idom[up];
		d->idom[w] = up;
	}
	return true;
}

/* --- results */

static void give_up(void *array)
{
	void **v = array;
	free(*v);
	*v = NULL;
}

static bool results(struct dominate *d)
{
	struct pv_heap *h = d->w->h;
	const struct pv_graph *g = d->g;
	give_up(&d->up);
	give_up(&d->balance);
	give_up(&d->semi);
	h->retained = pv_big_alloc(g->nodes, sizeof *h->retained);
	if (!h->retained)
		return pv_heap_nomem(d->w);
	for (uint32_t i = d->n - 1; i > 1; i--) {
		uint32_t node = d->node[i];
		h->retained[node] += g->size[node];
		if (d->idom[i] > 1)
			h->retained[d->node[d->idom[i]]] += h->retained[node];
	}
	for (uint32_t node = 0; node < g->nodes; node++) {
		uint32_t i = d->num[node];
		h->unreachable += i == 0;
		h->unreachable_bytes += i == 0 ? g->size[node] : 0;
		d->num[node] = i == 0           ? PV_GRAPH_NONE
			       : d->idom[i] > 1 ? d->node[d->idom[i]]
						: PV_HEAP_ROOTS;
	}
	h->idom = d->num;
	d->num = NULL;
	return true;
}

static bool make_room(struct dominate *d)
{
	size_t n = (size_t)d->g->nodes + 2;
	d->num = pv_big_alloc(n, sizeof *d->num);
	d->node = pv_big_alloc(n, sizeof *d->node);
	d->up = pv_big_alloc(n, sizeof *d->up);
	d->balance = pv_big_alloc(n, sizeof *d->balance);
	d->semi = pv_big_alloc(n, sizeof *d->semi);
	d->idom = pv_big_alloc(n, sizeof *d->idom);
	d->met = pv_big_alloc(n / 64 + 1, sizeof *d->met);
	d->entry = pv_big_alloc(n / 64 + 1, sizeof *d->entry);
	bool ok = d->num && d->node && d->up && d->balance && d->semi && d->idom && d->met &&
		  d->entry;
	for (size_t i = 0; ok && i < d->g->root.n; i++) {
		const struct pv_graph_root *r = &d->g->root.v[i];
		if (pv_heap_counts(d->w->h, r))
			d->entry[r->node / 64] |= UINT64_C(1) << r->node % 64;
	}
	return ok || pv_heap_nomem(d->w);
}

bool pv_heap_dominate(struct pv_heap_work *w)
{
	struct dominate d = { .w = w, .g = &w->h->graph };
	bool ok = make_room(&d) && number(&d) && semidominators(&d) && results(&d);
	give_up(&d.num);
	give_up(&d.node);
	give_up(&d.up);
	give_up(&d.balance);
	give_up(&d.semi);
	give_up(&d.idom);
	give_up(&d.met);
	give_up(&d.entry);
	pv_array_finish(&d.path);
	return ok;
}
