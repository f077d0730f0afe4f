/* SPDX-License-Identifier: MIT */
/*
 * Retained size of a class: the sizes of the objects that can only be reached past an object of the
 * class. For each object the set of classes on every way to the object is found, as the greatest
 * solution of
 *
 * 	set(v) = class(v) and the common part of the sets of all that refer to v
 *
 * where roots refer with the empty set. There are few different sets in programs: each is kept
 * once.
 *
 * Where each object of a chain is of another class the sets grow with the square of the shot's
 * size, and rings of such objects are gone through again and again. Steps and sets therefore have a
 * limit that is linear in the shot's size; beyond the limit lower bounds are given (class_least),
 * found in one pass.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/heap/big.h"
#include "common/heap/heap_parts.h"

enum { EVERYTHING = -1, MOST_SETS = 1 << 21, MOST_MEMBERS = 1 << 24 };
enum { MOST_MEMOS = 1 << 17 };
/*
 * Limits: a constant for any shot, and a number for each object and each reference. Measured: at
 * most 12 steps and 2.3 members (compilers on Mono and .NET, four million objects and references
 * made up). A step takes one to two ns.
 */
enum { SMALL_STEPS = 1 << 20, STEPS_EACH = 256, SMALL_MEMBERS = 1 << 16, MEMBERS_EACH = 16 };

struct set {
	uint32_t at, n; /* in member */
	uint32_t next;  /* of the same hash, index + 1; 0 ends */
};

/* A result computed before, until another takes its slot. */
struct memo {
	uint64_t question; /* + 1; 0: none */
	uint32_t set;
};

struct sets {
	PV_ARRAY(struct set) set;  /* [0] is empty */
	PV_ARRAY(uint32_t) member; /* classes, ascending in each set */
	PV_ARRAY(uint32_t) scratch;
	struct pv_map of_hash;      /* index + 1 of the newest */
	struct memo *with, *common; /* [memos], a power of two */
	size_t memos;
	size_t most, most_members; /* sets, and all their members */
	uint64_t steps;            /* left */
	bool full;                 /* a limit is reached */
};

struct job {
	struct pv_heap_work *w;
	struct sets s;
	uint32_t *order; /* reached nodes, each after most nodes that refer to it */
	uint32_t n;
	uint64_t *due; /* [nodes / 64] bits: to be computed (again) */
	uint32_t *of;  /* [nodes] set; UINT32_MAX: all classes, as nothing is known yet */
};

/* False, with `full` set, when fewer steps are left. */
static bool take_steps(struct sets *s, uint64_t n)
{
	s->full = s->full || n > s->steps;
	s->steps -= s->full ? 0 : n;
	return !s->full;
}

/* The set in `scratch`; PV_MAP_NONE when there are too many, or no memory. */
static uint32_t keep_set(struct sets *s)
{
	uint64_t hash = 1;
	for (size_t i = 0; i < s->scratch.n; i++)
		hash = pv_hash_part(hash, s->scratch.v[i]);
	uint32_t newest = pv_map_get(&s->of_hash, hash);
	for (uint32_t i = newest == PV_MAP_NONE ? 0 : newest; i; i = s->set.v[i - 1].next) {
		const struct set *x = &s->set.v[i - 1];
		if (x->n == s->scratch.n && (x->n == 0 || memcmp(s->member.v + x->at, s->scratch.v,
								  x->n * sizeof(uint32_t)) == 0))
			return i - 1;
	}
	s->full = s->full || s->set.n >= s->most || s->member.n + s->scratch.n > s->most_members;
	if (s->full || !pv_reserve(&s->set, 1) || !pv_reserve(&s->member, s->scratch.n) ||
		!pv_map_set(&s->of_hash, hash, (uint32_t)s->set.n + 1))
		return PV_MAP_NONE;
	s->set.v[s->set.n++] = (struct set){ (uint32_t)s->member.n, (uint32_t)s->scratch.n,
		newest == PV_MAP_NONE ? 0 : newest };
	for (size_t i = 0; i < s->scratch.n; i++)
		s->member.v[s->member.n++] = s->scratch.v[i];
	return (uint32_t)s->set.n - 1;
}

static struct memo *memo_of(const struct sets *s, struct memo *memos, uint64_t question)
{
	return &memos[pv_hash_place(question) & (s->memos - 1)];
}

static uint32_t with(struct sets *s, uint32_t a, uint32_t klass)
{
	uint64_t key = (uint64_t)a << 32 | klass;
	struct memo *known = memo_of(s, s->with, key);
	if (known->question == key + 1)
		return known->set;
	struct set x = s->set.v[a];
	s->scratch.n = 0;
	if (!take_steps(s, (uint64_t)x.n + 1) || !pv_reserve(&s->scratch, (size_t)x.n + 1))
		return PV_MAP_NONE;
	uint32_t i = 0;
	while (i < x.n && s->member.v[x.at + i] < klass)
		s->scratch.v[s->scratch.n++] = s->member.v[x.at + i++];
	s->scratch.v[s->scratch.n++] = klass;
	for (; i < x.n; i++)
		if (s->member.v[x.at + i] != klass)
			s->scratch.v[s->scratch.n++] = s->member.v[x.at + i];
	*known = (struct memo){ key + 1, keep_set(s) };
	return known->set;
}

static uint32_t common(struct sets *s, uint32_t a, uint32_t b)
{
	if (a == b || b == (uint32_t)EVERYTHING)
		return a;
	if (a == (uint32_t)EVERYTHING)
		return b;
	if (a == 0 || b == 0)
		return 0;
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	struct memo *known = memo_of(s, s->common, key);
	if (known->question == key + 1)
		return known->set;
	struct set x = s->set.v[a], y = s->set.v[b];
	const uint32_t *m = s->member.v;
	s->scratch.n = 0;
	if (!take_steps(s, (uint64_t)x.n + y.n) || !pv_reserve(&s->scratch, x.n))
		return PV_MAP_NONE;
	for (uint32_t i = 0, j = 0; i < x.n && j < y.n;) {
		uint32_t p = m[x.at + i], q = m[y.at + j];
		if (p == q)
			s->scratch.v[s->scratch.n++] = p;
		i += p <= q;
		j += q <= p;
	}
	*known = (struct memo){ key + 1, keep_set(s) };
	return known->set;
}

/* --- an order in which few sets are computed twice: reverse postorder */

static uint32_t enter_node(
	struct job *j, uint32_t *cursor, uint32_t *stack, uint32_t node, uint32_t depth)
{
	cursor[node] = j->w->h->graph.first[node] + 1; /* 0: not met */
	stack[depth] = node;
	return depth + 1;
}

static bool walk_from_roots(struct job *j, uint32_t *cursor, uint32_t *stack)
{
	const struct pv_graph *g = &j->w->h->graph;
	uint32_t at = g->nodes;
	for (size_t i = 0; i < g->root.n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		if (cursor[r->node] || !pv_heap_counts(j->w->h, r))
			continue;
		for (uint32_t depth = enter_node(j, cursor, stack, r->node, 0); depth;) {
			uint32_t node = stack[depth - 1], e = cursor[node] - 1;
			while (e < g->first[node + 1] && cursor[g->to[e]])
				e++;
			cursor[node] = e + 2;
			if (e < g->first[node + 1]) {
				depth = enter_node(j, cursor, stack, g->to[e], depth);
				continue;
			}
			cursor[node] = UINT32_MAX;
			depth--;
			j->order[--at] = node;
		}
	}
	j->n = g->nodes - at;
	memmove(j->order, j->order + at, j->n * sizeof *j->order);
	return pv_heap_go_on(j->w, "classes", 0, j->n);
}

static bool put_in_order(struct job *j)
{
	size_t n = (size_t)j->w->h->graph.nodes + 1;
	uint32_t *cursor = calloc(n, sizeof *cursor), *stack = malloc(n * sizeof *stack);
	j->order = malloc(n * sizeof *j->order);
	bool ok = cursor && stack && j->order ? walk_from_roots(j, cursor, stack)
					      : pv_heap_nomem(j->w);
	free(cursor);
	free(stack);
	return ok;
}

/* --- the solution */

static uint32_t set_of(struct job *j, uint32_t node)
{
	const struct pv_heap *h = j->w->h;
	uint32_t all = h->up[node] == PV_HEAP_ROOTS ? 0 : (uint32_t)EVERYTHING;
	if (!take_steps(&j->s, h->by_first[node + 1] - h->by_first[node]))
		return PV_MAP_NONE;
	for (uint32_t i = h->by_first[node]; all != 0 && i < h->by_first[node + 1]; i++) {
		uint32_t from = h->by[i];
		if (h->idom[from] == PV_GRAPH_NONE || j->of[from] == (uint32_t)EVERYTHING)
			continue;
		all = common(&j->s, all, j->of[from]);
		if (all == PV_MAP_NONE)
			return PV_MAP_NONE;
	}
	return all == (uint32_t)EVERYTHING ? PV_MAP_NONE
					   : with(&j->s, all, h->graph.class_of[node]);
}

static bool is_due(const struct job *j, uint32_t node)
{
	return j->due[node / 64] >> node % 64 & 1;
}

/* Sets a node's new set: the nodes it refers to are due again. False: too many steps. */
static bool change(struct job *j, uint32_t node, uint32_t set)
{
	const struct pv_graph *g = &j->w->h->graph;
	if (!take_steps(&j->s, g->first[node + 1] - g->first[node]))
		return false;
	j->of[node] = set;
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
		j->due[g->to[e] / 64] |= UINT64_C(1) << g->to[e] % 64;
	return true;
}

/* False when cancelled, out of memory, or with j->s.full beyond a limit. */
static bool solve(struct job *j)
{
	bool changed = true;
	while (changed) {
		changed = false;
		if (!take_steps(&j->s, j->n))
			return false;
		for (uint32_t i = 0; i < j->n; i++) {
			uint32_t node = j->order[i];
			if (i % PV_PROGRESS_STEP == 0 && !pv_heap_go_on(j->w, "classes", i, j->n))
				return false;
			if (!is_due(j, node))
				continue;
			j->due[node / 64] &= ~(UINT64_C(1) << node % 64);
			uint32_t set = set_of(j, node);
			if (set == PV_MAP_NONE)
				return j->s.full ? false : pv_heap_nomem(j->w);
			if (set == j->of[node])
				continue;
			if (!change(j, node, set))
				return false;
			changed = true;
		}
	}
	return true;
}

static bool sum_up_sets(struct job *j)
{
	struct pv_heap *h = j->w->h;
	uint64_t *weight = calloc(j->s.set.n + 1, sizeof *weight);
	if (!weight)
		return pv_heap_nomem(j->w);
	for (uint32_t i = 0; i < j->n; i++)
		weight[j->of[j->order[i]]] += h->graph.size[j->order[i]];
	for (size_t i = 0; i < j->s.set.n; i++)
		for (uint32_t k = 0; k < j->s.set.v[i].n; k++)
			h->class_retained[j->s.member.v[j->s.set.v[i].at + k]] += weight[i];
	free(weight);
	return true;
}

/*
 * Too many sets or steps: adds the retained sizes of single objects, except those inside another
 * object of the class.
 */
static bool at_least(struct job *j)
{
	struct pv_heap *h = j->w->h;
	uint32_t n = h->graph.nodes, depth = 0;
	uint32_t *open = calloc(h->graph.klass.n + 1, sizeof *open);
	uint32_t *stack = j->order, *cursor = j->of;
	if (!open)
		return pv_heap_nomem(j->w);
	for (uint32_t top = h->kept_first[n]; top < h->kept_first[n + 1]; top++) {
		stack[depth++] = h->kept[top];
		cursor[h->kept[top]] = UINT32_MAX;
		while (depth) {
			uint32_t node = stack[depth - 1], klass = h->graph.class_of[node];
			if (cursor[node] == UINT32_MAX) {
				cursor[node] = h->kept_first[node];
				if (open[klass]++ == 0)
					h->class_retained[klass] += h->retained[node];
			}
			if (cursor[node] == h->kept_first[node + 1]) {
				open[klass]--;
				depth--;
				continue;
			}
			uint32_t next = h->kept[cursor[node]++];
			cursor[next] = UINT32_MAX;
			stack[depth++] = next;
		}
	}
	free(open);
	h->class_least = true;
	return pv_heap_go_on(j->w, "classes", n, n);
}

static void finish_retain_job(struct job *j)
{
	pv_array_finish(&j->s.set);
	pv_array_finish(&j->s.member);
	pv_array_finish(&j->s.scratch);
	pv_map_finish(&j->s.of_hash);
	free(j->s.with);
	free(j->s.common);
	free(j->due);
	free(j->order);
	free(j->of);
}

static bool make_retain_room(struct job *j)
{
	struct pv_heap *h = j->w->h;
	size_t n = (size_t)h->graph.nodes + 1;
	j->of = pv_big_alloc(n, sizeof *j->of);
	j->due = pv_big_alloc(n / 64 + 1, sizeof *j->due);
	for (j->s.memos = 16; j->s.memos < n && j->s.memos < MOST_MEMOS;)
		j->s.memos *= 2;
	j->s.with = calloc(j->s.memos, sizeof *j->s.with);
	j->s.common = calloc(j->s.memos, sizeof *j->s.common);
	h->class_retained = calloc(h->graph.klass.n + 1, sizeof *h->class_retained);
	if (!j->of || !j->due || !j->s.with || !j->s.common || !h->class_retained)
		return pv_heap_nomem(j->w);
	uint64_t size = (uint64_t)h->graph.nodes + h->graph.edges;
	uint64_t members = SMALL_MEMBERS + MEMBERS_EACH * size;
	j->s.steps = SMALL_STEPS + STEPS_EACH * size;
	j->s.most_members = members < MOST_MEMBERS ? members : MOST_MEMBERS;
	memset(j->of, 0xff, n * sizeof *j->of);
	memset(j->due, 0xff, (n / 64 + 1) * sizeof *j->due);
	return keep_set(&j->s) != PV_MAP_NONE || pv_heap_nomem(j->w); /* the empty set */
}

bool pv_heap_retain_classes(struct pv_heap_work *w)
{
	struct job j = { .w = w, .s.most = w->most_sets ? w->most_sets : MOST_SETS };
	bool ok = make_retain_room(&j) && put_in_order(&j);
	if (ok && solve(&j))
		ok = sum_up_sets(&j);
	else if (ok)
		ok = j.s.full && at_least(&j);
	finish_retain_job(&j);
	return ok;
}
