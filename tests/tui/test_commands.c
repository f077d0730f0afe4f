/* SPDX-License-Identifier: MIT */
/* The command rows: keys parse, nothing is bound twice where both could be meant, names are unique.
 */
#include "tests/kit/suite.h"

#include <string.h>

#include "tui/draw/commands.h"
#include "tui/draw/key.h"

/* Scopes that can hold at the same time, as the screen combines them. */
static const unsigned together[] = {
	UI_SCOPE_ANY,
	UI_SCOPE_ANY | UI_SCOPE_MOVE,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_CALLS |
		UI_SCOPE_METHODS,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_TREE |
		UI_SCOPE_CALLS | UI_SCOPE_METHODS | UI_SCOPE_CALL_TREE,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_HEAP,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_OBJECTS,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_TREE |
		UI_SCOPE_OBJECTS,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_CALLS | UI_SCOPE_FLAME,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_EVENTS,
	UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | UI_SCOPE_ROWS | UI_SCOPE_REQUESTS,
};

struct keys {
	int key[8];
	size_t n;
};

static void collect(void *ctx, int key)
{
	struct keys *k = ctx;
	ck_assert_uint_lt(k->n, 8);
	k->key[k->n++] = key;
}

static struct keys keys_of(enum ui_command cmd)
{
	struct keys k = { .n = 0 };
	ui_command_each_key(cmd, collect, &k);
	return k;
}

START_TEST(every_row_is_complete)
{
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++) {
		const struct ui_command_row *row = ui_command_row(cmd);
		char text[64];
		ck_assert_ptr_nonnull(row);
		ck_assert_str_ne(row->name, "");
		ck_assert_str_ne(row->help, "");
		/* Views without a letter are reached by their room's key. */
		if (cmd < UI_CMD_OVERVIEW || cmd > UI_CMD_KINDS) {
			ck_assert_uint_ge(keys_of(cmd).n, 1);
			ck_assert_str_ne(ui_command_keys(cmd, text, sizeof text), "");
		}
		ck_assert_int_eq(ui_command_of_name(row->name), cmd);
	}
	ck_assert_ptr_null(ui_command_row(UI_CMD_NONE));
	ck_assert_ptr_null(ui_command_row(UI_CMD_COUNT));
}
END_TEST

/*
 * Zoom of the range goes by two pairs of keys, as trees and flames, lanes and objects have their own
 * work for one of them. One is left in all views but flame and lanes, which zoom by themselves,
 * and trees of objects, which are of one moment.
 */
static bool gives_way(enum ui_command cmd, unsigned scopes)
{
	bool any = false;
	if (cmd != UI_CMD_RANGE_IN && cmd != UI_CMD_RANGE_OUT && cmd != UI_CMD_RANGE_CLEAR)
		return false;
	struct keys k = keys_of(cmd);
	for (size_t i = 0; i < k.n; i++)
		any = any || ui_command_of_key(k.key[i], scopes) == cmd;
	ck_assert(any || scopes & (UI_SCOPE_FLAME | UI_SCOPE_LANES | UI_SCOPE_OBJECTS));
	return true;
}

/* A key of a wide scope may be given again to a narrower one only where that is on purpose. */
START_TEST(no_key_means_two_things)
{
	for (size_t s = 0; s < sizeof together / sizeof together[0]; s++) {
		for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++) {
			if (!(ui_command_row(cmd)->scope & together[s]) ||
				gives_way(cmd, together[s]))
				continue;
			struct keys k = keys_of(cmd);
			for (size_t i = 0; i < k.n; i++)
				ck_assert_int_eq(ui_command_of_key(k.key[i], together[s]), cmd);
		}
	}
}
END_TEST

/* Keys that every pane must leave to the screen. */
START_TEST(reserved_keys_are_free)
{
	static const char but_in_objects[] = "xydUo";
	for (const char *at = but_in_objects; *at; at++)
		for (size_t s = 0; s < sizeof together / sizeof together[0]; s++)
			ck_assert_msg(together[s] & (UI_SCOPE_OBJECTS | UI_SCOPE_FLAME |
							    UI_SCOPE_REQUESTS) ||
					      ui_command_of_key(*at, together[s]) == UI_CMD_NONE,
				"%c", *at);
}
END_TEST

START_TEST(reserved_keys_mean_the_same_everywhere)
{
	static const char reserved[] = "?hqQpSw:/nN\\[],.{}RjkgG1234567890ELXJCHKAVOYM`";
	for (const char *at = reserved; *at; at++) {
		if (*at == ' ')
			continue;
		enum ui_command first = ui_command_of_key(*at, together[2]);
		ck_assert_msg(first != UI_CMD_NONE, "%c", *at);
		for (size_t s = 2; s < sizeof together / sizeof together[0]; s++)
			ck_assert_int_eq(ui_command_of_key(*at, together[s]), first);
	}
	ck_assert_int_eq(ui_command_of_key('m', together[5]), UI_CMD_BASE);
}
END_TEST

START_TEST(keys_are_written_and_read)
{
	int key;
	unsigned times;
	ck_assert_uint_eq(ui_key_parse("j<Enter>", &key, &times), 1);
	ck_assert_int_eq(key, 'j');
	ck_assert_uint_eq(ui_key_parse("<Enter>x", &key, &times), 7);
	ck_assert_int_eq(key, UI_KEY_ENTER);
	ck_assert_uint_eq(times, 1);
	ck_assert_uint_eq(ui_key_parse("<C-l>", &key, &times), 5);
	ck_assert_int_eq(key, 12);
	ck_assert_uint_eq(ui_key_parse("<12Down>", &key, &times), 8);
	ck_assert_int_eq(key, UI_KEY_DOWN);
	ck_assert_uint_eq(times, 12);
	ck_assert_uint_eq(ui_key_parse("<3j>", &key, &times), 4);
	ck_assert_int_eq(key, 'j');
	ck_assert_uint_eq(times, 3);
	ck_assert_uint_eq(ui_key_parse("<F10>", &key, &times), 5);
	ck_assert_int_eq(key, UI_KEY_F0 + 10);
	ck_assert_uint_eq(ui_key_parse("<lt>", &key, &times), 4);
	ck_assert_int_eq(key, '<');
	ck_assert_uint_eq(ui_key_parse("\xc3\xa9", &key, &times), 2);
	ck_assert_int_eq(key, 0xe9);
	ck_assert_uint_eq(ui_key_parse("<", &key, &times), 1);
	ck_assert_int_eq(key, '<');
	ck_assert_uint_eq(ui_key_parse("<Nonsense>", &key, &times), 0);
	ck_assert_uint_eq(ui_key_parse("<0j>", &key, &times), 0);
	ck_assert_uint_eq(ui_key_parse("<99999999999j>", &key, &times), 0);
	ck_assert_uint_eq(ui_key_parse("<F99>", &key, &times), 0);
	ck_assert_uint_eq(ui_key_parse("<>", &key, &times), 0);
	ck_assert_uint_eq(ui_key_parse("", &key, &times), 0);
}
END_TEST

START_TEST(keys_have_names)
{
	char buf[64];
	ck_assert_str_eq(ui_key_name(UI_KEY_DOWN, buf, sizeof buf), "Down");
	ck_assert_str_eq(ui_key_name(UI_KEY_F0 + 3, buf, sizeof buf), "F3");
	ck_assert_str_eq(ui_key_name(12, buf, sizeof buf), "Ctrl-L");
	ck_assert_str_eq(ui_key_name('<', buf, sizeof buf), "<");
	ck_assert_str_eq(ui_command_keys(UI_CMD_DOWN, buf, sizeof buf), "j, Down");
	ck_assert_str_eq(ui_command_keys(UI_CMD_FILTER, buf, sizeof buf), "\\, F4");
	ck_assert_str_eq(ui_command_keys(UI_CMD_DOWN, buf, 4), "j, ");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("commands");
	TCase *t = tcase_create("commands");
	tcase_add_test(t, every_row_is_complete);
	tcase_add_test(t, no_key_means_two_things);
	tcase_add_test(t, reserved_keys_are_free);
	tcase_add_test(t, reserved_keys_mean_the_same_everywhere);
	tcase_add_test(t, keys_are_written_and_read);
	tcase_add_test(t, keys_have_names);
	suite_add_tcase(s, t);
	return run_suite(s);
}
