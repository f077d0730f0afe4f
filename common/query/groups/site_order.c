/* SPDX-License-Identifier: MIT */
/* Ranks classes and stacks by their texts. */
#include "common/query/groups/site_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/model/model.h"

static const char *group_text(const struct pv_group_row *r, char buf[24])
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
	int c = strcmp(group_text(x, mine), group_text(y, yours));
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
	const struct pv_logical *l; /* nodes are numbered as in logical.h */
	uint32_t n;
	const struct pv_groups *methods;
	uint32_t *same;   /* the first node with the same text */
	uint32_t *sorted; /* nodes by their method's name */
	uint32_t *size;   /* nodes below, itself included */
	uint32_t *rank;
	uint32_t *next; /* the place of the next child */
};

static uint32_t caller_of(const struct ranking *r, uint32_t node)
{
	return pv_logical_above(r->l, r->s, node);
}

static uint32_t group_at(const struct ranking *r, uint32_t node)
{
	return pv_group_of(r->methods, pv_logical_method(r->l, r->s, node));
}

/* Equal for frames with the same text after one caller. */
static uint32_t reads_as(const struct ranking *r, uint32_t node)
{
	return group_at(r, node) * 2 + (pv_logical_part(r->l, node) == PV_PART_AWAITS);
}

/* Parents have smaller numbers than their children. */
static bool find_same(struct ranking *r)
{
	struct pv_map seen = { 0 };
	bool ok = true;
	for (uint32_t i = 1; ok && i < r->n; i++) {
		uint64_t key = (uint64_t)r->same[caller_of(r, i)] << 32 | reads_as(r, i);
		uint32_t at = pv_map_get(&seen, key);
		r->same[i] = at == PV_MAP_NONE ? i : at;
		ok = at != PV_MAP_NONE || pv_map_set(&seen, key, i);
	}
	pv_map_finish(&seen);
	return ok;
}

/* Counts the nodes of each name, then gives each node its place. */
static bool sort_by_name(struct ranking *r)
{
	size_t groups = r->methods->row.n, n = r->n;
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
 * A stack comes before its extensions, sorted by the next frame's name: taken by name, each child
 * gets the number of nodes before.
 */
static void number_stacks(struct ranking *r)
{
	const uint32_t n = r->n;
	for (uint32_t i = n; i-- > 1;)
		if (r->same[i] == i)
			r->size[r->same[caller_of(r, i)]] += ++r->size[i];
	for (uint32_t k = 0; k + 1 < n; k++) {
		uint32_t i = r->sorted[k];
		uint32_t parent = r->same[caller_of(r, i)];
		if (r->same[i] != i)
			continue;
		r->rank[i] = ++r->next[parent]; /* still within the parent */
		r->next[parent] += r->size[i] - 1;
	}
	for (uint32_t i = 1; i < n; i++)
		if (r->same[i] == i)
			r->rank[i] += r->rank[r->same[caller_of(r, i)]];
	for (uint32_t i = 1; i < n; i++)
		r->rank[i] = r->rank[r->same[i]];
}

uint32_t *pv_stack_ranks(
	const struct pv_model *m, const struct pv_logical *l, const struct pv_groups *methods)
{
	size_t n = m->stacks.node.n + l->awaiting + 1;
	struct ranking r = { .s = &m->stacks,
		.l = l,
		.n = (uint32_t)n - 1,
		.methods = methods,
		.same = calloc(n, sizeof *r.same),
		.sorted = calloc(n, sizeof *r.sorted),
		.size = calloc(n, sizeof *r.size),
		.rank = calloc(n, sizeof *r.rank),
		.next = calloc(n, sizeof *r.next) };
	bool ok = r.same && r.sorted && r.size && r.rank && r.next && find_same(&r) &&
		  sort_by_name(&r);
	if (ok)
		number_stacks(&r);
	free(r.same);
	free(r.sorted);
	free(r.size);
	free(r.next);
	if (ok)
		return r.rank;
	free(r.rank);
	return NULL;
}
