/* SPDX-License-Identifier: MIT */
/* Cells, clipping, wide and combining characters, charts, and what ASCII makes of them. */
#include "tests/kit/canvas_kit.h"
#include "tests/kit/suite.h"

#include <math.h>
#include <string.h>

#include "common/base/utf8.h"
#include "tui/draw/canvas.h"
#include "tui/chart/chart.h"

static void open_canvas(void)
{
	canvas = (struct ui_canvas){ 0 };
	ck_assert(ui_canvas_resize(&canvas, 10, 3));
}

static struct ui_rect at(int x, int y, int w)
{
	return (struct ui_rect){ x, y, w, 1 };
}

START_TEST(text_is_cut_with_an_ellipsis)
{
	ck_assert_int_eq(ui_put(&canvas, at(0, 0, 6), UI_PLAIN, "abcdef"), 6);
	ck_assert_int_eq(ui_put(&canvas, at(0, 1, 6), UI_PLAIN, "abcdefg"), 6);
	ck_assert_int_eq(ui_put_cut(&canvas, at(0, 2, 6), UI_PLAIN, "abcdefg"), 6);
	expect("abcdef\nabcde…\nabcdef\n");
}
END_TEST

START_TEST(right_aligned_text)
{
	ui_put_right(&canvas, at(1, 0, 8), UI_PLAIN, "12");
	ui_put_right(&canvas, at(1, 1, 8), UI_PLAIN, "1234567890");
	expect("       12\n 1234567…\n\n");
}
END_TEST

START_TEST(positions_outside_do_nothing)
{
	ui_put(&canvas, at(-3, 0, 5), UI_PLAIN, "abcde");
	ui_put(&canvas, at(8, 1, 5), UI_PLAIN, "abcde");
	ui_put(&canvas, at(0, 9, 5), UI_PLAIN, "abcde");
	ui_put(&canvas, at(0, -1, 5), UI_PLAIN, "abcde");
	ui_put(&canvas, at(0, 2, 0), UI_PLAIN, "abcde");
	ui_put_code(&canvas, 100, 100, UI_PLAIN, 'x');
	ui_clear(&canvas, (struct ui_rect){ -5, -5, 2, 100 }, UI_BAD);
	ui_box(&canvas, (struct ui_rect){ 5, 1, 50, 50 }, "a long title of a box");
	expect("de\n     ┌─ a\n     │\n");
}
END_TEST

START_TEST(wide_characters_take_two_cells)
{
	ck_assert_int_eq(ui_put(&canvas, at(0, 0, 10), UI_PLAIN, "a\xe4\xb8\xad\xe6\x96\x87z"), 6);
	ui_put(&canvas, at(0, 1, 4), UI_PLAIN, "a\xe4\xb8\xad\xe6\x96\x87z");
	ui_put(&canvas, at(0, 2, 10), UI_PLAIN, "\xe4\xb8\xad\xe6\x96\x87");
	ui_put_code(&canvas, 1, 2, UI_PLAIN, 'x'); /* into the right half of the first */
	ui_put_code(&canvas, 2, 2, UI_PLAIN, 'y'); /* over the left half of the second */
	expect("a\xe4\xb8\xad\xe6\x96\x87z\na\xe4\xb8\xad…\n xy\n");
	ck_assert_uint_eq(canvas.cell[1].cells, 2);
	ck_assert_uint_eq(canvas.cell[2].cells, 0);
}
END_TEST

/* A wide character is two cells, both there; and no line is wider than the canvas. */
static void expect_whole_characters(void)
{
	for (int y = 0; y < canvas.h; y++) {
		const struct ui_cell *row = canvas.cell + y * canvas.w;
		for (int x = 0; x < canvas.w; x++) {
			bool left = x + 1 < canvas.w && row[x + 1].cells == 0;
			bool right = x > 0 && row[x - 1].cells == 2;
			ck_assert_int_eq(row[x].cells == 2, left);
			ck_assert_int_eq(row[x].cells == 0, right);
			ck_assert_int_eq(pv_utf8_width(row[x].code), row[x].cells == 2 ? 2 : 1);
		}
	}
}

/* Every edge of a rectangle, and of the canvas, at each column of wide and narrow characters. */
START_TEST(no_edge_cuts_a_wide_character)
{
	static const char text[] = "\xe4\xb8\xad\xe6\x96\x87z\xe4\xb8\xad\xe6\x96\x87q\xe4\xb8\xad";
	static int (*const put[])(struct ui_canvas *c, struct ui_rect r, enum ui_style style,
		const char *text) = { ui_put, ui_put_right, ui_put_cut };
	for (int how = 0; how < 5 * 12 * 14; how++) {
		int x = how / 5 % 12 - 1, w = how / 60;
		ui_put(&canvas, at(0, 1, 10), UI_PLAIN, text);
		ui_put(&canvas, at(-1, 2, 12), UI_PLAIN, text);
		for (int y = 0; y < 3; y++) {
			struct ui_rect r = at(x, y, w);
			if (how % 5 < 3)
				put[how % 5](&canvas, r, UI_BAD, text);
			else if (how % 5 == 3)
				ui_clear(&canvas, r, UI_BAD);
			else
				ui_hline(&canvas, r);
		}
		expect_whole_characters();
	}
}
END_TEST

START_TEST(combining_characters_stay_on_their_cell)
{
	ck_assert_int_eq(ui_put(&canvas, at(0, 0, 10), UI_PLAIN, "e\xcc\x81t"), 2);
	ck_assert_uint_eq(canvas.cell[0].mark[0], 0x301);
	expect("e\xcc\x81t\n\n\n");
}
END_TEST

START_TEST(control_and_reordering_characters_are_harmless)
{
	ui_put(&canvas, at(0, 0, 10), UI_PLAIN, "a\x1b[2Jb");
	ck_assert_int_eq(ui_put(&canvas, at(0, 1, 10), UI_PLAIN,
				 "a\xe2\x80\xae"
				 "b\tc"),
		10);
	ck_assert_int_eq(ui_put(&canvas, at(0, 2, 10), UI_PLAIN, "\xff\xc3"), 8);
	expect("a\\x1b[2Jb\na\\u202eb\\…\n\\xff\\xc3\n");
}
END_TEST

/* On the border left of it, and of a character more than it may carry. */
START_TEST(combining_characters_do_not_pile_up)
{
	ck_assert_int_eq(ui_put(&canvas, at(1, 0, 9), UI_PLAIN, "\xcc\x81"), 6);
	ui_put(&canvas, at(0, 1, 10), UI_PLAIN, "e\xcc\x81\xcc\x82\xcc\x83t");
	expect(" \\u0301\ne\xcc\x81\xcc\x82\\u0303t\n\n");
	ck_assert_uint_eq(canvas.cell[1].mark[0], 0);
}
END_TEST

START_TEST(styles_are_kept_per_cell)
{
	ui_put(&canvas, at(0, 0, 10), UI_WARN, "ab");
	ui_restyle(&canvas, at(1, 0, 2), UI_CURSOR);
	ui_mark(&canvas, at(0, 0, 2), UI_SELECTED);
	ck_assert_uint_eq(canvas.cell[0].style, UI_WARN);
	ck_assert_uint_eq(canvas.cell[1].style, UI_CURSOR);
	ck_assert_uint_eq(canvas.cell[2].style, UI_CURSOR);
	ck_assert_uint_eq(canvas.cell[3].style, UI_PLAIN);
	ck_assert_uint_eq(canvas.cell[1].bits, UI_SELECTED);
	ck_assert_uint_eq(canvas.cell[2].bits, 0);
	ui_put(&canvas, at(0, 0, 1), UI_BAD, "c");
	ck_assert_uint_eq(canvas.cell[0].bits, 0);
}
END_TEST

START_TEST(a_box_has_a_title)
{
	struct ui_rect in = ui_box(&canvas, (struct ui_rect){ 0, 0, 10, 3 }, "GC");
	ck_assert_int_eq(in.x, 1);
	ck_assert_int_eq(in.w, 8);
	ck_assert_int_eq(in.h, 1);
	expect("┌─ GC ───┐\n│        │\n└────────┘\n");
}
END_TEST

START_TEST(shares_are_strokes_of_half_cells)
{
	ui_bar(&canvas, at(0, 0, 10), UI_BAR, 0.5);
	ui_bar(&canvas, at(0, 1, 10), UI_BAR, 0.25);
	ui_bar(&canvas, at(0, 2, 10), UI_BAR, 0.0001);
	expect("━━━━━\n━━╸\n╸\n");
	ui_clear(&canvas, ui_canvas_rect(&canvas), UI_PLAIN);
	ui_bar(&canvas, at(0, 0, 10), UI_BAR, 7);
	ui_bar(&canvas, at(0, 1, 10), UI_BAR, 0);
	ui_bar(&canvas, at(0, 2, 10), UI_BAR, NAN);
	expect("━━━━━━━━━━\n\n\n");
}
END_TEST

START_TEST(sparklines_show_the_newest)
{
	const double v[] = { 9, 0, 1, 2, 4, 8, NAN, 8 };
	ui_spark(&canvas, at(0, 0, 7), UI_HEAP, (struct ui_values){ .v = v, .n = 8, .max = 8 });
	ui_spark(&canvas, at(0, 1, 10), UI_HEAP, (struct ui_values){ .v = v, .n = 8, .max = 8 });
	ui_spark(&canvas, at(0, 2, 10), UI_HEAP, (struct ui_values){ .v = v, .n = 0, .max = 8 });
	expect(" ▁▂▄▇·▇\n▇ ▁▂▄▇·▇··\n··········\n");
}
END_TEST

/* Three different things: nothing happened, it was not recorded, and it is still to be read. */
START_TEST(nothing_is_not_what_is_not_known)
{
	const double v[] = { NAN, 0, 8, NAN, 4, NAN, 0 };
	const struct ui_values values = { .v = v, .n = 7, .max = 8, .unread = 2 };
	ui_spark(&canvas, at(0, 0, 7), UI_HEAP, values);
	ui_graph(&canvas, (struct ui_rect){ 0, 1, 7, 2 }, UI_HEAP, values);
	expect("· ▇·▄╌╌\n  █\n· █·█╌╌\n");
	ck_assert_int_eq(canvas.cell[0].style, UI_DIM);
	ck_assert_int_eq(canvas.cell[5].style, UI_FRAME);
	canvas.ascii = true; /* the dot is a height there */
	ui_clear(&canvas, ui_canvas_rect(&canvas), UI_PLAIN);
	ui_spark(&canvas, at(0, 0, 7), UI_HEAP, values);
	expect("? #?-~~\n\n\n");
}
END_TEST

START_TEST(parts_of_a_whole_have_a_gap_between_them)
{
	ui_fill(&canvas, at(0, 0, 4), UI_FLAME_USER, 0);
	ui_fill(&canvas, at(4, 0, 1), UI_FLAME_NATIVE, 0);
	ui_fill(&canvas, at(5, 0, 3), UI_FLAME_NATIVE, '*');
	ui_fill(&canvas, at(8, 0, 1), UI_FLAME_NATIVE, '*');
	ui_fill(&canvas, at(9, 0, 0), UI_FLAME_NATIVE, '*');
	expect("   ▉▉* ▉*\n\n\n");
	ck_assert_int_eq(canvas.cell[3].bits, UI_HUE);
	ck_assert_int_eq(canvas.cell[2].bits, 0);
	canvas.ascii = true;
	ui_fill(&canvas, at(0, 0, 4), UI_FLAME_USER, 0);
	ui_fill(&canvas, at(4, 0, 1), UI_FLAME_NATIVE, 0);
	ui_fill(&canvas, at(5, 0, 3), UI_FLAME_NATIVE, '*');
	ui_fill(&canvas, at(8, 0, 1), UI_FLAME_NATIVE, '*');
	expect("[  ]|* ]*\n\n\n");
}
END_TEST

/* Its font has halves and lines; what it has not is never sent to it. */
START_TEST(the_console_has_its_own_characters)
{
	const double v[] = { 1, 2, 3, 4, 5, 6, 7 };
	canvas.console = true;
	ui_spark(&canvas, at(0, 0, 7), UI_HEAP, (struct ui_values){ .v = v, .n = 7, .max = 7 });
	ui_bar(&canvas, at(0, 1, 4), UI_BAR, 0.6);
	ui_fill(&canvas, at(5, 1, 4), UI_FLAME_USER, 0x25b6);
	ui_put(&canvas, at(0, 2, 10), UI_PLAIN, "é…●▸·×");
	expect("__▄▄▄██\n══─  ▶  ]\né~•>·x\n");
}
END_TEST

START_TEST(graphs_stack_cells)
{
	const double v[] = { 1, 2, 3 };
	ui_graph(&canvas, (struct ui_rect){ 0, 0, 3, 3 }, UI_HEAP,
		(struct ui_values){ .v = v, .n = 3, .max = 3 });
	expect("  █\n ██\n███\n");
}
END_TEST

START_TEST(ascii_replaces_everything_else)
{
	const double v[] = { 1, 4, 8 };
	canvas.ascii = true;
	ui_put(&canvas, at(0, 0, 10), UI_PLAIN,
		"▶ \xe4\xb8\xad"
		"e\xcc\x81…│");
	ui_spark(&canvas, at(0, 1, 3), UI_HEAP, (struct ui_values){ .v = v, .n = 3, .max = 8 });
	ui_bar(&canvas, at(4, 1, 4), UI_BAR, 0.7);
	ui_box(&canvas, (struct ui_rect){ 0, 2, 4, 2 }, NULL);
	expect("> ?e~|\n_-# ===\n+--+\n");
}
END_TEST

START_TEST(resize_clears)
{
	ui_put(&canvas, at(0, 0, 10), UI_PLAIN, "abc");
	ck_assert(ui_canvas_resize(&canvas, 4, 2));
	expect("\n\n");
	ck_assert(ui_canvas_resize(&canvas, 0, 0));
	expect("");
	ui_put(&canvas, at(0, 0, 10), UI_PLAIN, "abc");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("canvas");
	TCase *t = tcase_create("canvas");
	tcase_add_checked_fixture(t, open_canvas, close_canvas);
	tcase_add_test(t, text_is_cut_with_an_ellipsis);
	tcase_add_test(t, right_aligned_text);
	tcase_add_test(t, positions_outside_do_nothing);
	tcase_add_test(t, wide_characters_take_two_cells);
	tcase_add_test(t, no_edge_cuts_a_wide_character);
	tcase_add_test(t, combining_characters_stay_on_their_cell);
	tcase_add_test(t, control_and_reordering_characters_are_harmless);
	tcase_add_test(t, combining_characters_do_not_pile_up);
	tcase_add_test(t, styles_are_kept_per_cell);
	tcase_add_test(t, a_box_has_a_title);
	tcase_add_test(t, shares_are_strokes_of_half_cells);
	tcase_add_test(t, sparklines_show_the_newest);
	tcase_add_test(t, graphs_stack_cells);
	tcase_add_test(t, nothing_is_not_what_is_not_known);
	tcase_add_test(t, parts_of_a_whole_have_a_gap_between_them);
	tcase_add_test(t, the_console_has_its_own_characters);
	tcase_add_test(t, ascii_replaces_everything_else);
	tcase_add_test(t, resize_clears);
	suite_add_tcase(s, t);
	return run_suite(s);
}
