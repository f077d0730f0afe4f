/* SPDX-License-Identifier: MIT */
/* Heap shots whose log lists static fields only: they are no elements, the other roots are
 * inferred. */
#include "tests/kit/suite.h"

#include <check.h>
#include <string.h>

#include "common/heap/graph_parts.h"

/* Nodes by number; node 0 is the array of statics, of 5 elements after its head. */
enum { ARRAY, NAMED, NAMELESS, CHILD, FREE, RING, RING_2, TAIL, NODES };

struct edge {
	uint32_t from, to, offset;
};

static const struct edge edges[] = {
	{ ARRAY, NAMED, 16 },
	{ ARRAY, NAMELESS, 24 },
	{ ARRAY, NAMED, 32 }, /* the same object again */
	{ NAMED, CHILD, 8 },
	{ FREE, CHILD, 8 },
	{ RING, RING_2, 8 },
	{ RING_2, RING, 8 },
	{ RING_2, TAIL, 16 },
};

static uint64_t address_of(uint32_t node)
{
	return 0x10000 + 0x100 * (uint64_t)node;
}

static struct pv_graph graph(void)
{
	struct pv_graph g = { .nodes = NODES, .edges = PV_COUNT_OF(edges) };
	g.address = calloc(NODES, sizeof *g.address);
	g.size = calloc(NODES, sizeof *g.size);
	g.class_of = calloc(NODES, sizeof *g.class_of);
	g.first = calloc(NODES + 1, sizeof *g.first);
	g.to = calloc(g.edges, sizeof *g.to);
	g.offset = calloc(g.edges, sizeof *g.offset);
	for (uint32_t i = 0, e = 0; i < NODES; i++) {
		g.address[i] = address_of(i);
		g.size[i] = 64;
		g.first[i] = e;
		for (; e < g.edges && edges[e].from == i; e++) {
			g.to[e] = edges[e].to;
			g.offset[e] = edges[e].offset;
		}
		g.first[i + 1] = e;
	}
	return g;
}

static void add(struct pv_graph *g, uint32_t node, uint64_t slot, enum pv_root_source source)
{
	ck_assert(pv_reserve(&g->root, 1));
	g->root.v[g->root.n++] = (struct pv_graph_root){ .node = node,
		.slot = slot,
		.area = source == PV_ROOT_STATIC,
		.source = (uint8_t)source };
}

static const struct pv_graph_root *root_of(const struct pv_graph *g, uint32_t node, size_t *ret_n)
{
	size_t first;
	*ret_n = pv_graph_roots_of(g, node, &first);
	return *ret_n ? &g->root.v[first] : NULL;
}

START_TEST(statics_in_place_of_elements)
{
	struct pv_graph g = graph();
	size_t n;
	add(&g, NAMED, address_of(ARRAY) + 16, PV_ROOT_STATIC);
	ck_assert(pv_graph_infer_roots(&g, _i));
	ck_assert(g.statics_only);
	ck_assert_uint_eq(g.first[ARRAY + 1] - g.first[ARRAY], 0);
	ck_assert_uint_eq(g.edges, PV_COUNT_OF(edges) - 3);
	ck_assert_uint_eq(g.to[g.first[NAMED]], CHILD);
	ck_assert_uint_eq(g.offset[g.first[RING_2] + 1], 16);
	const struct pv_graph_root *r = root_of(&g, NAMED, &n);
	ck_assert_uint_eq(n, 2); /* the slot that is listed, and one without a name */
	ck_assert_uint_eq(r[0].area, 1);
	ck_assert_uint_eq(r[1].slot, address_of(ARRAY) + 32);
	r = root_of(&g, NAMELESS, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert(r->source == PV_ROOT_STATIC && !r->area && !r->flags);
	for (uint32_t i = 0; i < 2; i++) { /* the array itself, and what nothing refers to */
		r = root_of(&g, i ? FREE : ARRAY, &n);
		ck_assert_uint_eq(n, 1);
		ck_assert_uint_eq(r->flags, PV_GRAPH_INFERRED);
	}
	root_of(&g, CHILD, &n);
	ck_assert_uint_eq(n, 0);
	size_t ring[2], tail;
	root_of(&g, RING, &ring[0]);
	root_of(&g, RING_2, &ring[1]);
	root_of(&g, TAIL, &tail);
	ck_assert_uint_eq(
		ring[0] + ring[1], (size_t)_i); /* a ring that is alive is held from somewhere */
	ck_assert_uint_eq(tail, 0);
	pv_graph_finish(&g);
}
END_TEST

/* With other roots listed nothing is a guess, and an array is one. */
START_TEST(other_roots_too)
{
	struct pv_graph g = graph();
	size_t n;
	add(&g, NAMED, address_of(ARRAY) + 16, PV_ROOT_STATIC);
	add(&g, FREE, 0x900000, PV_ROOT_STACK);
	pv_graph_sort_roots(&g);
	ck_assert(pv_graph_infer_roots(&g, true));
	ck_assert(!g.statics_only);
	ck_assert_uint_eq(g.root.n, 2);
	ck_assert_uint_eq(g.edges, PV_COUNT_OF(edges));
	root_of(&g, RING, &n);
	ck_assert_uint_eq(n, 0);
	pv_graph_finish(&g);
}
END_TEST

/* Slots outside of any object, after the last one, and references without a place. */
START_TEST(slots_anywhere)
{
	struct pv_graph g = graph();
	add(&g, NAMED, 0, PV_ROOT_STATIC);
	add(&g, NAMED, address_of(ARRAY) + 64, PV_ROOT_STATIC);
	add(&g, NAMED, UINT64_MAX, PV_ROOT_STATIC);
	add(&g, NAMED, address_of(TAIL), PV_ROOT_STATIC);
	g.offset[0] = PV_GRAPH_NONE;
	pv_graph_sort_roots(&g);
	ck_assert(pv_graph_infer_roots(&g, true));
	ck_assert_uint_eq(g.edges, PV_COUNT_OF(edges));
	pv_graph_finish(&g);
	struct pv_graph none = { 0 };
	none.first = calloc(1, sizeof *none.first);
	none.inferred = true;
	ck_assert(pv_graph_infer_roots(&none, true));
	pv_graph_finish(&none);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap statics");
	TCase *t = tcase_create("heap statics");
	tcase_add_loop_test(t, statics_in_place_of_elements, 0, 2);
	tcase_add_test(t, other_roots_too);
	tcase_add_test(t, slots_anywhere);
	suite_add_tcase(s, t);
	return run_suite(s);
}
