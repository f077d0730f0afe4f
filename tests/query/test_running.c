/* SPDX-License-Identifier: MIT */
/* How many processors a program keeps busy, by its counters of processor time. */
#include "common/query/views.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	TIME_UNIT = 2 << 24,
	SECOND = 1000000 /* us */,
	BUSY = 10000000 /* 100 ns: one processor */
};

static struct pv_running running_of(struct kit *k)
{
	struct pv_summary s;
	kit_flush(k);
	pv_view_summary(k->m, &s);
	return s.running;
}

static struct kit begin(const char *args)
{
	struct kit k = kit_new(args);
	kit_thread(&k, 1);
	kit_describe_counter_in(&k, 1, "User Time", TIME_UNIT);
	kit_describe_counter_in(&k, 2, "System Time", TIME_UNIT);
	return k;
}

/* A program that was joined has used some before. */
START_TEST(the_mean_and_the_last_seconds)
{
	struct kit k = begin("profview:coreclr,counter,cpus=8,buffer=1");
	kit_counters(&k, 0, (const uint64_t[]){ 90 * BUSY, 10 * BUSY }, 2);
	for (uint64_t s = 1; s <= 10; s++)
		kit_counters(&k, s * SECOND,
			(const uint64_t[]){ s <= 5 ? 3 * BUSY : BUSY, BUSY / 2 }, 2);
	struct pv_running r = running_of(&k);
	ck_assert(r.known);
	ck_assert_double_eq_tol(r.mean, 2.5, 1e-6);
	ck_assert_double_eq_tol(r.now, 1.5, 1e-6);
	ck_assert_uint_eq(r.usable, 8);
	kit_free(&k);
}
END_TEST

/* A counter that stands still is not written again. */
START_TEST(nothing_runs_by_now)
{
	struct kit k = begin("log:counter");
	kit_counters(&k, 0, (const uint64_t[]){ 0, 0 }, 2);
	kit_counters(&k, 2 * SECOND, (const uint64_t[]){ 4 * BUSY }, 1);
	kit_at(&k, 8 * SECOND);
	kit_method(&k, 0x100, "Main()");
	struct pv_running r = running_of(&k);
	ck_assert_double_eq_tol(r.mean, 2, 1e-6);
	ck_assert_double_eq(r.now, 0);
	ck_assert_uint_eq(r.usable, 0);
	kit_free(&k);
}
END_TEST

START_TEST(one_reading_says_nothing)
{
	struct kit k = begin("log:counter");
	kit_counters(&k, 0, (const uint64_t[]){ 7, 7 }, 2);
	ck_assert(!running_of(&k).known);
	kit_free(&k);
	k = kit_new("log:counter");
	kit_thread(&k, 1);
	kit_describe_counter(&k, 1, "User Time"); /* bytes */
	kit_counters(&k, 0, (const uint64_t[]){ 7 }, 1);
	kit_counters(&k, SECOND, (const uint64_t[]){ 7 }, 1);
	ck_assert(!running_of(&k).known);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("running");
	TCase *t = tcase_create("running");
	tcase_add_test(t, the_mean_and_the_last_seconds);
	tcase_add_test(t, nothing_runs_by_now);
	tcase_add_test(t, one_reading_says_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}
