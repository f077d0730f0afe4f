/* SPDX-License-Identifier: MIT */
/* One collection and what is known of it; what is not, is said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, STRING = 0x200, MANY = 70000 };

/* Of the collection that starts at `us`, 0: the one that is shown without a choice. */
static const char *detail(struct kit *k, uint64_t us, const char *what)
{
	static char text[400];
	struct pv_query q = { .select = us ? us * 1000 + 1 : 0 };
	struct pv_table *t = kit_view(k, PV_VIEW_GC_CAUSE, &q);
	const struct pv_cell *c = kit_cell(t, kit_row(t, "what", what), "detail");
	snprintf(text, sizeof text, "%s", c->s);
	pv_table_destroy(t);
	return text;
}

static bool has(struct kit *k, uint64_t us, const char *what)
{
	struct pv_query q = { .select = us ? us * 1000 + 1 : 0 };
	struct pv_table *t = kit_view(k, PV_VIEW_GC_CAUSE, &q);
	bool found = false;
	for (size_t i = 0; i < t->rows; i++)
		found = found || strcmp(kit_cell(t, &t->row[i], "what")->s, what) == 0;
	pv_table_destroy(t);
	return found;
}

static uint64_t value(struct kit *k, uint64_t us, const char *what)
{
	struct pv_query q = { .select = us ? us * 1000 + 1 : 0 };
	struct pv_table *t = kit_view(k, PV_VIEW_GC_CAUSE, &q);
	uint64_t got = kit_cell(t, kit_row(t, "what", what), "value")->u;
	pv_table_destroy(t);
	return got;
}

static void why(struct kit *k, uint64_t reason, uint64_t how)
{
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_EXT_COLLECTION, .collection = { reason, how } });
}

static void left(
	struct kit *k, uint64_t collected, uint64_t region, uint64_t bytes, uint64_t promoted)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_GENERATION,
			     .left = { collected, region, bytes, promoted } });
}

/* Stops at `us`, all threads stand `stand` later, and it takes `us` until they go on. */
static void collect(struct kit *k, uint64_t us, uint64_t generation, uint64_t stand, uint64_t took)
{
	kit_at(k, us);
	kit_gc(k, PV_GC_PRE_STOP, 0);
	kit_at(k, us + stand);
	kit_gc(k, PV_GC_POST_STOP, 0);
	kit_gc(k, PV_GC_START, generation);
	kit_at(k, us + took - 1);
	kit_gc(k, PV_GC_END, generation);
	kit_at(k, us + took);
	kit_gc(k, PV_GC_POST_START, 0);
}

static struct kit world(const char *args)
{
	struct kit k = kit_new(args);
	kit_method(&k, MAIN, "Main()");
	kit_class(&k, STRING, "System.String");
	return k;
}

START_TEST(the_stop_and_its_part_of_the_whole)
{
	struct kit k = world("log:alloc,gc");
	const uint64_t none = 0;
	collect(&k, 1000, 0, 10, 100);
	kit_at(&k, 1500);
	kit_alloc(&k, STRING, 0x1000, 4096, &none);
	collect(&k, 2000, 1, 30, 300);
	kit_at(&k, 10000);
	kit_alloc(&k, STRING, 0x2000, 64, &none);
	kit_flush(&k);
	/* Starts are 10 and 30 us after the stops. */
	ck_assert_str_eq(detail(&k, 2030, "to stop"),
		"30.0 us until all threads stood, 10.0 % of the pause");
	ck_assert_uint_eq(value(&k, 2030, "to stop"), 30000);
	ck_assert_uint_eq(value(&k, 2030, "pause"), 300000);
	ck_assert_str_eq(detail(&k, 2030, "pause"), "300 us; of 2 collections none was longer");
	ck_assert_str_eq(detail(&k, 1010, "pause"), "100 us; of 2 collections 1 was longer");
	ck_assert_str_eq(
		detail(&k, 2030, "of all pauses"), "75.0 % of the time of all pauses (400 us)");
	ck_assert_str_eq(detail(&k, 2030, "of the whole"), "3.0 % of the time recorded (10.0 ms)");
	ck_assert_str_eq(detail(&k, 2030, "allocated"),
		"4.00 KiB since the one before began, 3.83 MiB a second");
	ck_assert_uint_eq(value(&k, 2030, "allocated"), 4096);
	ck_assert_uint_eq(value(&k, 2030, "the one before"), 1020000);
	ck_assert_str_eq(detail(&k, 1010, "the one before"), "this is the first of the log");
	/* Without a choice: the longest pause. */
	ck_assert_uint_eq(value(&k, 0, "collection"), 2030000);
	kit_free(&k);
}
END_TEST

/* More a second than there are numbers for: the sizes of a damaged log. */
START_TEST(a_rate_beyond_all_numbers)
{
	struct kit k = world("log:alloc,gc");
	const uint64_t none = 0;
	kit_at(&k, 1);
	kit_alloc(&k, STRING, 0x1000, UINT64_C(1) << 62, &none);
	collect(&k, 2, 0, 1, 10);
	kit_flush(&k);
	ck_assert_str_eq(
		detail(&k, 3, "allocated"), "4.00 EiB since the log begins, 16.0 EiB a second");
	kit_free(&k);
}
END_TEST

START_TEST(what_the_log_lacks_is_said)
{
	struct kit k = world("log:nodefaults,gc");
	kit_at(&k, 1000);
	kit_gc(&k, PV_GC_START, 0);
	kit_at(&k, 1100);
	kit_gc(&k, PV_GC_END, 0);
	kit_flush(&k);
	ck_assert_str_eq(
		detail(&k, 0, "why"), "not in this log: the reason, which Mono does not say");
	ck_assert_str_eq(
		detail(&k, 0, "allocated"), "not in this log: allocations; recorded by --alloc");
	ck_assert_ptr_nonnull(strstr(detail(&k, 0, "heap"), "not in this log"));
	ck_assert_ptr_nonnull(strstr(detail(&k, 0, "survived"), "--probe gcmove (moved objects)"));
	ck_assert_ptr_nonnull(strstr(detail(&k, 0, "to stop"), "not in this log"));
	ck_assert_ptr_nonnull(strstr(detail(&k, 0, "pause"), "not in this log"));
	ck_assert(!has(&k, 0, "of all pauses"));
	kit_free(&k);
	k = world("profview:coreclr,gc"); /* no reason is said of this one, either */
	kit_at(&k, 1000);
	kit_gc(&k, PV_GC_START, 0);
	kit_gc(&k, PV_GC_END, 0);
	kit_flush(&k);
	ck_assert_ptr_nonnull(strstr(detail(&k, 0, "why"), "recorded by the words classof"));
	kit_free(&k);
}
END_TEST

START_TEST(the_reason_and_what_was_left)
{
	struct kit k = world("profview:coreclr,gc,suspend");
	kit_at(&k, 1000);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_gc(&k, PV_GC_POST_STOP, 0);
	kit_gc(&k, PV_GC_START, 2);
	why(&k, PV_WHY_FIRST + 1, PV_HOW_BLOCKING);
	kit_at(&k, 1050);
	left(&k, 2, 0, 100, 10);
	left(&k, 2, 3, 5000, 4000);
	left(&k, 2, 99, 1, 1); /* no such region */
	kit_gc(&k, PV_GC_END, 2);
	kit_gc(&k, PV_GC_POST_START, 0);
	kit_at(&k, 2000);
	kit_gc(&k, PV_GC_START, 0);
	why(&k, PV_WHYS, 0); /* no such reason */
	kit_gc(&k, PV_GC_END, 0);
	kit_flush(&k);
	ck_assert_str_eq(detail(&k, 1000, "why"), "the program asked for it");
	ck_assert_uint_eq(value(&k, 1000, "why"), PV_WHY_FIRST + 1);
	ck_assert_ptr_nonnull(strstr(detail(&k, 1000, "collection"), "all threads stopped"));
	ck_assert_str_eq(detail(&k, 1000, "promoted"),
		"3.92 KiB survived: generation 0 10 B, large objects 3.91 KiB");
	ck_assert_uint_eq(value(&k, 1000, "left"), 5100);
	ck_assert_ptr_nonnull(strstr(detail(&k, 2000, "why"), "not in this log"));
	ck_assert(!has(&k, 2000, "promoted"));
	kit_free(&k);
}
END_TEST

static void move(struct kit *k, uint64_t from, uint64_t to)
{
	size_t at = k->batch.pool.n;
	kit_must(pv_reserve(&k->batch.pool, 2));
	k->batch.pool.v[k->batch.pool.n++] = from;
	k->batch.pool.v[k->batch.pool.n++] = to;
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves.pairs = { (uint32_t)at, 2 } });
}

/* Mono says the last ones when the collection has ended, before the threads go on. */
START_TEST(objects_that_moved)
{
	struct kit k = world("log:gc,gcmove");
	kit_at(&k, 1000);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_gc(&k, PV_GC_START, 0);
	kit_at(&k, 1010);
	move(&k, 0x1000, 0x8000);
	move(&k, 0x1010, 0x8010);
	kit_at(&k, 1020);
	kit_gc(&k, PV_GC_END, 0);
	kit_at(&k, 1030);
	move(&k, 0x1020, 0x8020);
	kit_gc(&k, PV_GC_POST_START, 0);
	kit_at(&k, 2000);
	kit_gc(&k, PV_GC_START, 0);
	kit_gc(&k, PV_GC_END, 0);
	kit_flush(&k);
	ck_assert_uint_eq(value(&k, 1000, "moved"), 3);
	ck_assert_uint_eq(value(&k, 2000, "moved"), 0);
	ck_assert_ptr_nonnull(strstr(detail(&k, 1000, "moved"), "of the nursery that survived"));
	ck_assert_uint_eq(k.m->gc.moved_between, 0);
	kit_at(&k, 3000);
	move(&k, 0x8000, 0x9000);
	kit_flush(&k);
	ck_assert_uint_eq(k.m->gc.moved_between, 1);
	ck_assert_ptr_nonnull(strstr(detail(&k, 1000, "moved"), "at least"));
	kit_free(&k);
}
END_TEST

/* More than the list holds: neighbours become one, which has no reason and no place of its own. */
START_TEST(very_many)
{
	struct kit k = world("profview:coreclr,gc");
	for (uint64_t i = 1; i <= MANY; i++) {
		kit_at(&k, i * 10);
		kit_gc(&k, PV_GC_START, 0);
		why(&k, PV_WHY_FIRST, 0);
		kit_at(&k, i * 10 + 5);
		kit_gc(&k, PV_GC_END, 0);
	}
	kit_flush(&k);
	ck_assert_uint_lt(k.m->gc.collections.n, MANY);
	ck_assert_ptr_nonnull(strstr(detail(&k, 10, "stands for"), "2 collections"));
	ck_assert_ptr_nonnull(strstr(detail(&k, 10, "why"), "not in this log"));
	kit_free(&k);
}
END_TEST

/* --- how long pauses were */

static const char *spread(struct kit *k, size_t row)
{
	static const char *const columns[] = { "what", "count", "total_ns", "p50_ns", "p90_ns",
		"p99_ns", "max_ns", "exact", NULL };
	struct pv_query q = { 0 };
	struct pv_table *t = kit_view(k, PV_VIEW_PAUSE_SPREAD, &q);
	const char *got = kit_text(t, row, columns);
	pv_table_destroy(t);
	return got;
}

/* Of 1, 2 ... 200 us, in no order, every other one of a full collection. */
START_TEST(percentiles_are_exact)
{
	struct kit k = world("log:gc");
	for (uint64_t i = 0; i < 200; i++)
		collect(&k, 1000 * (i + 1), i % 2, 0, 1 + (i * 77) % 200);
	kit_flush(&k);
	ck_assert_str_eq(spread(&k, 0), "all stops 200 20100000 100000 180000 198000 200000 1");
	ck_assert_str_eq(spread(&k, 1), "generation 0 100 10000000 99000 179000 197000 199000 1");
	ck_assert_str_eq(spread(&k, 2), "generation 1 100 10100000 100000 180000 198000 200000 1");
	kit_free(&k);
}
END_TEST

static void is_near(int64_t got, double want)
{
	ck_assert_msg(
		fabs((double)got - want) <= 0.032 * want, "%lld, not %g", (long long)got, want);
}

/* With full lists each pause still counts as itself, nearly. */
START_TEST(percentiles_of_very_many)
{
	struct kit k = world("log:gc");
	for (uint64_t i = 0; i < MANY; i++)
		collect(&k, 1000 * (i + 1), 0, 0, i % 100 == 7 ? 900 : 1 + (i * 77) % 100);
	kit_flush(&k);
	for (size_t row = 0; row < 2; row++) {
		struct pv_query q = { 0 };
		struct pv_table *t = kit_view(&k, PV_VIEW_PAUSE_SPREAD, &q);
		const struct pv_row *r = &t->row[row];
		ck_assert_uint_eq(kit_cell(t, r, "count")->u, MANY);
		ck_assert_uint_eq(kit_cell(t, r, "exact")->u, 0);
		ck_assert_int_eq(kit_cell(t, r, "max_ns")->i, 900000);
		is_near(kit_cell(t, r, "p50_ns")->i, 50000);
		is_near(kit_cell(t, r, "p90_ns")->i, 90000);
		is_near(kit_cell(t, r, "p99_ns")->i, 100000);
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

START_TEST(cells_are_narrow)
{
	unsigned before = 0;
	for (int64_t ns = 0; ns < INT64_C(1) << 41; ns += 1 + ns / 1000) {
		unsigned cell = pv_spread_cell(ns);
		ck_assert_uint_ge(cell, before);
		ck_assert_uint_lt(cell, PV_SPREAD_CELLS);
		ck_assert_msg(fabs((double)(pv_spread_ns(cell) - ns)) <= 0.032 * (double)ns, "%lld",
			(long long)ns);
		before = cell;
	}
	ck_assert_uint_eq(pv_spread_cell(INT64_MAX), PV_SPREAD_CELLS - 1);
	ck_assert_uint_eq(pv_spread_cell(-1), 0);
}
END_TEST

/* A heap shot lengthens the stop that it is made in: the collection counts, its stop is no pause. */
START_TEST(a_stop_with_a_heap_shot_is_no_pause_anywhere)
{
	struct kit k = world("profview:mono,gc,heapshot=2000ms");
	collect(&k, 1000, 1, 10, 100);
	kit_at(&k, 2000);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_at(&k, 2030);
	kit_gc(&k, PV_GC_POST_STOP, 0);
	kit_gc(&k, PV_GC_START, 1);
	kit_at(&k, 2200);
	kit_gc(&k, PV_GC_END, 1);
	kit_at(&k, 2300);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	kit_at(&k, 2800);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	kit_at(&k, 2900);
	kit_gc(&k, PV_GC_POST_START, 0);
	kit_flush(&k);
	ck_assert_uint_eq(k.m->gc.collections.n, 2);
	ck_assert_uint_eq(k.m->gc.pause_count, 1);
	ck_assert_uint_eq(k.m->gc.with_shots, 1);
	ck_assert_uint_eq(value(&k, 0, "collection"), 1010000);
	ck_assert_str_eq(detail(&k, 1010, "pause"), "100 us; of 2 collections none was longer");
	ck_assert_str_eq(detail(&k, 2030, "pause"),
		"900 us, with a heap shot made meanwhile: no pause of the program");
	ck_assert(has(&k, 1010, "of all pauses") && !has(&k, 2030, "of all pauses"));
	struct pv_table *t = kit_view(&k, PV_VIEW_PAUSE_SPREAD, NULL);
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_uint_eq(kit_cell(t, &t->row[i], "max_ns")->u, 100000);
	ck_assert_uint_eq(t->rows, 2); /* all stops, generation 1 */
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query_gc_cause");
	TCase *t = tcase_create("all");
	tcase_add_test(t, the_stop_and_its_part_of_the_whole);
	tcase_add_test(t, a_stop_with_a_heap_shot_is_no_pause_anywhere);
	tcase_add_test(t, a_rate_beyond_all_numbers);
	tcase_add_test(t, what_the_log_lacks_is_said);
	tcase_add_test(t, the_reason_and_what_was_left);
	tcase_add_test(t, objects_that_moved);
	tcase_add_test(t, very_many);
	tcase_add_test(t, percentiles_are_exact);
	tcase_add_test(t, percentiles_of_very_many);
	tcase_add_test(t, cells_are_narrow);
	suite_add_tcase(s, t);
	return run_suite(s);
}
