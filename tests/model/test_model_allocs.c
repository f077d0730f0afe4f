/* SPDX-License-Identifier: MIT */
/* Allocations per class and stack, and heap shots. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, C = 0xc0, CAR = 0x500, BUS = 0x600 };

static void alloc_bt(
	struct logkit *k, int64_t t, uint64_t class_key, uint64_t size, struct pv_span stack)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_ALLOC,
			.alloc = { logkit_type(k, class_key), 0x8000, size, stack } });
}

/* The site of a class whose stack is `path`, outermost first, "/" between; NULL without. */
static const struct pv_site *site(struct logkit *k, const char *class_name, const char *path)
{
	struct pv_model *m = logkit_model(k);
	for (size_t i = 1; i < m->allocs.sites.site.n; i++) {
		const struct pv_site *s = &m->allocs.sites.site.v[i];
		char text[200] = "", buf[24];
		for (uint32_t at = s->stack; at; at = m->stacks.node.v[at].parent) {
			char rest[200];
			strcpy(rest, text);
			snprintf(text, sizeof text, "%s%s%.150s",
				pv_names_method_text(&m->names, m->stacks.node.v[at].method, buf),
				*rest ? "/" : "", rest);
		}
		if (strcmp(text, path) == 0 &&
			strcmp(pv_names_class_text(&m->names, s->class_use, buf), class_name) == 0)
			return s;
	}
	return NULL;
}

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, CAR, "Car");
	logkit_class(k, 0, BUS, "Bus");
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	logkit_method(k, 0, C, "C");
	return k;
}

START_TEST(per_class_and_backtrace)
{
	struct logkit *k = world();
	alloc_bt(k, 1, CAR, 100, LOGKIT_LIST(k, A, B));
	alloc_bt(k, 2, CAR, 50, LOGKIT_LIST(k, A, B));
	alloc_bt(k, 3, CAR, 7, LOGKIT_LIST(k, A, C));
	alloc_bt(k, 4, BUS, 30, LOGKIT_LIST(k, A, B));
	logkit_alloc(k, 5, BUS, 0x8000, 4);
	ck_assert_uint_eq(logkit_allocs(k, "Car").count, 3);
	ck_assert_uint_eq(logkit_allocs(k, "Car").bytes, 157);
	ck_assert_uint_eq(logkit_allocs(k, "Bus").bytes, 34);
	ck_assert_uint_eq(site(k, "Car", "A/B")->count, 2);
	ck_assert_uint_eq(site(k, "Car", "A/B")->amount, 150);
	ck_assert_uint_eq(site(k, "Car", "A/C")->amount, 7);
	ck_assert_uint_eq(site(k, "Bus", "A/B")->amount, 30);
	ck_assert_uint_eq(site(k, "Bus", "")->amount, 4);
	ck_assert_uint_eq(k->model->allocs.count, 5);
	ck_assert_uint_eq(k->model->allocs.bytes, 191);
	ck_assert_uint_eq(k->model->allocs.with_backtrace, 4);
	ck_assert_uint_eq(k->model->stacks.node.n, 1 + 3); /* A, A/B, A/C */
	logkit_free(k);
}
END_TEST

START_TEST(in_calls_mode_the_call_path_is_the_stack)
{
	struct logkit *k = world();
	logkit_enter(k, 1, A);
	logkit_alloc(k, 2, CAR, 0x8000, 1);
	logkit_enter(k, 3, B);
	logkit_alloc(k, 4, CAR, 0x8010, 2);
	logkit_alloc(k, 5, CAR, 0x8020, 4);
	logkit_leave(k, 6, B);
	logkit_alloc(k, 7, CAR, 0x8030, 8);
	logkit_on(k, 2);
	logkit_alloc(k, 8, CAR, 0x8040, 16); /* no calls on this thread */
	ck_assert_uint_eq(site(k, "Car", "A")->amount, 9);
	ck_assert_uint_eq(site(k, "Car", "A/B")->amount, 6);
	ck_assert_uint_eq(site(k, "Car", "")->amount, 16);
	ck_assert_uint_eq(k->model->allocs.with_path, 4);
	ck_assert_uint_eq(k->model->allocs.with_backtrace, 0);
	logkit_free(k);
}
END_TEST

START_TEST(common_prefixes_do_not_mix)
{
	struct logkit *k = world();
	alloc_bt(k, 1, CAR, 1, LOGKIT_LIST(k, A, B, C));
	alloc_bt(k, 2, CAR, 2, LOGKIT_LIST(k, A, B));
	alloc_bt(k, 3, CAR, 4, LOGKIT_LIST(k, B, B, C));
	alloc_bt(k, 4, CAR, 8, LOGKIT_LIST(k, A, B, C));
	alloc_bt(k, 5, CAR, 16, LOGKIT_LIST(k, A));
	ck_assert_uint_eq(site(k, "Car", "A/B/C")->amount, 9);
	ck_assert_uint_eq(site(k, "Car", "A/B")->amount, 2);
	ck_assert_uint_eq(site(k, "Car", "B/B/C")->amount, 4);
	ck_assert_uint_eq(site(k, "Car", "A")->amount, 16);
	logkit_free(k);
}
END_TEST

/* --- heap shots */

static void heap_object(
	struct logkit *k, int64_t t, uint64_t class_key, uint64_t size, struct pv_span refs)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = { 0x8000, logkit_type(k, class_key), size, 0, refs, 0 } });
}

static void roots(struct logkit *k, int64_t t, uint64_t n)
{
	uint64_t list[30] = { 0 };
	uint64_t width = k->format.data_version >= 15 ? 2 : 3;
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_HEAP_ROOTS,
			.roots = { 0, width, logkit_list(k, list, n * width) } });
}

START_TEST(shots_are_summed_per_class)
{
	struct logkit *k = world();
	for (int i = 0; i < 2; i++) {
		int64_t t = i * 1000;
		logkit_plain(k, t + 10, PV_KIND_HEAP_START);
		roots(k, t + 11, 3);
		heap_object(k, t + 12, CAR, 32, LOGKIT_LIST(k, 16, 0x9000, 24, 0x9010));
		heap_object(k, t + 13, CAR, 32, (struct pv_span){ 0, 0 });
		heap_object(k, t + 14, CAR, 0, LOGKIT_LIST(k, 32, 0x9020)); /* continues */
		if (i == 1)
			heap_object(k, t + 15, BUS, 1000, LOGKIT_LIST(k, 16, 0x9020));
		logkit_plain(k, t + 20, PV_KIND_HEAP_END);
	}
	const struct pv_heap_shots *s = &logkit_model(k)->shots;
	ck_assert_uint_eq(s->shot.n, 2);
	ck_assert_uint_eq(s->shot.v[0].objects, 2);
	ck_assert_uint_eq(s->shot.v[0].bytes, 64);
	ck_assert_uint_eq(s->shot.v[0].references, 3);
	ck_assert_uint_eq(s->shot.v[0].roots, 3);
	ck_assert_uint_eq(s->shot.v[0].classes.n, 1);
	ck_assert_int_eq(s->shot.v[0].start_ns, LOGKIT_ZERO + 10);
	ck_assert_int_eq(s->shot.v[0].end_ns, LOGKIT_ZERO + 20);
	ck_assert_uint_eq(s->shot.v[1].index, 1);
	ck_assert_uint_eq(s->shot.v[1].objects, 3);
	ck_assert_uint_eq(s->shot.v[1].classes.n, 2);
	ck_assert_uint_eq(s->shot.v[1].classes.room, 2); /* none to spare */
	ck_assert_uint_eq(s->shot.v[1].classes.v[0].objects, 2);
	ck_assert_uint_eq(s->shot.v[1].classes.v[1].bytes, 1000);
	ck_assert_ptr_eq(pv_shots_newest(s), &s->shot.v[1]);
	ck_assert_uint_eq(k->model->allocs.count, 0);
	logkit_free(k);
}
END_TEST

START_TEST(open_torn_and_stray)
{
	struct logkit *k = world();
	heap_object(k, 1, CAR, 32, (struct pv_span){ 0, 0 }); /* outside any shot */
	logkit_plain(k, 10, PV_KIND_HEAP_START);
	heap_object(k, 11, CAR, 32, (struct pv_span){ 0, 0 });
	logkit_plain(k, 20, PV_KIND_HEAP_START); /* the first one never ended */
	heap_object(k, 21, BUS, 8, (struct pv_span){ 0, 0 });
	const struct pv_heap_shots *s = &logkit_model(k)->shots;
	ck_assert_uint_eq(s->stray_objects, 1);
	ck_assert_uint_eq(s->shot.n, 2);
	ck_assert(s->shot.v[0].torn && !s->shot.v[0].open);
	ck_assert(s->shot.v[1].open);
	ck_assert_uint_eq(s->shot.v[1].objects, 1);
	ck_assert_uint_eq(s->shot.v[1].classes.n, 1);
	ck_assert_ptr_null(pv_shots_newest(s));
	logkit_plain(k, 30, PV_KIND_HEAP_END);
	logkit_plain(k, 31, PV_KIND_HEAP_END); /* of nothing */
	logkit_model(k);
	ck_assert_ptr_eq(pv_shots_newest(s), &s->shot.v[1]);
	logkit_free(k);
}
END_TEST

START_TEST(roots_before_the_shot_in_old_logs)
{
	struct logkit *k = logkit_new(13);
	roots(k, 1, 5); /* of an earlier collection */
	logkit_gc(k, 10, PV_GC_START, 1);
	roots(k, 11, 4);
	roots(k, 12, 2);
	logkit_plain(k, 20, PV_KIND_HEAP_START);
	logkit_plain(k, 30, PV_KIND_HEAP_END);
	ck_assert_uint_eq(logkit_model(k)->shots.shot.v[0].roots, 6);
	logkit_free(k);
	k = logkit_new(17);
	logkit_gc(k, 10, PV_GC_START, 1);
	roots(k, 11, 4);
	logkit_plain(k, 20, PV_KIND_HEAP_START);
	roots(k, 21, 1);
	logkit_plain(k, 30, PV_KIND_HEAP_END);
	ck_assert_uint_eq(logkit_model(k)->shots.shot.v[0].roots, 1);
	logkit_free(k);
}
END_TEST

START_TEST(too_many_class_rows_thin_out_the_old_shots)
{
	struct logkit *k = world();
	k->model->shots.cap = 8;
	for (int i = 0; i < 10; i++) {
		logkit_plain(k, 10 * i, PV_KIND_HEAP_START);
		heap_object(k, 10 * i + 1, CAR, 8, (struct pv_span){ 0, 0 });
		heap_object(k, 10 * i + 2, BUS, 8, (struct pv_span){ 0, 0 });
		logkit_plain(k, 10 * i + 3, PV_KIND_HEAP_END);
	}
	const struct pv_heap_shots *s = &logkit_model(k)->shots;
	uint64_t rows = 0;
	for (size_t i = 0; i < s->shot.n; i++) {
		rows += s->shot.v[i].classes.n;
		ck_assert_uint_eq(s->shot.v[i].objects, 2);
		ck_assert(s->shot.v[i].classes_folded == (s->shot.v[i].classes.n == 0));
	}
	ck_assert_uint_le(rows, 8);
	ck_assert_uint_eq(s->shot.v[9].classes.n, 2);
	ck_assert_uint_eq(s->folded, 10 - rows / 2);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model allocs");
	TCase *t = tcase_create("allocs");
	tcase_add_test(t, per_class_and_backtrace);
	tcase_add_test(t, in_calls_mode_the_call_path_is_the_stack);
	tcase_add_test(t, common_prefixes_do_not_mix);
	tcase_add_test(t, shots_are_summed_per_class);
	tcase_add_test(t, open_torn_and_stray);
	tcase_add_test(t, roots_before_the_shot_in_old_logs);
	tcase_add_test(t, too_many_class_rows_thin_out_the_old_shots);
	suite_add_tcase(s, t);
	return run_suite(s);
}
