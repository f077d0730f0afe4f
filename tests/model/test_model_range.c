/* SPDX-License-Identifier: MIT */
/* The restrictions of a report: a range of time, threads by id or by name. */
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CAR = 0x500 };

/* A 100..1000 with B 300..500 inside on thread 1; the same 100 later on thread 2. */
static void calls(struct logkit *k)
{
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	for (uint64_t thread = 1; thread <= 2; thread++) {
		int64_t delayed = thread == 2 ? 100 : 0;
		logkit_on(k, thread);
		logkit_enter(k, 100 + delayed, A);
		logkit_enter(k, 300 + delayed, B);
		logkit_leave(k, 500 + delayed, B);
		logkit_leave(k, 1000 + delayed, A);
	}
}

START_TEST(calls_are_clipped)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 350, .to_ns = 450 };
	struct logkit *k = logkit_new_only(17, &only);
	calls(k);
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.calls, 0);
	ck_assert_int_eq(a.total_ns, 100 + 100);
	ck_assert_int_eq(a.self_ns, 0 + 50);
	ck_assert_int_eq(a.max_ns, 100);
	ck_assert_uint_eq(b.calls, 1); /* only thread 2 enters inside */
	ck_assert_int_eq(b.total_ns, 100 + 50);
	ck_assert_int_eq(b.self_ns, 150);
	ck_assert_uint_eq(k->model->kinds[PV_KIND_METHOD_ENTER], 1);
	ck_assert_uint_eq(k->model->kinds[PV_KIND_METHOD_LEAVE], 0);
	ck_assert_uint_eq(k->model->calls.calls, 1);
	ck_assert_int_eq(k->model->last_ns, LOGKIT_ZERO + 1100); /* the log's, not the range's */
	logkit_free(k);
}
END_TEST

START_TEST(the_range_is_half_open)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 100, .to_ns = 300 };
	struct logkit *k = logkit_new_only(17, &only);
	calls(k);
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 2); /* 100 is in */
	ck_assert_uint_eq(logkit_sum(k, "B").calls, 0); /* 300 is out */
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 200 + 100);
	logkit_free(k);
}
END_TEST

START_TEST(ranges_that_tile_add_up)
{
	struct logkit *whole = logkit_new(17);
	calls(whole);
	int64_t total = 0, self = 0;
	uint64_t n = 0;
	for (int64_t from = 0; from < 1200; from += 170) {
		const struct pv_restrict only = {
			.ranged = true, .from_ns = from, .to_ns = from + 170
		};
		struct logkit *k = logkit_new_only(17, &only);
		calls(k);
		n += logkit_sum(k, "A").calls;
		total += logkit_sum(k, "A").total_ns;
		self += logkit_sum(k, "A").self_ns;
		logkit_free(k);
	}
	ck_assert_uint_eq(n, logkit_sum(whole, "A").calls);
	ck_assert_int_eq(total, logkit_sum(whole, "A").total_ns);
	ck_assert_int_eq(self, logkit_sum(whole, "A").self_ns);
	ck_assert_int_eq(total, 1800);
	logkit_free(whole);
}
END_TEST

static void facts(struct logkit *k)
{
	logkit_class(k, 0, CAR, "Car");
	logkit_alloc(k, 100, CAR, 0x8000, 8);
	logkit_object(k, 150, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 180, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_gc(k, 190, PV_GC_PRE_STOP, 0);
	logkit_gc(k, 195, PV_GC_START, 0);
	logkit_plain(k, 196, PV_KIND_HEAP_START);
	logkit_event(k, 197,
		(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = { 0x8000, logkit_type(k, CAR), 24, 0, { 0, 0 }, 0 } });
	logkit_gc(k, 210, PV_GC_END, 0);
	logkit_plain(k, 220, PV_KIND_HEAP_END);
	logkit_gc(k, 230, PV_GC_POST_START, 0);
	logkit_object(k, 260, PV_KIND_MONITOR_DONE, 0x8000);
	logkit_alloc(k, 300, CAR, 0x8010, 16);
	logkit_object(k, 310, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_gc(k, 400, PV_GC_PRE_STOP, 0);
	logkit_gc(k, 410, PV_GC_START, 0);
	logkit_gc(k, 420, PV_GC_END, 0);
	logkit_gc(k, 430, PV_GC_POST_START, 0);
	logkit_plain(k, 440, PV_KIND_HEAP_START);
	logkit_plain(k, 450, PV_KIND_HEAP_END);
}

START_TEST(facts_by_their_own_time_or_start)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 200, .to_ns = 1000 };
	struct logkit *k = logkit_new_only(17, &only);
	facts(k);
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(logkit_allocs(k, "Car").bytes, 16);
	ck_assert_uint_eq(m->throws.thrown, 1);
	ck_assert_uint_eq(m->throws.unknown_class, 0); /* the table knows older objects */
	ck_assert_uint_eq(m->gc.collections.n, 1);     /* the one that starts inside */
	ck_assert_int_eq(m->gc.collections.v[0].start_ns, LOGKIT_ZERO + 410);
	ck_assert_int_eq(m->gc.collections.v[0].pause_ns, 30);
	ck_assert_uint_eq(m->gc.collections.v[0].allocated, 16);
	ck_assert_uint_eq(m->gc.pauses.n, 1);
	ck_assert_uint_eq(m->gc.started[0], 1);
	ck_assert_uint_eq(m->shots.shot.n, 1);
	ck_assert_uint_eq(m->shots.shot.v[0].index, 1); /* its number in the whole log */
	ck_assert_uint_eq(m->shots.stray_objects, 0);
	ck_assert_uint_eq(m->locks.contentions, 0);
	ck_assert_uint_eq(m->locks.acquired, 1);
	ck_assert_int_eq(m->locks.wait_ns, 60); /* 200 .. 260 */
	ck_assert_int_eq(m->locks.lock.v[1].max_wait_ns, 60);
	ck_assert_uint_eq(m->kinds[PV_KIND_ALLOC], 1);
	logkit_free(k);
}
END_TEST

START_TEST(a_collection_that_starts_inside_and_ends_outside)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 0, .to_ns = 200 };
	struct logkit *k = logkit_new_only(17, &only);
	facts(k);
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->gc.collections.n, 1);
	ck_assert_int_eq(m->gc.collections.v[0].duration_ns, 15);
	ck_assert_int_eq(m->gc.collections.v[0].pause_ns, 40);
	ck_assert_int_eq(m->gc.pauses.v[0].duration_ns, 40);
	ck_assert_uint_eq(m->shots.shot.n, 1);
	ck_assert_uint_eq(m->shots.shot.v[0].objects, 1);
	ck_assert_uint_eq(m->locks.contentions, 1);
	ck_assert_int_eq(m->locks.wait_ns, 50);
	logkit_free(k);
}
END_TEST

START_TEST(counters_keep_running_outside)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 20, .to_ns = 1000 };
	struct logkit *k = logkit_new_only(17, &only);
	for (int i = 0; i < 4; i++) {
		ck_assert(pv_reserve(&k->pools.values, 1));
		k->pools.values.v[0] =
			(struct pv_counter_value){ .index = 1, .type = PV_COUNTER_LONG, .raw = 5 };
		k->pools.values.n = 1;
		logkit_event(k, i * 10,
			(struct pv_event){ .kind = PV_KIND_COUNTERS_SAMPLE,
				.counters = { .list = { 0, 1 } } });
	}
	const struct pv_counter *c = &logkit_model(k)->counters.counter.v[1];
	ck_assert_uint_eq(c->samples.n, 2);
	ck_assert_int_eq(c->samples.v[0].i, 15);
	ck_assert_int_eq(c->samples.v[1].i, 20);
	logkit_free(k);
}
END_TEST

/* --- threads */

START_TEST(one_thread_by_id)
{
	const struct pv_restrict only = { .threaded = true, .thread_id = 2 };
	struct logkit *k = logkit_new_only(17, &only);
	calls(k);
	logkit_on(k, 1);
	logkit_class(k, 1200, CAR, "Car");
	logkit_alloc(k, 1201, CAR, 0x8000, 8);
	logkit_object(k, 1202, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_alloc(k, 1203, CAR, 0x8010, 16);
	logkit_object(k, 1204, PV_KIND_EXCEPTION_THROW, 0x8000); /* another thread's object */
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 1);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 900);
	ck_assert_uint_eq(logkit_allocs(k, "Car").bytes, 16);
	ck_assert_uint_eq(k->model->throws.thrown, 1);
	ck_assert_uint_eq(k->model->throws.unknown_class, 0);
	ck_assert_uint_eq(k->model->kinds[PV_KIND_METHOD_ENTER], 2);
	ck_assert(!logkit_thread(k, 1, 1)->selected);
	logkit_free(k);
}
END_TEST

static void named_threads(struct logkit *k)
{
	const char *const name[] = { "worker", "other", "worker" };
	for (int i = 0; i < 3; i++) { /* one after another on one id; the name comes last */
		int64_t t = i * 1000;
		logkit_on(k, 5);
		logkit_event(k, t,
			(struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 5 } });
		logkit_enter(k, t + 10, A);
		logkit_leave(k, t + 10 + (1 << i), A);
		logkit_named(k, t + 50, PV_KIND_THREAD_NAME, 5, name[i]);
		logkit_event(k, t + 60,
			(struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = 5 } });
	}
}

START_TEST(threads_by_a_name_that_comes_delayed)
{
	struct logkit *scout = logkit_new(17);
	named_threads(scout);
	const struct pv_restrict only = {
		.threaded = true, .thread_name = "worker", .scout = logkit_model(scout)
	};
	struct logkit *k = logkit_new_only(17, &only);
	named_threads(k);
	ck_assert_uint_eq(logkit_sum(k, "0xa0").calls, 2);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 1 + 4);
	ck_assert_int_eq(logkit_sum(scout, "0xa0").total_ns, 1 + 2 + 4);
	logkit_free(k);
	logkit_free(scout);
}
END_TEST

START_TEST(samples_by_the_thread_that_was_hit)
{
	const struct pv_restrict only = { .threaded = true, .thread_id = 7 };
	struct logkit *k = logkit_new_only(17, &only);
	logkit_on(k, 3); /* a dumper writes them */
	for (uint64_t hit = 6; hit <= 8; hit++) {
		struct pv_span ips = LOGKIT_LIST(k, 0x77);
		logkit_event(k, 10,
			(struct pv_event){
				.kind = PV_KIND_SAMPLE_HIT, .hit = { .thread = hit, .ips = ips } });
	}
	ck_assert_uint_eq(logkit_model(k)->calls.samples, 1);
	ck_assert_uint_eq(k->model->kinds[PV_KIND_SAMPLE_HIT], 1);
	logkit_free(k);
}
END_TEST

START_TEST(zero_of_old_logs_is_the_scouts)
{
	struct logkit *scout = logkit_new(12);
	logkit_on(scout, 1);
	logkit_enter(scout, 500, A);
	logkit_flush(scout);
	logkit_on(scout, 2);
	logkit_enter(scout, 200, A); /* an older buffer comes later */
	struct pv_model *s = logkit_model(scout);
	ck_assert_int_eq(s->zero_ns, LOGKIT_ZERO + 200);
	const struct pv_restrict only = { .ranged = true, .from_ns = 0, .to_ns = 100, .scout = s };
	struct logkit *k = logkit_new_only(12, &only);
	logkit_on(k, 1);
	logkit_enter(k, 500, A);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_enter(k, 200, A);
	ck_assert_uint_eq(logkit_sum(k, "0xa0").calls, 1);
	logkit_free(k);
	logkit_free(scout);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model range");
	TCase *t = tcase_create("range");
	tcase_add_test(t, calls_are_clipped);
	tcase_add_test(t, the_range_is_half_open);
	tcase_add_test(t, ranges_that_tile_add_up);
	tcase_add_test(t, facts_by_their_own_time_or_start);
	tcase_add_test(t, a_collection_that_starts_inside_and_ends_outside);
	tcase_add_test(t, counters_keep_running_outside);
	tcase_add_test(t, one_thread_by_id);
	tcase_add_test(t, threads_by_a_name_that_comes_delayed);
	tcase_add_test(t, samples_by_the_thread_that_was_hit);
	tcase_add_test(t, zero_of_old_logs_is_the_scouts);
	suite_add_tcase(s, t);
	return run_suite(s);
}
