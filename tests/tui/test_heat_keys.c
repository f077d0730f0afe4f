/* SPDX-License-Identifier: MIT */
/* The heat strip below a flame: choosing a time, and the flame of it. */
#include "tests/kit/fake_screen.h"

#include "tui/panes/flame_pane.h"

static struct ui_heat *heat(void)
{
	return &screen.pane[screen.current].flame->heat;
}

static void open_flame(void)
{
	open_screen();
	fake_add(world, (struct fake_row){ PV_VIEW_THREADS, 1, 0, "main", 1, 1, 0, NULL });
	press(":flame<Enter>");
}

START_TEST(a_time_is_chosen_and_becomes_the_range)
{
	int64_t from, to;
	press("d");
	ck_assert(seen("Heat: samples, running, a column 1.00 s, a row 200 ms"));
	press("g<Right>");
	ck_assert(ui_heat_time(heat(), &from, &to));
	ck_assert_int_eq(from, 1000000000);
	ck_assert_int_eq(to, 1200000000);
	press("<Space><Right>j"); /* one column and one part later */
	ck_assert(ui_heat_time(heat(), &from, &to));
	ck_assert_int_eq(from, 1000000000);
	ck_assert_int_eq(to, 2400000000);
	press("<Enter>");
	ck_assert(screen.shared.range.on && !heat()->on);
	ck_assert_int_eq(screen.shared.range.from_ns, 1000000000);
	ck_assert_int_eq(screen.shared.range.to_ns, 2400000000);
	press("<Backspace>");
	ck_assert(!screen.shared.range.on);
	ck_assert(seen("[Flame]"));
}
END_TEST

START_TEST(the_thread_stays)
{
	screen.shared.range = (struct ui_range){ .threaded = true, .thread = 51 };
	ck_assert(!screen.shared.range.on);
	press("dg<Enter>");
	ck_assert(screen.shared.range.on && screen.shared.range.threaded);
	ck_assert_uint_eq(screen.shared.range.thread, 51);
}
END_TEST

/* The arrows go through the flame again when the strip is gone. */
START_TEST(it_goes_by_the_same_key)
{
	press("d");
	uint32_t at = screen.pane[screen.current].flame->at;
	press("jj");
	ck_assert_uint_eq(screen.pane[screen.current].flame->at, at);
	press("d");
	ck_assert(!seen("HEAT"));
	press("j");
	ck_assert_uint_ne(screen.pane[screen.current].flame->at, at);
	press("<Space>");
	ck_assert(seen("d shows the heat strip first"));
	press("dg<Left>");
	ck_assert(seen("this is the beginning"));
}
END_TEST

START_TEST(it_has_the_pane_where_that_is_low)
{
	press("d");
	ck_assert(ui_screen_resize(&screen, 40, 10));
	show();
	show();
	ck_assert(seen(" samples"));
	ck_assert(heat()->drawn.h > 2);
	ck_assert(ui_screen_resize(&screen, 20, 4));
	show();
	ck_assert(ui_screen_resize(&screen, 200, 60));
	show();
	show();
	ck_assert_int_eq(heat()->drawn.h, UI_HEAT_ROWS);
}
END_TEST

START_TEST(nothing_to_show_is_said)
{
	fake_find(world, PV_VIEW_THREADS, 1)->id = 77;
	world->generation++;
	show();
	press("d");
	ck_assert(seen("nothing ran in this time"));
	press("<Right><Space><Enter>");
	ck_assert(!screen.shared.range.on);
}
END_TEST

/* Until the end of the log is known, the last minute begins before its start and is open. */
START_TEST(the_last_minute_of_a_thread)
{
	struct ui_range r = { .on = true,
		.relative = true,
		.from_ns = INT64_C(-59998699000),
		.to_ns = INT64_MAX,
		.threaded = true,
		.thread_name = "main" };
	char text[200];
	ck_assert_str_eq(
		ui_range_said(&r, 0, text, sizeof text), "thread \"main\" -59.999 s to the end");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heat keys");
	TCase *t = tcase_create("heat keys");
	tcase_add_checked_fixture(t, open_flame, close_screen);
	tcase_add_test(t, a_time_is_chosen_and_becomes_the_range);
	tcase_add_test(t, the_thread_stays);
	tcase_add_test(t, it_goes_by_the_same_key);
	tcase_add_test(t, it_has_the_pane_where_that_is_low);
	tcase_add_test(t, nothing_to_show_is_said);
	tcase_add_test(t, the_last_minute_of_a_thread);
	suite_add_tcase(s, t);
	return run_suite(s);
}
