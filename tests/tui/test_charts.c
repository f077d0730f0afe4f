/* SPDX-License-Identifier: MIT */
/* Charts: columns of time, Braille, how often something happened, the cursor and the zoom. */
#include "tests/kit/canvas_kit.h"
#include "tests/kit/fake_screen.h"

#include <math.h>

#include "tui/chart/chart.h"
#include "tui/draw/settings.h"
#include "tui/chart/time_axis.h"
#include "tui/panes/pane_chart.h"

static void open_canvas(void)
{
	canvas = (struct ui_canvas){ .dots = true };
	ck_assert(ui_canvas_resize(&canvas, 6, 3));
}

START_TEST(the_first_time_of_a_column_is_in_it)
{
	static const int64_t ends[] = { 3, 1000, 999999937, INT64_C(3139123457),
		INT64_C(86400000000001) };
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		for (int w = 1; w < 200; w += 7) {
			const struct ui_axis a = { { 0, 0, w, 1 }, 17, 17 + ends[i] };
			ck_assert_int_eq(ui_axis_column(&a, 16), -1);
			ck_assert_int_eq(ui_axis_column(&a, a.to_ns), w);
			for (int x = 0; x < w && ends[i] >= 2 * w; x++)
				ck_assert_msg(ui_axis_column(&a, ui_axis_time(&a, x)) == x,
					"column %d of %d, %lld ns", x, w, (long long)ends[i]);
		}
	}
	const struct ui_axis none = { .to_ns = 0 };
	ck_assert_int_eq(ui_axis_column(&none, 5), -1);
}
END_TEST

START_TEST(braille_has_two_columns_and_four_heights_a_cell)
{
	const double v[] = { 1, 2, 3, 4, 8, 0, NAN, 5, 0.001, 0, 0, 8 };
	struct pv_series s = { .value = (double *)v, .n = 12, .max = 8 };
	struct ui_values values = ui_series_values(&canvas, &s, 6);
	ck_assert_double_eq(values.max, 10);
	values.max = 8;
	ui_graph(&canvas, (struct ui_rect){ 0, 0, 6, 3 }, UI_HEAP, values);
	expect("  ⡇  ⢸\n ⣠⡇⢸ ⢸\n⣴⣿⡇⢸⡀⢸\n");
	ui_clear(&canvas, ui_canvas_rect(&canvas), UI_PLAIN);
	ui_spark(&canvas, (struct ui_rect){ 0, 0, 6, 1 }, UI_HEAP, values); /* the greater of two */
	expect("▂▄▇▄▁▇\n\n\n");
	canvas.ascii = true; /* goes before, with what the series has */
	ck_assert(!ui_series_values(&canvas, &s, 6).dots);
	canvas.ascii = false;
	s.n = 6; /* of blocks, before the answer comes */
	ck_assert(!ui_series_values(&canvas, &s, 6).dots);
	ck_assert_uint_eq(ui_series_cells(true, 6), 12);
	ck_assert_uint_eq(ui_series_cells(false, 6), 6);
	ck_assert_uint_eq(ui_series_cells(true, -1), 0);
	s.n = 12;
	ck_assert_double_eq(ui_series_at(&s, 6, 1), 4);
	ck_assert_double_eq(ui_series_at(&s, 6, 3), 5);
	ck_assert(isnan(ui_series_at(&s, 6, 6)) && isnan(ui_series_at(&s, 0, 0)));
}
END_TEST

/* While a recording goes on, what is on the screen keeps its column until the row is full. */
START_TEST(time_is_added_at_the_right)
{
	struct ui_shared shared = { .feed.state = UI_FEED_LIVE };
	const struct ui_rect room = { 3, 0, 50, 1 };
	const int64_t tenth = 100000000, at = 31 * tenth + 1;
	for (int64_t now = at; now < 50 * tenth; now += tenth / 3) {
		shared.duration_ns = now;
		ck_assert_int_eq(ui_time_column(&shared, room, at), 31);
		ck_assert_int_lt(ui_time_column(&shared, room, now), 50);
	}
	for (int64_t now = 50 * tenth; now < 100 * tenth; now += tenth / 3) {
		shared.duration_ns = now;
		ck_assert_int_eq(ui_time_column(&shared, room, at), 15); /* two have become one */
	}
	shared.duration_ns = INT64_C(30000000000000);
	ck_assert_int_gt(ui_time_end(&shared, 50), shared.duration_ns);
	shared.duration_ns = 62 * tenth;
	shared.feed.state = UI_FEED_ENDED;
	ck_assert_int_eq(ui_time_end(&shared, 50), 62 * tenth);
	ck_assert_int_eq(ui_time_column(&shared, room, at), 25);
	ck_assert_int_eq(ui_time_column(&shared, room, 62 * tenth), 49);
	ck_assert_int_eq(ui_time_column(&shared, room, -1), 0);
}
END_TEST

START_TEST(tops_are_round)
{
	ck_assert_double_eq(ui_top_of(0, PV_UNIT_COUNT), 0);
	ck_assert_double_eq(ui_top_of(NAN, PV_UNIT_COUNT), 0);
	ck_assert_double_eq(ui_top_of(1, PV_UNIT_COUNT), 1);
	ck_assert_double_eq(ui_top_of(1.01, PV_UNIT_COUNT), 2);
	ck_assert_double_eq(ui_top_of(450, PV_UNIT_NS), 500);
	ck_assert_double_eq(ui_top_of(501, PV_UNIT_NS), 1000);
	ck_assert_double_eq(ui_top_of(0.03, PV_UNIT_NUMBER), 0.05);
	ck_assert_double_eq(ui_top_of(4.48 * 1048576, PV_UNIT_BYTES), 5 * 1048576.0);
	ck_assert_double_eq(ui_top_of(501 * 1048576.0, PV_UNIT_BYTES), 1000 * 1048576.0);
	ck_assert_double_eq(ui_top_of(1010 * 1024.0, PV_UNIT_BYTES), 1048576);
}
END_TEST

START_TEST(a_top_goes_up_at_once_and_down_when_it_is_safe)
{
	const int64_t s = 1000000000;
	struct ui_top t = { 0 };
	ui_top_follow(&t, 40, PV_UNIT_COUNT, 0);
	ck_assert_double_eq(t.top, 50);
	ui_top_follow(&t, 51, PV_UNIT_COUNT, s);
	ck_assert_double_eq(t.top, 100);
	ui_top_follow(&t, 9, PV_UNIT_COUNT, 2 * s);
	ui_top_follow(&t, 9, PV_UNIT_COUNT, 31 * s);
	ck_assert_double_eq(t.top, 100);
	ui_top_follow(&t, 90, PV_UNIT_COUNT, 31 * s); /* the time begins anew */
	ui_top_follow(&t, 9, PV_UNIT_COUNT, 33 * s);
	ui_top_follow(&t, 9, PV_UNIT_COUNT, 62 * s);
	ck_assert_double_eq(t.top, 100);
	ui_top_follow(&t, 9, PV_UNIT_COUNT, 63 * s);
	ck_assert_double_eq(t.top, 10);
}
END_TEST

START_TEST(marks_say_how_often)
{
	const double once[] = { 0, 1, 0, 1, NAN, 1 }, often[] = { 0, 1, 2, 8, 12, 0 };
	struct ui_rect r = { 0, 0, 6, 1 }, below = { 0, 1, 6, 1 };
	ck_assert_uint_eq(ui_marks(&canvas, r, UI_MINOR,
				  (struct ui_values){ .v = once, .n = 6, .max = 1 }, '\'', false),
		'\'');
	ui_marks(&canvas, below, UI_MAJOR, (struct ui_values){ .v = often, .n = 6, .max = 12 }, '|',
		true);
	expect(" ' ' '\n |28#\n\n");
	ui_clear(&canvas, ui_canvas_rect(&canvas), UI_PLAIN);
	ck_assert_uint_ne(ui_marks(&canvas, r, UI_MINOR,
				  (struct ui_values){ .v = often, .n = 6, .max = 12 }, '\'', false),
		'\'');
	ui_marks(&canvas, below, UI_MINOR,
		(struct ui_values){ .v = once, .n = 6, .max = 1, .dots = true }, '\'', false);
	expect(" ▁▁▅▇\n'''\n\n"); /* two values a column */
}
END_TEST

START_TEST(a_zoom_goes_by_round_steps_about_the_cursor)
{
	const int64_t all = INT64_C(3139000000), s = 1000000000;
	struct ui_range r = { .cursor_on = true, .cursor_ns = 2900000000 };
	static const int64_t lengths[] = { 2000, 1000, 500, 200, 100, 50, 20, 10, 5, 2, 1 };
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		ck_assert(ui_range_zoom(&r, 1, all));
		ck_assert_int_eq(r.to_ns - r.from_ns, lengths[i] * 1000000);
		ck_assert_int_eq(r.from_ns % (lengths[i] * 100000), 0);
		ck_assert(r.on && r.from_ns <= r.cursor_ns && r.cursor_ns < r.to_ns);
	}
	ck_assert(!ui_range_zoom(&r, 1, all)); /* 1 ms */
	for (int i = 0; i < 10; i++)
		ck_assert(ui_range_zoom(&r, -1, all));
	ck_assert(r.on && r.to_ns - r.from_ns == 2 * s);
	ck_assert(ui_range_zoom(&r, -1, all) && !r.on);
	ck_assert(!ui_range_zoom(&r, -1, all)); /* all of it */
	ck_assert(!ui_range_zoom(&r, 1, 0));
	r = (struct ui_range){ .on = true, .threaded = true, .from_ns = s, .to_ns = INT64_MAX };
	ck_assert(ui_range_zoom(&r, 1, all)); /* of 1 to 3.139 s the middle */
	ck_assert(r.from_ns >= s && r.to_ns <= all + 200000000);
	ck_assert_int_eq(r.to_ns - r.from_ns, 2 * s);
	ck_assert(ui_range_zoom(&r, -1, all) && r.on && r.threaded); /* of the thread, all */
	ck_assert_int_eq(r.to_ns, INT64_MAX);
}
END_TEST

static struct ui_axis chart(void)
{
	return ui_chart_axis(&screen.pane[screen.current], &screen.shared);
}

/* The cursor goes through the chart's columns, and its title has the values with their units. */
START_TEST(a_chart_has_a_cursor_with_values)
{
	press("5");
	ck_assert(seen("heap, and time stopped  a column ") && seen("0:10"));
	press("{");
	const struct ui_axis a = chart();
	const int now = ui_axis_column(&a, screen.shared.duration_ns);
	ck_assert(now > a.room.w / 2 && now < a.room.w); /* it goes on */
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.cursor_ns), now - 1);
	ck_assert(seen("at 1:0") && seen(" B, ") && !seen("a column"));
	ck_assert(seen("▲"));
	press("{{");
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.cursor_ns), now - 3);
	press("}");
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.cursor_ns), now - 2);
	const int y = a.room.y, x = a.room.x + now - 2;
	ck_assert_uint_eq(screen.canvas.cell[y * screen.canvas.w + x].bits, UI_SELECTED);
}
END_TEST

START_TEST(a_click_sets_the_cursor_and_a_drag_the_range)
{
	press("5");
	const struct ui_axis a = chart();
	struct ui_mouse m = { .x = a.room.x + 10, .y = a.room.y + 1, .click = UI_CLICK_PRESS };
	ui_screen_mouse(&screen, m);
	show();
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.cursor_ns), 10);
	m.x += 5;
	m.click = UI_CLICK_RELEASE;
	ui_screen_mouse(&screen, m);
	ck_assert(screen.shared.range.on);
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.from_ns), 10);
	ck_assert_int_eq(ui_axis_column(&a, screen.shared.range.to_ns), 16);
}
END_TEST

/* Of a window of an ended recording nothing is said before it is read. */
START_TEST(a_range_that_is_read_is_no_empty_one)
{
	press(":marks<Enter>:range 1s..2s<Enter>");
	ck_assert(seen("the range is being read ..."));
	ck_assert(!seen("the log has none of this") && !seen("nothing"));
	screen.shared.range.state = UI_RANGE_EXACT;
	show();
	ck_assert(!seen("the range is being read ..."));
}
END_TEST

/* Every key does something or says why not. */
START_TEST(keys_zoom_in_every_view)
{
	press("5{)");
	ck_assert(screen.shared.range.on);
	ck_assert(seen("figures from ") && seen("Ctrl-R: of all again"));
	press("pp");
	ck_assert(seen("the range stays; Ctrl-R"));
	press("+");
	ck_assert_int_eq(
		screen.shared.range.to_ns - screen.shared.range.from_ns, 20 * INT64_C(1000000000));
	press("<20)>");
	ck_assert(seen("a range of 1 ms is the shortest"));
	press("*");
	ck_assert(!screen.shared.range.on);
	press("-");
	ck_assert(seen("all of the recording is seen"));
	press("C)"); /* + folds a tree, the parentheses zoom */
	ck_assert(screen.shared.range.on);
	press("(");
	ck_assert(!screen.shared.range.on);
}
END_TEST

static struct ui_settings settings;

START_TEST(glyphs_are_what_the_terminal_has)
{
	screen.shared.settings = &settings;
	press("5<C-p>");
	ck_assert(screen.canvas.dots && seen("Braille") && seen("⣿"));
	press("<C-p>");
	ck_assert(screen.canvas.ascii && !screen.canvas.dots && !seen("⣿"));
	press("<C-p>");
	ck_assert(!screen.canvas.ascii && settings.glyphs_chosen && seen("█"));
	screen.shared.no_braille = true;
	press(":glyphs<Space>braille<Enter>");
	ck_assert(!screen.canvas.dots && seen("the Linux console has no Braille"));
	press("<C-p>");
	ck_assert(screen.canvas.ascii);
	screen.shared.only_ascii = true;
	press(":glyphs<Space>block<Enter>");
	ck_assert(screen.canvas.ascii && seen("not UTF-8"));
	press(":glyphs<Space>dots<Enter>");
	ck_assert(seen("glyphs are block, braille or ascii"));
}
END_TEST

/* Home's lanes show at the cursor what they have there. */
START_TEST(lanes_have_values_at_the_cursor)
{
	ck_assert(ui_screen_resize(&screen, 120, 36));
	show();
	ck_assert(seen("/s") && seen(" max "));
	press("{{{");
	ck_assert(seen("/s") && !seen(" max "));
	press("<C-r>");
	ck_assert(seen("/s") && seen(" max "));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("charts");
	TCase *t = tcase_create("drawing");
	tcase_add_checked_fixture(t, open_canvas, close_canvas);
	tcase_add_test(t, the_first_time_of_a_column_is_in_it);
	tcase_add_test(t, braille_has_two_columns_and_four_heights_a_cell);
	tcase_add_test(t, time_is_added_at_the_right);
	tcase_add_test(t, tops_are_round);
	tcase_add_test(t, a_top_goes_up_at_once_and_down_when_it_is_safe);
	tcase_add_test(t, marks_say_how_often);
	tcase_add_test(t, a_zoom_goes_by_round_steps_about_the_cursor);
	suite_add_tcase(s, t);
	t = tcase_create("keys");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, a_chart_has_a_cursor_with_values);
	tcase_add_test(t, a_click_sets_the_cursor_and_a_drag_the_range);
	tcase_add_test(t, keys_zoom_in_every_view);
	tcase_add_test(t, a_range_that_is_read_is_no_empty_one);
	tcase_add_test(t, glyphs_are_what_the_terminal_has);
	tcase_add_test(t, lanes_have_values_at_the_cursor);
	suite_add_tcase(s, t);
	return run_suite(s);
}
