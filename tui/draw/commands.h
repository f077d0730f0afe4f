/* SPDX-License-Identifier: MIT */
/* Commands of keys and of the `:` line: the rows of commands.def. Pure; any thread. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H

#include <stddef.h>

enum ui_command {
	UI_CMD_NONE,
#define COMMAND(symbol, name, keys, scope, help) UI_CMD_##symbol,
#include "tui/commands.def"
#undef COMMAND
	UI_CMD_COUNT
};

/* Scope of a command; a narrower scope has a greater bit. */
enum ui_scope {
	UI_SCOPE_ANY = 1,
	UI_SCOPE_MOVE = 2,       /* anything that scrolls */
	UI_SCOPE_LIST = 4,       /* the filter holds: all but texts */
	UI_SCOPE_ROWS = 8,       /* a list with rows */
	UI_SCOPE_TREE = 16,      /* a list that is a tree */
	UI_SCOPE_CALLS = 32,     /* methods and call tree */
	UI_SCOPE_HEAP = 64,      /* heap shots */
	UI_SCOPE_OBJECTS = 128,  /* objects of a heap shot */
	UI_SCOPE_DIFF = 256,     /* two of them compared */
	UI_SCOPE_FLAME = 512,    /* a flame */
	UI_SCOPE_EVENTS = 1024,  /* single events */
	UI_SCOPE_LANES = 2048,   /* the timeline of threads */
	UI_SCOPE_METHODS = 4096, /* methods and call tree, no flame */
	UI_SCOPE_CALL_TREE = 8192,
	UI_SCOPE_SOURCE = 16384,   /* text of a source file, or machine code */
	UI_SCOPE_REQUESTS = 32768, /* spans, and routes and queries of such */
};

struct ui_command_row {
	const char *name; /* for the command line */
	const char *keys;
	unsigned scope; /* one bit of enum ui_scope */
	const char *help;
};

/* A row of the constant table; NULL for UI_CMD_NONE and what is out of range. */
const struct ui_command_row *ui_command_row(enum ui_command cmd);

/* UI_CMD_NONE when the key means nothing in these scopes (bits of enum ui_scope). */
enum ui_command ui_command_of_key(int key, unsigned scopes);
enum ui_command ui_command_of_name(const char *name);

/* The command's keys for people: "j, Down". Returns `buf`, the caller's, never NULL. */
const char *ui_command_keys(enum ui_command cmd, char *buf, size_t size);

/* Calls `each` with every key of a row. */
void ui_command_each_key(enum ui_command cmd, void (*each)(void *ctx, int key), void *ctx);

#endif
