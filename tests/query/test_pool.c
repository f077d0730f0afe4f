/* SPDX-License-Identifier: MIT */
/* Counters of a thread pool among others. */
#include "common/base/system/pool_set.h"
#include "common/base/status.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

START_TEST(those_of_the_pool)
{
	static const char *const columns[] = { "name", "last", "mean", "min", "max", "count",
		NULL };
	static const uint64_t first[] = { 4, 100, 7 }, second[] = { 6, 5, 1 };
	const struct pv_query q = { 0 };
	struct kit k = kit_new("dotnet:events");
	kit_thread(&k, 1);
	kit_describe_counter(&k, 1, "threadpool-queue-length");
	kit_describe_counter(&k, 2, "working-set");
	kit_describe_counter(&k, 3, "ThreadPool Thread Count");
	kit_counters(&k, 100, first, 3);
	kit_counters(&k, 200, second, 3);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_POOL, &q);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, columns), "ThreadPool Thread Count 8 7.5 7 8 2");
	ck_assert_str_eq(kit_text(t, 1, columns), "threadpool-queue-length 10 7 4 10 2");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(each_change_with_its_reason)
{
	static const char *const columns[] = { "time_ns", "workers", "change", "reason", NULL };
	static const char *const want[] = { "100000 4 - starvation", "200000 5 1 starvation",
		"200000 2 -3 thread timed out" };
	static const uint64_t first[] = { 4 }, second[] = { 1, 2 };
	const struct pv_query q = { 0 };
	struct kit k = kit_new("dotnet:events");
	kit_thread(&k, 1);
	kit_describe_counter(&k, 1, PV_POOL_SET_TO "starvation");
	kit_describe_counter(&k, 2, PV_POOL_SET_TO "thread timed out");
	kit_counters(&k, 100, first, 1);
	kit_counters(&k, 200, second, 2);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_POOL_CHANGES, &q);
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(want));
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(kit_text(t, i, columns), want[i]);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* The busiest first: by what ran of their samples; where there are none by their events. */
START_TEST(threads_by_what_they_did)
{
	for (int sampled = 0; sampled < 2; sampled++) {
		struct kit k = kit_new(sampled ? "profview:sample=100" : "profview:calls");
		for (uint64_t id = 1; id <= 3; id++) {
			kit_thread(&k, id);
			kit_at(&k, id * 10);
			for (uint64_t n = 0; n < id; n++)
				kit_enter(&k, 0x100);
			for (uint64_t n = id; sampled && n < 4; n++)
				kit_sample(&k, id, 0x200, (const uint64_t[]){ 0x100, 0 });
			kit_flush(&k);
		}
		struct pv_table *t = kit_view(&k, PV_VIEW_THREADS, NULL);
		ck_assert_uint_eq(t->rows, 3);
		for (uint64_t i = 0; i < 3; i++)
			ck_assert_uint_eq(
				kit_cell(t, &t->row[i], "id")->u, sampled ? i + 1 : 3 - i);
		pv_table_destroy(t);
		kit_free(&k);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pool");
	TCase *t = tcase_create("pool");
	tcase_add_test(t, those_of_the_pool);
	tcase_add_test(t, threads_by_what_they_did);
	tcase_add_test(t, each_change_with_its_reason);
	suite_add_tcase(s, t);
	return run_suite(s);
}
