#include "common/query/site_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/model/calls/stacks.h"

static const char *text_of(const struct pv_group_row *r, char buf[24])
{
	if (r->name)
		return r->name;
	snprintf(buf, 24, "0x%" PRIx64, r->key);
	return buf;
}

static int by_text(const void *a, const void *b, void *rows)
{
	const struct pv_group_row *row = rows;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pv_group_row *x = &row[i], *y = &row[k];
	char mine[24], yours[24];
	int c = strcmp(text_of(x, mine), text_of(y, yours));
	if (c == 0)
		c = strcmp(x->image ? x->image : "", y->image ? y->image : "");
	return c ? c : i < k ? -1 : 1;
}

uint32_t *pv_group_ranks(const struct pv_groups *g)
{
	uint32_t *order = malloc(g->row.n * sizeof *order), *rank = malloc(g->row.n * sizeof *rank);
	if (order && rank) {
		for (uint32_t i = 0; i < g->row.n; i++)
			order[i] = i;
		qsort_r(order, g->row.n, sizeof *order, by_text, g->row.v);
		for (uint32_t i = 0; i < g->row.n; i++)
			rank[order[i]] = i;
	}
	free(order);
	if (order)
		return rank;
	free(rank);
	return NULL;
}

/* --- stacks: a tree whose nodes are numbered in the order of their texts */

struct ranking {
	const struct pv_stacks *s;
	const struct pv_groups *methods;
	uint32_t *same;   /* the first node that reads as this one does */
	uint32_t *sorted; /* nodes by their method's name */
	uint32_t *size;   /* nodes below, itself included */
	uint32_t *rank;
	uint32_t *next; /* the place of the child that comes next */
};

static uint32_t group_at(const struct ranking *r, uint32_t node)
{
	return pv_group_of(r->methods, r->s->node.v[node].method);
}

/* Parents have smaller numbers than their children. */
static bool find_same(struct ranking *r)
{
	struct pv_map seen = { 0 };
	bool ok = true;
	for (uint32_t i = 1; ok && i < r->s->node.n; i++) {
		uint64_t key = (uint64_t)r->same[r->s->node.v[i].parent] << 32 | group_at(r, i);
		uint32_t at = pv_map_get(&seen, key);
		r->same[i] = at == PV_MAP_NONE ? i : at;
		ok = at != PV_MAP_NONE || pv_map_set(&seen, key, i);
	}
	pv_map_finish(&seen);
	return ok;
}

/* Counts how often each name is met, then gives each node its place. */
static bool sort_by_name(struct ranking *r)
{
	size_t groups = r->methods->row.n, n = r->s->node.n;
	uint32_t *rank = pv_group_ranks(r->methods);
	uint32_t *from = calloc(groups + 1, sizeof *from);
	if (rank && from) {
		for (uint32_t i = 1; i < n; i++)
			from[rank[group_at(r, i)] + 1]++;
		for (size_t g = 1; g <= groups; g++)
			from[g] += from[g - 1];
		for (uint32_t i = 1; i < n; i++)
			r->sorted[from[rank[group_at(r, i)]]++] = i;
	}
	bool ok = rank && from;
	free(rank);
	free(from);
	return ok;
}

/*
 * A stack stands before those that go on from it, and these after one another by the next frame's
 * name: taken by that name, each child gets the number of those before it.
 */
static void number(struct ranking *r)
{
	uint32_t n = (uint32_t)r->s->node.n;
	for (uint32_t i = n; i-- > 1;)
		if (r->same[i] == i)
			r->size[r->same[r->s->node.v[i].parent]] += ++r->size[i];
	for (uint32_t k = 0; k + 1 < n; k++) {
		uint32_t i = r->sorted[k];
		uint32_t parent = r->same[r->s->node.v[i].parent];
		if (r->same[i] != i)
			continue;
		r->rank[i] = ++r->next[parent]; /* as yet within its parent */
		r->next[parent] += r->size[i] - 1;
	}
	for (uint32_t i = 1; i < n; i++)
		if (r->same[i] == i)
			r->rank[i] += r->rank[r->same[r->s->node.v[i].parent]];
	for (uint32_t i = 1; i < n; i++)
		r->rank[i] = r->rank[r->same[i]];
}

uint32_t *pv_stack_ranks(const struct pv_stacks *s, const struct pv_groups *methods)
{
	size_t n = s->node.n + 1;
	struct ranking r = { .s = s,
		.methods = methods,
		.same = calloc(n, sizeof *r.same),
		.sorted = calloc(n, sizeof *r.sorted),
		.size = calloc(n, sizeof *r.size),
		.rank = calloc(n, sizeof *r.rank),
		.next = calloc(n, sizeof *r.next) };
	bool ok = r.same && r.sorted && r.size && r.rank && r.next && find_same(&r) &&
		  sort_by_name(&r);
	if (ok)
		number(&r);
	free(r.same);
	free(r.sorted);
	free(r.size);
	free(r.next);
	if (ok)
		return r.rank;
	free(r.rank);
	return NULL;
}
