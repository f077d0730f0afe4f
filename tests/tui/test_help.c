/* SPDX-License-Identifier: MIT */
/* The help: every key that works is in it, signs of Home, and paging. */
#include <string.h>

#include "tests/kit/fake_screen.h"

static bool has_command(enum ui_command cmd)
{
	for (size_t i = 0; i < screen.help.line.n; i++)
		if (screen.help.line.v[i].cmd == cmd)
			return true;
	return false;
}

static bool has_key(const char *key)
{
	for (size_t i = 0; i < screen.help.line.n; i++)
		if (screen.help.line.v[i].key && strcmp(screen.help.line.v[i].key, key) == 0)
			return true;
	return false;
}

START_TEST(every_key_that_works_is_explained)
{
	char open[80];
	for (size_t i = 0; i < ui_pane_count; i++) {
		if (ui_pane_defs[i].command == UI_CMD_PROCESSES)
			continue; /* of a folder */
		snprintf(open, sizeof open, ":%s<Enter>",
			ui_command_row(ui_pane_defs[i].command)->name);
		press(open);
		unsigned scopes = ui_pane_scopes(&screen.pane[screen.current]);
		press("<F1>");
		ck_assert(screen.help.open);
		for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++)
			if (ui_command_row(cmd)->scope & scopes)
				ck_assert_msg(has_command(cmd), "%s: %s", open,
					ui_command_row(cmd)->name);
		press("q");
	}
}
END_TEST

static bool has_text(const char *text)
{
	for (size_t i = 0; i < screen.help.line.n; i++)
		if (screen.help.line.v[i].text && strstr(screen.help.line.v[i].text, text))
			return true;
	return false;
}

/* The program's name may be that of a file, which is no log. */
START_TEST(a_program_is_no_file)
{
	screen.shared.source = NULL;
	screen.shared.title = "/bin/sh";
	press("22<F1>");
	ck_assert(seen("sh") && has_text(" FILE") && !has_text("/bin/sh"));
	press("q");
	screen.shared.source = "/bin/sh";
	screen.shared.title = "another";
	press("<F1>");
	ck_assert(seen("another") && has_text(" /bin/sh"));
}
END_TEST

START_TEST(a_heading_stands_once)
{
	press("22<F1>");
	int n = 0;
	for (size_t i = 0; i < screen.help.line.n; i++)
		n += screen.help.line.v[i].heading &&
		     strcmp(screen.help.line.v[i].text, "In this pane") == 0;
	ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(home_explains_its_signs)
{
	press("<F1>");
	ck_assert(seen("Signs"));
	ck_assert(has_key("END ?") && has_key("U F R N ?") && has_key("S 7  m 2  ! 1"));
	press("q2<F1>");
	ck_assert(!seen("Signs"));
}
END_TEST

START_TEST(space_is_a_page)
{
	press("2<F1>");
	size_t first = screen.help.top;
	press("<Space>");
	ck_assert_uint_gt(screen.help.top, first + 5);
	ck_assert(screen.help.open);
	press("<C-b>");
	ck_assert_uint_eq(screen.help.top, first);
	press("q<Space>"); /* tags again */
	ck_assert(seen("1 tagged"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("help");
	TCase *t = tcase_create("help");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, every_key_that_works_is_explained);
	tcase_add_test(t, a_program_is_no_file);
	tcase_add_test(t, a_heading_stands_once);
	tcase_add_test(t, home_explains_its_signs);
	tcase_add_test(t, space_is_a_page);
	suite_add_tcase(s, t);
	return run_suite(s);
}
