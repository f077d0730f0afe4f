/* SPDX-License-Identifier: MIT */
/* The call tree from below, thresholds, and calls and samples apart: figures worked out by hand. */
#include <math.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, WORK = 0x110, READ = 0x120, IDLE = 0x130 };

static const char *const node[] = { "method", "calls", "total_ns", "self_ns", NULL };

static void step(struct kit *k, uint64_t us, uint64_t method, bool enter)
{
	kit_at(k, us);
	if (enter)
		kit_enter(k, method);
	else
		kit_leave(k, method);
}

/*
 * Thread 0x10: Main 0..100 calls Work 10..60, which calls Work 20..50, which calls Read 30..40; then
 * Read 70..90. Thread 0x20: Main 0..45 calls Read 40..45. Own times: Main 70, Work 40, Read 35 of 145.
 */
static struct kit calls(const char *args)
{
	struct kit k = kit_new(args);
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_method(&k, READ, "Read()");
	kit_method(&k, IDLE, "Idle()");
	step(&k, 0, MAIN, true);
	step(&k, 10, WORK, true);
	step(&k, 20, WORK, true);
	step(&k, 30, READ, true);
	step(&k, 40, READ, false);
	step(&k, 50, WORK, false);
	step(&k, 60, WORK, false);
	step(&k, 70, READ, true);
	step(&k, 90, READ, false);
	step(&k, 100, MAIN, false);
	kit_thread(&k, 0x20);
	step(&k, 0, MAIN, true);
	step(&k, 40, READ, true);
	step(&k, 45, READ, false);
	step(&k, 45, MAIN, false);
	return k;
}

static void rows_are(const struct pv_table *t, const char *const *text, size_t n)
{
	ck_assert_uint_eq(t->rows, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(kit_text(t, i, node), text[i]);
}

START_TEST(from_below_own_time_goes_to_its_callers)
{
	static const char *const want[] = { "Main() 2 70000 -", "Work() 2 40000 -",
		"Main() 1 20000 -", "Work() 1 20000 -", "Main() 1 20000 -", "Read() 3 35000 -",
		"Main() 2 25000 -", "Work() 1 10000 -", "Work() 1 10000 -", "Main() 1 10000 -" };
	static const uint32_t depth[] = { 0, 0, 1, 1, 2, 0, 1, 1, 2, 3 };
	struct kit k = calls("log:nodefaults,calls");
	struct pv_query q = { .callers = true, .open_all = true, .sort = "total_ns" };
	struct pv_table *t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	rows_are(t, want, PV_COUNT_OF(want));
	for (size_t i = 0; i < PV_COUNT_OF(depth); i++)
		ck_assert_uint_eq(t->row[i].depth, depth[i]);
	ck_assert_uint_eq(t->row[0].flags & PV_ROW_HAS_CHILDREN, 0); /* it has no callers */
	ck_assert_uint_ne(t->row[3].flags & PV_ROW_HAS_CHILDREN, 0);
	uint64_t opened = t->row[5].id;
	pv_table_destroy(t);
	q = (struct pv_query){ .callers = true, .open = &opened, .opens = 1, .sort = "total_ns" };
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->rows, 5);
	ck_assert_str_eq(kit_text(t, 3, node), "Main() 2 25000 -");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(below_a_threshold_rows_are_counted)
{
	struct kit k = calls("log:nodefaults,calls");
	struct pv_query q = { .least = 25 };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_uint_eq(t->rows, 2); /* Read has 24.1 % */
	ck_assert_uint_eq(t->hidden, 1);
	ck_assert(fabs(t->hidden_percent - 100 * 35.0 / 145) < 0.01);
	pv_table_destroy(t);
	q = (struct pv_query){ .least = 20, .callers = true, .open_all = true };
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_uint_eq(t->hidden, 4); /* not those below them */
	ck_assert(fabs(t->hidden_percent - 100 * (20 + 20 + 25 + 10) / 145.0) < 0.01);
	pv_table_destroy(t);
	q = (struct pv_query){ .open_all = true };
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->hidden, 0);
	ck_assert_uint_eq(t->rows, 5);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Main > Idle was only sampled, Work and Read only called. */
START_TEST(calls_and_samples_are_two_views)
{
	static const char *const both[] = { "name", "calls", "samples_self", "samples_total",
		NULL };
	struct kit k = calls("log:nodefaults,calls,sample");
	kit_sample(&k, 0x20, IDLE * 16, (uint64_t[]){ IDLE, MAIN, 0 });
	kit_sample(&k, 0x20, IDLE * 16, (uint64_t[]){ IDLE, MAIN, 0 });
	kit_sample(&k, 0x20, MAIN * 16, (uint64_t[]){ MAIN, 0 });
	struct pv_query q = { .counted = PV_COUNTED_ALL };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_uint_eq(t->rows, 4);
	pv_table_destroy(t);
	q.counted = PV_COUNTED_CALLS;
	t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, both), "Main() 2 - -");
	pv_table_destroy(t);
	q = (struct pv_query){ .counted = PV_COUNTED_SAMPLES, .sort = "samples_self" };
	t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, both), "Idle() - 2 2");
	ck_assert_str_eq(kit_text(t, 1, both), "Main() - 1 3");
	pv_table_destroy(t);
	q = (struct pv_query){ .counted = PV_COUNTED_SAMPLES, .open_all = true };
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, node), "Main() - - -");
	ck_assert_str_eq(kit_text(t, 1, node), "Idle() - - -");
	ck_assert_uint_eq(t->row[1].flags & PV_ROW_HAS_CHILDREN, 0);
	pv_table_destroy(t);
	q = (struct pv_query){ .counted = PV_COUNTED_CALLS, .open_all = true };
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->rows, 5);
	for (size_t i = 0; i < t->rows; i++)
		ck_assert(strncmp(kit_text(t, i, node), "Idle", 4) != 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query tree");
	TCase *c = tcase_create("tree");
	tcase_add_test(c, from_below_own_time_goes_to_its_callers);
	tcase_add_test(c, below_a_threshold_rows_are_counted);
	tcase_add_test(c, calls_and_samples_are_two_views);
	suite_add_tcase(s, c);
	return run_suite(s);
}
