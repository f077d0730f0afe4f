/* SPDX-License-Identifier: MIT */
/* Sorts a profile so that equal logs give equal profiles, whatever the order of reading. */
#include <stdlib.h>
#include <string.h>

#include "common/export/profile.h"

/* --- the order of nodes: parents first, siblings by text */

static int by_text(const void *a, const void *b, void *ctx)
{
	const struct pv_profile *p = ctx;
	const struct pv_profile_node *x = &p->node.v[*(const uint32_t *)a],
				     *y = &p->node.v[*(const uint32_t *)b];
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	int order = pv_profile_frame_order(p, x->frame, y->frame);
	return order ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Siblings are neighbours in `sorted`, in the order of their parents' numbers. */
static bool number_nodes(struct pv_profile *p, const uint32_t *sorted, uint32_t *first)
{
	size_t n = p->node.n;
	PV_ARRAY(uint32_t) open = { 0 }; /* places in sorted, still to be numbered */
	for (size_t i = n - 1; i-- > 0;)
		first[p->node.v[sorted[i]].parent] = (uint32_t)i;
	bool ok = pv_reserve(&p->order, n) && pv_reserve(&open, 2);
	if (ok) {
		p->order.v[p->order.n++] = 0;
		open.v[open.n++] = first[0];
	}
	while (ok && open.n) {
		uint32_t at = open.v[--open.n];
		if (at >= n - 1)
			continue;
		uint32_t node = sorted[at];
		p->node.v[node].rank = (uint32_t)p->order.n;
		p->order.v[p->order.n++] = node;
		ok = pv_reserve(&open, 2);
		if (ok && at + 1 < n - 1 &&
			p->node.v[sorted[at + 1]].parent == p->node.v[node].parent)
			open.v[open.n++] = at + 1;
		if (ok)
			open.v[open.n++] = first[node];
	}
	pv_array_finish(&open);
	return ok;
}

static bool rank_nodes(struct pv_profile *p)
{
	size_t n = p->node.n;
	uint32_t *sorted = malloc(n * sizeof *sorted), *first = malloc(n * sizeof *first);
	bool ok = sorted && first;
	for (size_t i = 1; ok && i < n; i++)
		sorted[i - 1] = (uint32_t)i;
	if (ok) {
		qsort_r(sorted, n - 1, sizeof *sorted, by_text, p);
		memset(first, 0xff, n * sizeof *first);
		ok = number_nodes(p, sorted, first);
	}
	free(sorted);
	free(first);
	return ok;
}

/* --- rows */

static int by_row_rank(const void *a, const void *b, void *ctx)
{
	const struct pv_profile *p = ctx;
	const struct pv_profile_row *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	uint32_t i = p->node.v[x->node].rank, j = p->node.v[y->node].rank;
	return (i > j) - (i < j);
}

/* Thread 0 has all figures at first: subtracts the other threads'. */
static void take_off_all(struct pv_profile *p)
{
	for (size_t i = 0; i < p->row.n; i++) {
		const struct pv_profile_row *r = &p->row.v[i];
		uint64_t key = (uint64_t)r->group << 48 | r->node;
		uint32_t at = r->thread ? pv_map_get(&p->row_of, key) : PV_MAP_NONE;
		for (unsigned k = 0; at != PV_MAP_NONE && k < PV_VALUES; k++) {
			uint64_t *all = &p->row.v[at].value[k];
			*all -= r->value[k] < *all ? r->value[k] : *all;
		}
	}
}

static void leave_out_empty(struct pv_profile *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->row.n; i++)
		if (p->row.v[i].value[0] || p->row.v[i].value[1])
			p->row.v[n++] = p->row.v[i];
	p->row.n = n;
}

static void count_cut(struct pv_profile *p)
{
	for (size_t i = 0; i < p->row.n; i++) {
		const struct pv_profile_node *n = &p->node.v[p->row.v[i].node];
		p->cut += n->depth - (n->frame & PV_FRAME_CLASS ? 1 : 0) > PV_STACK_FRAMES;
	}
}

bool pv_profile_finish(struct pv_profile *p)
{
	take_off_all(p);
	leave_out_empty(p);
	pv_map_finish(&p->row_of);
	if (!rank_nodes(p))
		return false;
	if (p->row.n)
		qsort_r(p->row.v, p->row.n, sizeof *p->row.v, by_row_rank, p);
	count_cut(p);
	return true;
}
