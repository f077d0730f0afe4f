/* SPDX-License-Identifier: MIT */
/* Tables that are full: what folds, what never does, and that nothing is lost from the sums. */
#include <stdio.h>
#include <stdlib.h>

#include "common/model/calls/sites_fold.h"
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CAR = 0x500, LEAF = 0x10000 };

struct sums {
	uint64_t calls, samples;
	int64_t self_ns;
};

static struct sums tree(struct logkit *k)
{
	const struct pv_calls *c = &logkit_model(k)->calls;
	struct sums s = { 0, 0, 0 };
	for (uint32_t i = 1; i < c->node.n; i++) {
		ck_assert_uint_lt(c->node.v[i].parent, i);
		s.calls += c->node.v[i].calls;
		s.self_ns += c->node.v[i].self_ns;
		s.samples += c->node.v[i].samples;
	}
	return s;
}

static void leaf(struct logkit *k, int64_t t, uint64_t i, int64_t ns)
{
	logkit_enter(k, t, LEAF + i * 8);
	logkit_leave(k, t + ns, LEAF + i * 8);
}

START_TEST(the_least_quarter_of_the_leaves_folds)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 18; /* root, A and 16 leaves */
	logkit_method(k, 0, A, "A");
	logkit_enter(k, 0, A);
	for (uint64_t i = 0; i < 16; i++) /* leaf i takes i + 1 ns; leaves 4 to 7 take 1 ns */
		leaf(k, 100 * (int64_t)i, i, i >= 4 && i < 8 ? 1 : (int64_t)i + 1);
	logkit_flush(k);
	struct sums before = tree(k);
	ck_assert_uint_eq(k->model->calls.folded, 0);
	leaf(k, 5000, 99, 7); /* one too many */
	logkit_flush(k);
	ck_assert_uint_eq(k->model->calls.folds, 1);
	ck_assert_uint_eq(k->model->calls.folded, 4);
	/* five leaves have 1 ns: 0 and 4 to 7; of these the four newest went */
	ck_assert_uint_ne(logkit_node(k, "A/0x10000"), 0);
	for (uint64_t i = 4; i < 8; i++) {
		char path[40];
		snprintf(path, sizeof path, "A/0x%x", (unsigned)(LEAF + i * 8));
		ck_assert_uint_eq(logkit_node(k, path), 0);
	}
	ck_assert_uint_ne(logkit_node(k, "A/0x10040"), 0);
	uint32_t other = logkit_node(k, "A/0x0");
	ck_assert_uint_ne(other, 0);
	ck_assert_uint_eq(k->model->calls.node.v[other].method, 0);
	ck_assert_uint_eq(k->model->calls.node.v[other].calls, 4);
	ck_assert_int_eq(k->model->calls.node.v[other].self_ns, 4);
	ck_assert_int_eq(k->model->calls.node.v[other].total_ns, 4);
	struct sums after = tree(k);
	ck_assert_uint_eq(after.calls, before.calls + 1);
	ck_assert_int_eq(after.self_ns, before.self_ns + 7 + (5000 - 1516));
	leaf(k, 6000, 8, 20); /* known leaves are still found under their names */
	logkit_leave(k, 7000, A);
	ck_assert_uint_eq(logkit_sum(k, "0x10040").calls, 2);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 7000);
	logkit_free(k);
}
END_TEST

START_TEST(open_stacks_never_fold)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 64;
	int64_t t = 0;
	for (uint64_t i = 0; i < 20; i++) /* stays open to the end */
		logkit_enter(k, t++, 0x9000 + i * 8);
	for (uint64_t i = 0; i < 3000; i++, t += 10)
		leaf(k, t, i, 5);
	for (uint64_t i = 20; i-- > 0;)
		logkit_leave(k, t++, 0x9000 + i * 8);
	struct sums s = tree(k);
	ck_assert_uint_eq(s.calls, 3020);
	ck_assert_uint_eq(k->model->calls.missing_leaves, 0);
	ck_assert_uint_eq(k->model->calls.stray_leaves, 0);
	ck_assert_uint_le(k->model->calls.node.n, 64);
	for (uint64_t i = 0; i < 20; i++) {
		char name[24];
		snprintf(name, sizeof name, "0x%x", (unsigned)(0x9000 + i * 8));
		ck_assert_uint_eq(logkit_sum(k, name).calls, 1);
		ck_assert_int_eq(
			logkit_sum(k, name).total_ns, (int64_t)(t - 1 - (int64_t)i) - (int64_t)i);
	}
	ck_assert_int_eq(s.self_ns, t - 1);
	logkit_free(k);
}
END_TEST

START_TEST(chains_fold_from_their_ends)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 100;
	int64_t t = 0;
	for (uint64_t chain = 0; chain < 200; chain++) { /* each its own path of 5 */
		for (uint64_t i = 0; i < 5; i++)
			logkit_enter(k, t++, LEAF + chain * 80 + i * 8);
		for (uint64_t i = 5; i-- > 0;)
			logkit_leave(k, t++, LEAF + chain * 80 + i * 8);
	}
	struct sums s = tree(k);
	ck_assert_uint_eq(s.calls, 1000);
	ck_assert_int_eq(s.self_ns, 200 * 9);
	ck_assert_uint_le(k->model->calls.node.n, 100);
	logkit_free(k);
}
END_TEST

START_TEST(samples_and_the_window_survive_a_fold)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 40;
	for (uint64_t i = 0; i < 500; i++) {
		struct pv_span frames = LOGKIT_LIST(k, LEAF + i * 8, A), ips = LOGKIT_LIST(k, 1);
		logkit_event(k, (int64_t)i * LOGKIT_MS,
			(struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
				.hit = { .type = 1, .thread = 1, .ips = ips, .frames = frames } });
		leaf(k, (int64_t)i * LOGKIT_MS + 10, i + 1000, 5);
	}
	struct pv_window_sums sums;
	struct sums all = tree(k), window = { 0, 0, 0 };
	ck_assert(pv_window_sum(k->model, 10 * (uint64_t)LOGKIT_S, &sums));
	for (size_t i = 0; i < sums.nodes.n; i++) {
		ck_assert_uint_lt(sums.nodes.v[i].node, k->model->calls.node.n);
		window.calls += sums.nodes.v[i].calls;
		window.samples += sums.nodes.v[i].samples;
		window.self_ns += sums.nodes.v[i].self_ns;
	}
	pv_window_sums_finish(&sums);
	ck_assert_uint_gt(k->model->calls.folds, 0);
	ck_assert_uint_eq(all.samples, 500);
	ck_assert_uint_eq(all.calls, 500);
	ck_assert_uint_eq(window.samples, 500);
	ck_assert_uint_eq(window.calls, 500);
	ck_assert_int_eq(window.self_ns, all.self_ns);
	logkit_free(k);
}
END_TEST

START_TEST(when_all_is_open_deeper_calls_count_where_they_are)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 10;
	for (uint64_t i = 0; i < 30; i++)
		logkit_enter(k, (int64_t)i, LEAF + i * 8);
	for (uint64_t i = 30; i-- > 0;)
		logkit_leave(k, 60 - (int64_t)i, LEAF + i * 8);
	ck_assert_uint_le(logkit_model(k)->calls.node.n, 10);
	ck_assert_uint_eq(k->model->calls.calls, 30);
	ck_assert_uint_eq(k->model->calls.stray_leaves, 0);
	ck_assert_int_eq(logkit_sum(k, "0x10000").total_ns, 60);
	ck_assert_int_eq(tree(k).self_ns, 60);
	logkit_free(k);
}
END_TEST

START_TEST(stacks_end_in_other)
{
	struct pv_stacks s;
	ck_assert(pv_stacks_init(&s));
	s.cap = 4; /* the empty one and three more */
	uint32_t a = pv_stacks_child(&s, 0, 1), b = pv_stacks_child(&s, a, 2);
	ck_assert_uint_eq(pv_stacks_child(&s, 0, 3), 3);
	uint32_t other = pv_stacks_child(&s, b, 4);
	ck_assert_uint_eq(s.node.v[other].method, 0);
	ck_assert_uint_eq(s.node.v[other].parent, b);
	ck_assert_uint_eq(pv_stacks_child(&s, b, 5), other);
	ck_assert_uint_eq(pv_stacks_child(&s, other, 6), other);
	ck_assert_uint_eq(pv_stacks_child(&s, 0, 1), a); /* known ones are still found */
	for (uint32_t i = 0; i < 100; i++)
		pv_stacks_child(&s, i % 5, 50 + i);
	ck_assert_uint_le(s.node.n, 4 + 1);
	ck_assert_uint_gt(s.folded, 3);
	pv_stacks_finish(&s);
}
END_TEST

START_TEST(sites_fold_by_bytes)
{
	struct logkit *k = logkit_new(17);
	k->model->allocs.sites.cap = 9; /* 8 next to [0] */
	logkit_class(k, 0, CAR, "Car");
	for (uint64_t i = 0; i < 9; i++) { /* stack i allocates 10 * (i + 1) */
		struct pv_span stack = LOGKIT_LIST(k, LEAF + i * 8);
		logkit_event(k, (int64_t)i,
			(struct pv_event){ .kind = PV_KIND_ALLOC,
				.alloc = { logkit_type(k, CAR), 0x8000, 10 * (i + 1), stack } });
	}
	const struct pv_sites *s = &logkit_model(k)->allocs.sites;
	uint64_t bytes = 0, others = 0;
	for (size_t i = 1; i < s->site.n; i++) {
		bytes += s->site.v[i].amount;
		if (s->site.v[i].other) {
			others++;
			ck_assert_uint_eq(s->site.v[i].amount, 10 + 20);
			ck_assert_uint_eq(s->site.v[i].count, 2);
		}
	}
	ck_assert_uint_eq(bytes, 450);
	ck_assert_uint_eq(others, 1);
	ck_assert_uint_eq(s->folded, 2);
	struct pv_window_sums sums;
	ck_assert(pv_window_sum(k->model, (uint64_t)LOGKIT_S, &sums));
	bytes = 0;
	for (size_t i = 0; i < sums.sites.n; i++)
		bytes += sums.sites.v[i].bytes;
	ck_assert_uint_eq(bytes, 450);
	pv_window_sums_finish(&sums);
	logkit_free(k);
}
END_TEST

START_TEST(sites_of_many_classes_stay_bounded)
{
	struct pv_sites s;
	ck_assert(pv_sites_init(&s));
	s.cap = 100;
	for (uint32_t i = 1; i <= 5000; i++) {
		if (pv_sites_are_many(&s, i, i * 3))
			ck_assert(pv_sites_make_room(&s, NULL));
		uint32_t at = pv_sites_get(&s, i, i * 3);
		ck_assert_uint_ne(at, 0);
		s.site.v[at].count++;
		s.site.v[at].amount += i;
	}
	uint64_t count = 0, amount = 0;
	for (size_t i = 1; i < s.site.n; i++) {
		count += s.site.v[i].count;
		amount += s.site.v[i].amount;
	}
	ck_assert_uint_le(s.site.n, 100 + 100 / 4 + 1);
	ck_assert_uint_eq(count, 5000);
	ck_assert_uint_eq(amount, 5000 * 5001 / 2);
	pv_sites_finish(&s);
}
END_TEST

START_TEST(classes_beyond_the_cap_are_one)
{
	struct logkit *k = logkit_new(17);
	k->model->names.class_cap = 4; /* three classes */
	for (uint64_t i = 0; i < 6; i++)
		logkit_alloc(k, (int64_t)i, CAR + i * 16, 0x8000, 10);
	logkit_alloc(k, 10, CAR, 0x8000, 1); /* known ones go on */
	ck_assert_uint_eq(logkit_allocs(k, "0x501").bytes, 11);
	ck_assert_uint_eq(logkit_allocs(k, "other").bytes, 30);
	ck_assert_uint_eq(k->model->names.folded_uses, 3);
	ck_assert_uint_eq(k->model->names.class_use.n, 5);
	logkit_free(k);
}
END_TEST

/* Twelve classes of 10 ... 120 bytes, sixteen are room for; then four of 1000. */
START_TEST(the_classes_with_the_least_bytes_fold)
{
	struct logkit *k = logkit_new(17);
	k->model->names.class_cap = 16;
	for (uint64_t i = 0; i < 15; i++)
		logkit_alloc(k, (int64_t)i, CAR + i * 16, 0x8000, i < 12 ? 10 * (1 + i % 12) : 10);
	logkit_flush(k);
	for (uint64_t i = 20; i < 24; i++)
		logkit_alloc(k, (int64_t)i, CAR + i * 16, 0x8000, 1000);
	logkit_alloc(k, 30, CAR, 0x8000, 5); /* it has folded: now it is a new one */
	const struct pv_names *n = &logkit_model(k)->names;
	ck_assert_uint_eq(n->classes_folded, 4); /* a quarter of 15 */
	ck_assert_uint_eq(n->folded_uses, 1);
	/* of those with 10 bytes the three newest, and then the oldest */
	ck_assert_uint_eq(logkit_allocs(k, "other").bytes, 4 * 10 + 5);
	ck_assert_uint_eq(logkit_allocs(k, "other").count, 5);
	ck_assert_uint_eq(logkit_allocs(k, "0x511").bytes, 20);
	ck_assert_uint_eq(logkit_allocs(k, "0x641").bytes, 1000);
	ck_assert_uint_eq(logkit_allocs(k, "0x671").bytes, 1000);
	ck_assert_uint_eq(k->model->allocs.bytes, 780 + 30 + 4000 + 5);
	logkit_free(k);
}
END_TEST

START_TEST(names_of_classes_stay_bounded)
{
	struct logkit *k = logkit_new(17);
	struct pv_names *n = &k->model->names;
	n->class_cap = 64;
	n->entity_cap = 128;
	for (uint64_t i = 0; i < 5000; i++) {
		logkit_class(k, (int64_t)i, 0x10000 + i * 16, "Same");
		logkit_alloc(k, (int64_t)i, 0x10000 + i * 16, 0x8000, 8);
		if (i % 10 == 0)
			logkit_flush(k);
	}
	n = &logkit_model(k)->names;
	ck_assert_uint_le(n->entity[PV_ENTITY_CLASS].n, 129);
	ck_assert_uint_le(n->entity[PV_ENTITY_VTABLE].n, 129);
	ck_assert_uint_le(n->class_use.n, 4 * 64 + 1);
	ck_assert_uint_gt(n->undefined, 9000);
	ck_assert_uint_eq(logkit_allocs(k, "Same").bytes + logkit_allocs(k, "other").bytes, 40000);
	/* Names that a known one asks for are defined all the same. */
	n->entity_cap = 0;
	logkit_class(k, 6000, 0x10000, "Same");
	logkit_flush(k);
	ck_assert_uint_eq(logkit_allocs(k, "Same").bytes + logkit_allocs(k, "other").bytes, 40000);
	logkit_free(k);
}
END_TEST

START_TEST(methods_beyond_the_cap_are_one)
{
	struct logkit *k = logkit_new(17);
	k->model->names.method_cap = 3;
	logkit_enter(k, 0, A);
	for (uint64_t i = 0; i < 4; i++)
		leaf(k, 10 + 10 * (int64_t)i, i, 5);
	logkit_leave(k, 100, A);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 100);
	ck_assert_uint_eq(logkit_sum(k, "0x10000").calls, 1);
	ck_assert_uint_eq(logkit_sum(k, "other").calls, 3);
	ck_assert_int_eq(logkit_sum(k, "other").total_ns, 15);
	ck_assert_uint_eq(k->model->calls.missing_leaves + k->model->calls.stray_leaves, 0);
	ck_assert_uint_eq(k->model->names.method.n, 4);
	logkit_free(k);
}
END_TEST

START_TEST(threads_beyond_the_cap_are_one)
{
	struct logkit *k = logkit_new(17);
	k->model->threads.cap = 3;
	for (uint64_t id = 1; id <= 6; id++) {
		logkit_on(k, id * 8);
		logkit_enter(k, 0, A);
		logkit_object(k, 10, PV_KIND_EXCEPTION_THROW, 0x8000);
		logkit_flush(k);
	}
	for (int i = 0; i < 5; i++) { /* epochs of a known one stay in its row */
		logkit_on(k, 8);
		logkit_event(k, 100 + 10 * i,
			(struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = 8 } });
		logkit_enter(k, 105 + 10 * i, B);
		logkit_leave(k, 106 + 10 * i, B);
		logkit_flush(k);
	}
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->threads.thread.n, 1 + 3 + 1);
	ck_assert_uint_eq(logkit_thread(k, PV_THREAD_OTHER, 1)->events, 6);
	ck_assert_uint_eq(logkit_thread(k, 8, 1)->calls, 1 + 5);
	ck_assert_uint_eq(logkit_sum(k, "0xa0").calls, 6);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 5 * 10 + 100);
	ck_assert_int_eq(logkit_sum(k, "0xb0").total_ns, 5);
	ck_assert_uint_eq(logkit_node(k, "0xa0/0xa0"), 0);
	ck_assert_uint_gt(m->threads.folded, 0);
	logkit_free(k);
}
END_TEST

/* The row for many goes on when one of them ends: each event would open an epoch of its own. */
START_TEST(threads_beyond_the_cap_end_without_it)
{
	struct logkit *k = logkit_new(17);
	k->model->threads.cap = 2;
	for (uint64_t id = 1; id <= 40; id++) {
		struct pv_event e = { .kind = PV_KIND_THREAD_END, .meta = { .key = id * 8 } };
		int64_t now = (int64_t)id * 1000;
		logkit_on(k, id * 8);
		for (int i = 0; i < 10; i++) {
			logkit_enter(k, now + 2 * i, A);
			logkit_leave(k, now + 2 * i + 1, A);
		}
		logkit_event(k, now + 100, e);
		logkit_flush(k);
	}
	struct pv_model *m = logkit_model(k);
	ck_assert_int_eq(logkit_thread(k, PV_THREAD_OTHER, 1)->end_ns, PV_NEVER);
	ck_assert_uint_eq(logkit_sum(k, "0xa0").calls, 400);
	ck_assert_uint_lt(m->threads.folded, 40 * 5); /* a few look-ups a buffer */
	logkit_free(k);
}
END_TEST

START_TEST(too_many_shots_thin_out)
{
	struct logkit *k = logkit_new(17);
	k->model->shots.list_cap = 8;
	for (int i = 0; i < 30; i++) {
		logkit_plain(k, 10 * i, PV_KIND_HEAP_START);
		logkit_event(k, 10 * i + 1,
			(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
				.heap_object = {
					0x8000, logkit_type(k, CAR), 24, 0, { 0, 0 }, 0 } });
		logkit_plain(k, 10 * i + 3, PV_KIND_HEAP_END);
	}
	const struct pv_heap_shots *s = &logkit_model(k)->shots;
	ck_assert_uint_le(s->shot.n, 8);
	ck_assert_uint_eq(s->shot.v[0].index, 0);
	ck_assert_uint_eq(pv_shots_newest(s)->index, 29);
	ck_assert_uint_eq(s->folded, 30 - s->shot.n);
	ck_assert_uint_eq(s->rows, s->shot.n);
	logkit_free(k);
}
END_TEST

START_TEST(counters_beyond_the_cap_are_counted)
{
	struct logkit *k = logkit_new(17);
	k->model->counters.cap = 2;
	for (uint64_t i = 1; i <= 4; i++) {
		ck_assert(pv_reserve(&k->pools.values, 1));
		k->pools.values.v[0] =
			(struct pv_counter_value){ .index = i, .type = PV_COUNTER_LONG, .raw = 5 };
		k->pools.values.n = 1;
		logkit_event(k, 0,
			(struct pv_event){ .kind = PV_KIND_COUNTERS_SAMPLE,
				.counters = { .list = { 0, 1 } } });
	}
	ck_assert_uint_eq(logkit_model(k)->counters.counter.n, 3);
	ck_assert_uint_eq(k->model->counters.folded, 2);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model caps");
	TCase *t = tcase_create("caps");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, the_least_quarter_of_the_leaves_folds);
	tcase_add_test(t, open_stacks_never_fold);
	tcase_add_test(t, chains_fold_from_their_ends);
	tcase_add_test(t, samples_and_the_window_survive_a_fold);
	tcase_add_test(t, when_all_is_open_deeper_calls_count_where_they_are);
	tcase_add_test(t, stacks_end_in_other);
	tcase_add_test(t, sites_fold_by_bytes);
	tcase_add_test(t, the_classes_with_the_least_bytes_fold);
	tcase_add_test(t, names_of_classes_stay_bounded);
	tcase_add_test(t, methods_beyond_the_cap_are_one);
	tcase_add_test(t, threads_beyond_the_cap_are_one);
	tcase_add_test(t, threads_beyond_the_cap_end_without_it);
	tcase_add_test(t, too_many_shots_thin_out);
	tcase_add_test(t, counters_beyond_the_cap_are_counted);
	tcase_add_test(t, classes_beyond_the_cap_are_one);
	tcase_add_test(t, sites_of_many_classes_stay_bounded);
	suite_add_tcase(s, t);
	return run_suite(s);
}
