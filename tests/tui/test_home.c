/* SPDX-License-Identifier: MIT */
/* Home: its blocks, lanes and axis, and where they lead. */
#include "tests/kit/fake_screen.h"

#include "tui/panes/flame_pane.h"
#include "tui/panes/sections.h"

/* Fake rows of findings have no verdict: nothing stands out, but there is a block. */
START_TEST(home_goes_by_blocks_and_rows)
{
	ck_assert(seen("nothing stands out"));
	ck_assert(seen(" CPU") && seen(" heap") && seen(" error"));
	world->summary.contentions = 9;
	world->generation++;
	show();
	press("<Tab><Tab>");
	ck_assert(seen("▶ 30.0"));
	press("j<Enter>"); /* the second of the hottest */
	ck_assert(seen("[Methods]"));
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("q");
	ck_assert_int_eq(screen.overview.focus, UI_BLOCK_HOTTEST);
	press("<Tab><Enter>");
	ck_assert(seen("[3 Alloc]"));
	ck_assert_str_eq(cursor(), "System.String");
	press("q<Tab><Tab><Enter>"); /* past what shots hold */
	ck_assert(seen("[Locks]"));
	press("q<S-Tab><Enter>");
	ck_assert(seen("[Shots]"));
	press("1<S-Tab><S-Tab><S-Tab><S-Tab><S-Tab>j<Enter>"); /* the second lane */
	ck_assert(seen("[Timeline]"));
}
END_TEST

/* One cursor of time goes through all lanes; the axis says where it is. */
START_TEST(home_has_one_axis)
{
	ck_assert(seen("0:00") && seen("0:50"));
	press("{");
	ck_assert(seen("at 00:01:"));
	press("[");
	ck_assert(screen.shared.range.on);
	press("<C-r>");
	ck_assert(seen("0:50"));
}
END_TEST

/* Waiting of threads, and generations of the heap, have lanes if there is room. */
START_TEST(home_has_lanes_of_parts)
{
	world->summary.recorded |= PV_GROUP_SAMPLES | PV_GROUP_COUNTERS;
	world->generation++;
	ck_assert(ui_screen_resize(&screen, 80, 24));
	show();
	ck_assert(!seen(" idle") && !seen(" old "));
	ck_assert(ui_screen_resize(&screen, 120, 50));
	show();
	show();
	ck_assert(seen(" ready") && seen(" lock") && seen(" idle"));
	ck_assert(seen(" young") && seen(" old ") && seen(" large"));
	ck_assert(seen("25 %"));
	press("<S-Tab>");
	ck_assert_int_eq(screen.overview.focus, UI_BLOCK_LANES);
	press("j<Enter>"); /* the second lane */
	ck_assert(seen("[Timeline]"));
}
END_TEST

/* How much runs: at this moment while the log grows, in the mean afterwards. */
START_TEST(the_first_line_has_the_processors)
{
	ck_assert(!seen(" core"));
	world->summary.running = (struct pv_running){ true, 2.5, 1.72, 8 };
	world->generation++;
	show();
	ck_assert(seen("running  1.7 of 8 cores"));
	feed.state = UI_FEED_ENDED;
	show();
	ck_assert(seen("ran  2.5 of 8 cores"));
	world->summary.running = (struct pv_running){ true, 0.014, 0, 1 };
	world->generation++;
	show();
	ck_assert(seen("ran 0.01 of 1 core "));
	world->summary.running.usable = 0;
	world->generation++;
	show();
	ck_assert(seen("ran 0.01 cores"));
}
END_TEST

START_TEST(home_has_the_longest_spans)
{
	ck_assert(!seen("Spans, the longest"));
	world->summary.recorded |= PV_GROUP_SPANS;
	world->generation++;
	show();
	show();
	ck_assert(seen("Spans, the longest") && seen("GET /orders"));
	ck_assert(ui_screen_resize(&screen, 120, 60));
	show();
	screen.overview.focus = UI_BLOCK_SPANS;
	press("j<Enter>");
	ck_assert(seen("[Slowest]"));
	ck_assert_str_eq(cursor(), "GET /orders");
	press("g");
	ck_assert_str_eq(cursor(), "select * from orders");
}
END_TEST

/* The lane of marks counts all shots, however many are drawn. */
START_TEST(home_counts_all_shots)
{
	for (int i = 0; i < 60; i++)
		world->row[world->rows++] = (struct fake_row){
			.view = PV_VIEW_SHOTS, .id = (uint64_t)i + 3, .name = "later"
		};
	world->summary.recorded |= PV_GROUP_SHOTS;
	world->generation++;
	ck_assert(ui_screen_resize(&screen, 120, 60));
	show();
	show();
	ck_assert(seen("S 62 shots"));
}
END_TEST

/* The cost of recording is a share of something, and an estimate within bounds. */
START_TEST(home_says_of_what_the_cost_is)
{
	screen.shared.cost = (struct ui_cost){ .known = true, .slower = 22.7, .outside = 1.5 };
	ck_assert(ui_screen_resize(&screen, 120, 60));
	show();
	show();
	ck_assert(seen("11 to 45 % of the program's own processor time, writing 1.5 %"));
}
END_TEST

/* Text typed for a search is never taken for keys, on Home nor where there is none. */
START_TEST(home_searches_in_all_views)
{
	press("/");
	ck_assert(screen.prompt.open && screen.prompt.kind == UI_PROMPT_SEARCH);
	press("sort(<Enter>");
	show();
	ck_assert(seen("[Methods]"));
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	ck_assert_str_eq(screen.shared.filter, "");
	press("1/nowhere at all<Enter>");
	ck_assert(seen("not found in methods"));
	ck_assert(seen("[1 Home]"));
	press("<F1>\\Lam<Enter>");
	ck_assert(screen.help.open && !screen.prompt.open);
	ck_assert_str_eq(screen.shared.filter, "");
}
END_TEST

/* Without data a block gives its rows away. */
START_TEST(home_shows_only_blocks_with_data)
{
	ck_assert(seen("Hot methods") && seen("Allocated") && seen("Held"));
	world->summary = (struct pv_summary){ .recorded = PV_GROUP_ALLOC };
	world->generation++;
	show();
	show();
	ck_assert(!seen("Hot methods") && seen("Allocated") && !seen("Held"));
	ck_assert(!seen("Where time ran") && !seen(" heap") && seen(" alloc"));
}
END_TEST

START_TEST(the_overview_leads_to_panes)
{
	press("<Tab><Tab><Enter>");
	ck_assert(seen("[2 CPU]"));
	press("<Backspace>");
	ck_assert(seen("[1 Home]"));
	ck_assert_uint_eq(press("q"), UI_LEAVE);
}
END_TEST

/* Home has the running time as an icicle, and Enter leads from it to the flame. */
START_TEST(home_has_an_icicle)
{
	ck_assert(ui_screen_resize(&screen, 120, 50));
	show();
	ck_assert(seen("Where time ran"));
	ck_assert_int_ge(screen.overview.at[UI_BLOCK_TIME].h, 4);
	char *text = frame(), *at = strstr(text, "Where time ran");
	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(strstr(at, "App.Main()"));
	free(text);
	screen.overview.focus = UI_BLOCK_TIME;
	press("<Enter>");
	ck_assert(seen("[Flame]"));
	press("<Backspace>");
	ck_assert(seen("Where time ran"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("home");
	TCase *t = tcase_create("home");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, home_goes_by_blocks_and_rows);
	tcase_add_test(t, home_has_one_axis);
	tcase_add_test(t, home_has_lanes_of_parts);
	tcase_add_test(t, the_first_line_has_the_processors);
	tcase_add_test(t, home_has_the_longest_spans);
	tcase_add_test(t, home_searches_in_all_views);
	tcase_add_test(t, home_counts_all_shots);
	tcase_add_test(t, home_says_of_what_the_cost_is);
	tcase_add_test(t, home_shows_only_blocks_with_data);
	tcase_add_test(t, the_overview_leads_to_panes);
	tcase_add_test(t, home_has_an_icicle);
	suite_add_tcase(s, t);
	return run_suite(s);
}
