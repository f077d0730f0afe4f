/* SPDX-License-Identifier: MIT */
/* From what a log lists to the graph of a shot: what may be odd about it, and how it is said. */
#include <check.h>

#include "common/heap/heap_set.h"
#include "tests/kit/heap_kit.h"
#include "tests/kit/suite.h"

enum { T = 0x500 };

static const struct pv_graph_root *root_of(const struct pv_graph *g, uint64_t address, size_t i)
{
	size_t first, n = pv_graph_roots_of(g, pv_graph_find(g, address), &first);
	return i < n ? &g->root.v[first + i] : NULL;
}

START_TEST(continuations_are_one_object)
{
	struct heap_kit k = { 0 };
	struct pv_graph g;
	heap_kit_start(&k);
	heap_kit_object(&k, 0x3000, T, 64, (uint64_t[]){ 16, 0x1000, 24, 0x2000 }, 2);
	heap_kit_object(&k, 0x1000, T, 16, NULL, 0);
	heap_kit_object(&k, 0x3000, T, 0, (uint64_t[]){ 32, 0x2000, 40, 0, 48, 0x9000 }, 3);
	heap_kit_object(&k, 0x2000, T, 24, NULL, 0);
	heap_kit_object(&k, 0x4000, T, 0, (uint64_t[]){ 16, 0x1000 }, 1); /* of nothing */
	heap_kit_end(&k);
	heap_kit_graph(&k, 0, false, &g);
	ck_assert_uint_eq(g.nodes, 3);
	ck_assert_uint_eq(g.bytes, 64 + 16 + 24);
	ck_assert_uint_eq(g.edges, 3); /* a null is no reference */
	ck_assert_uint_eq(g.unlisted, 1);
	ck_assert_uint_eq(g.strays, 1);
	uint32_t at = g.first[2];
	ck_assert_uint_eq(g.address[2], 0x3000);
	ck_assert(g.to[at] == 0 && g.to[at + 1] == 1 && g.to[at + 2] == 1);
	ck_assert(g.offset[at] == 16 && g.offset[at + 1] == 24 && g.offset[at + 2] == 32);
	ck_assert_uint_eq(pv_graph_find(&g, 0x2000), 1);
	ck_assert_uint_eq(pv_graph_find(&g, 0x2008), PV_GRAPH_NONE);
	ck_assert(!g.torn);
	pv_graph_finish(&g);
	heap_kit_finish(&k);
}
END_TEST

START_TEST(of_two_objects_at_an_address_the_first_stays)
{
	struct heap_kit k = { 0 };
	struct pv_graph g;
	heap_kit_start(&k);
	heap_kit_object(&k, 0x1000, T, 16, (uint64_t[]){ 16, 0x2000 }, 1);
	heap_kit_object(&k, 0x1000, T + 1, 32, (uint64_t[]){ 16, 0x1000 }, 1);
	heap_kit_object(&k, 0x1000, T, 0, (uint64_t[]){ 24, 0x2000 }, 1);
	heap_kit_object(&k, 0x2000, T, 8, NULL, 0);
	heap_kit_end(&k);
	heap_kit_graph(&k, 0, false, &g);
	ck_assert_uint_eq(g.nodes, 2);
	ck_assert_uint_eq(g.duplicates, 1);
	ck_assert_uint_eq(g.size[0], 16);
	ck_assert_uint_eq(g.edges, 2);
	ck_assert(g.to[0] == 1 && g.to[1] == 1);
	pv_graph_finish(&g);
	heap_kit_finish(&k);
}
END_TEST

START_TEST(without_roots_they_are_inferred)
{
	struct heap_kit k = { 0 };
	struct pv_heap h;
	heap_kit_start(&k);
	heap_kit_object(&k, 0x1000, T, 16, (uint64_t[]){ 16, 0x1000, 24, 0x2000 }, 2);
	heap_kit_object(&k, 0x2000, T, 16, NULL, 0);
	heap_kit_object(&k, 0x3000, T, 16, (uint64_t[]){ 16, 0x4000 }, 1);
	heap_kit_object(&k, 0x4000, T, 16, (uint64_t[]){ 16, 0x3000 }, 1);
	heap_kit_end(&k);
	heap_kit_heap(&k, false, &h);
	ck_assert(h.graph.inferred);
	ck_assert_uint_eq(h.graph.root.n, 1); /* it refers to itself only */
	ck_assert_uint_eq(h.graph.root.v[0].flags, PV_GRAPH_INFERRED);
	ck_assert_uint_eq(h.retained[0], 32);
	ck_assert_uint_eq(h.unreachable, 2);
	pv_heap_finish(&h);
	heap_kit_finish(&k);
}
END_TEST

START_TEST(the_asked_shot_is_taken)
{
	struct heap_kit k = { 0 };
	struct pv_graph g;
	for (unsigned i = 0; i < 3; i++) {
		heap_kit_roots(&k, (uint64_t[]){ 0x800, 0x1000 }, 1); /* of no shot */
		heap_kit_start(&k);
		heap_kit_roots(&k, (uint64_t[]){ 0x800 + i, 0x1000 + 0x100 * i }, 1);
		heap_kit_object(&k, 0x1000 + 0x100 * i, T, 16 + 8 * i, NULL, 0);
		if (i != 2)
			heap_kit_end(&k);
	}
	for (unsigned i = 0; i < 3; i++) {
		heap_kit_graph(&k, i, false, &g);
		ck_assert_uint_eq(g.nodes, 1);
		ck_assert_uint_eq(g.shot, i);
		ck_assert_uint_eq(g.bytes, 16 + 8 * i);
		ck_assert_uint_eq(g.root.n, 1);
		ck_assert_uint_eq(root_of(&g, 0x1000 + 0x100 * i, 0)->slot, 0x800 + i);
		ck_assert_uint_eq(g.torn, i == 2);
		pv_graph_finish(&g);
	}
	heap_kit_finish(&k);
}
END_TEST

static void old_roots(struct heap_kit *k, uint64_t object, uint64_t type)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOTS, .time = 90 };
	e.roots.width = 3;
	e.roots.roots = (struct pv_span){ (uint32_t)k->batch.pool.n, 3 };
	heap_kit_event(k, &e, (uint64_t[]){ object, type, 0 }, 3);
}

static void collection(struct heap_kit *k, unsigned step)
{
	struct pv_event e = { .kind = PV_KIND_GC_EVENT, .time = 80 };
	e.gc.step = step;
	heap_kit_event(k, &e, NULL, 0);
}

START_TEST(until_13_the_roots_stand_before_the_shot)
{
	struct heap_kit k = { .rules = 12 };
	struct pv_graph g;
	collection(&k, PV_GC_START);
	old_roots(&k, 0x1000, 0);
	collection(&k, PV_GC_START);  /* that was another collection */
	old_roots(&k, 0x2000, 0x202); /* a weak handle */
	old_roots(&k, 0x3000, 0x101); /* pinning, finalizer */
	heap_kit_start(&k);
	for (unsigned i = 1; i < 4; i++)
		heap_kit_object(&k, 0x1000 * i, T, 16, NULL, 0);
	heap_kit_end(&k);
	heap_kit_graph(&k, 0, false, &g);
	ck_assert_uint_eq(g.root.n, 2);
	ck_assert_ptr_null(root_of(&g, 0x1000, 0));
	ck_assert_uint_eq(root_of(&g, 0x2000, 0)->source, PV_ROOT_HANDLE);
	ck_assert_uint_eq(root_of(&g, 0x2000, 0)->flags, PV_GRAPH_WEAK);
	ck_assert_uint_eq(root_of(&g, 0x3000, 0)->source, PV_ROOT_FINALIZER);
	ck_assert_uint_eq(root_of(&g, 0x3000, 0)->flags, PV_GRAPH_PINNING);
	pv_graph_finish(&g);
	heap_kit_finish(&k);
}
END_TEST

/* In 14 the shot may begin before its collection or amid it. */
START_TEST(in_14_both_orders_are_met)
{
	for (unsigned amid = 0; amid < 2; amid++) {
		struct heap_kit k = { .rules = 14 };
		struct pv_graph g;
		collection(&k, PV_GC_PRE_STOP);
		collection(&k, PV_GC_START);
		old_roots(&k, 0x1000, 1);
		if (!amid) {
			collection(&k, PV_GC_POST_START);
			collection(&k, PV_GC_PRE_STOP);
		}
		heap_kit_start(&k);
		if (!amid) {
			collection(&k, PV_GC_START);
			old_roots(&k, 0x2000, 1);
		}
		heap_kit_object(&k, 0x1000, T, 16, NULL, 0);
		heap_kit_object(&k, 0x2000, T, 16, NULL, 0);
		heap_kit_end(&k);
		heap_kit_graph(&k, 0, false, &g);
		ck_assert_uint_eq(g.root.n, 1);
		ck_assert_ptr_nonnull(root_of(&g, amid ? 0x1000 : 0x2000, 0));
		pv_graph_finish(&g);
		heap_kit_finish(&k);
	}
}
END_TEST

START_TEST(weak_roots_count_when_asked)
{
	struct heap_kit k = { .rules = 12 };
	struct pv_heap h;
	old_roots(&k, 0x1000, 0x202);
	heap_kit_start(&k);
	heap_kit_object(&k, 0x1000, T, 16, NULL, 0);
	heap_kit_end(&k);
	heap_kit_heap(&k, false, &h);
	ck_assert(!h.graph.inferred);
	ck_assert_uint_eq(h.idom[0], PV_GRAPH_NONE);
	pv_heap_finish(&h);
	heap_kit_heap(&k, true, &h);
	ck_assert_uint_eq(h.idom[0], PV_HEAP_ROOTS);
	ck_assert_uint_eq(h.retained[0], 16);
	pv_heap_finish(&h);
	heap_kit_finish(&k);
}
END_TEST

static void handle(struct heap_kit *k, unsigned type, uint64_t number, uint64_t object)
{
	struct pv_event e = {
		.kind = object ? PV_KIND_GC_HANDLE_CREATED : PV_KIND_GC_HANDLE_DESTROYED, .time = 50
	};
	e.handle.type = type;
	e.handle.handle = number;
	e.handle.object = object;
	heap_kit_event(k, &e, NULL, 0);
}

static void moves(struct heap_kit *k, const uint64_t *pairs, uint32_t n)
{
	struct pv_event e = { .kind = PV_KIND_GC_MOVE, .time = 60 };
	e.moves.pairs = (struct pv_span){ (uint32_t)k->batch.pool.n, 2 * n };
	heap_kit_event(k, &e, pairs, 2 * n);
}

START_TEST(weak_handles_follow_their_objects)
{
	struct heap_kit k = { 0 };
	struct pv_graph g;
	handle(&k, 0, 1, 0x1000); /* moves twice */
	handle(&k, 1, 1, 0x1000); /* another type, the same number and object */
	handle(&k, 2, 2, 0x2000); /* strong */
	handle(&k, 0, 3, 0x3000); /* ends */
	handle(&k, 0, 4, 0x5000); /* its object dies */
	moves(&k, (uint64_t[]){ 0x1000, 0x4000, 0x3000, 0x3100 }, 2);
	handle(&k, 0, 3, 0);
	heap_kit_start(&k);
	moves(&k, (uint64_t[]){ 0x4000, 0x1000 }, 1);
	heap_kit_roots(&k, (uint64_t[]){ 0x800, 0x3100 }, 1);
	heap_kit_object(&k, 0x1000, T, 16, NULL, 0);
	heap_kit_object(&k, 0x2000, T, 16, NULL, 0);
	heap_kit_object(&k, 0x3100, T, 16, NULL, 0);
	heap_kit_end(&k);
	heap_kit_graph(&k, 0, true, &g);
	ck_assert_uint_eq(g.root.n, 3);
	ck_assert_uint_eq(root_of(&g, 0x1000, 0)->flags, PV_GRAPH_WEAK);
	ck_assert_uint_eq(root_of(&g, 0x1000, 0)->source, PV_ROOT_HANDLE);
	ck_assert_uint_eq(root_of(&g, 0x1000, 1)->slot, 1);
	ck_assert_uint_eq(root_of(&g, 0x3100, 0)->flags, 0);
	ck_assert_uint_eq(g.roots_unlisted, 1);
	pv_graph_finish(&g);
	heap_kit_finish(&k);
}
END_TEST

START_TEST(too_many_objects_are_refused)
{
	struct heap_kit k = { 0 };
	struct pv_error err = { 0 };
	struct pv_graph_build *b =
		pv_graph_build_create(&(struct pv_graph_build_options){ .rules = 17, .most = 3 });
	heap_kit_start(&k);
	for (unsigned i = 0; i < 4; i++)
		heap_kit_object(&k, 0x1000 + 16 * i, T, 16, NULL, 0);
	heap_kit_end(&k);
	ck_assert(!pv_graph_build_add(b, &k.batch, &err));
	ck_assert_int_eq(err.code, PV_EUSAGE);
	pv_graph_build_destroy(b);
	heap_kit_finish(&k);
}
END_TEST

static bool never(void *ctx, const char *phase, uint64_t done, uint64_t total)
{
	unsigned *left = ctx;
	ck_assert_ptr_nonnull(phase);
	ck_assert(total == 0 || done <= total);
	return (*left)-- > 0;
}

START_TEST(every_step_can_be_cancelled)
{
	struct heap_kit k = { 0 };
	heap_kit_start(&k);
	for (unsigned i = 0; i < 8; i++)
		heap_kit_object(&k, 0x9000 - 0x100 * i, T, 16, (uint64_t[]){ 16, 0x8f00 }, 1);
	heap_kit_end(&k);
	for (unsigned steps = 0, done = 0; !done; steps++) {
		struct pv_error err = { 0 };
		struct pv_graph g;
		struct pv_heap h;
		unsigned left = steps;
		const struct pv_progress p = { &left, never };
		ck_assert_uint_lt(steps, 100);
		struct pv_graph_build *b =
			pv_graph_build_create(&(struct pv_graph_build_options){ .rules = 17 });
		ck_assert(pv_graph_build_add(b, &k.batch, &err));
		if (pv_graph_build_finish(b, NULL, &p, &g, &err) &&
			pv_heap_init(&h, &g, false, true, &p, &err)) {
			ck_assert_uint_ge(steps, 5);
			pv_heap_finish(&h);
			done = 1;
		} else {
			ck_assert_int_eq(err.code, PV_ECANCELLED);
		}
		pv_graph_build_destroy(b);
	}
	heap_kit_finish(&k);
}
END_TEST

/* A list as long as memory allows costs no stack. */
START_TEST(a_long_list)
{
	enum { LONG = 300000 };
	struct heap_kit k = { 0 };
	struct pv_heap h;
	heap_kit_start(&k);
	heap_kit_roots(&k, (uint64_t[]){ 0x8, 0x1000 }, 1);
	for (uint64_t i = 0; i < LONG; i++)
		heap_kit_object(&k, 0x1000 + 16 * i, T, 16,
			(uint64_t[]){ 8, 0x1000 + 16 * (i + 1), 12, 0x1000 + 16 * (i / 2) }, 2);
	heap_kit_end(&k);
	heap_kit_heap(&k, false, &h);
	ck_assert_uint_eq(h.unreachable, 0);
	for (uint32_t i = 0; i < LONG; i++)
		ck_assert(h.retained[i] == 16 * (uint64_t)(LONG - i));
	ck_assert_uint_eq(h.class_retained[0], 16 * LONG);
	pv_heap_finish(&h);
	heap_kit_finish(&k);
}
END_TEST

/*
 * Each in a list is of a class of its own: what classes keep is another set for each object, all of
 * which together grow with the square of their number. So many are exact, more have a lower bound.
 */
START_TEST(a_list_of_classes)
{
	const uint64_t n = _i ? 3000 : 300;
	struct heap_kit k = { 0 };
	struct pv_heap h;
	heap_kit_start(&k);
	heap_kit_roots(&k, (uint64_t[]){ 0x8, 0x1000 }, 1);
	for (uint64_t i = 0; i < n; i++)
		heap_kit_object(&k, 0x1000 + 16 * i, T + 64 * i, 16,
			(uint64_t[]){ 8, 0x1000 + 16 * (i + 1), 12, 0x1000 + 16 * (i - 1) }, 2);
	heap_kit_end(&k);
	heap_kit_heap(&k, false, &h);
	ck_assert(h.class_least == (_i != 0));
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(h.class_retained[h.graph.class_of[i]], 16 * (n - i));
	pv_heap_finish(&h);
	heap_kit_finish(&k);
}
END_TEST

/* Large ones are sorted in another way than small ones. */
START_TEST(large_sets)
{
	enum { N = 9000 };
	struct heap_kit k = { 0 };
	struct pv_heap h;
	struct pv_heap_set set, kept;
	static uint32_t node[N + N / 3];
	size_t n = 0;
	heap_kit_start(&k);
	heap_kit_roots(&k, (uint64_t[]){ 0x900, 0x10000 }, 1);
	for (uint64_t i = 0; i < N; i++) /* a chain that goes up and down */
		heap_kit_object(&k, 0x10000 + 64 * (i * 7 % N), 0x500, 32,
			(uint64_t[]){ 16, 0x10000 + 64 * ((i + 1) * 7 % N) }, 1);
	heap_kit_end(&k);
	heap_kit_heap(&k, false, &h);
	heap_kit_finish(&k);
	for (uint32_t i = 0; i < N; i++)
		node[n++] = i * 11 % N;
	for (uint32_t i = 0; i < N; i += 3)
		node[n++] = i; /* once more */
	ck_assert(pv_heap_set_of(&h, node, n, &set) && pv_heap_set_kept(&h, 0, &kept));
	ck_assert_uint_eq(set.node.n, N);
	ck_assert_uint_eq(kept.node.n, N);
	ck_assert_uint_eq(set.bytes, 32 * N);
	for (uint32_t i = 0; i < N; i++)
		ck_assert(set.node.v[i] == i && kept.node.v[i] == i);
	pv_heap_set_finish(&set);
	pv_heap_set_finish(&kept);
	pv_heap_finish(&h);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap graph");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, large_sets);
	tcase_add_test(c, continuations_are_one_object);
	tcase_add_test(c, of_two_objects_at_an_address_the_first_stays);
	tcase_add_test(c, without_roots_they_are_inferred);
	tcase_add_test(c, the_asked_shot_is_taken);
	tcase_add_test(c, until_13_the_roots_stand_before_the_shot);
	tcase_add_test(c, in_14_both_orders_are_met);
	tcase_add_test(c, weak_roots_count_when_asked);
	tcase_add_test(c, weak_handles_follow_their_objects);
	tcase_add_test(c, too_many_objects_are_refused);
	tcase_add_test(c, every_step_can_be_cancelled);
	tcase_add_test(c, a_long_list);
	tcase_add_loop_test(c, a_list_of_classes, 0, 2);
	suite_add_tcase(s, c);
	return run_suite(s);
}
