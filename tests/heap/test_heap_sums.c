/* SPDX-License-Identifier: MIT */
/* Keepers of a heap, and strings that say the same: a graph made by hand. */
#include <check.h>
#include <string.h>

#include "common/heap/heap.h"
#include "tests/kit/suite.h"

/* A cache with two customers and their names, an order on a stack, and what both refer to. */
enum { CACHE, ANN, BEN, ANN_NAME, BEN_NAME, ORDER, NOTE, SHARED, LOST, NODES };
enum { C_CACHE, C_CUSTOMER, C_STRING, C_ORDER, CLASSES };

static const uint32_t class_of[NODES] = { C_CACHE, C_CUSTOMER, C_CUSTOMER, C_STRING, C_STRING,
	C_ORDER, C_STRING, C_STRING, C_STRING };
static const struct {
	uint32_t from, to;
} edges[] = { { CACHE, ANN }, { CACHE, BEN }, { ANN, ANN_NAME }, { ANN, SHARED }, { BEN, BEN_NAME },
	{ ORDER, NOTE }, { ORDER, SHARED } };

static uint64_t address_of(uint32_t node)
{
	return 0x10000 + 0x1000 * (uint64_t)node;
}

static void put_root(struct pv_graph *g, uint32_t node, enum pv_root_source source, uint32_t area)
{
	ck_assert(pv_reserve(&g->root, 1));
	g->root.v[g->root.n++] =
		(struct pv_graph_root){ .node = node, .source = (uint8_t)source, .area = area };
}

static void put_string(struct pv_graph *g, uint32_t node, uint32_t length, const char *text)
{
	ck_assert(pv_reserve(&g->string, 1));
	g->string.v[g->string.n++] = (struct pv_graph_string){
		.address = address_of(node), .text = text, .length = length
	};
}

static void put_nodes(struct pv_graph *g)
{
	*g = (struct pv_graph){ .nodes = NODES, .edges = PV_COUNT_OF(edges) };
	g->address = calloc(NODES, sizeof *g->address);
	g->size = calloc(NODES, sizeof *g->size);
	g->class_of = calloc(NODES, sizeof *g->class_of);
	g->first = calloc(NODES + 1, sizeof *g->first);
	g->to = calloc(g->edges, sizeof *g->to);
	g->offset = calloc(g->edges, sizeof *g->offset);
	for (uint32_t i = 0, e = 0; i < NODES; i++) {
		g->address[i] = address_of(i);
		g->size[i] = 10 * (uint64_t)(i + 1);
		g->bytes += g->size[i];
		g->class_of[i] = class_of[i];
		for (; e < g->edges && edges[e].from == i; e++)
			g->to[e] = edges[e].to;
		g->first[i + 1] = e;
	}
	ck_assert(pv_reserve(&g->klass, CLASSES) && pv_reserve(&g->area, 1));
	for (uint32_t c = 0; c < CLASSES; c++)
		g->klass.v[g->klass.n++] = (struct pv_graph_class){ .id = c, .name = "C" };
	g->area.v[g->area.n++] =
		(struct pv_graph_area){ .name = "", .owner = "Shop", .source = PV_ROOT_STATIC };
}

static void make(struct pv_heap *ret)
{
	struct pv_graph g;
	put_nodes(&g);
	put_root(&g, CACHE, PV_ROOT_STATIC, 1);
	put_root(&g, ORDER, PV_ROOT_STACK, 0);
	put_string(&g, ANN_NAME, 3, "Ann");
	put_string(&g, BEN_NAME, 3, "Ann");
	put_string(&g, NOTE, 900, "the same");
	put_string(&g, SHARED, 900, "the same");
	put_string(&g, LOST, 3, "Ann");
	ck_assert(pv_heap_init(ret, &g, false, false, NULL, NULL));
}

START_TEST(keepers_by_root)
{
	struct pv_heap h;
	make(&h);
	ck_assert_uint_eq(h.keepers.keeper.n, 2);
	const struct pv_keeper *cache = &h.keepers.keeper.v[0], *order = &h.keepers.keeper.v[1];
	if (cache->klass != PV_GRAPH_NONE) {
		const struct pv_keeper *other = cache;
		cache = order;
		order = other;
	}
	/* Named by its area; most of it by number are customers, not the strings: these refer on. */
	ck_assert_uint_eq(cache->klass, PV_GRAPH_NONE);
	ck_assert_uint_eq(cache->bytes - cache->shared_bytes, 10 + 20 + 30 + 40 + 50);
	ck_assert_uint_eq(cache->most, C_CUSTOMER);
	ck_assert_uint_eq(cache->most_objects, 2);
	ck_assert_uint_eq(cache->most_bytes, 50);
	ck_assert_uint_eq(cache->node, CACHE);
	/* The string that both reach is the order's, which has the shorter way. */
	ck_assert_uint_eq(order->klass, C_ORDER);
	ck_assert_uint_eq(order->shared_bytes, 80);
	ck_assert_uint_eq(order->bytes, 60 + 70 + 80);
	ck_assert_uint_eq(order->holds, 2);
	ck_assert_uint_eq(order->objects, 3);
	pv_heap_finish(&h);
}
END_TEST

/* The one that keeps most of a class, not the first of which it is the most; of text none has half. */
START_TEST(the_keeper_of_a_class)
{
	struct pv_heap h;
	make(&h);
	const struct pv_keeper *cache = pv_keepers_most_of(&h, C_CUSTOMER);
	const struct pv_keeper *order = pv_keepers_most_of(&h, C_ORDER);
	ck_assert_ptr_nonnull(cache);
	ck_assert_uint_eq(cache->node, CACHE);
	ck_assert_ptr_nonnull(order);
	ck_assert_uint_eq(order->klass, C_ORDER);
	ck_assert_ptr_null(pv_keepers_most_of(&h, C_STRING));
	h.graph.size[BEN_NAME] = 500; /* most of it, though customers are more than strings are */
	ck_assert_ptr_eq(pv_keepers_most_of(&h, C_STRING), cache);
	pv_heap_finish(&h);
}
END_TEST

START_TEST(strings_that_say_the_same)
{
	struct pv_heap h;
	make(&h);
	const struct pv_duplicates *d = &h.duplicates;
	ck_assert_uint_eq(d->strings, 4); /* not the one that no root reaches */
	ck_assert_uint_eq(d->group.n, 2);
	ck_assert_uint_eq(d->group.v[0].node, NOTE);
	ck_assert_uint_eq(d->group.v[0].count, 2);
	ck_assert_uint_eq(d->group.v[0].wasted, 70);
	ck_assert(!d->group.v[0].whole);
	ck_assert_uint_eq(d->group.v[1].wasted, 40);
	ck_assert(d->group.v[1].whole);
	ck_assert_uint_eq(d->wasted, 110);
	pv_heap_finish(&h);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sums of heaps");
	TCase *t = tcase_create("sums");
	tcase_add_test(t, keepers_by_root);
	tcase_add_test(t, the_keeper_of_a_class);
	tcase_add_test(t, strings_that_say_the_same);
	suite_add_tcase(s, t);
	return run_suite(s);
}
