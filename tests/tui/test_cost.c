/* SPDX-License-Identifier: MIT */
/* Costs of recording: the difference of two answers of a probe. */
#include "tests/kit/suite.h"

#include "tui/draw/cost.h"

static struct ui_stats parsed(const char *answer)
{
	struct ui_stats s;
	ck_assert(ui_stats_parse(answer, &s));
	return s;
}

START_TEST(an_answer_is_read)
{
	struct ui_stats s = parsed("pid=1 host=mono version=0.1.0 ms=1728 paused=on calls=on "
				   "alloc=off lag_ms=8 lost=3 written=99 call_ns=11 "
				   "writer_cpu_us=3709 cpu_us=4000 events.calls=75546 "
				   "bytes.calls=298508 events.names=9 sink=file output=/a ms=7");
	ck_assert_uint_eq(s.ms, 1728);
	ck_assert_uint_eq(s.lag_ms, 8);
	ck_assert_uint_eq(s.lost, 3);
	ck_assert_uint_eq(s.cpu_us, 4000);
	ck_assert_uint_eq(s.writer_cpu_us, 3709);
	ck_assert_uint_eq(s.events[UI_COST_CALLS], 75546);
	ck_assert_uint_eq(s.bytes[UI_COST_CALLS], 298508);
	ck_assert_uint_eq(s.events[UI_COST_NAMES], 9);
	ck_assert_uint_eq(s.events[UI_COST_GC], 0);
	ck_assert(s.paused && s.off[UI_COST_ALLOC] && !s.off[UI_COST_CALLS]);
	ck_assert(!ui_stats_parse("", &s));
	ck_assert(!ui_stats_parse("ms=1", &s));
	ck_assert(!ui_stats_parse("not understood", &s));
}
END_TEST

START_TEST(shares_are_of_what_the_program_needs)
{
	struct ui_cost c;
	struct ui_stats a = { .ms = 1000, .call_ns = 20 }, b = a;
	b.ms = 3000;
	b.cpu_us = 1300000; /* of which the probe's thread 100 ms, the calls 200 ms */
	b.writer_cpu_us = 100000;
	b.events[UI_COST_CALLS] = 10000000;
	b.bytes[UI_COST_CALLS] = 30000000;
	b.events[UI_COST_NAMES] = 10;
	b.bytes[UI_COST_NAMES] = 100;
	b.written = 31000000;
	b.lost = 5;
	ui_cost_between(&a, &b, &c);
	ck_assert(c.known);
	ck_assert_uint_eq(c.n, 2);
	ck_assert_int_eq(c.row[0].kind, UI_COST_CALLS);
	ck_assert_uint_eq(c.row[0].events_per_s, 5000000);
	ck_assert_uint_eq(c.row[0].bytes_per_s, 15000000);
	ck_assert_uint_eq(c.bytes_per_s, 15500000);
	ck_assert_uint_eq(c.lost, 5);
	ck_assert_double_eq_tol(c.slower, 20, 0.1);
	ck_assert_double_eq_tol(c.outside, 10, 0.1);
	ck_assert_int_eq(ui_cost_dearest_now(&c), UI_COST_CALLS);
}
END_TEST

START_TEST(odd_answers_do_no_harm)
{
	struct ui_cost c;
	struct ui_stats a = { .ms = 1000, .call_ns = 20, .events = { [UI_COST_GC] = 7 } },
			b = { 0 };
	ui_cost_between(&a, &a, &c); /* the same moment */
	ck_assert(!c.known);
	ui_cost_between(&a, &b, &c); /* a younger session */
	ck_assert(!c.known);
	b.ms = 2000;
	b.call_ns = UINT32_MAX;
	b.events[UI_COST_CALLS] = UINT32_MAX; /* more than there was time for */
	ui_cost_between(&a, &b, &c);
	ck_assert(c.known && c.n == 1 && c.slower > 0);
	ck_assert_int_eq(ui_cost_dearest_now(&(struct ui_cost){ .n = 0 }), UI_COST_KINDS);
}
END_TEST

START_TEST(what_is_off_is_not_turned_off_again)
{
	struct ui_stats s = { .call_ns = 10 };
	ck_assert_int_eq(ui_cost_dearest(&s), UI_COST_KINDS);
	s.events[UI_COST_CALLS] = 1000000;
	s.events[UI_COST_EXCEPTION] = 1000;
	s.events[UI_COST_NAMES] = 1000000000; /* these cannot be turned off */
	ck_assert_int_eq(ui_cost_dearest(&s), UI_COST_CALLS);
	s.off[UI_COST_CALLS] = true;
	ck_assert_int_eq(ui_cost_dearest(&s), UI_COST_EXCEPTION);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cost");
	TCase *t = tcase_create("cost");
	tcase_add_test(t, an_answer_is_read);
	tcase_add_test(t, shares_are_of_what_the_program_needs);
	tcase_add_test(t, odd_answers_do_no_harm);
	tcase_add_test(t, what_is_off_is_not_turned_off_again);
	suite_add_tcase(s, t);
	return run_suite(s);
}
