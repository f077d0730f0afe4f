/* SPDX-License-Identifier: MIT */
#include "tui/terminal/paste_mark.h"

#include <string.h>

#include "common/base/status.h"
#include "tests/kit/suite.h"

static enum ui_paste feed(struct ui_paste_mark *m, const char *text)
{
	enum ui_paste is = UI_PASTE_NONE;
	for (; *text; text++)
		is = ui_paste_feed(m, (unsigned char)*text);
	return is;
}

/* Wherever it is cut. */
START_TEST(marks_in_two_pieces)
{
	static const struct {
		const char *mark;
		enum ui_paste is;
	} of[] = { { "[200~", UI_PASTE_BEGIN }, { "[201~", UI_PASTE_END } };
	for (size_t i = 0; i < PV_COUNT_OF(of); i++) {
		for (size_t at = 1; at < strlen(of[i].mark); at++) {
			struct ui_paste_mark m = { .n = 0 };
			char first[8] = "";
			memcpy(first, of[i].mark, at);
			ck_assert(ui_paste_hold(&m, first));
			ck_assert_int_eq(feed(&m, of[i].mark + at), of[i].is);
			ck_assert_uint_eq(m.n, 0);
		}
	}
}
END_TEST

START_TEST(what_is_no_mark_is_given_back)
{
	static const char *const none[] = { "[A", "[21", "[202", "[2001", "[200q", "[[", "x" };
	for (size_t i = 0; i < PV_COUNT_OF(none); i++) {
		struct ui_paste_mark m = { .n = 0 };
		ck_assert_int_eq(feed(&m, none[i]), UI_PASTE_NONE);
		ck_assert_str_eq(m.held, none[i]);
		ck_assert_uint_eq(m.n, strlen(none[i]));
	}
	struct ui_paste_mark m = { .n = 0 };
	ck_assert_int_eq(ui_paste_feed(&m, '['), UI_PASTE_MORE);
	ck_assert_int_eq(ui_paste_feed(&m, 0x20ac), UI_PASTE_NONE);
}
END_TEST

START_TEST(other_sequences_are_not_held)
{
	static const char *const cut[] = { "", "[?1;2", "[<0;12", "[21", "[200~", "]11" };
	for (size_t i = 0; i < PV_COUNT_OF(cut); i++) {
		struct ui_paste_mark m = { .n = 0 };
		ck_assert(!ui_paste_hold(&m, cut[i]));
		ck_assert_uint_eq(m.n, 0);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("marks of pasted text");
	TCase *t = tcase_create("marks");
	tcase_add_test(t, marks_in_two_pieces);
	tcase_add_test(t, what_is_no_mark_is_given_back);
	tcase_add_test(t, other_sequences_are_not_held);
	suite_add_tcase(s, t);
	return run_suite(s);
}
