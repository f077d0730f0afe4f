/* SPDX-License-Identifier: MIT */
/* The table of common/base/text/showable.h, row by row. */
#include <stdlib.h>
#include <string.h>

#include "common/base/text/log_argument.h"
#include "common/base/text/showable.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "tests/kit/suite.h"

/* Shown text, and the same when it is shown again. */
static void shows(const char *text, const char *want)
{
	char *once = pv_showable_text(text), *twice = pv_showable_text(once);
	ck_assert_str_eq(once, want);
	ck_assert_str_eq(twice, want);
	ck_assert_int_eq(pv_showable_cells(text), pv_showable_cells(want));
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	pv_showable_put(f, text);
	fclose(f);
	ck_assert_str_eq(out, want);
	free(out);
	free(once);
	free(twice);
}

static void is_argument(const char *path, const char *want)
{
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	pv_put_log_argument(f, path);
	fclose(f);
	ck_assert_str_eq(out, want);
	free(out);
}

/* A shell makes the path of it, whatever the path has; a pipe has no second reading. */
START_TEST(arguments)
{
	is_argument("a/b-1.mlpd", "a/b-1.mlpd");
	is_argument("-", "FILE");
	is_argument("", "''");
	is_argument("a b;$(c).mlpd", "'a b;$(c).mlpd'");
	is_argument("it's.mlpd", "'it'\\''s.mlpd'");
}
END_TEST

static void is_json(const char *text, size_t len, const char *want)
{
	char *json = pv_showable_json(text, len);
	ck_assert_str_eq(json, want);
	free(json);
}

START_TEST(controls)
{
	shows("", "");
	shows("a\x1b]52;c;x\a\n\r\t\x7f", "a\\x1b]52;c;x\\x07\\n\\r\\t\\x7f");
	shows("\xc2\x85\xc2\x9b"
	      "1m",
		"\\u0085\\u009b1m");
	shows("C:\\dir\\new", "C:\\dir\\new");
}
END_TEST

START_TEST(ill_formed)
{
	shows("\x9b\xc0\xaf", "\\x9b\\xc0\\xaf");
	shows("\xed\xa0\x80 \xf4\x90\x80\x80", "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
	shows("\xf0\x9f\x98!", "\\xf0\\x9f\\x98!");
	shows("\xef\xbf\xbd", "\xef\xbf\xbd"); /* a replacement character is a character */
}
END_TEST

START_TEST(reordering_and_hiding)
{
	shows("a\u200b\u200e\u202e\u2066\u2069\ufeff\u2028", "a\\u200b\\u200e\\u202e\\u2066\\u2069"
							     "\\ufeff\\u2028");
	shows("\u00ad\u061c\u3164\U000e0041", "\\u00ad\\u061c\\u3164\\U000e0041");
	shows("Zo\u00eb \u4e2d \U0001f600", "Zo\u00eb \u4e2d \U0001f600");
}
END_TEST

START_TEST(marks)
{
	shows("\u0301", "\\u0301");
	shows("e\u0301\u0302\u0303\u0304x\u0301", "e\u0301\u0302\\u0303\\u0304x\u0301");
	shows("\n\u0301", "\\n\u0301");
	shows("\u2764\ufe0f", "\u2764\ufe0f");
	shows("\U0001d167", "\\U0001d167");
}
END_TEST

START_TEST(json)
{
	is_json("a\"\\\n\x1b\x7f", 6, "\"a\\\"\\\\\\n\\u001b\\u007f\"");
	is_json("\0z", 2, "\"\\u0000z\"");
	is_json("\u202e\xc2\x85\U000e0041\u00eb", 11, "\"\\u202e\\u0085\\udb40\\udc41\u00eb\"");
	is_json("\xe2\x82\xc3", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(quoted)
{
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	pv_showable_quoted(f, "\\n\n\"\0\xff", 6);
	fclose(f);
	ck_assert_str_eq(out, "\"\\\\n\\n\\\"\\x00\\xff\"");
	free(out);
}
END_TEST

START_TEST(cut_texts)
{
	char whole[] = "a\u00eb", cut[] = "a\xe2\x82", lone[] = "\xf0", ascii[] = "ab";
	pv_utf8_trim(whole);
	pv_utf8_trim(cut);
	pv_utf8_trim(lone);
	pv_utf8_trim(ascii);
	ck_assert_str_eq(whole, "a\u00eb");
	ck_assert_str_eq(cut, "a");
	ck_assert_str_eq(lone, "");
	ck_assert_str_eq(ascii, "ab");
}
END_TEST

START_TEST(what_does_not_fit_ends_in_dots)
{
	char to[8];
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "abcdefg", SIZE_MAX), "abcdefg");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "abcdefgh", SIZE_MAX), "abcd...");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "abcdefgh", 3), "abc");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "abcdefgh", 8), "abcd...");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "abc\u00ebdefg", SIZE_MAX), "abc...");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "ab\u00ebdefgh", SIZE_MAX), "ab\u00eb...");
	ck_assert_str_eq(pv_utf8_fit(to, sizeof to, "a\u20acdefgh", SIZE_MAX), "a\u20ac...");
	ck_assert_str_eq(
		pv_utf8_fit(to, sizeof to, "\U0001f600\U0001f600", SIZE_MAX), "\U0001f600...");
	ck_assert_str_eq(pv_utf8_fit(to, 3, "abcd", SIZE_MAX), "ab"); /* no room for dots */
	ck_assert_str_eq(PV_FIT("a\u20ac\u20ac", 6), "a...");
	ck_assert_str_eq(PV_FIT("a\u20ac\u20ac", 7), "a\u20ac\u20ac");
}
END_TEST

/* Whatever its length, a message is cut after a whole character, and says that it was. */
START_TEST(a_long_message_is_cut_after_a_whole_character)
{
	struct pv_error e;
	char word[sizeof e.what + 8] = "";
	for (size_t n = 0; n + 3 < sizeof word; n += 3)
		strcat(word, "\u20ac");
	for (int before = 0; before < 3; before++) {
		const char *at = e.what, *end;
		ck_assert(!pv_fail(&e, PV_EUSAGE, 0, "%.*s%s", before, "ab", word));
		ck_assert_uint_gt(strlen(e.what), sizeof e.what - 5);
		end = at + strlen(at) - 3;
		ck_assert_str_eq(end, "...");
		for (size_t len; at < end; at += len)
			ck_assert_uint_ne(pv_utf8_next(at, end, &len), PV_UTF8_BAD);
	}
	ck_assert(!pv_fail(&e, PV_EUSAGE, 0, "%s", "short"));
	ck_assert_str_eq(e.what, "short");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("showable");
	TCase *t = tcase_create("all");
	tcase_add_test(t, controls);
	tcase_add_test(t, ill_formed);
	tcase_add_test(t, reordering_and_hiding);
	tcase_add_test(t, marks);
	tcase_add_test(t, json);
	tcase_add_test(t, quoted);
	tcase_add_test(t, arguments);
	tcase_add_test(t, cut_texts);
	tcase_add_test(t, what_does_not_fit_ends_in_dots);
	tcase_add_test(t, a_long_message_is_cut_after_a_whole_character);
	suite_add_tcase(s, t);
	return run_suite(s);
}
