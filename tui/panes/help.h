/* The keys, as text to scroll and search: those of the user's pane first. The screen's thread. */
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

/* With one line, the pane's title; the others are added. */
void ui_help_open(struct ui_help *h, const char *pane);
/* A copy; out of memory: without it. */
void ui_help_add(struct ui_help *h, const struct ui_help_line *line);
/* A remark, of which a copy is kept. */
void ui_help_add_text(struct ui_help *h, const char *text);
/* `scopes`: bits of enum ui_scope that hold where the user is. */
void ui_help_add_keys(struct ui_help *h, unsigned scopes);
void ui_help_finish(struct ui_help *h);
/* Bits of enum ui_reply. */
unsigned ui_help_command(struct ui_help *h, enum ui_command cmd);
/* To the first line from the top (dir 0), the next (1) or the one before (-1) that has the text. */
bool ui_help_find(struct ui_help *h, int dir);
void ui_help_draw(struct ui_help *h, struct ui_canvas *c, struct ui_rect r);

#endif
