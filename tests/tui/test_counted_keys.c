/* SPDX-License-Identifier: MIT */
/* Calls or samples, the tree of callers, thresholds: keys and words, and what the second line says. */
#include "tests/kit/fake_screen.h"

START_TEST(calls_and_samples_change_places)
{
	world->summary.recorded = PV_GROUP_CALLS | PV_GROUP_SAMPLES;
	press("2");
	ck_assert(seen("by calls (m: samples)"));
	press("m");
	ck_assert(seen("methods and tree by samples"));
	ck_assert(seen("by samples (m: calls)"));
	press("<Enter>");
	ck_assert(seen("[Tree]") && seen("by samples (m: calls)"));
	press("m");
	ck_assert(seen("by calls (m: samples)"));
	press("<Backspace>");
	ck_assert(seen("[Methods]") && seen("by samples (m: calls)"));
	press(":counted calls<Enter>");
	ck_assert(seen("by calls (m: samples)"));
	press(":counted both<Enter>");
	ck_assert(seen("count by calls or samples, not both"));
	press("3");
	ck_assert(!seen("by calls"));
}
END_TEST

START_TEST(one_of_them_is_all_there_is)
{
	world->summary.recorded = PV_GROUP_SAMPLES;
	world->generation++;
	press("2");
	ck_assert(!seen("(m: "));
	press("m");
	ck_assert(seen("the log has samples only"));
}
END_TEST

START_TEST(a_threshold_is_said)
{
	press("2a");
	ck_assert(seen("only what has 0.1 % of all, or calls what has"));
	ck_assert(seen("hidden < 0.1 %: 0 rows, 0 %"));
	press("aaaa");
	ck_assert(seen("hidden < 5 %"));
	press("a");
	ck_assert(!seen("hidden <") && seen("all rows, however small"));
	press(":threshold 0.25 %<Enter>:tree<Enter>");
	ck_assert(seen("hidden < 0.25 %"));
	press(":threshold much<Enter>");
	ck_assert(seen("a threshold is a share like 0.5 %, not much"));
	press(":threshold -1<Enter>");
	ck_assert(seen("not -1"));
	press(":threshold 0<Enter>");
	ck_assert(!seen("hidden <"));
}
END_TEST

START_TEST(the_tree_turns_round)
{
	press("2:tree<Enter>/Sort<Enter>B");
	ck_assert(seen("  callers\n") || seen("  callers  "));
	ck_assert(seen("to its callers"));
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("B");
	ck_assert(!seen("  callers\n") && !seen("  callers  "));
	press(":methods<Enter>B");
	ck_assert(seen("callers in tree"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("counted keys");
	TCase *t = tcase_create("counted");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, calls_and_samples_change_places);
	tcase_add_test(t, one_of_them_is_all_there_is);
	tcase_add_test(t, a_threshold_is_said);
	tcase_add_test(t, the_tree_turns_round);
	suite_add_tcase(s, t);
	return run_suite(s);
}
