/* SPDX-License-Identifier: MIT */
/*
 * Immediate dominators by semi-NCA: a depth-first numbering, semidominators in reverse order, then
 * the nearest common ancestor of each with its parent. Least semidominators on a way up come from
 * Lengauer and Tarjan's forest with balanced links, since depth-first trees of heaps are deep.
 * Number 1 stands for all roots together, 0 for nothing.
 *
 * The time goes into memory that is far away, so the facts of a number lie by number:
 * neighbours on a path are neighbours in memory. References are copied in the order in which the
 * numbering comes by; turned round by number, they are read in one go from their end.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/heap/big.h"
#include "common/heap/heap_parts.h"

enum { ROOTS = 1, NEAR = 8, FAR = 24, SPARES = 4 };

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
	uint32_t *node;          /* [n] node of a number */
	uint32_t *idom;          /* [n] first the parent */
	uint32_t *semi;          /* [n] while numbering: the next reference to follow */
	uint32_t *start;         /* [n + 1] references of number i: start[i] to start[i + 1] */
	uint32_t *end;           /* [edges] referred nodes, later their numbers */
	uint32_t ends;           /* number of entries in `end` */
	uint32_t *first;         /* [n + 1] referrers of number i: first[i] to first[i + 1] */
	uint32_t *by;            /* [edges] their numbers */
	struct tree *up;         /* [n] */
	struct balance *balance; /* [n] */
	uint64_t *met; /* [n / 64] bits: reached; then by number: held by a root that counts */
	PV_ARRAY(uint32_t) path; /* scratch */
	void *spare[SPARES];     /* free arrays for the next use; NULL: none */
};

/*
 * Used arrays serve the next: the system clears every page that it gives, which takes longer than
 * clearing an array here.
 */
static void *take_spare(struct dominate *d, size_t bytes)
{
	for (size_t i = 0; i < SPARES; i++) {
		size_t room = d->spare[i] ? malloc_usable_size(d->spare[i]) : 0;
		if (!room || room < bytes || room / 2 > bytes)
			continue;
		void *v = memset(d->spare[i], 0, bytes);
		d->spare[i] = NULL;
		return v;
	}
	return NULL;
}

static bool give(struct dominate *d, void *array, size_t n, size_t size)
{
	void **v = array;
	*v = take_spare(d, n * size);
	if (!*v)
		*v = pv_big_alloc(n, size);
	return *v || pv_heap_nomem(d->w);
}

static void give_up_array(struct dominate *d, void *array)
{
	void **v = array;
	size_t i = 0;
	while (i < SPARES && d->spare[i])
		i++;
	if (i < SPARES)
		d->spare[i] = *v;
	else
		free(*v);
	*v = NULL;
}

/* --- numbering */

static bool is_met(const struct dominate *d, uint32_t node)
{
	return d->met[node / 64] >> node % 64 & 1;
}

/* Appends the references of `node` to those of the nodes before it; they are visited next. */
static uint32_t visit(struct dominate *d, uint32_t node, uint32_t from)
{
	const struct pv_graph *g = d->g;
	uint32_t i = d->n++, end = g->first[node + 1], at = d->ends;
	d->met[node / 64] |= UINT64_C(1) << node % 64;
	d->node[i] = node;
	d->idom[i] = from;
	d->start[i] = d->semi[i] = at;
	for (uint32_t e = g->first[node]; e < end; e++) {
		d->end[at++] = g->to[e];
		__builtin_prefetch(&g->first[g->to[e]]);
	}
	d->ends = at;
	d->start[i + 1] = at;
	return i;
}

static bool number_from(struct dominate *d, uint32_t root)
{
	uint32_t at = visit(d, root, ROOTS);
	while (at > ROOTS) {
		uint32_t end = d->start[at + 1], e = d->semi[at];
		while (e < end && is_met(d, d->end[e]))
			e++;
		d->semi[at] = e + 1;
		if (e >= end) {
			at = d->idom[at];
			continue;
		}
		at = visit(d, d->end[e], at);
		if (at % PV_PROGRESS_STEP == 0 &&
			!pv_heap_go_on(d->w, "dominators: numbering", at, d->g->nodes))
			return false;
	}
	return true;
}

/* Here `end` still holds nodes. */
static bool number_all(struct dominate *d)
{
	const struct pv_graph *g = d->g;
	size_t n = (size_t)g->nodes + 3;
	if (!give(d, &d->node, n, sizeof *d->node) || !give(d, &d->idom, n, sizeof *d->idom) ||
		!give(d, &d->semi, n, sizeof *d->semi) ||
		!give(d, &d->start, n, sizeof *d->start) ||
		!give(d, &d->end, (size_t)g->edges + 1, sizeof *d->end) ||
		!give(d, &d->met, n / 64 + 1, sizeof *d->met))
		return false;
	d->n = ROOTS + 1;
	for (size_t i = 0; i < g->root.n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		if (pv_heap_counts(d->w->h, r) && !is_met(d, r->node) && !number_from(d, r->node))
			return false;
	}
	return pv_heap_go_on(d->w, "dominators: numbering", d->n, d->n);
}

/* Numbers of nodes, then references and roots by number. */
static bool number_graph(struct dominate *d)
{
	const struct pv_graph *g = d->g;
	if (!number_all(d) || !give(d, &d->num, (size_t)g->nodes + 1, sizeof *d->num))
		return false;
	for (uint32_t i = ROOTS + 1; i < d->n; i++) {
		__builtin_prefetch(&d->num[d->node[i + FAR < d->n ? i + FAR : i]], 1);
		d->num[d->node[i]] = i;
	}
	for (uint32_t e = 0; e < d->ends; e++) {
		__builtin_prefetch(&d->num[d->end[e + FAR < d->ends ? e + FAR : e]]);
		d->end[e] = d->num[d->end[e]];
	}
	memset(d->met, 0, (((size_t)g->nodes + 3) / 64 + 1) * sizeof *d->met);
	for (size_t i = 0; i < g->root.n; i++) {
		uint32_t at = d->num[g->root.v[i].node];
		if (pv_heap_counts(d->w->h, &g->root.v[i]))
			d->met[at / 64] |= UINT64_C(1) << at % 64;
	}
	return true;
}

/* --- references, by visiting number */

static bool turn_round(struct dominate *d)
{
	if (!give(d, &d->first, (size_t)d->n + 2, sizeof *d->first) ||
		!give(d, &d->by, (size_t)d->ends + 1, sizeof *d->by))
		return false;
	uint32_t *count = d->first + 2, *at = d->first + 1;
	for (uint32_t e = 0; e < d->ends; e++) {
		__builtin_prefetch(&count[d->end[e + FAR < d->ends ? e + FAR : e]], 1);
		count[d->end[e]]++;
	}
	for (uint32_t i = 0; i + 1 < d->n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = ROOTS + 1; i < d->n; i++) {
		for (uint32_t e = d->start[i]; e < d->start[i + 1]; e++) {
			__builtin_prefetch(&at[d->end[e + FAR < d->ends ? e + FAR : e]], 1);
			__builtin_prefetch(
				&d->by[at[d->end[e + NEAR < d->ends ? e + NEAR : e]]], 1);
			d->by[at[d->end[e]]++] = i;
		}
		if (i % PV_PROGRESS_STEP == 0 &&
			!pv_heap_go_on(d->w, "dominators: referrers", i, d->n))
			return false;
	}
	give_up_array(d, &d->end);
	give_up_array(d, &d->start);
	return true;
}

/* --- the forest of those whose semidominators are known */

/* The parent `v` takes over the tree of `w`. */
static void join_subtree(struct dominate *d, uint32_t v, uint32_t w)
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

static bool semidominator(struct dominate *d, uint32_t w, uint32_t *ret)
{
	uint32_t semi = d->idom[w], least = 0;
	for (uint32_t p = d->first[w]; p < d->first[w + 1]; p++) {
		uint32_t v = d->by[p];
		__builtin_prefetch(&d->up[d->by[p < FAR ? 0 : p - FAR]]);
		if (semi == ROOTS)
			continue;
		least = v;
		if (v > w && !eval(d, v, &least))
			return false;
		semi = least < semi ? least : semi;
	}
	*ret = d->met[w / 64] >> w % 64 & 1 ? ROOTS : semi;
	return true;
}

static bool semidominators(struct dominate *d)
{
	if (!give(d, &d->up, d->n, sizeof *d->up) ||
		!give(d, &d->balance, d->n, sizeof *d->balance))
		return false;
	for (uint32_t i = ROOTS; i < d->n; i++) {
		d->up[i].label = i;
		d->balance[i].size = 1;
	}
	for (uint32_t w = d->n - 1; w > ROOTS; w--) {
		if (!semidominator(d, w, &d->semi[w]))
			return false;
		d->up[w].label = d->semi[w];
		join_subtree(d, d->idom[w], w);
		if (w % PV_PROGRESS_STEP == 0 && !pv_heap_go_on(d->w, "dominators", d->n - w, d->n))
			return false;
	}
	give_up_array(d, &d->up);
	give_up_array(d, &d->balance);
	give_up_array(d, &d->by);
	give_up_array(d, &d->first);
	for (uint32_t w = ROOTS + 1; w < d->n; w++) {
		uint32_t up = d->idom[w];
		while (up > d->semi[w])
			up = d->idom[up];
		d->idom[w] = up;
	}
	give_up_array(d, &d->semi);
	return true;
}

/* --- results */

static bool results(struct dominate *d)
{
	struct pv_heap *h = d->w->h;
	const struct pv_graph *g = d->g;
	uint64_t *sum = NULL; /* [n] retained */
	if (!give(d, &sum, d->n, sizeof *sum))
		return false;
	for (uint32_t i = d->n - 1; i > ROOTS; i--) {
		__builtin_prefetch(&g->size[d->node[i < FAR ? 0 : i - FAR]]);
		sum[i] += g->size[d->node[i]];
		sum[d->idom[i]] += sum[i];
	}
	if (!give(d, &h->retained, g->nodes, sizeof *h->retained)) {
		free(sum);
		return false;
	}
	for (uint32_t node = 0; node < g->nodes; node++) {
		if (d->num[node])
			continue;
		d->num[node] = PV_GRAPH_NONE;
		h->unreachable++;
		h->unreachable_bytes += g->size[node];
	}
	for (uint32_t i = ROOTS + 1; i < d->n; i++) {
		uint32_t soon = d->node[i + FAR < d->n ? i + FAR : i];
		__builtin_prefetch(&h->retained[soon], 1);
		__builtin_prefetch(&d->num[soon], 1);
		h->retained[d->node[i]] = sum[i];
		d->num[d->node[i]] = d->idom[i] > ROOTS ? d->node[d->idom[i]] : PV_HEAP_ROOTS;
	}
	free(sum);
	h->idom = d->num;
	d->num = NULL;
	return true;
}

bool pv_heap_dominate(struct pv_heap_work *w)
{
	struct dominate d = { .w = w, .g = &w->h->graph };
	bool ok = number_graph(&d) && turn_round(&d) && semidominators(&d) && results(&d);
	free(d.num);
	free(d.node);
	free(d.idom);
	free(d.semi);
	free(d.end);
	free(d.start);
	free(d.first);
	free(d.by);
	free(d.up);
	free(d.balance);
	free(d.met);
	for (size_t i = 0; i < SPARES; i++)
		free(d.spare[i]);
	pv_array_finish(&d.path);
	return ok;
}
