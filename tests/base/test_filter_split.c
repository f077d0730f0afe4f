/* SPDX-License-Identifier: MIT */
/* Filters in two: terms about requests, and terms about rows. */
#include <check.h>
#include <string.h>

#include "common/base/filter/filter_split.h"
#include "tests/kit/suite.h"

static void splits(const char *text, const char *requests, const char *rows)
{
	struct pv_filter_split s;
	struct pv_filter_error e;
	ck_assert_msg(pv_filter_split(text, PV_FILTER_CAPITALS, &s, &e), "%s: %s", text, e.what);
	ck_assert_msg(strcmp(s.requests, requests) == 0, "%s: %s", text, s.requests);
	ck_assert_msg(strcmp(s.rows, rows) == 0, "%s: %s", text, s.rows);
}

START_TEST(terms_go_where_they_ask)
{
	splits("", "", "");
	splits("a b", "", "a b");
	splits("route:/a", "route:/a", "");
	splits("route:/a b", "route:/a", "b");
	splits("b route:=\"GET /a b\" c", "route:=\"GET /a b\"", "b c");
	splits("slow > 2ms self > 1ms", "slow > 2ms", "self > 1ms");
	splits("query:/SELECT|INSERT/ x", "query:/SELECT|INSERT/", "x");
	splits("(route:/a | query:b) (c | d)", "(route:/a | query:b)", "(c | d)");
	splits("route:/a | slow>1s", "route:/a | slow>1s", "");
}
END_TEST

START_TEST(other_words_are_as_they_were)
{
	splits("slow", "", "slow");
	splits("slowDown>x", "", "slowDown>x");
	splits("slow>fast", "", "slow>fast");
	splits("a::route::b", "", "a::route::b");
	splits("\"route:/a\"", "", "\"route:/a\"");
	splits("class:slow | thread:x", "", "class:slow | thread:x");
}
END_TEST

START_TEST(both_are_never_one_term)
{
	static const char *const wrong[] = { "a | b route:/c", "route:/a | b", "(route:/a b)",
		"!(slow>1s c)", "route:", "slow>1B", "route:/a (" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pv_filter_split s;
		struct pv_filter_error e;
		ck_assert_msg(
			!pv_filter_split(wrong[i], PV_FILTER_CAPITALS, &s, &e), "%s", wrong[i]);
		ck_assert_str_ne(e.what, "");
	}
}
END_TEST

START_TEST(a_text_as_it_is_has_no_terms)
{
	struct pv_filter_split s;
	struct pv_filter_error e;
	ck_assert(pv_filter_split("route:/a slow>1s", PV_FILTER_AS_IT_IS, &s, &e));
	ck_assert_str_eq(s.requests, "");
	ck_assert_str_eq(s.rows, "route:/a slow>1s");
}
END_TEST

static void without_slow(const char *text, const char *wanted)
{
	char left[80];
	pv_filter_without_slow(text, left, sizeof left);
	ck_assert_str_eq(left, wanted);
}

START_TEST(slow_is_taken_off)
{
	without_slow("", "");
	without_slow("slow>1s", "");
	without_slow("route:/a slow > 1s query:b", "route:/a query:b");
	without_slow("route:/a | slow>1s", "(route:/a | slow>1s)");
	without_slow("(route:/a | slow>1s) slow<2s", "(route:/a | slow>1s)");
}
END_TEST

START_TEST(a_parenthesis_ends_a_path)
{
	struct pv_filter_error e;
	char tree[80];
	struct pv_filter *f = pv_filter_requests("(route:/a | route:/b) slow>1ms", &e);
	ck_assert_msg(f != NULL, "%s", e.what);
	ck_assert_str_eq(
		pv_filter_tree(f, tree, sizeof tree), "(and (or route:/a route:/b) #0>1000000)");
	pv_filter_free(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter split");
	TCase *c = tcase_create("all");
	tcase_add_test(c, terms_go_where_they_ask);
	tcase_add_test(c, other_words_are_as_they_were);
	tcase_add_test(c, both_are_never_one_term);
	tcase_add_test(c, a_text_as_it_is_has_no_terms);
	tcase_add_test(c, slow_is_taken_off);
	tcase_add_test(c, a_parenthesis_ends_a_path);
	suite_add_tcase(s, c);
	return run_suite(s);
}
