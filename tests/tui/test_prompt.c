/* SPDX-License-Identifier: MIT */
/* The line editor: typing, moving, cutting, history, and that it takes every printable key. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>

#include "tui/draw/key.h"
#include "tui/draw/prompt.h"

static struct ui_prompt p;

static void open_prompt(void)
{
	p = (struct ui_prompt){ 0 };
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "Search: ", "");
}

static void close_prompt(void)
{
	ui_prompt_finish(&p);
}

static enum ui_prompt_answer type(const char *keys)
{
	enum ui_prompt_answer answer = UI_PROMPT_SAME;
	int key;
	unsigned times;
	for (size_t n; (n = ui_key_parse(keys, &key, &times)) > 0; keys += n)
		while (times-- > 0)
			answer = ui_prompt_key(&p, key);
	ck_assert_str_eq(keys, "");
	return answer;
}

START_TEST(every_printable_key_is_text)
{
	for (int key = ' '; key < 127; key++)
		if (key < 'a' || key > 'e')
			ck_assert_int_eq(ui_prompt_key(&p, key), UI_PROMPT_CHANGED);
	ck_assert_uint_eq(p.len, 127 - ' ' - 5);
	ck_assert(p.open);
}
END_TEST

START_TEST(editing)
{
	type("one two<C-w>three");
	ck_assert_str_eq(p.text, "one three");
	type("<Home>x<Right><Right>y<Del>");
	ck_assert_str_eq(p.text, "xony three");
	type("<C-k>");
	ck_assert_str_eq(p.text, "xony");
	type("<Left><C-u>");
	ck_assert_str_eq(p.text, "y");
	type("<C-e>\xc3\xa9z<Left><Backspace>");
	ck_assert_str_eq(p.text, "yz");
	type("<C-a>\xe4\xb8\xad<Left><Del>");
	ck_assert_str_eq(p.text, "yz");
}
END_TEST

START_TEST(it_ends)
{
	ck_assert_int_eq(type("abc<Enter>"), UI_PROMPT_DONE);
	ck_assert(!p.open);
	ck_assert_str_eq(p.text, "abc");
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "Search: ", "");
	ck_assert_int_eq(type("abc<Esc>"), UI_PROMPT_GONE);
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "Search: ", "");
	ck_assert_int_eq(type("a<Backspace>"), UI_PROMPT_CHANGED);
	ck_assert_int_eq(type("<Backspace>"), UI_PROMPT_GONE);
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "Search: ", "");
	ck_assert_int_eq(type("<C-c>"), UI_PROMPT_GONE);
}
END_TEST

START_TEST(a_text_it_opens_with_is_replaced_or_edited)
{
	ui_prompt_open(&p, UI_PROMPT_FILTER, "Filter: ", "old");
	type("new");
	ck_assert_str_eq(p.text, "new");
	ui_prompt_open(&p, UI_PROMPT_FILTER, "Filter: ", "old");
	type("<End>er");
	ck_assert_str_eq(p.text, "older");
	ui_prompt_open(&p, UI_PROMPT_FILTER, "Filter: ", "old");
	ck_assert_int_eq(type("<Enter>"), UI_PROMPT_DONE);
	ck_assert_str_eq(p.text, "old");
}
END_TEST

START_TEST(history_is_kept_apart_and_without_repeats)
{
	static const char *const said[] = { "one<Enter>", "two<Enter>", "one<Enter>", "<Enter>" };
	for (size_t i = 0; i < 4; i++) {
		ui_prompt_open(&p, UI_PROMPT_SEARCH, "", "");
		type(said[i]);
	}
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "", "");
	type("th<Up>");
	ck_assert_str_eq(p.text, "one");
	type("<Up>");
	ck_assert_str_eq(p.text, "two");
	type("<Up>");
	ck_assert_str_eq(p.text, "two");
	type("<Down><Down>");
	ck_assert_str_eq(p.text, "th");
	ui_prompt_open(&p, UI_PROMPT_COMMAND, "", "");
	type("<Up>");
	ck_assert_str_eq(p.text, "");
}
END_TEST

START_TEST(it_is_bounded)
{
	type("<1000x>");
	ck_assert_uint_eq(p.len, UI_PROMPT_MAX - 1);
	ck_assert_int_eq(type("\xe4\xb8\xad"), UI_PROMPT_SAME);
	for (int i = 0; i < 200; i++) {
		char text[16];
		snprintf(text, sizeof text, "%d<Enter>", i);
		ui_prompt_open(&p, UI_PROMPT_SEARCH, "", "");
		type(text);
	}
	ui_prompt_open(&p, UI_PROMPT_SEARCH, "", "");
	type("<500Up>");
	ck_assert_str_eq(p.text, "150");
}
END_TEST

START_TEST(confirming_wants_a_y)
{
	ui_prompt_open(&p, UI_PROMPT_CONFIRM, "Leave? ", "");
	ck_assert_int_eq(type("x"), UI_PROMPT_GONE);
	ui_prompt_open(&p, UI_PROMPT_CONFIRM, "Leave? ", "");
	ck_assert_int_eq(type("<Enter>"), UI_PROMPT_GONE);
	ui_prompt_open(&p, UI_PROMPT_CONFIRM, "Leave? ", "");
	ck_assert_int_eq(type("y"), UI_PROMPT_DONE);
}
END_TEST

START_TEST(the_cursor_is_always_seen)
{
	struct ui_canvas c = { 0 };
	ck_assert(ui_canvas_resize(&c, 12, 1));
	type("a long text");
	int x = ui_prompt_draw(&p, &c, ui_canvas_rect(&c));
	ck_assert_int_eq(x, 11);
	char *text = ui_canvas_text(&c);
	ck_assert_str_eq(text, "Search: ext\n");
	free(text);
	type("<Home>");
	ck_assert_int_eq(ui_prompt_draw(&p, &c, ui_canvas_rect(&c)), 8);
	ui_canvas_finish(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("prompt");
	TCase *t = tcase_create("prompt");
	tcase_add_checked_fixture(t, open_prompt, close_prompt);
	tcase_add_test(t, every_printable_key_is_text);
	tcase_add_test(t, editing);
	tcase_add_test(t, it_ends);
	tcase_add_test(t, a_text_it_opens_with_is_replaced_or_edited);
	tcase_add_test(t, history_is_kept_apart_and_without_repeats);
	tcase_add_test(t, it_is_bounded);
	tcase_add_test(t, confirming_wants_a_y);
	tcase_add_test(t, the_cursor_is_always_seen);
	suite_add_tcase(s, t);
	return run_suite(s);
}
