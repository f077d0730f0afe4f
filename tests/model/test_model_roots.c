/* SPDX-License-Identifier: MIT */
/* GC roots: both forms the wire ever had, and the areas they lie in. */
#include <check.h>
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { AREA = 0x10000, OBJECT = 0x8000, PINNING = 0x100, WEAK = 0x200, INTERIOR = 0x400 };

static void add_area(struct logkit *k, int64_t t, uint64_t start, uint64_t size, unsigned source)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_HEAP_ROOT_REGISTER,
			.root_area = { start, size, source, 0x77, { "Fields", 6 } } });
}

static void end_area(struct logkit *k, int64_t t, uint64_t start)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = PV_KIND_HEAP_ROOT_UNREGISTER, .root_area = { .start = start } });
}

static void slots(struct logkit *k, int64_t t, struct pv_span pairs)
{
	logkit_event(
		k, t, (struct pv_event){ .kind = PV_KIND_HEAP_ROOTS, .roots = { 0, 2, pairs } });
}

static void typed(struct logkit *k, int64_t t, struct pv_span triples)
{
	logkit_event(
		k, t, (struct pv_event){ .kind = PV_KIND_HEAP_ROOTS, .roots = { 1, 3, triples } });
}

static uint64_t newest(const struct pv_roots *r, enum pv_root_source source)
{
	const struct pv_root_count *c = &r->source[source].roots;
	return c->list == r->list ? c->newest : 0;
}

START_TEST(slots_count_for_the_area_they_lie_in)
{
	struct logkit *k = logkit_new(17);
	add_area(k, 1, AREA, 64, PV_ROOT_STATIC);
	add_area(k, 1, AREA + 64, 8, PV_ROOT_THREADING);
	add_area(k, 1, 0x500, 1, PV_ROOT_HANDLE_STACK);
	add_area(k, 1, 0, 0, PV_ROOT_HANDLE);
	logkit_gc(k, 10, PV_GC_START, 1);
	slots(k, 11, LOGKIT_LIST(k, AREA, OBJECT, AREA + 56, OBJECT, AREA + 64, OBJECT));
	slots(k, 12, LOGKIT_LIST(k, 0x500, OBJECT, 0, OBJECT, AREA + 72, OBJECT));
	logkit_gc(k, 20, PV_GC_START, 1);
	slots(k, 21, LOGKIT_LIST(k, AREA + 8, OBJECT));
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->lists, 2);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].roots.all, 3);
	ck_assert_uint_eq(newest(r, PV_ROOT_STATIC), 1);
	ck_assert_uint_eq(r->source[PV_ROOT_THREADING].roots.all, 1);
	ck_assert_uint_eq(newest(r, PV_ROOT_THREADING), 0);
	ck_assert_uint_eq(r->source[PV_ROOT_HANDLE_STACK].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_HANDLE].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].live, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].live_bytes, 64);
	ck_assert_uint_eq(r->area.v[0].roots.all, 3);
	ck_assert_uint_eq(r->area.v[0].key, 0x77);
	ck_assert(!r->old_form);
	logkit_free(k);
}
END_TEST

/* The log may have the end of one collection and the start of the next after their shots. */
START_TEST(a_heap_shot_has_a_list_of_its_own)
{
	struct logkit *k = logkit_new(17);
	add_area(k, 1, AREA, 64, PV_ROOT_STATIC);
	logkit_gc(k, 10, PV_GC_START, 1);
	logkit_gc(k, 12, PV_GC_END, 1);
	for (int64_t t = 14; t <= 20; t += 6) {
		logkit_event(k, t, (struct pv_event){ .kind = PV_KIND_HEAP_START });
		slots(k, t + 1, LOGKIT_LIST(k, AREA, OBJECT, AREA + 8, OBJECT));
		slots(k, t + 2, LOGKIT_LIST(k, AREA + 16, OBJECT));
		logkit_event(k, t + 3, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	}
	logkit_gc(k, 28, PV_GC_START, 1);
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->lists, 2);
	ck_assert_uint_eq(newest(r, PV_ROOT_STATIC), 3);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].roots.all, 6);
	logkit_free(k);
}
END_TEST

START_TEST(an_area_may_come_after_its_roots)
{
	struct logkit *k = logkit_new(17);
	logkit_gc(k, 10, PV_GC_START, 1);
	slots(k, 11, LOGKIT_LIST(k, AREA, OBJECT, AREA + 8, OBJECT));
	logkit_flush(k);
	ck_assert_uint_eq(k->model->roots.source[PV_ROOT_UNKNOWN].roots.all, 2);
	logkit_on(k, 2);
	add_area(k, 12, AREA, 64, PV_ROOT_DOMAIN); /* after their time */
	end_area(k, 13, AREA);
	logkit_flush(k);
	logkit_on(k, 3);
	add_area(k, 5, AREA, 64, PV_ROOT_STATIC);
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, 0);
	ck_assert_uint_eq(r->source[PV_ROOT_DOMAIN].roots.all, 0);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].roots.all, 2);
	ck_assert_uint_eq(newest(r, PV_ROOT_STATIC), 2);
	logkit_free(k);
}
END_TEST

START_TEST(a_stack_is_scanned_after_its_end)
{
	struct logkit *k = logkit_new(17);
	add_area(k, 1, AREA, 64, PV_ROOT_STACK);
	add_area(k, 1, AREA + 64, 64, PV_ROOT_STATIC);
	end_area(k, 20, AREA);
	end_area(k, 20, AREA + 64);
	logkit_flush(k);
	logkit_gc(k, 30, PV_GC_START, 1);
	slots(k, 31, LOGKIT_LIST(k, AREA + 8, OBJECT, AREA + 16, OBJECT, AREA + 72, OBJECT));
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].roots.all, 2);
	ck_assert_uint_eq(r->area.v[0].roots.newest, 2);
	ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, 1); /* fields are gone for good */
	logkit_on(k, 2);
	add_area(
		k, 25, AREA, 12, PV_ROOT_THREADING); /* reported with delay: the one slot was its */
	r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].roots.all, 1);
	ck_assert_uint_eq(newest(r, PV_ROOT_STACK), 1);
	ck_assert_uint_eq(r->area.v[0].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_THREADING].roots.all, 1);
	logkit_on(k, 1);
	slots(k, 32, LOGKIT_LIST(k, AREA + 16, OBJECT)); /* something else lives there by now */
	ck_assert_uint_eq(logkit_model(k)->roots.source[PV_ROOT_UNKNOWN].roots.all, 2);
	logkit_free(k);
}
END_TEST

START_TEST(an_area_ends_and_its_place_is_used_again)
{
	struct logkit *k = logkit_new(17);
	add_area(k, 1, AREA, 64, PV_ROOT_STACK);
	end_area(k, 20, AREA);
	add_area(k, 21, AREA, 32, PV_ROOT_STATIC);
	end_area(k, 22, 0x9990); /* never registered */
	logkit_flush(k);
	logkit_on(k, 2);
	slots(k, 10, LOGKIT_LIST(k, AREA + 8, OBJECT)); /* while it was a stack */
	slots(k, 30, LOGKIT_LIST(k, AREA + 8, OBJECT, AREA + 40, OBJECT));
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_STATIC].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, 1);
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].live, 0);
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].live_bytes, 0);
	ck_assert_uint_eq(r->source[PV_ROOT_STACK].unregistered, 1);
	ck_assert_uint_eq(r->stray_unregistered, 1);
	ck_assert_int_eq(r->area.v[0].unregistered_ns, LOGKIT_ZERO + 20);
	logkit_free(k);
}
END_TEST

START_TEST(numbers_until_13_and_bits_in_14)
{
	for (unsigned version = 3; version <= 14; version++) {
		struct logkit *k = logkit_new(version);
		bool bits = version == 14, flags = version != 13;
		uint64_t of[] = { bits ? 1 : 0, bits ? 2 : 1, bits ? 4 : 2, bits ? 8 : 3,
			bits ? 16 : 4 };
		logkit_gc(k, 10, PV_GC_START, 1);
		typed(k, 11,
			LOGKIT_LIST(k, OBJECT, of[0] | PINNING, 0, OBJECT, of[1], 0, OBJECT,
				of[2] | WEAK, 9, OBJECT, of[3] | INTERIOR, 0, OBJECT, of[4], 0,
				OBJECT, of[0], 0));
		const struct pv_roots *r = &logkit_model(k)->roots;
		ck_assert_uint_eq(r->source[PV_ROOT_STACK].roots.all, 2);
		ck_assert_uint_eq(r->source[PV_ROOT_FINALIZER].roots.all, 1);
		ck_assert_uint_eq(r->source[PV_ROOT_HANDLE].roots.all, 1);
		ck_assert_uint_eq(r->source[PV_ROOT_OTHER].roots.all, 1);
		ck_assert_uint_eq(r->source[PV_ROOT_MISC].roots.all, 1);
		ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, 0);
		ck_assert_uint_eq(r->source[PV_ROOT_STACK].pinning, flags);
		ck_assert_uint_eq(r->source[PV_ROOT_HANDLE].weak, flags);
		ck_assert_uint_eq(r->source[PV_ROOT_OTHER].interior, flags);
		ck_assert_uint_eq(r->flags, flags);
		ck_assert(r->old_form);
		logkit_free(k);
	}
}
END_TEST

START_TEST(slots_that_no_area_holds_are_bounded)
{
	struct logkit *k = logkit_new(17);
	for (uint64_t i = 0; i < PV_ROOT_WAITING_CAP + 10; i++)
		slots(k, 10, LOGKIT_LIST(k, 0x100000 + 8 * i, OBJECT));
	const struct pv_roots *r = &logkit_model(k)->roots;
	ck_assert_uint_eq(r->waiting.n, PV_ROOT_WAITING_CAP);
	ck_assert_uint_eq(r->folded, 10);
	ck_assert_uint_eq(r->source[PV_ROOT_UNKNOWN].roots.all, PV_ROOT_WAITING_CAP + 10);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model roots");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 30);
	tcase_add_test(c, slots_count_for_the_area_they_lie_in);
	tcase_add_test(c, a_heap_shot_has_a_list_of_its_own);
	tcase_add_test(c, an_area_may_come_after_its_roots);
	tcase_add_test(c, a_stack_is_scanned_after_its_end);
	tcase_add_test(c, an_area_ends_and_its_place_is_used_again);
	tcase_add_test(c, numbers_until_13_and_bits_in_14);
	tcase_add_test(c, slots_that_no_area_holds_are_bounded);
	suite_add_tcase(s, c);
	return run_suite(s);
}
