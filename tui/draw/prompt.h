/* SPDX-License-Identifier: MIT */
/*
 * One line of typing at the bottom of the screen. An open prompt takes every printable key. Valid
 * when zeroed; remembers entries, per kind. The screen's thread.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/draw/canvas.h"

enum ui_prompt_kind {
	UI_PROMPT_SEARCH,
	UI_PROMPT_FILTER,
	UI_PROMPT_COMMAND,
	UI_PROMPT_RANGE,
	UI_PROMPT_OBJECT,
	UI_PROMPT_SET,
	UI_PROMPT_TIME,
	UI_PROMPT_KEY,
	UI_PROMPT_EXPORT,
	UI_PROMPT_REFUSED, /* input for another prompt, not valid here */
	UI_PROMPT_CONFIRM,
	UI_PROMPT_PROGRAM, /* fate of a program started from here */
	UI_PROMPT_KINDS
};

enum { UI_PROMPT_MAX = 128, UI_PROMPT_HISTORY = 50 };

struct ui_prompt {
	bool open;
	enum ui_prompt_kind kind;
	char label[UI_PROMPT_MAX];
	char text[UI_PROMPT_MAX];
	size_t len, at;            /* bytes; where the next character goes */
	bool untouched;            /* the first character typed replaces the first text */
	size_t back;               /* how far up in the history, 0 = what is being typed */
	char typed[UI_PROMPT_MAX]; /* the unfinished text, while history shows */
	char *past[UI_PROMPT_KINDS][UI_PROMPT_HISTORY]; /* newest first, owned */
};

/* Opens the prompt with a label and a first text, both copied; finish frees the history. */
void ui_prompt_open(
	struct ui_prompt *p, enum ui_prompt_kind kind, const char *label, const char *text);
void ui_prompt_finish(struct ui_prompt *p);

enum ui_prompt_answer {
	UI_PROMPT_SAME, /* the key is used up, the text unchanged */
	UI_PROMPT_CHANGED,
	UI_PROMPT_DONE,    /* closed; `text` is the answer */
	UI_PROMPT_GONE,    /* closed without an answer */
	UI_PROMPT_TAB,     /* completion is wanted, see ui_prompt_set() */
	UI_PROMPT_BACKTAB, /* the completion before */
};

/* Takes a key; replaces the text. */
enum ui_prompt_answer ui_prompt_key(struct ui_prompt *p, int key);
void ui_prompt_set(struct ui_prompt *p, const char *text);

/* Label, text and a cursor; returns the cursor's column. */
int ui_prompt_draw(const struct ui_prompt *p, struct ui_canvas *c, struct ui_rect r);

#endif
