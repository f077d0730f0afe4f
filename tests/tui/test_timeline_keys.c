/* SPDX-License-Identifier: MIT */
/* The timeline of threads: where its cursor goes, and what Enter leads to. */
#include "tests/kit/fake_screen.h"

#include "tui/panes/timeline_pane.h"

static struct ui_timeline *timeline(void)
{
	return screen.pane[screen.current].timeline;
}

static void open_with_threads(void)
{
	open_screen();
	fake_add(world, (struct fake_row){ PV_VIEW_THREADS, 1, 0, "main", 1, 1, 0, NULL });
	show();
}

/* In a time in which a thread only waited its calls are those of the waiting. */
START_TEST(waits_count_where_nothing_ran)
{
	press("D");
	ck_assert(!ui_timeline_only_waits(timeline()));
	press("<Enter>");
	ck_assert(seen("[Tree]") && !screen.shared.waits);
	press("<Backspace>)");
	ck_assert(ui_timeline_only_waits(timeline()));
	press("<Enter>");
	ck_assert(seen("[Tree]") && screen.shared.waits);
	ck_assert(seen("nothing ran in this time: waiting counts"));
	press("<Backspace>");
	ck_assert(seen("[Timeline]") && !screen.shared.waits);
	press("<Space>(<Enter>"); /* with a time in which it ran */
	ck_assert(seen("[Tree]") && !screen.shared.waits);
}
END_TEST

/* A text that was not there while the log was read is looked for once more at its end. */
START_TEST(a_search_goes_on_when_all_is_loaded)
{
	feed.state = UI_FEED_LOADING;
	show();
	press("D/late<Enter>");
	ck_assert_int_eq(ui_screen_list(&screen)->look, UI_LOOK_MISSED);
	press("j");
	ck_assert_str_eq(ui_timeline_row(timeline())->name, "worker");
	fake_find(world, PV_VIEW_THREADS, 1)->name = "late comer";
	world->generation++;
	show();
	ck_assert_str_eq(ui_timeline_row(timeline())->name, "worker");
	feed.state = UI_FEED_LIVE;
	show();
	show();
	ck_assert_str_eq(ui_timeline_row(timeline())->name, "late comer");
}
END_TEST

/* A log with samples is not accused of having none where only this time has none. */
START_TEST(an_empty_time_is_no_log_without_samples)
{
	press("D");
	fake_find(world, PV_VIEW_THREADS, 1)->id = 99;
	fake_unsampled = true;
	world->generation++;
	show();
	ck_assert(seen("profview run --sample records them"));
	screen.shared.range.on = true;
	show();
	ck_assert(seen("Ctrl-R: all of them again") && !seen("records them"));
	fake_unsampled = false;
}
END_TEST

START_TEST(so_does_that_of_a_list)
{
	feed.state = UI_FEED_LOADING;
	show();
	press("2/Late<Enter>");
	ck_assert_int_eq(ui_screen_list(&screen)->look, UI_LOOK_MISSED);
	fake_add(world, (struct fake_row){ PV_VIEW_METHODS, 9, 0, "Late.Comer()", 1, 1, 0, NULL });
	show();
	ck_assert_str_ne(cursor(), "Late.Comer()");
	feed.state = UI_FEED_LIVE;
	show();
	show();
	ck_assert_str_eq(cursor(), "Late.Comer()");
}
END_TEST

START_TEST(a_click_where_no_lane_is_left_goes_nowhere)
{
	press("D");
	const struct ui_rect lanes = timeline()->lanes;
	const size_t rows = timeline()->answer->rows;
	timeline()->answer->rows = 0; /* as a filter may leave it */
	ui_screen_mouse(&screen, (struct ui_mouse){ lanes.x + 1, lanes.y, UI_CLICK_PRESS });
	ck_assert_uint_eq(timeline()->row, 0);
	ck_assert_ptr_null(ui_timeline_row(timeline()));
	timeline()->answer->rows = rows;
}
END_TEST

int main(void)
{
	Suite *s = suite_create("timeline keys");
	TCase *t = tcase_create("timeline keys");
	tcase_add_checked_fixture(t, open_with_threads, close_screen);
	tcase_add_test(t, waits_count_where_nothing_ran);
	tcase_add_test(t, a_search_goes_on_when_all_is_loaded);
	tcase_add_test(t, an_empty_time_is_no_log_without_samples);
	tcase_add_test(t, so_does_that_of_a_list);
	tcase_add_test(t, a_click_where_no_lane_is_left_goes_nowhere);
	suite_add_tcase(s, t);
	return run_suite(s);
}
