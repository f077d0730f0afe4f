/* SPDX-License-Identifier: MIT */
/* Figures over time, the rolling window, the first page. */
#include <math.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, WORK = 0x110, TEXT = 0x200, MS = 1000 };

static struct pv_series *series(
	struct kit *k, enum pv_series_kind kind, int64_t from, int64_t to, size_t cells)
{
	kit_flush(k);
	struct pv_series *s = pv_view_series(k->m, kind, 0, from, to, cells);
	ck_assert_ptr_nonnull(s);
	ck_assert_uint_eq(s->n, cells);
	return s;
}

static void resize(struct kit *k, uint64_t us, uint64_t bytes)
{
	kit_at(k, us);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { bytes, 0 } });
}

START_TEST(the_heap_holds_its_size_until_the_next)
{
	struct kit k = kit_new("log:nodefaults,gc");
	resize(&k, 1500, 100);
	resize(&k, 3200, 700);
	resize(&k, 3800, 300);
	resize(&k, 6000, 400);
	struct pv_series *s = series(&k, PV_SERIES_HEAP, 0, 8000 * 1000, 8);
	static const double want[] = { NAN, 100, 100, 700, 300, 300, 400, NAN };
	for (size_t i = 0; i < s->n; i++)
		ck_assert_msg(isnan(want[i]) ? isnan(s->value[i]) : s->value[i] == want[i],
			"cell %zu is %g", i, s->value[i]);
	ck_assert_double_eq(s->max, 700);
	ck_assert_double_eq(s->last, 400);
	ck_assert_int_eq(s->unit, PV_UNIT_BYTES);
	pv_series_destroy(s);
	kit_free(&k);
}
END_TEST

START_TEST(rates_are_a_second)
{
	struct kit k = kit_new("log:nodefaults,calls,gcalloc");
	kit_class(&k, TEXT, "System.String");
	for (unsigned i = 0; i < 1000; i++) {
		kit_at(&k, (uint64_t)i * MS + 500);
		kit_enter(&k, MAIN);
		kit_leave(&k, MAIN);
		kit_alloc(&k, TEXT, 0x8000, 50, NULL);
	}
	struct pv_series *s = series(&k, PV_SERIES_CALL_RATE, 0, 1000000000, 10);
	for (size_t i = 0; i < s->n; i++)
		ck_assert_msg(fabs(s->value[i] - 1000) < 20, "cell %zu is %g", i, s->value[i]);
	pv_series_destroy(s);
	s = series(&k, PV_SERIES_ALLOC_RATE, 0, 0, 4);
	ck_assert_int_eq(s->from_ns, 0);
	ck_assert(fabs(s->value[1] - 50000) < 1000);
	pv_series_destroy(s);
	s = series(&k, PV_SERIES_THROW_RATE, 0, 0, 4); /* not asked for: not known */
	ck_assert(isnan(s->value[0]) && isnan(s->value[3]));
	ck_assert_double_eq(s->max, 0);
	pv_series_destroy(s);
	kit_free(&k);
}
END_TEST

/* Amounts are kept by a width, which a chart of finer columns says; single moments have none. */
START_TEST(amounts_have_a_grain)
{
	struct kit k = kit_new("log:nodefaults,gc,exception");
	kit_class(&k, TEXT, "System.FormatException");
	kit_at(&k, 500);
	kit_alloc(&k, TEXT, 0x8000, 50, NULL);
	kit_throw(&k, 0x8000, (const uint64_t[]){ 0 });
	resize(&k, 3000, 100);
	struct pv_series *s = series(&k, PV_SERIES_HEAP, 0, 0, 4);
	ck_assert_int_eq(s->grain_ns, 0);
	pv_series_destroy(s);
	s = series(&k, PV_SERIES_THROW_RATE, 0, 0, 4);
	ck_assert_int_eq(s->grain_ns, 10000000);
	pv_series_destroy(s);
	ck_assert_uint_ne(pv_view_thrown(k.m, "System.FormatException"), 0);
	ck_assert_uint_eq(pv_view_thrown(k.m, "System.Format"), 0);
	ck_assert_uint_eq(pv_view_thrown(k.m, ""), 0);
	kit_free(&k);
}
END_TEST

START_TEST(a_hit_of_weight_five_is_five_samples)
{
	struct kit k = kit_new("log:nodefaults,sample");
	kit_method(&k, MAIN, "Main()");
	kit_thread(&k, 1);
	for (unsigned i = 0; i < 1000; i++) {
		kit_at(&k, (uint64_t)i * MS + 500);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
				      .hit = { .type = 1, .thread = 1, .weight = 5 } });
	}
	struct pv_series *s = series(&k, PV_SERIES_SAMPLE_RATE, 0, 1000000000, 10);
	for (size_t i = 0; i < s->n; i++)
		ck_assert_msg(fabs(s->value[i] - 5000) < 100, "cell %zu is %g", i, s->value[i]);
	pv_series_destroy(s);
	struct pv_table *t = kit_view(&k, PV_VIEW_THREADS, NULL);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "samples")->u, 5000);
	pv_table_destroy(t);
	t = kit_view(
		&k, PV_VIEW_THREADS, &(struct pv_query){ .bucketed = true, .to_ns = 2000000000 });
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "samples")->u, 5000);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(pauses_are_split_at_the_cells_edges)
{
	struct kit k = kit_new("log:nodefaults,gc");
	kit_at(&k, 1750);
	kit_gc(&k, PV_GC_PRE_STOP, 1);
	kit_gc(&k, PV_GC_START, 1);
	kit_at(&k, 3500);
	kit_gc(&k, PV_GC_END, 1);
	kit_gc(&k, PV_GC_POST_START, 1);
	kit_at(&k, 3999);
	kit_gc(&k, PV_GC_START, 0);
	struct pv_series *s = series(&k, PV_SERIES_PAUSE, 0, 5000 * 1000, 5);
	static const double want[] = { 0, 250000, 1000000, 500000 };
	for (size_t i = 0; i < 4; i++)
		ck_assert_msg(fabs(s->value[i] - want[i]) < 1, "cell %zu is %g", i, s->value[i]);
	ck_assert(isnan(s->value[4]));
	pv_series_destroy(s);
	s = series(&k, PV_SERIES_MAJOR, 0, 5000 * 1000, 5);
	ck_assert(s->value[1] == 1 && s->value[3] == 0);
	pv_series_destroy(s);
	s = series(&k, PV_SERIES_MINOR, 0, 5000 * 1000, 5);
	ck_assert(s->value[1] == 0 && s->value[3] == 1);
	pv_series_destroy(s);
	kit_free(&k);
}
END_TEST

/* Two threads, one of which waits for a lock for half of the time, and the profiler's own. */
START_TEST(samples_are_by_what_threads_did)
{
	struct kit k = kit_new("profview:native,sample-real=1000,sample-timer=cpu:1000");
	static const uint64_t work[] = { WORK, 0 };
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	for (uint64_t ms = 0; ms < 100; ms++) {
		kit_at(&k, ms * MS + 500);
		kit_sample(&k, 7, 0, work);
		if (ms < 50)
			kit_sample(&k, 8, 0, work);
	}
	kit_at(&k, 100 * MS);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_WAITED,
			      .hit = { .thread = 8, .state = PV_WAIT_LOCK, .times = 50 } });
	static const struct {
		enum pv_series_kind kind;
		double first, second;
	} want[] = { { PV_SERIES_RAN, 2000, 1000 }, { PV_SERIES_LOCKED, 0, 1000 },
		{ PV_SERIES_QUEUED, 0, 0 }, { PV_SERIES_IDLE, 0, 0 } };
	for (size_t i = 0; i < PV_COUNT_OF(want); i++) {
		struct pv_series *s = series(&k, want[i].kind, 0, 100000000, 2);
		ck_assert_msg(fabs(s->value[0] - want[i].first) < 25 &&
				      fabs(s->value[1] - want[i].second) < 25,
			"%s: %g, %g", s->name, s->value[0], s->value[1]);
		pv_series_destroy(s);
	}
	kit_free(&k);
}
END_TEST

START_TEST(the_heap_is_by_generation)
{
	struct kit k = kit_new("profview:clr,counter");
	static const char *const name[] = { "Generation 0", "Generation 1", "Generation 2",
		"Large objects", "Pinned objects" };
	for (uint64_t i = 0; i < PV_COUNT_OF(name); i++)
		kit_describe_counter(&k, i + 1, name[i]);
	kit_counters(&k, 1 * MS, (const uint64_t[]){ 1, 2, 40, 500, 0 }, 5);
	kit_counters(&k, 3 * MS, (const uint64_t[]){ 2, 0, 20, 0, 7 }, 5);
	static const struct {
		enum pv_series_kind kind;
		double first, last;
	} want[] = { { PV_SERIES_YOUNG, 3, 5 }, { PV_SERIES_OLD, 40, 60 },
		{ PV_SERIES_LARGE, 500, 507 } };
	for (size_t i = 0; i < PV_COUNT_OF(want); i++) {
		struct pv_series *s = series(&k, want[i].kind, 0, 4000000, 4);
		ck_assert(isnan(s->value[0]));
		ck_assert_double_eq(s->value[1], want[i].first);
		ck_assert_double_eq(s->value[3], want[i].last);
		ck_assert_int_eq(s->unit, PV_UNIT_BYTES);
		pv_series_destroy(s);
	}
	kit_free(&k);
}
END_TEST

START_TEST(an_empty_log_is_unknown)
{
	struct kit k = kit_new("log:");
	for (int kind = 0; kind < PV_SERIES_KINDS; kind++) {
		struct pv_series *s = series(&k, (enum pv_series_kind)kind, 0, 0, 3);
		ck_assert(isnan(s->value[0]) && isnan(s->value[2]));
		ck_assert_ptr_nonnull(s->name);
		pv_series_destroy(s);
	}
	pv_series_destroy(NULL);
	kit_free(&k);
}
END_TEST

/* Early: Work called for 2 s. Later, in the last second: Main only, and one allocation. */
START_TEST(the_window_forgets)
{
	struct kit k = kit_new("log:calls,gcalloc");
	static const uint64_t stack[] = { MAIN, 0 };
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_class(&k, TEXT, "System.String");
	kit_enter(&k, MAIN);
	kit_enter(&k, WORK);
	kit_alloc(&k, TEXT, 0x8000, 1000, stack);
	kit_at(&k, 2000 * MS);
	kit_leave(&k, WORK);
	kit_at(&k, 19500 * MS);
	kit_alloc(&k, TEXT, 0x9000, 24, stack);
	kit_at(&k, 20000 * MS);
	kit_leave(&k, MAIN);
	struct pv_query last = { .window_ns = 1000000000 };
	static const char *const row[] = { "name", "calls", "max_ns", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &last);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_text(t, 0, row), "Main() 0 -");
	int64_t self = kit_cell(t, &t->row[0], "self_ns")->i;
	ck_assert_int_ge(self, 900000000);
	ck_assert_int_le(self, 1100000000);
	ck_assert_int_eq(kit_cell(t, &t->row[0], "total_ns")->i, self);
	pv_table_destroy(t);
	static const char *const class[] = { "name", "allocations", "allocated_bytes", NULL };
	t = kit_view(&k, PV_VIEW_CLASSES, &last);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_text(t, 0, class), "System.String 1 24");
	last.select = t->row[0].id;
	pv_table_destroy(t);
	static const char *const frame[] = { "method", "allocations", "allocated_bytes", NULL };
	t = kit_view(&k, PV_VIEW_CLASS_STACKS, &last);
	ck_assert_str_eq(kit_text(t, 0, frame), "Main() 1 24");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALL_TREE,
		&(struct pv_query){ .window_ns = 30000000000, .open_all = true });
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_int_eq(kit_cell(t, &t->row[1], "self_ns")->i, 2000000000);
	ck_assert_int_eq(kit_cell(t, &t->row[0], "total_ns")->i, 20000000000);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(the_first_page)
{
	struct kit k = kit_new("log:calls,gcalloc");
	kit_class(&k, TEXT, "System.String");
	kit_method(&k, MAIN, "Main()");
	kit_enter(&k, MAIN);
	resize(&k, 10, 4096);
	kit_alloc(&k, TEXT, 0x8000, 24, NULL);
	kit_at(&k, 500);
	kit_leave(&k, MAIN);
	kit_flush(&k);
	struct pv_summary s;
	pv_view_summary(k.m, &s);
	ck_assert_str_eq(s.format, "mlpd 17");
	ck_assert_str_eq(s.runtime, "x86-64 linux");
	ck_assert_str_eq(s.args, "log:calls,gcalloc");
	ck_assert_int_eq(s.duration_ns, 500000);
	ck_assert_uint_eq(s.pid, 77);
	ck_assert_uint_eq(s.calls, 1);
	ck_assert_uint_eq(s.allocated_bytes, 24);
	ck_assert_uint_eq(s.classes, 1);
	ck_assert_uint_eq(s.heap_max_bytes, 4096);
	ck_assert_uint_eq(s.methods_jitted, 1);
	ck_assert_uint_eq(s.recorded & (PV_GROUP_CALLS | PV_GROUP_SAMPLES | PV_GROUP_GC),
		PV_GROUP_CALLS | PV_GROUP_GC);
	ck_assert_uint_eq(s.enabled,
		PV_GROUP_CALLS | PV_GROUP_ALLOC | PV_GROUP_EXCEPTIONS | PV_GROUP_COUNTERS);
	uint64_t generation = pv_view_generation(k.m);
	kit_enter(&k, MAIN);
	kit_flush(&k);
	ck_assert_uint_ne(pv_view_generation(k.m), generation);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query series");
	TCase *c = tcase_create("all");
	tcase_add_test(c, the_heap_holds_its_size_until_the_next);
	tcase_add_test(c, rates_are_a_second);
	tcase_add_test(c, amounts_have_a_grain);
	tcase_add_test(c, a_hit_of_weight_five_is_five_samples);
	tcase_add_test(c, pauses_are_split_at_the_cells_edges);
	tcase_add_test(c, samples_are_by_what_threads_did);
	tcase_add_test(c, the_heap_is_by_generation);
	tcase_add_test(c, an_empty_log_is_unknown);
	tcase_add_test(c, the_window_forgets);
	tcase_add_test(c, the_first_page);
	suite_add_tcase(s, c);
	return run_suite(s);
}
