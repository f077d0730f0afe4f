/* SPDX-License-Identifier: MIT */
/*
 * Everything that is worked out of a heap, against brute force on thousands of small random graphs:
 * dominators and retained sizes by taking objects away and looking what can still be reached.
 */
#include <check.h>
#include <stdlib.h>

#include "common/heap/heap_parts.h"
#include "common/heap/heap_paths.h"
#include "common/heap/heap_set.h"
#include "tests/kit/heap_kit.h"
#include "tests/kit/suite.h"

enum { MOST = 12, BASE = 0x10000, STEP = 0x100 };

/* A graph in the plainest form there is. */
struct plain {
	unsigned n;
	bool edge[MOST][MOST], root[MOST];
	unsigned klass[MOST], size[MOST];
};

static uint64_t state;

static unsigned chance(unsigned n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % (n ? n : 1);
}

static void make(struct plain *p)
{
	*p = (struct plain){ .n = 1 + chance(MOST) };
	unsigned edges = chance(p->n * 3 + 1), roots = chance(4);
	for (unsigned i = 0; i < p->n; i++) {
		p->klass[i] = chance(4);
		p->size[i] = 8 + 8 * chance(16);
	}
	for (unsigned i = 0; i < edges; i++)
		p->edge[chance(p->n)][chance(p->n)] = true;
	for (unsigned i = 0; i < roots; i++)
		p->root[chance(p->n)] = true;
}

static uint64_t address(unsigned i)
{
	return BASE + (uint64_t)i * STEP;
}

static void build(const struct plain *p, struct pv_heap *ret)
{
	struct heap_kit k = { 0 };
	unsigned from = chance(p->n); /* the log need not list them by address */
	heap_kit_start(&k);
	heap_kit_roots(&k, (uint64_t[]){ 0x900, 0x77770 }, 1); /* of no listed object */
	for (unsigned i = 0; i < p->n; i++)
		if (p->root[i])
			heap_kit_roots(&k, (uint64_t[]){ 0x1000 + 8 * i, address(i) }, 1);
	for (unsigned at = 0; at < p->n; at++) {
		unsigned i = (at + from) % p->n, n = 0;
		uint64_t refs[2 * MOST];
		for (unsigned to = 0; to < p->n; to++) {
			if (!p->edge[i][to])
				continue;
			refs[2 * n] = 16 + 8 * to;
			refs[2 * n++ + 1] = address(to);
		}
		heap_kit_object(&k, address(i), 0x500 + p->klass[i], p->size[i], refs, n);
	}
	heap_kit_end(&k);
	heap_kit_heap(&k, false, ret);
	heap_kit_finish(&k);
}

/* Objects reached from the roots without those in `gone`; distances, from 1; 0: not reached. */
static void reach(const struct plain *p, const bool gone[MOST], unsigned ret[MOST])
{
	for (unsigned i = 0; i < p->n; i++)
		ret[i] = p->root[i] && !gone[i];
	for (unsigned round = 1; round <= p->n; round++)
		for (unsigned i = 0; i < p->n; i++)
			for (unsigned to = 0; to < p->n && ret[i] == round; to++)
				if (p->edge[i][to] && !gone[to] && !ret[to])
					ret[to] = round + 1;
}

struct truth {
	unsigned reached[MOST];
	bool dominates[MOST][MOST]; /* the first the second, itself included */
	uint64_t retained[MOST], class_retained[4];
};

static void find_truth(const struct plain *p, struct truth *t)
{
	*t = (struct truth){ 0 };
	reach(p, (bool[MOST]){ 0 }, t->reached);
	for (unsigned i = 0; i < p->n; i++) {
		bool gone[MOST] = { 0 };
		unsigned left[MOST];
		gone[i] = true;
		reach(p, gone, left);
		for (unsigned v = 0; v < p->n; v++) {
			t->dominates[i][v] = t->reached[v] && !left[v];
			t->retained[i] += t->dominates[i][v] ? p->size[v] : 0;
		}
	}
	for (unsigned c = 0; c < 4; c++) {
		bool gone[MOST] = { 0 };
		unsigned left[MOST];
		for (unsigned i = 0; i < p->n; i++)
			gone[i] = p->klass[i] == c;
		reach(p, gone, left);
		for (unsigned v = 0; v < p->n; v++)
			t->class_retained[c] += t->reached[v] && !left[v] ? p->size[v] : 0;
	}
}

/* The nearest strict dominator: the one that all others dominate. */
static uint32_t idom_of(const struct plain *p, const struct truth *t, unsigned v)
{
	if (!t->reached[v])
		return PV_GRAPH_NONE;
	for (unsigned u = 0; u < p->n; u++) {
		bool nearest = u != v && t->dominates[u][v];
		for (unsigned w = 0; nearest && w < p->n; w++)
			nearest = w == v || !t->dominates[w][v] || t->dominates[w][u];
		if (nearest)
			return u;
	}
	return PV_HEAP_ROOTS;
}

static void check_kept(const struct plain *p, const struct pv_heap *h, const struct truth *t)
{
	for (uint32_t by = 0; by <= p->n; by++) {
		uint64_t before = UINT64_MAX;
		uint32_t n = 0;
		for (uint32_t i = h->kept_first[by]; i < h->kept_first[by + 1]; i++, n++) {
			uint32_t v = h->kept[i];
			ck_assert_uint_eq(idom_of(p, t, v), by == p->n ? PV_HEAP_ROOTS : by);
			ck_assert_uint_le(h->retained[v], before);
			before = h->retained[v];
		}
		for (unsigned v = 0; v < p->n; v++)
			n -= idom_of(p, t, v) == (by == p->n ? PV_HEAP_ROOTS : by);
		ck_assert_uint_eq(n, 0);
	}
}

static void check_class(const struct plain *p, const struct pv_heap *h, const struct truth *t)
{
	for (unsigned c = 0; c < 4; c++) {
		uint32_t at = pv_graph_class_of_id(&h->graph, 0x500 + c);
		uint64_t objects = 0;
		for (unsigned v = 0; v < p->n; v++)
			objects += p->klass[v] == c;
		ck_assert_int_eq(at == PV_GRAPH_NONE, objects == 0);
		if (at == PV_GRAPH_NONE)
			continue;
		ck_assert_uint_eq(h->graph.klass.v[at].objects, objects);
		ck_assert_uint_eq(h->class_retained[at], t->class_retained[c]);
	}
}

/* With hardly any room the figures are lower bounds, and none below that of a single object. */
static void check_least(const struct plain *p, struct pv_heap *h, const struct truth *t)
{
	struct pv_error err = { 0 };
	uint64_t *exact = h->class_retained;
	struct pv_heap_work w = { .h = h, .err = &err, .most_sets = 2 };
	h->class_retained = NULL;
	ck_assert_msg(pv_heap_retain_classes(&w), "%s", err.what);
	for (unsigned v = 0; v < p->n; v++) {
		uint64_t least = h->class_retained[h->graph.class_of[v]];
		ck_assert_uint_ge(least, t->retained[v]);
		ck_assert_uint_le(least, t->class_retained[p->klass[v]]);
	}
	free(exact);
}

static void check_path(
	const struct plain *p, const struct pv_heap *h, const struct truth *t, unsigned v)
{
	struct pv_path path;
	ck_assert(pv_path_find(h, v, &path));
	ck_assert_uint_eq(path.step.n, t->reached[v]); /* the distance: no way is shorter */
	ck_assert_int_eq(path.root == SIZE_MAX, t->reached[v] == 0);
	for (size_t i = 0; i < path.step.n; i++) {
		const struct pv_path_step *s = &path.step.v[i];
		ck_assert(i > 0 || s->node == v);
		if (i + 1 == path.step.n) {
			ck_assert(p->root[s->node]);
			ck_assert_uint_eq(h->graph.root.v[path.root].node, s->node);
			continue;
		}
		ck_assert(p->edge[s[1].node][s->node]);
		ck_assert_uint_eq(s->offset, 16 + 8 * s->node);
	}
	pv_path_finish(&path);
}

static void check_merged(const struct plain *p, const struct pv_heap *h, const struct truth *t)
{
	uint32_t node[MOST];
	uint64_t n = 0, bytes = 0, reached = 0, through = 0, sum = 0, ends = 0;
	for (unsigned v = 0; v < p->n; v++) {
		if (chance(2))
			continue;
		node[n++] = v;
		reached += t->reached[v] != 0;
		bytes += t->reached[v] ? p->size[v] : 0;
	}
	struct pv_merged m;
	ck_assert(pv_merged_paths(h, node, n, &m));
	ck_assert_uint_eq(m.unreachable, n - reached);
	for (size_t i = 0; i < m.row.n; i++) {
		const struct pv_merged_row *r = &m.row.v[i];
		uint64_t below = r->ends;
		for (size_t k = i + 1; k < m.row.n; k++)
			below += m.row.v[k].parent == i ? m.row.v[k].through : 0;
		ck_assert_uint_eq(below, r->through);
		ends += r->ends;
		through += r->parent == PV_GRAPH_NONE ? r->through : 0;
		sum += r->parent == PV_GRAPH_NONE ? r->bytes : 0;
		ck_assert(r->parent == PV_GRAPH_NONE || r->parent < i);
	}
	ck_assert_uint_eq(through, reached);
	ck_assert_uint_eq(ends, reached);
	ck_assert_uint_eq(sum, bytes);
	pv_merged_finish(&m);
}

static void check_sets(
	const struct plain *p, const struct pv_heap *h, const struct truth *t, unsigned v)
{
	struct pv_heap_set kept, reached, klass, s[3];
	uint32_t node[2 * MOST];
	size_t n = 0;
	ck_assert(pv_heap_set_kept(h, v, &kept));
	ck_assert(pv_heap_set_class(h, h->graph.class_of[v], &klass));
	ck_assert(!t->reached[v] || kept.bytes == t->retained[v]);
	struct plain from = *p;
	unsigned seen[MOST];
	for (unsigned i = 0; i < p->n; i++)
		from.root[i] = i == v;
	reach(&from, (bool[MOST]){ 0 }, seen);
	for (unsigned i = 2 * p->n; i-- > 0;) /* descending, each twice */
		if (seen[i % p->n])
			node[n++] = i % p->n;
	ck_assert(pv_heap_set_of(h, node, n, &reached));
	for (unsigned op = 0; op < 3; op++)
		ck_assert(pv_heap_set_combine(h, op, &reached, &klass, &s[op]));
	size_t at[3] = { 0 }, in = 0;
	for (unsigned i = 0; i < p->n; i++) {
		bool a = seen[i], b = p->klass[i] == p->klass[v];
		bool want[] = { a || b, a && b, a && !b };
		in += a;
		for (unsigned op = 0; op < 3; op++)
			if (want[op])
				ck_assert(at[op] < s[op].node.n && s[op].node.v[at[op]++] == i);
	}
	ck_assert_uint_eq(reached.node.n, in);
	for (unsigned op = 0; op < 3; op++) {
		ck_assert_uint_eq(at[op], s[op].node.n);
		pv_heap_set_finish(&s[op]);
	}
	pv_heap_set_finish(&kept);
	pv_heap_set_finish(&reached);
	pv_heap_set_finish(&klass);
}

/* Roots have no names here: they differ by the class that they hold. */
static void check_keepers(const struct plain *p, const struct pv_heap *h, const struct truth *t)
{
	uint64_t bytes = 0, objects = 0, holds = 0, before = UINT64_MAX;
	for (size_t i = 0; i < h->keepers.keeper.n; i++) {
		const struct pv_keeper *k = &h->keepers.keeper.v[i];
		const uint64_t klass = h->graph.klass.v[k->klass].id - 0x500;
		uint64_t own = 0;
		for (unsigned v = 0; v < p->n; v++)
			own += p->root[v] && p->klass[v] == klass ? t->retained[v] : 0;
		ck_assert_uint_eq(k->bytes - k->shared_bytes, own);
		ck_assert_uint_le(k->bytes, before);
		ck_assert(k->most_objects > 0 && k->most_objects <= k->objects);
		before = k->bytes;
		bytes += k->bytes;
		objects += k->objects;
		holds += k->holds;
	}
	for (unsigned v = 0; v < p->n; v++) {
		bytes -= t->reached[v] ? p->size[v] : 0;
		objects -= t->reached[v] != 0;
		holds -= idom_of(p, t, v) == PV_HEAP_ROOTS;
	}
	ck_assert(bytes == 0 && objects == 0 && holds == 0);
}

static void check_graph(const struct plain *p)
{
	struct pv_heap h;
	struct truth t;
	build(p, &h);
	find_truth(p, &t);
	uint64_t unreachable = 0;
	ck_assert_uint_eq(h.graph.nodes, p->n);
	for (unsigned v = 0; v < p->n; v++) {
		unreachable += !t.reached[v];
		ck_assert_uint_eq(h.graph.address[v], address(v));
		ck_assert_uint_eq(h.idom[v], idom_of(p, &t, v));
		ck_assert_uint_eq(h.retained[v], t.retained[v]);
		check_path(p, &h, &t, v);
		check_sets(p, &h, &t, v);
		unsigned referrers = h.by_first[v + 1] - h.by_first[v];
		for (unsigned u = 0; u < p->n; u++)
			referrers -= p->edge[u][v];
		ck_assert_uint_eq(referrers, 0);
	}
	ck_assert_uint_eq(h.unreachable, unreachable);
	check_kept(p, &h, &t);
	check_class(p, &h, &t);
	check_least(p, &h, &t);
	check_merged(p, &h, &t);
	check_keepers(p, &h, &t);
	pv_heap_finish(&h);
}

START_TEST(random_graphs)
{
	struct plain p;
	state = UINT64_C(0x9e3779b97f4a7c15) * (unsigned)(_i + 1);
	for (unsigned i = 0; i < 500; i++) {
		make(&p);
		check_graph(&p);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap by brute force");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 200);
	tcase_add_loop_test(c, random_graphs, 0, 8);
	suite_add_tcase(s, c);
	return run_suite(s);
}
