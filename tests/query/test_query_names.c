/* SPDX-License-Identifier: MIT */
/* Names in tables: the log's in the cells, readable ones shown; filters find either. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, LAMBDA, INNER, NATIVE, ODD, CART = 0x200 };

static const struct named {
	uint64_t key;
	const char *raw, *readable;
} methods[] = {
	{ MAIN, "Shop.Cart/<RunAsync>d__4:MoveNext ()", "Shop.Cart.RunAsync" },
	{ LAMBDA, "Shop.Cart/<>c:<Run>b__7_2 (int)", "Shop.Cart.Run > lambda #2" },
	{ INNER, "Shop.Cart:set_Total (System.Decimal)", "Shop.Cart.Total.set" },
	{ NATIVE, "std::sort(int*, int*) [libshop.so]", "std::sort(int*, int*) [libshop.so]" },
};

static struct kit shop(void)
{
	struct kit k = kit_new("log:nodefaults,calls,alloc");
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++)
		kit_method(&k, methods[i].key, methods[i].raw);
	kit_class(&k, CART, "Shop.Cart/<>c__DisplayClass3_0");
	for (uint64_t key = MAIN; key <= ODD; key++) {
		kit_at(&k, (key - MAIN) * 10);
		kit_enter(&k, key);
	}
	kit_alloc(&k, CART, 0x9000, 24, (const uint64_t[]){ MAIN, LAMBDA, NATIVE, 0 });
	kit_at(&k, 100);
	for (uint64_t key = ODD; key >= MAIN; key--)
		kit_leave(&k, key);
	return k;
}

static const char *shown(const struct pv_table *t, const struct pv_row *row, const char *column)
{
	return pv_cell_shown(t, kit_cell(t, row, column)).s;
}

START_TEST(methods_have_both_names)
{
	struct kit k = shop();
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &(struct pv_query){ .readable = true });
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(methods) + 1);
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++)
		ck_assert_str_eq(
			shown(t, kit_row(t, "name", methods[i].raw), "name"), methods[i].readable);
	ck_assert_str_eq(shown(t, kit_row(t, "name", "0x104"), "name"), "0x104");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_str_eq(shown(t, kit_row(t, "name", methods[0].raw), "name"), methods[0].raw);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(trees_sites_and_classes_have_them)
{
	struct kit k = shop();
	const struct pv_query q = { .readable = true, .open_all = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_str_eq(
		shown(t, kit_row(t, "method", methods[2].raw), "method"), methods[2].readable);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, &q);
	ck_assert_str_eq(shown(t, &t->row[0], "class"), "Shop.Cart.closure");
	ck_assert_str_eq(shown(t, &t->row[0], "stack"),
		"Shop.Cart.RunAsync\nShop.Cart.Run > lambda #2\nstd::sort(int*, int*) [libshop.so]");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CLASSES, &q);
	ck_assert_str_eq(shown(t, &t->row[0], "name"), "Shop.Cart.closure");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(a_filter_finds_either)
{
	static const struct {
		const char *filter;
		size_t rows;
	} tries[] = { { "d__4:MoveNext", 1 }, { "cart.runasync", 1 }, { "LAMBDA #2", 1 },
		{ "Total.set", 1 }, { "set_total", 1 }, { "lambda #3", 0 }, { "Shop.Cart", 3 },
		{ "sort(int", 1 } };
	struct kit k = shop();
	for (size_t i = 0; i < 2 * PV_COUNT_OF(tries); i++) {
		const bool tree = i & 1;
		const struct pv_query q = { .filter = tries[i / 2].filter, .open_all = true };
		struct pv_table *t = kit_view(&k, tree ? PV_VIEW_CALL_TREE : PV_VIEW_METHODS, &q);
		if (tree) /* a row leads to what matches */
			ck_assert_msg((t->rows > 0) == (tries[i / 2].rows > 0), "%s", q.filter);
		else
			ck_assert_msg(t->rows == tries[i / 2].rows, "%s: %zu", q.filter, t->rows);
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

/* Of raw names '/' comes before ':', of readable ones all is a dot. */
START_TEST(names_are_sorted_as_they_are_read)
{
	struct kit k = shop();
	struct pv_query q = { .readable = true, .sort = "name" };
	for (q.limit = 0; q.limit < 6; q.limit++) {
		struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
		for (size_t i = 1; i < t->rows; i++)
			ck_assert_str_lt(
				shown(t, &t->row[i - 1], "name"), shown(t, &t->row[i], "name"));
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

START_TEST(rows_split_by_where_they_belong)
{
	struct kit k = shop();
	const struct pv_query q = { .readable = true, .split = PV_BY_IMAGE };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	const struct pv_row *row =
		kit_row(t, "name", "Shop.Cart:set_Total (System.Decimal) [(not recorded)]");
	ck_assert_str_eq(shown(t, row, "name"), "Shop.Cart.Total.set [(not recorded)]");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Names that never end, and very many: those that are not shown cost nothing. */
START_TEST(long_names_and_very_many)
{
	enum { MANY = 20000, LONG = 70000 };
	struct kit k = kit_new("log:nodefaults,calls");
	char *name = malloc(LONG + 1);
	ck_assert_ptr_nonnull(name);
	memset(name, '<', LONG);
	memcpy(name, "A:", 2);
	name[LONG] = 0;
	kit_method(&k, 1, name);
	kit_enter(&k, 1);
	kit_flush(&k);
	for (uint64_t i = 2; i < MANY; i++) {
		snprintf(name, LONG, "Shop.Cart/<Run%u>d__4:MoveNext ()", (unsigned)i);
		kit_method(&k, i, name);
		kit_enter(&k, i);
		kit_flush(&k); /* the name is written over */
		if (i % 100 == 0)
			for (uint64_t at = i; at > i - 100 && at > 1; at--)
				kit_leave(&k, at);
	}
	struct pv_query q = { .readable = true, .limit = 10 };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_uint_eq(t->rows, 10);
	ck_assert_uint_le(t->shown.n, 10);
	pv_table_destroy(t);
	q.sort = "name";
	t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_str_eq(shown(t, &t->row[1], "name"), "Shop.Cart.Run10");
	pv_table_destroy(t);
	free(name);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("names in tables");
	TCase *c = tcase_create("all");
	tcase_add_test(c, methods_have_both_names);
	tcase_add_test(c, trees_sites_and_classes_have_them);
	tcase_add_test(c, a_filter_finds_either);
	tcase_add_test(c, names_are_sorted_as_they_are_read);
	tcase_add_test(c, rows_split_by_where_they_belong);
	tcase_add_test(c, long_names_and_very_many);
	suite_add_tcase(s, c);
	return run_suite(s);
}
