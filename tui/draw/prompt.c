/* SPDX-License-Identifier: MIT */
/* A line of typing with a history: keys, history, drawing. */
#include "tui/draw/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "tui/draw/key.h"

void ui_prompt_set(struct ui_prompt *p, const char *text)
{
	snprintf(p->text, sizeof p->text, "%s", text);
	p->len = p->at = strlen(p->text);
}

void ui_prompt_open(
	struct ui_prompt *p, enum ui_prompt_kind kind, const char *label, const char *text)
{
	p->open = true;
	p->kind = kind;
	p->back = 0;
	snprintf(p->label, sizeof p->label, "%s", label);
	ui_prompt_set(p, text);
	p->untouched = p->len > 0;
}

void ui_prompt_finish(struct ui_prompt *p)
{
	for (int kind = 0; kind < UI_PROMPT_KINDS; kind++)
		for (int i = 0; i < UI_PROMPT_HISTORY; i++)
			free(p->past[kind][i]);
	*p = (struct ui_prompt){ 0 };
}

/* The newest first; what was there already moves to the front. */
static void remember_line(struct ui_prompt *p)
{
	char **past = p->past[p->kind];
	int gone = 0;
	while (gone < UI_PROMPT_HISTORY - 1 && past[gone] && strcmp(past[gone], p->text) != 0)
		gone++;
	char *copy = p->len ? strdup(p->text) : NULL;
	if (!copy)
		return;
	free(past[gone]);
	memmove(past + 1, past, (size_t)gone * sizeof *past);
	past[0] = copy;
}

static void look_back(struct ui_prompt *p, bool older)
{
	char *const *past = p->past[p->kind];
	if (older && p->back < UI_PROMPT_HISTORY && past[p->back]) {
		if (p->back == 0)
			memcpy(p->typed, p->text, sizeof p->typed);
		ui_prompt_set(p, past[p->back++]);
	} else if (!older && p->back > 0) {
		p->back--;
		char text[UI_PROMPT_MAX];
		memcpy(text, p->typed, sizeof text);
		ui_prompt_set(p, p->back ? past[p->back - 1] : text);
	}
}

static size_t before(const struct ui_prompt *p, size_t at)
{
	while (at > 0 && ((unsigned char)p->text[--at] & 0xc0) == 0x80)
		continue;
	return at;
}

static size_t after(const struct ui_prompt *p, size_t at)
{
	size_t len = 0;
	if (at < p->len)
		pv_utf8_next(p->text + at, p->text + p->len, &len);
	return at + len;
}

static void cut_text(struct ui_prompt *p, size_t from, size_t to)
{
	memmove(p->text + from, p->text + to, p->len - to + 1);
	p->len -= to - from;
	p->at = from;
}

static bool insert(struct ui_prompt *p, int key)
{
	char code[4];
	size_t n = pv_utf8_put(code, (uint32_t)key);
	if (p->len + n >= sizeof p->text)
		return false;
	memmove(p->text + p->at + n, p->text + p->at, p->len - p->at + 1);
	memcpy(p->text + p->at, code, n);
	p->len += n;
	p->at += n;
	return true;
}

static size_t word_before(const struct ui_prompt *p)
{
	size_t at = p->at;
	while (at > 0 && p->text[at - 1] == ' ')
		at--;
	while (at > 0 && p->text[at - 1] != ' ')
		at--;
	return at;
}

enum { CTRL_A = 1, CTRL_C = 3, CTRL_E = 5, CTRL_H = 8, CTRL_K = 11, CTRL_U = 21, CTRL_W = 23 };

static enum ui_prompt_answer edit(struct ui_prompt *p, int key)
{
	switch (key) {
	case UI_KEY_LEFT:
		p->at = before(p, p->at);
		return UI_PROMPT_SAME;
	case UI_KEY_RIGHT:
		p->at = after(p, p->at);
		return UI_PROMPT_SAME;
	case UI_KEY_HOME:
	case CTRL_A:
		p->at = 0;
		return UI_PROMPT_SAME;
	case UI_KEY_END:
	case CTRL_E:
		p->at = p->len;
		return UI_PROMPT_SAME;
	case UI_KEY_UP:
	case UI_KEY_DOWN:
		look_back(p, key == UI_KEY_UP);
		return UI_PROMPT_CHANGED;
	case UI_KEY_DEL:
		cut_text(p, p->at, after(p, p->at));
		return UI_PROMPT_CHANGED;
	case CTRL_U:
		cut_text(p, 0, p->at);
		return UI_PROMPT_CHANGED;
	case CTRL_W:
		cut_text(p, word_before(p), p->at);
		return UI_PROMPT_CHANGED;
	case CTRL_K:
		p->text[p->len = p->at] = 0;
		return UI_PROMPT_CHANGED;
	default:
		if (ui_key_printable(key) && insert(p, key))
			return UI_PROMPT_CHANGED;
		return UI_PROMPT_SAME;
	}
}

static enum ui_prompt_answer close_with(struct ui_prompt *p, enum ui_prompt_answer answer)
{
	p->open = false;
	if (answer == UI_PROMPT_DONE && p->kind != UI_PROMPT_CONFIRM &&
		p->kind != UI_PROMPT_PROGRAM)
		remember_line(p);
	return answer;
}

enum ui_prompt_answer ui_prompt_key(struct ui_prompt *p, int key)
{
	if (p->untouched && ui_key_printable(key))
		ui_prompt_set(p, "");
	p->untouched = false;
	if (key == UI_KEY_ESC || key == CTRL_C)
		return close_with(p, UI_PROMPT_GONE);
	if (p->kind == UI_PROMPT_CONFIRM)
		return close_with(p, key == 'y' || key == 'Y' ? UI_PROMPT_DONE : UI_PROMPT_GONE);
	if (p->kind == UI_PROMPT_PROGRAM) {
		bool end = key == 'e' || key == 'E', stay = key == 'l' || key == 'L';
		ui_prompt_set(p, end ? "e" : "l");
		return close_with(p, end || stay ? UI_PROMPT_DONE : UI_PROMPT_GONE);
	}
	if (key == UI_KEY_ENTER)
		return close_with(p, UI_PROMPT_DONE);
	if (key == UI_KEY_TAB)
		return UI_PROMPT_TAB;
	if (key == UI_KEY_BACKTAB)
		return UI_PROMPT_BACKTAB;
	if (key == UI_KEY_BACKSPACE || key == CTRL_H) {
		if (p->len == 0)
			return close_with(p, UI_PROMPT_GONE);
		cut_text(p, before(p, p->at), p->at);
		return UI_PROMPT_CHANGED;
	}
	return edit(p, key);
}

int ui_prompt_draw(const struct ui_prompt *p, struct ui_canvas *c, struct ui_rect r)
{
	ui_clear(c, r, UI_PROMPT);
	int x = ui_put(c, r, UI_PROMPT, p->label);
	struct ui_rect field = ui_cols(r, x, r.w);
	/* The cursor and the text to its left must be visible; a long text shows its end. */
	char head[UI_PROMPT_MAX];
	snprintf(head, sizeof head, "%.*s", (int)p->at, p->text);
	struct pv_showable from = pv_showable_begin(p->text, p->len);
	struct pv_shown left;
	int cells = pv_showable_cells(head);
	while (cells >= field.w && field.w > 0 && pv_showable_next(&from, &left))
		cells -= left.cells;
	int text = ui_put_cut(c, field, UI_PROMPT, from.at);
	if (p->untouched)
		ui_mark(c, ui_cols(field, 0, text), UI_SELECTED);
	int cursor = field.x + ui_min(cells, ui_max(field.w - 1, 0));
	ui_restyle(c, (struct ui_rect){ cursor, r.y, 1, 1 }, UI_CURSOR);
	return cursor;
}
