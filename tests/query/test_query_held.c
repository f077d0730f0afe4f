/* SPDX-License-Identifier: MIT */
/* Memory by the stack that allocated it: sums, growth, what is folded, the finding. */
#include "tests/kit/query_kit.h"

#include <string.h>

#include "common/model/objects/held.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, LOAD = 0x110, CACHE = 0x120 };

static const uint64_t load[] = { MAIN, LOAD, 0 }, cache[] = { MAIN, CACHE, 0 };

static struct kit world(void)
{
	struct kit k = kit_new("profview:native,held");
	kit_method(&k, MAIN, "main");
	kit_method(&k, LOAD, "load()");
	kit_method(&k, CACHE, "cache()");
	return k;
}

static struct pv_table *held(struct kit *k)
{
	return kit_view(k, PV_VIEW_HELD, &(struct pv_query){ 0 });
}

static const char *const columns[] = { "held_bytes", "held_blocks", "most_bytes",
	"growth_bytes_per_minute", "allocated_bytes", "allocations", "temporary", "stack", NULL };

/* Ten readings a second apart; `step` bytes more at each, given back at the end or not. */
static void grow(struct kit *k, uint64_t number, const uint64_t *stack, uint64_t step, bool back)
{
	for (uint64_t i = 1; i <= 10; i++) {
		kit_at(k, i * 1000000);
		kit_held(k, number, i == 1 ? stack : NULL, back && i == 10 ? step : i * step);
	}
	kit_flush(k);
}

START_TEST(the_last_figures_count)
{
	struct kit k = world();
	kit_held(&k, 7, load, 100);
	kit_held(&k, 9, cache, 50);
	kit_held(&k, 7, NULL, 30);
	kit_flush(&k);
	struct pv_table *t = held(&k);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, columns), "50 1 50 0 100 2 1 main\ncache()");
	ck_assert_str_eq(kit_text(t, 1, columns), "30 1 30 0 60 2 1 main\nload()");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(growth_by_the_minute)
{
	struct kit k = world();
	grow(&k, 1, load, 1000, false);
	struct pv_table *t = held(&k);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "growth_bytes_per_minute")->u, 60000);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(what_is_given_back_does_not_grow)
{
	struct kit k = world();
	grow(&k, 1, load, 1000, true);
	struct pv_table *t = held(&k);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "growth_bytes_per_minute")->u, 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(a_plateau_does_not_grow)
{
	struct kit k = world();
	for (uint64_t i = 1; i <= 10; i++) {
		kit_at(&k, i * 1000000);
		kit_held(&k, 1, i == 1 ? load : NULL, i < 4 ? i * 1000 : 4000);
	}
	kit_flush(&k);
	struct pv_table *t = held(&k);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "growth_bytes_per_minute")->u, 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* However long it lasts: the points that are kept spread over all of it. */
START_TEST(long_growth)
{
	struct kit k = world();
	for (uint64_t i = 1; i <= 1000; i++) {
		kit_at(&k, i * 1000000);
		kit_held(&k, 1, i == 1 ? load : NULL, i * 1000);
	}
	kit_flush(&k);
	ck_assert_uint_le(k.m->held.points, PV_HELD_POINTS);
	ck_assert_int_ge(k.m->held.point_ns[0], 50 * INT64_C(1000000000));
	struct pv_table *t = held(&k);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "growth_bytes_per_minute")->u, 60000);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(too_many_stacks)
{
	struct kit k = world();
	for (uint64_t i = 1; i <= PV_HELD_CAP + 100; i++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_HELD,
				      .held = { .number = i, .live = 1, .live_bytes = 8 } });
	kit_flush(&k);
	kit_held(&k, 1, NULL, 8);
	kit_flush(&k);
	ck_assert_uint_eq(k.m->held.one.n, PV_HELD_CAP + 1);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, &(struct pv_query){ 0 });
	const struct pv_row *row = kit_row(t, "what", "allocations");
	ck_assert_str_eq(kit_cell(t, row, "state")->s, "partial");
	ck_assert_ptr_nonnull(
		strstr(kit_cell(t, row, "detail")->s, "100 sums of further stacks left out"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(the_finding_names_the_stack)
{
	struct kit k = world();
	grow(&k, 1, load, 100000, false);
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, &(struct pv_query){ 0 });
	const struct pv_row *row = kit_row(t, "finding", "leak");
	ck_assert_str_eq(kit_cell(t, row, "text")->s,
		"+5.72 MiB a minute all the time, now 977 KiB in 1 blocks from load() < main");
	ck_assert_str_eq(kit_cell(t, row, "view")->s, "held");
	ck_assert_double_ge(kit_cell(t, row, "score")->d, 75);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query_held");
	TCase *c = tcase_create("held");
	tcase_add_test(c, the_last_figures_count);
	tcase_add_test(c, growth_by_the_minute);
	tcase_add_test(c, what_is_given_back_does_not_grow);
	tcase_add_test(c, a_plateau_does_not_grow);
	tcase_add_test(c, long_growth);
	tcase_add_test(c, too_many_stacks);
	tcase_add_test(c, the_finding_names_the_stack);
	suite_add_tcase(s, c);
	return run_suite(s);
}
