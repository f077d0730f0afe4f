/* SPDX-License-Identifier: MIT */
/* Time that samples saw in the kernel, whether the log has its functions, and what has no samples. */
#include <string.h>

#include "common/query/coverage/coverage_advice.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x10 };

static const char much[] =
	"40 % of the time is the kernel's, without its functions: --probe kernel has them";

static const struct {
	const char *args, *says; /* NULL: nothing of the kernel */
	uint64_t user_ns, kernel_ns;
} row[] = {
	{ "profview:mono,sample=100,cpu,sample-timer=mono-cpu:100", much, 600, 400 },
	{ "profview:native,sample=100,cpu,sample-timer=cpu:100", much, 600, 400 },
	{ "profview:native,sample=100,cpu,sample-timer=cpu:100", NULL, 0, 0 },
	{ "profview:mono,sample=100,cpu,sample-timer=mono-cpu:100", NULL, 950, 50 },
	{ "profview:native,sample=100,cpu,kernel,sample-timer=cpu:100", NULL, 600, 400 },
	{ "profview:mono,sample=1000,cpu,sample-timer=mono-perf:1000", NULL, 600, 400 },
	{ "profview:coreclr,sample=100,cpu,kernel=refused,sample-timer=cpu:100",
		"the kernel's functions are refused (perf_event_paranoid)", 600, 400 },
};

START_TEST(much_time_in_the_kernel_is_said_where_its_functions_lack)
{
	struct kit k = kit_new(row[_i].args);
	kit_method(&k, MAIN, "Main");
	kit_sample(&k, 1, 0, (const uint64_t[]){ MAIN, 0 });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_CPU,
			      .cpu = { row[_i].user_ns, row[_i].kernel_ns } });
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, NULL);
	const struct pv_row *samples = kit_row(t, "what", "samples");
	const char *detail = kit_cell(t, samples, "detail")->s;
	const char *says = row[_i].says;
	ck_assert_str_eq(kit_cell(t, samples, "state")->s, "complete");
	ck_assert_msg(strstr(detail, says ? says : "1 sample"), "%s", detail);
	ck_assert_msg(says || !strstr(detail, "kernel"), "%s", detail);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* The state and the words of the samples' row. */
static void samples_are(struct kit *k, const char *state, const char *says, bool said)
{
	struct pv_table *t = kit_view(k, PV_VIEW_COVERAGE, NULL);
	const struct pv_row *samples = kit_row(t, "what", "samples");
	const char *detail = kit_cell(t, samples, "detail")->s;
	ck_assert_str_eq(kit_cell(t, samples, "state")->s, state);
	ck_assert_msg(!strstr(detail, says) == !said, "%s", detail);
	pv_table_destroy(t);
}

/* A process of a tree is taken in once it is worth it. */
START_TEST(what_was_not_sampled_before_is_said)
{
	static const char says[] = "from 41 ms of the process's processor time on";
	for (int since = 0; since < 2; since++) {
		struct kit k =
			kit_new(since ? "profview:native,sample=100,sample-timer=cpu:100,since=41"
				      : "profview:native,sample=100,sample-timer=cpu:100");
		kit_sample(&k, 1, 0, (const uint64_t[]){ MAIN, 0 });
		kit_flush(&k);
		samples_are(&k, since ? "partial" : "complete", says, since);
		kit_free(&k);
	}
}
END_TEST

/* Threads that begin and end, of which one in so many has a sample; 0: none. */
static struct kit short_threads(uint64_t n, uint64_t sampled)
{
	struct kit k = kit_new("profview:mono,sample=100,sample-timer=mono-cpu:100");
	kit_sample(&k, 1, 0, (const uint64_t[]){ MAIN, 0 });
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t id = 0x1000 + i;
		kit_thread(&k, id);
		kit_event(&k,
			(struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = id } });
		if (sampled && i % sampled == 0)
			kit_sample(&k, id, 0, (const uint64_t[]){ MAIN, 0 });
		kit_event(
			&k, (struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = id } });
	}
	kit_flush(&k);
	return k;
}

START_TEST(short_threads_without_samples_are_said)
{
	static const char says[] = "of 500 threads that began and ended 0 had a sample";
	struct kit k = short_threads(500, 0);
	samples_are(&k, "partial", says, true);
	kit_free(&k);
	k = short_threads(500, 5); /* as many as their time has */
	samples_are(&k, "complete", "began and ended", false);
	kit_free(&k);
	k = short_threads(20, 0); /* too few to tell */
	samples_are(&k, "complete", "began and ended", false);
	kit_free(&k);
}
END_TEST

/* One collection, within one stop or from one to the next. */
START_TEST(collections_within_one_of_the_background_may_be_missing)
{
	for (int background = 0; background < 2; background++) {
		struct kit k = kit_new("profview:coreclr,gc");
		kit_thread(&k, 1);
		for (int i = 0; i < 2; i++) {
			kit_gc(&k, PV_GC_PRE_STOP, 2);
			kit_gc(&k, PV_GC_POST_STOP, 2);
			if (i == 0)
				kit_gc(&k, PV_GC_START, 2);
			if (i == background)
				kit_gc(&k, PV_GC_END, 2);
			kit_gc(&k, PV_GC_PRE_START, 2);
			kit_gc(&k, PV_GC_POST_START, 2);
		}
		kit_flush(&k);
		struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, NULL);
		const struct pv_row *gc = kit_row(t, "what", "gc");
		ck_assert_msg(
			!strstr(kit_cell(t, gc, "detail")->s, "in the background") == !background,
			"%s", kit_cell(t, gc, "detail")->s);
		pv_table_destroy(t);
		kit_free(&k);
	}
}
END_TEST

static void has_advice(const char *line, const char *expected)
{
	size_t n;
	const char *at = pv_coverage_advice(line, &n);
	ck_assert_int_eq(strncmp(at, expected, n), 0);
	ck_assert_uint_eq(n, strlen(expected));
}

START_TEST(a_report_can_say_it_once)
{
	has_advice(
		"samples: 1 sample, 40 % of the time is the kernel's, without its functions: --probe"
		" kernel has them, all complete; damage none",
		", 40 % of the time is the kernel's, without its functions: --probe kernel has them");
	has_advice(much, much);
	has_advice("samples: 40 % of the time", "");
	has_advice("", "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query kernel");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, much_time_in_the_kernel_is_said_where_its_functions_lack, 0,
		(int)PV_COUNT_OF(row));
	tcase_add_test(c, a_report_can_say_it_once);
	tcase_add_test(c, what_was_not_sampled_before_is_said);
	tcase_add_test(c, short_threads_without_samples_are_said);
	tcase_add_test(c, collections_within_one_of_the_background_may_be_missing);
	suite_add_tcase(s, c);
	return run_suite(s);
}
