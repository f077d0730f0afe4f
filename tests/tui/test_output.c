/* SPDX-License-Identifier: MIT */
/* Output of a launched program: terminal bytes become lines, and no more of them are kept. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>

#include "tui/panes/output.h"

static struct ui_output o;
static struct ui_canvas c;

static void add(const char *text)
{
	ui_output_add(&o, text, strlen(text));
}

static void setup(void)
{
	ck_assert(ui_canvas_resize(&c, 40, 5));
}

static void teardown(void)
{
	ui_output_finish(&o);
	ui_canvas_finish(&c);
}

static bool shown(const char *text)
{
	ui_output_draw(&o, &c, ui_canvas_rect(&c));
	char *all = ui_canvas_text(&c);
	bool found = strstr(all, text) != NULL;
	free(all);
	return found;
}

START_TEST(bytes_become_lines)
{
	add("one\r\ntwo \033[1;31mred\033[0m\n\033]0;title\007three\tx\n50 %\r100 %\nabc\b\bX\n");
	add("h\303");
	add("\251"); /* a character in two pieces */
	add(" half");
	ck_assert_uint_eq(ui_output_count(&o), 6);
	ck_assert_str_eq(ui_output_line(&o, 0), "one");
	ck_assert_str_eq(ui_output_line(&o, 1), "two red");
	ck_assert_str_eq(ui_output_line(&o, 2), "three   x");
	ck_assert_str_eq(ui_output_line(&o, 3), "100 %");
	ck_assert_str_eq(ui_output_line(&o, 4), "aXc");
	ck_assert_str_eq(ui_output_line(&o, 5), "h\303\251 half");
	ui_output_note(&o, "[ended]");
	ck_assert_str_eq(ui_output_line(&o, 5), "h\303\251 half");
	ck_assert_str_eq(ui_output_line(&o, 6), "[ended]");
}
END_TEST

START_TEST(any_bytes_do)
{
	unsigned seed = 7;
	for (int i = 0; i < 300000; i++) {
		seed = seed * 1103515245 + 12345;
		char byte = (char)(seed >> 16);
		ui_output_add(&o, &byte, 1);
	}
	for (size_t i = 0; i < ui_output_count(&o); i++)
		for (const char *at = ui_output_line(&o, i); *at; at++)
			ck_assert((unsigned char)*at >= ' ');
	shown("");
}
END_TEST

START_TEST(memory_is_bounded)
{
	char line[64];
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof line, "line %d\n", i);
		add(line);
	}
	ck_assert_uint_le(ui_output_count(&o), UI_OUTPUT_LINES);
	ck_assert_uint_eq(o.gone + o.n, 100000);
	ck_assert_str_eq(ui_output_line(&o, o.n - 1), "line 99999");
	for (int i = 0; i < 10000000; i++)
		ui_output_add(&o, "x", 1); /* a line without an end */
	ck_assert_uint_le(o.bytes, UI_OUTPUT_BYTES);
}
END_TEST

START_TEST(it_follows_until_one_scrolls)
{
	char line[64];
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof line, "line %02d.\n", i);
		add(line);
	}
	ck_assert(shown("line 99.") && !shown("line 94."));
	ui_output_command(&o, UI_CMD_UP);
	ck_assert(shown("line 94.") && !shown("line 99."));
	add("more\n");
	ck_assert(!shown("more"));
	ui_output_command(&o, UI_CMD_TOP);
	ck_assert(shown("line 00."));
	ui_output_command(&o, UI_CMD_UP);
	ui_output_command(&o, UI_CMD_PAGE_DOWN);
	ck_assert(shown("line 05."));
	ui_output_command(&o, UI_CMD_BOTTOM);
	add("again\n");
	ck_assert(shown("again"));
	ck_assert_uint_eq(ui_output_command(&o, UI_CMD_ENTER), 0);
}
END_TEST

START_TEST(texts_are_found)
{
	add("alpha\nbeta\nALPHA two\ngamma\ndelta\nx\ny\nz\nw\n");
	shown("");
	snprintf(o.search, sizeof o.search, "alpha");
	ck_assert(ui_output_find(&o, 0));
	ck_assert_uint_eq(o.top, 2); /* the newest first */
	ck_assert(shown("ALPHA two"));
	ck_assert(ui_output_find(&o, -1));
	ck_assert_uint_eq(o.top, 0);
	ck_assert(ui_output_find(&o, 1));
	ck_assert_uint_eq(o.top, 2);
	snprintf(o.search, sizeof o.search, "nowhere");
	ck_assert(!ui_output_find(&o, 0));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("output");
	TCase *t = tcase_create("output");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, bytes_become_lines);
	tcase_add_test(t, any_bytes_do);
	tcase_add_test(t, memory_is_bounded);
	tcase_add_test(t, it_follows_until_one_scrolls);
	tcase_add_test(t, texts_are_found);
	suite_add_tcase(s, t);
	return run_suite(s);
}
