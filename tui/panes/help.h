/* SPDX-License-Identifier: MIT */
/*
 * The keys, as text to scroll and search, with the keys of the user's pane first. The screen's
 * thread.
 */
#ifndef UI_HELP_H
#define UI_HELP_H

#include "common/base/mem.h"
#include "tui/draw/canvas.h"
#include "tui/draw/commands.h"

enum { UI_HELP_LINE = 600 };

struct ui_help_line {
	enum ui_command cmd; /* UI_CMD_NONE: a heading, a remark, or what `key` is */
	const char *text;    /* borrowed while the help is open */
	const char *key;     /* likewise; NULL: none */
	bool heading;
};

/* Valid when zeroed. */
struct ui_help {
	bool open;
	PV_ARRAY(struct ui_help_line) line;
	size_t top;
	int page;
	char search[128];
	PV_ARRAY(char *) own; /* private: texts of ui_help_add_text() */
};

/* Opens with one line, the pane's title; other lines are added afterwards. */
void ui_help_open(struct ui_help *h, const char *pane);
/* Adds a copy of a line; out of memory: nothing. */
void ui_help_add(struct ui_help *h, const struct ui_help_line *line);
/* Adds a remark, and keeps a copy. */
void ui_help_add_text(struct ui_help *h, const char *text);
/* `scopes`: bits of enum ui_scope in effect at the user's place. */
void ui_help_add_keys(struct ui_help *h, unsigned scopes);
void ui_help_finish(struct ui_help *h);
/* Bits of enum ui_reply. */
unsigned ui_help_command(struct ui_help *h, enum ui_command cmd);
/* To the first line with the text from the top (dir 0), the next (1) or the line before (-1). */
bool ui_help_find(struct ui_help *h, int dir);
void ui_help_draw(struct ui_help *h, struct ui_canvas *c, struct ui_rect r);

#endif
