/* SPDX-License-Identifier: MIT */
/* Numbers of fixed width, entries that are whole or away, and figures that stay for a while. */
#include "tests/kit/suite.h"

#include <math.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/status.h"
#include "tui/draw/entries.h"
#include "tui/draw/figure.h"
#include "tui/panes/renew.h"

#define S INT64_C(1000000000)

static const char *text_of(struct ui_figure f)
{
	static char text[64];
	snprintf(text, sizeof text, "%s%s%s", f.digits, f.unit[0] ? " " : "", f.unit);
	return text;
}

static const char *cell_text(struct pv_cell cell, enum pv_unit unit, unsigned flags)
{
	cell.state = PV_CELL_VALUE;
	return text_of(ui_figure_of(&cell, unit, flags));
}

START_TEST(three_digits_and_a_unit)
{
	ck_assert_str_eq(text_of(ui_figure_count(0)), "0");
	ck_assert_str_eq(text_of(ui_figure_count(999)), "999");
	ck_assert_str_eq(text_of(ui_figure_count(1205)), "1.21 k");
	ck_assert_str_eq(text_of(ui_figure_count(24881)), "24.9 k");
	ck_assert_str_eq(text_of(ui_figure_count(999499)), "999 k");
	ck_assert_str_eq(text_of(ui_figure_count(999500)), "1.00 M");
	ck_assert_str_eq(text_of(ui_figure_bytes(17)), "17 B");
	ck_assert_str_eq(text_of(ui_figure_bytes(1434)), "1.40 KiB");
	ck_assert_str_eq(text_of(ui_figure_ns(-4)), "-4 ns");
	ck_assert_str_eq(text_of(ui_figure_ns(4390000)), "4.39 ms");
	ck_assert_str_eq(text_of(ui_figure_ns(133 * S)), "133 s");
	ck_assert_str_eq(text_of(ui_figure_ns(1000 * S)), "16.7 min");
	ck_assert_str_eq(text_of(ui_figure_ns(INT64_MAX)), "106752 d");
}
END_TEST

START_TEST(cells_are_quiet_where_they_say_nothing)
{
	const struct pv_cell unknown = { .state = PV_CELL_NULL };
	ck_assert_str_eq(text_of(ui_figure_of(&unknown, PV_UNIT_NS, 0)), "-");
	ck_assert_str_eq(cell_text((struct pv_cell){ .u = 0 }, PV_UNIT_COUNT, 0), "·");
	ck_assert_str_eq(cell_text((struct pv_cell){ .d = 0 }, PV_UNIT_PERCENT, 0), "·");
	ck_assert_str_eq(cell_text((struct pv_cell){ .d = 0.04 }, PV_UNIT_PERCENT, 0), "<0.1");
	ck_assert_str_eq(cell_text((struct pv_cell){ .d = 44.44 }, PV_UNIT_PERCENT, 0), "44.4");
	ck_assert_str_eq(cell_text((struct pv_cell){ .d = 99.96 }, PV_UNIT_PERCENT, 0), "100");
	ck_assert_str_eq(cell_text((struct pv_cell){ .d = NAN }, PV_UNIT_PERCENT, 0), "-");
	ck_assert_str_eq(
		cell_text((struct pv_cell){ .i = 9017754 }, PV_UNIT_DELTA_BYTES, 0), "+8.60 MiB");
	ck_assert_str_eq(
		cell_text((struct pv_cell){ .i = -1500 }, PV_UNIT_DELTA_COUNT, 0), "-1.50 k");
	ck_assert_str_eq(
		cell_text((struct pv_cell){ .i = -40 }, PV_UNIT_NS, PV_COLUMN_SIGNED), "-40 ns");
	const struct ui_figure zero = { "·", "" }, some = { "<0.1", "" };
	ck_assert(!ui_figure_is_amount(&zero) && ui_figure_is_amount(&some));
}
END_TEST

/* Whatever the amount, a cell's digits and unit fit the cells that its column gives them. */
START_TEST(no_figure_is_wider_than_its_cells)
{
	static const enum pv_unit units[] = { PV_UNIT_COUNT, PV_UNIT_BYTES, PV_UNIT_NS,
		PV_UNIT_PERCENT, PV_UNIT_DELTA_COUNT, PV_UNIT_DELTA_BYTES };
	for (size_t i = 0; i < PV_COUNT_OF(units); i++)
		for (uint64_t n = 1; n < UINT64_C(1) << 55; n += 1 + n / 7) {
			struct pv_cell c = { .state = PV_CELL_VALUE, .u = n };
			if (units[i] == PV_UNIT_PERCENT)
				c.d = (double)(n % 1000000) / 1e4;
			const struct ui_figure f = ui_figure_of(&c, units[i], 0);
			const struct ui_figure_cells cells = ui_figure_cells(units[i], 0);
			ck_assert_msg(pv_showable_cells(f.digits) <= cells.digits &&
					      pv_showable_cells(f.unit) <= cells.unit,
				"%d of unit %d: %s", (int)i, (int)units[i], text_of(f));
		}
}
END_TEST

static const char *whole(const char *text, int w)
{
	static char buf[200];
	return ui_entries_of(text, w, buf, sizeof buf);
}

START_TEST(entries_are_whole_or_away)
{
	static const char text[] = "calls: 9 enters, 8 leaves; WALL (a, b; c); last";
	ck_assert_str_eq(whole(text, 60), text);
	ck_assert_str_eq(whole(text, 46), "calls: 9 enters, 8 leaves; WALL (a, b; c)");
	ck_assert_str_eq(whole(text, 40), "calls: 9 enters, 8 leaves; last");
	ck_assert_str_eq(whole(text, 24), "calls: 9 enters; last");
	ck_assert_str_eq(whole(text, 15), "calls: 9 enters");
	ck_assert_str_eq(whole(text, 14), "WALL (a, b; c)");
	ck_assert_str_eq(whole(text, 4), "last");
	ck_assert_str_eq(whole(text, 3), "");
	ck_assert_str_eq(whole("", 80), "");
}
END_TEST

START_TEST(counts_in_a_text_have_three_digits)
{
	char buf[200];
	ck_assert_str_eq(
		ui_entries_round("calls: 11 366 enters, 160 by exceptions", buf, sizeof buf),
		"calls: 11.4 k enters, 160 by exceptions");
	ck_assert_str_eq(ui_entries_round("1 391 007", buf, sizeof buf), "1.39 M");
	ck_assert_str_eq(ui_entries_round("00:00:01.204 100 of 2017", buf, sizeof buf),
		"00:00:01.204 100 of 2017");
	ck_assert_str_eq(ui_entries_round("4096 12 345", buf, sizeof buf), "4096 12.3 k");
}
END_TEST

START_TEST(what_does_not_fit_goes_by_its_rank)
{
	struct ui_entries e = { .n = 0 };
	ui_entries_add(&e, UI_PLAIN, 2, "name");
	e.at_right = true;
	ui_entries_add(&e, UI_PLAIN, 7, "rate");
	ui_entries_add(&e, UI_PLAIN, 0, "state");
	ui_entries_fit(&e, 2, 17);
	ck_assert_int_eq(e.n, 3);
	ui_entries_fit(&e, 2, 16);
	ck_assert_int_eq(e.n, 2);
	ck_assert_str_eq(e.at[1].text, "state");
	ui_entries_fit(&e, 2, 3); /* the last one stays */
	ck_assert_int_eq(e.n, 1);
	ck_assert_str_eq(e.at[0].text, "state");
}
END_TEST

START_TEST(rates_stay_for_two_seconds)
{
	struct ui_renewed t = { .rated_ns = 0 };
	struct ui_shared s = { .now_ns = 10 * S };
	struct ui_feed_status feed = { .state = UI_FEED_LIVE, .events_per_s = 1000, .lag_ns = 5 };
	ui_renew_feed(&t, &s, &feed);
	ck_assert_uint_eq(s.feed.events_per_s, 1000);
	feed.events_per_s = 1010;
	feed.bytes_read = 77;
	s.now_ns += S;
	ui_renew_feed(&t, &s, &feed);
	ck_assert_uint_eq(s.feed.events_per_s, 1000);
	ck_assert_uint_eq(s.feed.bytes_read, 77);
	s.now_ns += S;
	ui_renew_feed(&t, &s, &feed);
	ck_assert_uint_eq(s.feed.events_per_s, 1010);
	feed.events_per_s = 0; /* that it stops is seen at once */
	ui_renew_feed(&t, &s, &feed);
	ck_assert_uint_eq(s.feed.events_per_s, 0);
	feed.events_per_s = 1;
	feed.lag_ns = 3 * S;
	ui_renew_feed(&t, &s, &feed);
	ck_assert_int_eq(s.feed.lag_ns, 3 * S);
}
END_TEST

START_TEST(numbers_of_a_coverage_stay_too)
{
	struct ui_renewed t = { .covered_ns = 0 };
	struct ui_shared s = { .now_ns = 10 * S, .feed.state = UI_FEED_LIVE };
	ck_assert_str_eq(ui_renew_coverage(&t, &s, "calls: 5 k"), "calls: 5 k");
	ck_assert(!t.held);
	ck_assert_str_eq(ui_renew_coverage(&t, &s, "calls: 61 k"), "calls: 5 k");
	ck_assert(t.held); /* without this an idle program's line would stay for ever */
	ck_assert_str_eq(ui_renew_coverage(&t, &s, "calls: 61 k, lost 1"), "calls: 61 k, lost 1");
	s.now_ns += 2 * S;
	ck_assert_str_eq(ui_renew_coverage(&t, &s, "calls: 70 k, lost 2"), "calls: 70 k, lost 2");
	s.feed.state = UI_FEED_ENDED;
	ck_assert_str_eq(ui_renew_coverage(&t, &s, "calls: 71 k, lost 2"), "calls: 71 k, lost 2");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("figures");
	TCase *t = tcase_create("figures");
	tcase_add_test(t, three_digits_and_a_unit);
	tcase_add_test(t, cells_are_quiet_where_they_say_nothing);
	tcase_add_test(t, no_figure_is_wider_than_its_cells);
	tcase_add_test(t, entries_are_whole_or_away);
	tcase_add_test(t, counts_in_a_text_have_three_digits);
	tcase_add_test(t, what_does_not_fit_goes_by_its_rank);
	tcase_add_test(t, rates_stay_for_two_seconds);
	tcase_add_test(t, numbers_of_a_coverage_stay_too);
	suite_add_tcase(s, t);
	return run_suite(s);
}
