/* SPDX-License-Identifier: MIT */
/* The table of commands, and the search in it by key or name. */
#include "tui/draw/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "tui/draw/key.h"

static const struct ui_command_row rows[] = {
#define COMMAND(symbol, text, key_list, where, words)                                              \
	[UI_CMD_##symbol] = {                                                                      \
		.name = text, .keys = key_list, .scope = UI_SCOPE_##where, .help = words           \
	},
#include "tui/commands.def"
#undef COMMAND
};

_Static_assert(PV_COUNT_OF(rows) == UI_CMD_COUNT, "a row for every command");

const struct ui_command_row *ui_command_row(enum ui_command cmd)
{
	return cmd > UI_CMD_NONE && cmd < UI_CMD_COUNT ? &rows[cmd] : NULL;
}

void ui_command_each_key(enum ui_command cmd, void (*each)(void *ctx, int key), void *ctx)
{
	const struct ui_command_row *row = ui_command_row(cmd);
	const char *at = row ? row->keys : "";
	while (*at) {
		int key;
		unsigned times;
		size_t len = ui_key_parse(at, &key, &times);
		if (len == 0)
			return;
		each(ctx, key);
		at += len;
		at += strspn(at, " ");
	}
}

struct want {
	int key;
	bool found;
};

static void match_key(void *ctx, int key)
{
	struct want *w = ctx;
	if (key == w->key)
		w->found = true;
}

enum ui_command ui_command_of_key(int key, unsigned scopes)
{
	enum ui_command best = UI_CMD_NONE;
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++) {
		if (!(rows[cmd].scope & scopes))
			continue;
		struct want w = { .key = key };
		ui_command_each_key(cmd, match_key, &w);
		if (w.found && (best == UI_CMD_NONE || rows[cmd].scope > rows[best].scope))
			best = cmd;
	}
	return best;
}

enum ui_command ui_command_of_name(const char *name)
{
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++)
		if (strcmp(rows[cmd].name, name) == 0)
			return cmd;
	return UI_CMD_NONE;
}

struct text {
	char *buf;
	size_t size, n;
};

static void add_name(void *ctx, int key)
{
	struct text *t = ctx;
	char name[16];
	int n = snprintf(t->buf + t->n, t->size - t->n, "%s%s", t->n ? ", " : "",
		ui_key_name(key, name, sizeof name));
	if (n > 0)
		t->n = t->n + (size_t)n < t->size ? t->n + (size_t)n : t->size - 1;
}

const char *ui_command_keys(enum ui_command cmd, char *buf, size_t size)
{
	struct text t = { .buf = buf, .size = size };
	buf[0] = 0;
	ui_command_each_key(cmd, add_name, &t);
	return buf;
}
