/* SPDX-License-Identifier: MIT */
/* Frames of a flame: gaps, letters, second fills, shares, what is narrow, and other terminals. */
#include "tests/kit/canvas_kit.h"
#include "tests/kit/suite.h"

#include "common/query/groups/code_kind.h"
#include "tui/chart/icicle.h"
#include "tui/draw/theme.h"

static struct pv_flame_cell cells[] = {
	{ .shown = "all", .weight = 100, .child = 1, .children = 3 },
	{ .shown = "App.Work(int)",
		.key = 1,
		.weight = 60,
		.child = 4,
		.children = 1,
		.depth = 1,
		.kind = PV_CODE_USER },
	{ .shown = "write", .key = 2, .weight = 20, .depth = 1, .kind = PV_CODE_NATIVE },
	{ .shown = "read", .key = 3, .weight = 12, .depth = 1, .kind = PV_CODE_NATIVE },
	{ .shown = "App.Sort(int[])",
		.key = 4,
		.weight = 45,
		.parent = 1,
		.child = 5,
		.children = 1,
		.depth = 2,
		.kind = PV_CODE_USER },
	{ .shown = "memcpy",
		.key = 5,
		.weight = 45,
		.parent = 4,
		.depth = 3,
		.kind = PV_CODE_NATIVE },
};
static struct pv_flame flame = { .cell = cells, .cells = sizeof cells / sizeof cells[0] };

static void open_canvas(void)
{
	canvas = (struct ui_canvas){ 0 };
	ck_assert(ui_canvas_resize(&canvas, 60, 4));
	cells[0].thin = 9;
	cells[0].thin_weight = 8;
}

static struct ui_icicle_thin draw(uint32_t cursor)
{
	struct ui_icicle_look look = { .cursor = cursor };
	struct ui_icicle_span *span = ui_icicle_lay(&flame, canvas.w);
	ck_assert_ptr_nonnull(span);
	struct ui_icicle_thin thin =
		ui_icicle_draw(&canvas, ui_canvas_rect(&canvas), &flame, span, &look);
	free(span);
	return thin;
}

static const struct ui_cell *cell_at(int x, int y)
{
	return &canvas.cell[y * canvas.w + x];
}

START_TEST(frames_have_a_gap_a_letter_where_the_kind_changes_and_their_share)
{
	ck_assert_uint_eq(draw(UINT32_MAX).n, 9);
	expect(" all                                                 100 % ▉\n"
	       " U App.Work(int)              60 % ▉ N write   ▉ read ▉+9\n"
	       " App.Sort(int[])     45 % ▉\n"
	       " N memcpy            45 % ▉\n");
}
END_TEST

START_TEST(a_frame_below_its_own_kind_has_the_second_fill)
{
	draw(UINT32_MAX);
	ck_assert_int_eq(cell_at(3, 1)->style, UI_FLAME_USER);
	ck_assert_int_eq(cell_at(3, 1)->bits, 0);
	ck_assert_int_eq(cell_at(3, 2)->style, UI_FLAME_USER);
	ck_assert_int_eq(cell_at(3, 2)->bits, UI_ALT);
	ck_assert_int_eq(cell_at(26, 2)->bits, UI_ALT | UI_HUE); /* its gap */
	ck_assert_int_eq(cell_at(3, 3)->style, UI_FLAME_NATIVE);
	ck_assert_int_eq(cell_at(3, 3)->bits, 0);
	draw(4); /* the cursor has one fill of its own */
	ck_assert_int_eq(cell_at(3, 2)->style, UI_FLAME_CURSOR);
	ck_assert_int_eq(cell_at(3, 2)->bits, 0);
	ck_assert_uint_eq(cell_at(0, 2)->code, 0x25b6);
}
END_TEST

START_TEST(ascii_has_brackets)
{
	canvas.ascii = true;
	draw(4);
	expect("[all                                                 100 % ]\n"
	       "[U App.Work(int)              60 % ][N write   ][read ]+9\n"
	       ">App.Sort(int[])     45 % ]\n"
	       "[N memcpy            45 % ]\n");
}
END_TEST

/* In the order of enum pv_code_kind, flush right, and left out where it would be cut. */
START_TEST(the_legend_fits_or_is_not_there)
{
	ui_icicle_legend(&canvas, ui_canvas_rect(&canvas));
	ui_icicle_legend(&canvas, (struct ui_rect){ 0, 1, UI_ICICLE_LEGEND, 1 });
	ui_icicle_legend(&canvas, (struct ui_rect){ 0, 2, UI_ICICLE_LEGEND - 2, 1 });
	expect("       █ U own code  █ F framework  █ R runtime  █ N native\n"
	       " █ U own  █ F frame  █ R runtime  █ N native\n\n\n");
}
END_TEST

/* A gap is the fill's colour on the terminal's own ground; where nothing is filled it is nothing. */
START_TEST(fills_differ_and_gaps_have_their_colour)
{
	const struct ui_theme t = ui_theme_usual();
	for (enum ui_ground g = 0; g < UI_GROUNDS; g++)
		for (enum ui_style style = UI_FLAME_USER; style <= UI_FLAME_LESS; style++) {
			struct ui_style_look fill = ui_theme_look(&t, g, style, 0, 256);
			struct ui_style_look alt = ui_theme_look(&t, g, style, UI_ALT, 256);
			struct ui_style_look gap =
				ui_theme_look(&t, g, style, UI_ALT | UI_HUE, 256);
			ck_assert_int_ne(fill.bg, alt.bg);
			ck_assert_int_eq(fill.fg, alt.fg);
			ck_assert_int_eq(gap.fg, alt.bg);
			ck_assert_int_eq(gap.bg, -1);
			/* a bar on the selection keeps its hue */
			gap = ui_theme_look(&t, g, style, UI_HUE | UI_SELECTED, 256);
			ck_assert(style != UI_FLAME_NATIVE || gap.fg == (g ? 22 : 121));
			gap = ui_theme_look(&t, g, style, UI_HUE, 0);
			ck_assert(gap.fg == -1 && gap.bg == -1 && gap.attrs == 0);
		}
}
END_TEST

static Suite *icicle_suite(void)
{
	Suite *s = suite_create("icicle");
	TCase *t = tcase_create("drawing");
	tcase_add_checked_fixture(t, open_canvas, close_canvas);
	tcase_add_test(t, frames_have_a_gap_a_letter_where_the_kind_changes_and_their_share);
	tcase_add_test(t, a_frame_below_its_own_kind_has_the_second_fill);
	tcase_add_test(t, ascii_has_brackets);
	tcase_add_test(t, the_legend_fits_or_is_not_there);
	tcase_add_test(t, fills_differ_and_gaps_have_their_colour);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return run_suite(icicle_suite());
}
