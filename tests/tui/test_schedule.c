/* SPDX-License-Identifier: MIT */
/* Heap shots by themselves: what one types, and when one is due. */
#include "tests/kit/suite.h"
#include "tui/draw/schedule.h"

#define S INT64_C(1000000000)

START_TEST(is_typed)
{
	static const struct {
		const char *typed, *said;
	} good[] = { { "30s", "every 30 s" }, { "2m", "every 120 s" },
		{ "5gc", "every 5 collections" }, { "off", "never" } };
	static const char *const bad[] = { "", "0s", "-3s", "5", "5x", "s", "gc", "5gcs", "1.5s",
		"99999999s" };
	struct ui_schedule w;
	char text[64];
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert(ui_schedule_parse(good[i].typed, &w));
		ck_assert_str_eq(ui_schedule_text(&w, text, sizeof text), good[i].said);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!ui_schedule_parse(bad[i], &w), "%s", bad[i]);
}
END_TEST

START_TEST(is_due_by_time)
{
	struct ui_schedule w;
	int64_t left;
	ck_assert(ui_schedule_parse("10s", &w));
	ui_schedule_begin(&w, 100 * S, 7);
	ck_assert(!ui_schedule_due(&w, 104 * S, 7, &left));
	ck_assert_int_eq(left, 6 * S);
	ck_assert(ui_schedule_due(&w, 110 * S, 900, &left));
	ck_assert_int_eq(left, 10 * S);
	ck_assert(!ui_schedule_due(&w, 119 * S, 900, &left));
	ck_assert(ui_schedule_due(
		&w, 150 * S, 900, &left)); /* after its time: once, not four times */
	ck_assert(!ui_schedule_due(&w, 151 * S, 900, &left));
}
END_TEST

START_TEST(is_due_by_collections)
{
	struct ui_schedule w;
	int64_t left;
	ck_assert(ui_schedule_parse("3gc", &w));
	ui_schedule_begin(&w, 0, 10);
	ck_assert(!ui_schedule_due(&w, 1000 * S, 12, &left));
	ck_assert_int_eq(left, 0); /* no wake-up is needed for it */
	ck_assert(ui_schedule_due(&w, 1000 * S, 13, &left));
	ck_assert(!ui_schedule_due(&w, 1000 * S, 15, &left));
	ck_assert(!ui_schedule_due(&w, 1000 * S, 1, &left)); /* another recording */
	ck_assert(ui_schedule_due(&w, 1000 * S, 4, &left));
}
END_TEST

START_TEST(goes_round)
{
	struct ui_schedule w = { 0 };
	unsigned on = 0;
	do {
		ui_schedule_next(&w);
		on += ui_schedule_on(&w);
		ck_assert_uint_lt(on, 10);
	} while (ui_schedule_on(&w));
	ck_assert_uint_eq(on, 4);
	ck_assert(ui_schedule_parse("7s", &w));
	ui_schedule_next(&w);
	ck_assert(!ui_schedule_on(&w)); /* from one's own to none */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("schedule");
	TCase *t = tcase_create("schedule");
	tcase_add_test(t, is_typed);
	tcase_add_test(t, is_due_by_time);
	tcase_add_test(t, is_due_by_collections);
	tcase_add_test(t, goes_round);
	suite_add_tcase(s, t);
	return run_suite(s);
}
