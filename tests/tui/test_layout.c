/* SPDX-License-Identifier: MIT */
/* The frame and the split of a pane, at every size a terminal can have. */
#include "tests/kit/suite.h"

#include "tui/draw/layout.h"

static bool inside(struct ui_rect r, struct ui_rect outer)
{
	if (r.w < 0 || r.h < 0)
		return false;
	if (r.w == 0 || r.h == 0)
		return true;
	return r.x >= outer.x && r.y >= outer.y && r.x + r.w <= outer.x + outer.w &&
	       r.y + r.h <= outer.y + outer.h;
}

static int area(struct ui_rect r)
{
	return r.w * r.h;
}

static bool overlap(struct ui_rect a, struct ui_rect b)
{
	return area(a) && area(b) && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h &&
	       b.y < a.y + a.h;
}

/* One check a size: the loops are long, and a check in Check is not cheap. */
static bool tiles(const struct ui_rect *r, size_t n, struct ui_rect outer)
{
	int sum = 0;
	bool good = true;
	for (size_t i = 0; i < n; i++) {
		good = good && inside(r[i], outer);
		sum += area(r[i]);
		for (size_t j = i + 1; j < n; j++)
			good = good && !overlap(r[i], r[j]);
	}
	return good && sum == area(outer);
}

START_TEST(frame_tiles_the_screen)
{
	for (int w = 0; w <= 200; w++) {
		for (int h = 0; h <= 80; h++) {
			struct ui_layout l = ui_layout(w, h);
			if ((w + h) % 2)
				ui_layout_range(&l);
			struct ui_rect all[] = { l.status, l.heap, l.gc, l.range, l.tabs, l.crumb,
				l.body, l.detail, l.coverage, l.keys };
			bool good = tiles(
				all, sizeof all / sizeof all[0], (struct ui_rect){ 0, 0, w, h });
			good = good && l.too_small == (w < UI_MIN_W || h < UI_MIN_H);
			if (!l.too_small)
				good = good && l.body.h >= 6 &&
				       l.status.h + l.tabs.h + l.coverage.h + l.keys.h == 4;
			ui_layout_bare(&l);
			struct ui_rect bare[] = { l.status, l.heap, l.gc, l.range, l.tabs, l.crumb,
				l.body, l.detail, l.coverage, l.keys };
			good = good && tiles(bare, sizeof bare / sizeof bare[0],
					       (struct ui_rect){ 0, 0, w, h });
			ck_assert_msg(good, "%dx%d", w, h);
		}
	}
}
END_TEST

START_TEST(rooms_and_views_keep_their_rows)
{
	for (int h = UI_MIN_H; h <= 80; h++) {
		struct ui_layout l = ui_layout(120, h), home = l;
		ui_layout_home(&home);
		ui_layout_range(&l);
		ck_assert_int_eq(l.tabs.y, 1);
		ck_assert_int_eq(home.tabs.y, 1);
		ck_assert_int_eq(home.crumb.y, l.crumb.y);
	}
}
END_TEST

START_TEST(split_tiles_the_body)
{
	for (int h = 0; h <= 70; h++) {
		for (int w = 1; w <= 200; w += 7) {
			for (int wish = 0; wish < 64; wish++) {
				struct ui_rect body = { 3, 5, w, h };
				struct ui_split_wish want = { wish / 16 % 2 * 8, wish / 4 % 4,
					wish % 4, wish / 32 * 3, false };
				struct ui_split s = ui_split(body, want);
				struct ui_rect all[] = { s.chart, s.rule, s.divide, s.part[0],
					s.part[1], s.part[2], s.part[3] };
				ck_assert_msg(tiles(all, sizeof all / sizeof all[0], body),
					"%dx%d, wish %d", w, h, wish);
			}
		}
	}
}
END_TEST

START_TEST(what_has_the_keys_is_always_seen)
{
	for (int h = 6; h <= 70; h++) {
		for (int details = 0; details < UI_SPLIT_PARTS; details++) {
			for (int focus = 0; focus <= details; focus++) {
				struct ui_split s = ui_split((struct ui_rect){ 0, 0, 40, h },
					(struct ui_split_wish){ 8, details, focus, 0, false });
				ck_assert_int_ge(s.part[focus].h, 4);
				ck_assert_int_gt(s.part[focus].w, 0);
			}
		}
	}
}
END_TEST

START_TEST(a_wide_screen_shows_both_details)
{
	struct ui_split s = ui_split(
		(struct ui_rect){ 0, 0, 120, 28 }, (struct ui_split_wish){ 0, 2, 0, 0, false });
	ck_assert_int_eq(s.part[1].w, 59);
	ck_assert_int_eq(s.part[2].w, 60);
	ck_assert_int_ge(s.part[0].h, 14);
	ck_assert_int_ge(s.part[1].h, 8);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout");
	TCase *t = tcase_create("layout");
	tcase_add_test(t, frame_tiles_the_screen);
	tcase_add_test(t, rooms_and_views_keep_their_rows);
	tcase_add_test(t, split_tiles_the_body);
	tcase_add_test(t, what_has_the_keys_is_always_seen);
	tcase_add_test(t, a_wide_screen_shows_both_details);
	suite_add_tcase(s, t);
	return run_suite(s);
}
