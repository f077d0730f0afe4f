/* SPDX-License-Identifier: MIT */
/* Threads as (native id, epoch). */
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0 };

static void thread_event(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t id)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = (uint8_t)kind, .meta = { .key = id, .name = { "", 0 } } });
}

static const char *name_of(struct logkit *k, const struct pv_thread *th)
{
	return pv_intern_text(&k->model->names.text, th->name);
}

START_TEST(an_id_used_again_is_another_thread)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	thread_event(k, 1, PV_KIND_THREAD_START, 5);
	logkit_named(k, 2, PV_KIND_THREAD_NAME, 5, "first");
	logkit_enter(k, 10, A); /* never leaves */
	logkit_object(k, 20, PV_KIND_EXCEPTION_THROW, 0x8000);
	thread_event(k, 30, PV_KIND_THREAD_END, 5);
	logkit_flush(k);
	logkit_object(k, 40, PV_KIND_EXCEPTION_THROW, 0x8000); /* before its start */
	thread_event(k, 50, PV_KIND_THREAD_START, 5);
	logkit_named(k, 51, PV_KIND_THREAD_NAME, 5, "second");
	logkit_leave(k, 60, A); /* an empty stack: stray */
	logkit_enter(k, 61, B);
	logkit_leave(k, 71, B);
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->threads.thread.n, 3);
	const struct pv_thread *one = logkit_thread(k, 5, 1), *two = logkit_thread(k, 5, 2);
	ck_assert_str_eq(name_of(k, one), "first");
	ck_assert_str_eq(name_of(k, two), "second");
	ck_assert_int_eq(one->start_ns, LOGKIT_ZERO + 1);
	ck_assert_int_eq(one->end_ns, LOGKIT_ZERO + 30);
	ck_assert_int_eq(two->start_ns, LOGKIT_ZERO + 50);
	ck_assert_int_eq(two->end_ns, PV_NEVER);
	ck_assert_int_eq(two->first_ns, LOGKIT_ZERO + 40);
	ck_assert_uint_eq(one->events, 5);
	ck_assert_uint_eq(two->events, 6);
	ck_assert_uint_eq(m->calls.stray_leaves, 1);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 20); /* to its last event: its end */
	ck_assert_uint_ne(logkit_node(k, "0xb0"), 0);
	ck_assert_uint_eq(m->threads.ended, 1);
	ck_assert_uint_eq(pv_threads_at(&m->threads, 5, LOGKIT_ZERO + 15), 1);
	ck_assert_uint_eq(pv_threads_at(&m->threads, 5, LOGKIT_ZERO + 65), 2);
	ck_assert_uint_eq(pv_threads_at(&m->threads, 6, LOGKIT_ZERO), 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_start_opens_an_epoch_when_the_end_was_lost)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	thread_event(k, 1, PV_KIND_THREAD_START, 5);
	logkit_enter(k, 10, A);
	logkit_enter(k, 20, B);
	thread_event(k, 500, PV_KIND_THREAD_START, 5);
	logkit_enter(k, 510, A);
	logkit_leave(k, 515, A);
	ck_assert_uint_eq(logkit_model(k)->threads.thread.n, 3);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 10 + 5);
	ck_assert_uint_eq(logkit_sum(k, "0xb0").calls, 1);
	ck_assert_uint_eq(logkit_node(k, "0xa0/0xb0/0xa0"), 0);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->events, 3);
	ck_assert_uint_eq(logkit_thread(k, 5, 2)->events, 3);
	ck_assert_int_eq(logkit_thread(k, 5, 1)->last_ns, LOGKIT_ZERO + 20);
	logkit_free(k);
}
END_TEST

START_TEST(a_delayed_start_is_of_the_running_thread)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	logkit_object(k, 1, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_flush(k);
	thread_event(k, 2, PV_KIND_THREAD_START, 5);
	logkit_flush(k);
	thread_event(k, 2, PV_KIND_THREAD_START, 5); /* said again */
	ck_assert_uint_eq(logkit_model(k)->threads.thread.n, 2);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->events, 3);
	logkit_free(k);
}
END_TEST

START_TEST(an_end_said_by_another_thread)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	logkit_enter(k, 10, A);
	logkit_flush(k);
	logkit_on(k, 6); /* writes 5's end before 5's last buffer is flushed */
	thread_event(k, 100, PV_KIND_THREAD_END, 5);
	logkit_flush(k);
	logkit_on(k, 5);
	logkit_leave(k, 90, A);
	ck_assert_uint_eq(logkit_model(k)->threads.thread.n, 3);
	ck_assert_ptr_null(logkit_thread(k, 5, 2));
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 80);
	ck_assert_int_eq(logkit_thread(k, 5, 1)->end_ns, LOGKIT_ZERO + 100);
	ck_assert(logkit_thread(k, 5, 1)->own);
	logkit_free(k);
}
END_TEST

START_TEST(events_after_the_end_keep_the_name)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	thread_event(k, 1, PV_KIND_THREAD_START, 5);
	logkit_named(k, 2, PV_KIND_THREAD_NAME, 5, "Profiler Writer");
	thread_event(k, 3, PV_KIND_THREAD_END, 5);
	logkit_method(k, 9, A, "A");
	ck_assert_str_eq(name_of(k, logkit_thread(k, 5, 2)), "Profiler Writer");
	thread_event(k, 10, PV_KIND_THREAD_START, 5); /* it is a new one after all */
	logkit_model(k);
	ck_assert_str_eq(name_of(k, logkit_thread(k, 5, 2)), "");
	logkit_free(k);
}
END_TEST

START_TEST(allocated_bytes_and_samples_of_a_thread)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 5);
	logkit_alloc(k, 1, 0x500, 0x8000, 100);
	logkit_alloc(k, 2, 0x500, 0x8100, 28);
	logkit_on(k, 6);
	for (int i = 0; i < 3; i++) {
		struct pv_span ip = LOGKIT_LIST(k, 0x77);
		logkit_event(k, 10 + i,
			(struct pv_event){
				.kind = PV_KIND_SAMPLE_HIT, .hit = { .thread = 5, .ips = ip } });
	}
	logkit_model(k);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->allocated_bytes, 128);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->allocations, 2);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->samples, 3);
	ck_assert_uint_eq(logkit_thread(k, 5, 1)->events, 2);
	ck_assert_uint_eq(logkit_thread(k, 6, 1)->samples, 0);
	ck_assert_uint_eq(logkit_thread(k, 6, 1)->events, 3);
	logkit_free(k);
}
END_TEST

START_TEST(forty_threads_on_seven_ids)
{
	struct logkit *k = logkit_new(17);
	for (int i = 0; i < 40; i++) {
		uint64_t id = 100 + (uint64_t)i % 7;
		int64_t t = i * 1000;
		logkit_on(k, id);
		thread_event(k, t + 1, PV_KIND_THREAD_START, id);
		logkit_enter(k, t + 10, A);
		logkit_leave(k, t + 20, A);
		thread_event(k, t + 30, PV_KIND_THREAD_END, id);
		logkit_flush(k);
	}
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->threads.thread.n - 1, 40);
	ck_assert_uint_eq(m->threads.ended, 40);
	ck_assert_uint_eq(logkit_thread(k, 100, 6)->epoch, 6);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 400);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model threads");
	TCase *t = tcase_create("threads");
	tcase_add_test(t, an_id_used_again_is_another_thread);
	tcase_add_test(t, a_start_opens_an_epoch_when_the_end_was_lost);
	tcase_add_test(t, a_delayed_start_is_of_the_running_thread);
	tcase_add_test(t, an_end_said_by_another_thread);
	tcase_add_test(t, events_after_the_end_keep_the_name);
	tcase_add_test(t, allocated_bytes_and_samples_of_a_thread);
	tcase_add_test(t, forty_threads_on_seven_ids);
	suite_add_tcase(s, t);
	return run_suite(s);
}
