/* SPDX-License-Identifier: MIT */
/* The course of rows over time, worked out by hand. */
#include <string.h>

#include "common/query/trends.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { EARLY = 0x100, EVER = 0x110, NEVER = 0x120 };
enum { MS = 1000 };

static void hit(struct kit *k, uint64_t us, uint64_t method)
{
	kit_at(k, us);
	kit_sample(k, 0x20, method * 16, (uint64_t[]){ method, 0 });
}

/* 4 s: two samples of one method in the first 0.4 s, one of another every 0.2 s. */
static struct kit samples(void)
{
	struct kit k = kit_new("log:nodefaults,sample");
	kit_method(&k, EARLY, "Early()");
	kit_method(&k, EVER, "Ever()");
	kit_method(&k, NEVER, "Never()");
	for (uint64_t i = 0; i < 20; i++) {
		hit(&k, i * 200 * MS, EVER);
		if (i < 2)
			hit(&k, (i * 200 + 50) * MS, EARLY);
	}
	kit_at(&k, 4000 * MS);
	kit_flush(&k);
	return k;
}

static const char *trend(const struct pv_table *t, const char *name)
{
	const struct pv_cell *c = kit_cell(t, kit_row(t, "name", name), PV_TREND_COLUMN);
	return c->state == PV_CELL_VALUE ? c->s : "-";
}

/* The view's trends, made and put into its rows. */
static struct pv_table *view(struct kit *k, struct pv_trend_wish wish)
{
	struct pv_trends *trends = pv_trends_create(k->m, NULL, &wish);
	struct pv_table *t = kit_view(k, wish.view, NULL);
	pv_trends_fill(trends, t);
	pv_trends_destroy(trends);
	return t;
}

START_TEST(samples_are_where_they_were_taken)
{
	struct kit k = samples();
	struct pv_table *t = view(&k, (struct pv_trend_wish){ .view = PV_VIEW_METHODS });
	ck_assert_str_eq(trend(t, "Early()"), "100 0 0 0 0 0 0 0 0 0");
	ck_assert_ptr_null(strchr(trend(t, "Ever()"), '-'));
	ck_assert_int_eq(strncmp(trend(t, "Ever()"), "0", 1) == 0, 0); /* in every part */
	ck_assert_ptr_null(strstr(trend(t, "Ever()"), " 0"));
	pv_table_destroy(t);
	/* Of the second half the first method has nothing. */
	t = view(&k, (struct pv_trend_wish){ .view = PV_VIEW_METHODS,
			     .from_ns = INT64_C(2000000000),
			     .to_ns = INT64_C(4000000000) });
	ck_assert_str_eq(trend(t, "Early()"), "-");
	ck_assert_str_ne(trend(t, "Ever()"), "-");
	pv_table_destroy(t);
	/* There are no calls. */
	t = view(
		&k, (struct pv_trend_wish){ .view = PV_VIEW_METHODS, .counted = PV_COUNTED_CALLS });
	ck_assert_str_eq(trend(t, "Ever()"), "-");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(they_are_asked_again_when_something_changed)
{
	struct kit k = samples();
	const struct pv_trend_wish wish = { .view = PV_VIEW_METHODS };
	struct pv_trend_wish other = wish;
	struct pv_trends *t = pv_trends_create(k.m, NULL, &wish);
	uint64_t generation = pv_view_generation(k.m);
	other.from_ns = 5;
	ck_assert(pv_trends_is(t, k.m, &wish, generation));
	ck_assert(!pv_trends_is(t, k.m, &other, generation));
	ck_assert(!pv_trends_is(t, k.m, &wish, generation + 1));
	ck_assert(!pv_trends_is(NULL, k.m, &wish, generation));
	pv_trends_destroy(t);
	other.view = PV_VIEW_DAMAGE;
	ck_assert_ptr_null(pv_trends_create(k.m, NULL, &other));
	kit_free(&k);
}
END_TEST

/* Two throws in the first tenth of a second, none later; the class is known by its allocation. */
START_TEST(exceptions_are_when_they_were_thrown)
{
	enum { OOPS = 0x300, OBJECT = 0x7000 };
	struct kit k = kit_new("log:exceptions,alloc");
	kit_class(&k, OOPS, "Oops");
	kit_at(&k, 10 * MS);
	kit_alloc(&k, OOPS, OBJECT, 24, (uint64_t[]){ 0 });
	kit_throw(&k, OBJECT, (uint64_t[]){ 0 });
	kit_throw(&k, OBJECT, (uint64_t[]){ 0 });
	kit_at(&k, 2000 * MS);
	kit_alloc(&k, OOPS, OBJECT + 64, 24, (uint64_t[]){ 0 });
	kit_flush(&k);
	struct pv_table *t = view(&k, (struct pv_trend_wish){ .view = PV_VIEW_EXCEPTIONS });
	ck_assert_str_eq(trend(t, "Oops"), "100 0 0 0 0 0 0 0 0 0");
	pv_table_destroy(t);
	t = view(&k, (struct pv_trend_wish){ .view = PV_VIEW_CLASSES });
	ck_assert_ptr_nonnull(strstr(trend(t, "Oops"), " 0 0 0 0 0 0 0 0 100"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void wait_for(struct kit *k, uint64_t object, uint64_t from_ms, uint64_t to_ms)
{
	kit_at(k, from_ms * MS);
	kit_monitor(k, PV_KIND_MONITOR_CONTENTION, object, (uint64_t[]){ 0 });
	kit_at(k, to_ms * MS);
	kit_monitor(k, PV_KIND_MONITOR_DONE, object, (uint64_t[]){ 0 });
}

/* A wait is where it was, and over all the time that it took; other locks' waits are not among them. */
START_TEST(locks_are_when_threads_waited)
{
	enum { LOCK = 0x300, FIRST = 0x7000, SECOND = 0x8000 };
	struct kit k = kit_new("log:monitor,alloc");
	kit_class(&k, LOCK, "Gate");
	kit_at(&k, 0);
	kit_alloc(&k, LOCK, FIRST, 24, (uint64_t[]){ 0 });
	kit_alloc(&k, LOCK, SECOND, 24, (uint64_t[]){ 0 });
	wait_for(&k, FIRST, 100, 200);
	wait_for(&k, FIRST, 300, 350);
	wait_for(&k, SECOND, 500, 700);
	wait_for(&k, SECOND, 900, 950);
	kit_at(&k, 1000 * MS);
	kit_alloc(&k, LOCK, 0x9000, 24, (uint64_t[]){ 0 });
	kit_flush(&k);
	const struct pv_trend_wish wish[] = { { .view = PV_VIEW_LOCKS },
		{ .view = PV_VIEW_LOCKS, .from_ns = 500000000, .to_ns = 1000000000 } };
	static const char *const all[] = { "0 0 0 0 0 100 100 0 0 50", "0 100 0 50 0 0 0 0 0 0" };
	struct pv_table *t = view(&k, wish[0]);
	ck_assert_uint_eq(t->rows, 2);
	for (size_t i = 0; i < 2; i++)
		ck_assert_str_eq(kit_cell(t, &t->row[i], PV_TREND_COLUMN)->s, all[i]);
	pv_table_destroy(t);
	t = view(&k, wish[1]);
	ck_assert_str_eq(
		kit_cell(t, &t->row[0], PV_TREND_COLUMN)->s, "100 100 100 100 0 0 0 0 100 0");
	ck_assert_int_eq(kit_cell(t, &t->row[1], PV_TREND_COLUMN)->state, PV_CELL_NULL);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* From the least to the greatest: a level of a hundred that rises by ten is seen to rise. */
START_TEST(counters_go_from_their_least_to_their_most)
{
	struct kit k = kit_new("log:counters");
	kit_describe_counter(&k, 1, "Level");
	for (uint64_t i = 0; i < 10; i++)
		kit_counters(&k, (i * 100 + 50) * MS, (uint64_t[]){ i ? 10 : 1000 }, 1);
	kit_at(&k, 1000 * MS);
	kit_flush(&k);
	struct pv_trends *trends =
		pv_trends_create(k.m, NULL, &(struct pv_trend_wish){ .view = PV_VIEW_COUNTERS });
	struct pv_query q = { .open_all = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_COUNTERS, &q);
	pv_trends_fill(trends, t);
	const char *course = trend(t, "Level");
	ck_assert_msg(strncmp(course, "1 ", 2) == 0, "%s", course);
	ck_assert_msg(strcmp(course + strlen(course) - 4, " 100") == 0, "%s", course);
	pv_table_destroy(t);
	pv_trends_destroy(trends);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query trends");
	TCase *c = tcase_create("trends");
	tcase_add_test(c, samples_are_where_they_were_taken);
	tcase_add_test(c, they_are_asked_again_when_something_changed);
	tcase_add_test(c, exceptions_are_when_they_were_thrown);
	tcase_add_test(c, locks_are_when_threads_waited);
	tcase_add_test(c, counters_go_from_their_least_to_their_most);
	suite_add_tcase(s, c);
	return run_suite(s);
}
