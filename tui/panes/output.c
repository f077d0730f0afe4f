/* SPDX-License-Identifier: MIT */
/* Keeps a program's output as lines, bounded, and scrolls, searches and draws them. */
#include "tui/panes/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "tui/list/question.h"
#include "tui/draw/paging.h"
#include "tui/draw/shared.h"

enum { TAB = 8, PLAIN = 0, ESCAPE, SEQUENCE, TITLE, CHARSET };

void ui_output_finish(struct ui_output *o)
{
	for (size_t i = 0; o->line && i < o->n; i++)
		free(o->line[(o->first + i) % UI_OUTPUT_LINES]);
	free(o->line);
	*o = (struct ui_output){ 0 };
}

static void forget_first(struct ui_output *o)
{
	char **slot = &o->line[o->first];
	o->bytes -= strlen(*slot) + 1;
	free(*slot);
	*slot = NULL;
	o->first = (o->first + 1) % UI_OUTPUT_LINES;
	o->n--;
	o->gone++;
	if (o->top)
		o->top--;
}

static void keep_line(struct ui_output *o, const char *text)
{
	if (!o->line)
		o->line = calloc(UI_OUTPUT_LINES, sizeof *o->line);
	char *copy = o->line ? strdup(text) : NULL;
	if (!copy) {
		o->gone++;
		return;
	}
	size_t room = strlen(copy) + 1;
	while (o->n && (o->n == UI_OUTPUT_LINES || o->bytes + room > UI_OUTPUT_BYTES))
		forget_first(o);
	o->line[(o->first + o->n++) % UI_OUTPUT_LINES] = copy;
	o->bytes += room;
}

static void end_line(struct ui_output *o)
{
	o->open[o->open_n] = 0;
	keep_line(o, o->open);
	o->open_n = o->column = 0;
}

/* A carriage return goes to the beginning of the line, and further text replaces the old. */
static void put_char(struct ui_output *o, char c)
{
	if (o->column + 1 >= sizeof o->open)
		end_line(o);
	o->open[o->column++] = c;
	if (o->column > o->open_n)
		o->open_n = o->column;
}

static void tabulate(struct ui_output *o)
{
	do
		put_char(o, ' ');
	while (o->column % TAB && o->column + 1 < sizeof o->open);
}

/* Escape sequences: CSI ends with a letter, OSC with BEL or ST, others are a character or two. */
static void take_escape(struct ui_output *o, unsigned char c)
{
	switch (o->escape) {
	case ESCAPE:
		o->escape = c == '['               ? SEQUENCE
			    : c == ']' || c == 'P' ? TITLE
			    : c == '(' || c == ')' ? CHARSET
						   : PLAIN;
		break;
	case SEQUENCE:
		if (c >= 0x40 && c <= 0x7e)
			o->escape = PLAIN;
		if (c == 'K')
			o->open_n = o->column;
		break;
	case TITLE:
		if (c == 7 || c == '\\')
			o->escape = PLAIN;
		break;
	default:
		o->escape = PLAIN;
		break;
	}
}

static void take_char(struct ui_output *o, unsigned char c)
{
	if (o->escape && c != '\n') {
		take_escape(o, c);
		return;
	}
	o->escape = PLAIN;
	switch (c) {
	case '\n':
		end_line(o);
		break;
	case '\r':
		o->column = 0;
		break;
	case '\b':
		o->column -= o->column > 0;
		break;
	case '\t':
		tabulate(o);
		break;
	case 27:
		o->escape = ESCAPE;
		break;
	default:
		if (c >= ' ' && c != 127)
			put_char(o, (char)c);
		break;
	}
}

void ui_output_add(struct ui_output *o, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take_char(o, (unsigned char)bytes[i]);
	o->open[o->open_n] = 0;
}

void ui_output_note(struct ui_output *o, const char *text)
{
	if (o->open_n)
		end_line(o);
	o->escape = PLAIN;
	keep_line(o, text);
}

size_t ui_output_count(const struct ui_output *o)
{
	return o->n + (o->open_n > 0);
}

const char *ui_output_line(const struct ui_output *o, size_t i)
{
	if (i < o->n)
		return o->line[(o->first + i) % UI_OUTPUT_LINES];
	return i == o->n && o->open_n ? o->open : "";
}

/* ---- the user's view */

static size_t last_top(const struct ui_output *o)
{
	size_t n = ui_output_count(o), page = o->page > 0 ? (size_t)o->page : 1;
	return n > page ? n - page : 0;
}

static void scroll_to(struct ui_output *o, long to)
{
	size_t last = last_top(o);
	o->top = to < 0 ? 0 : (size_t)to < last ? (size_t)to : last;
	o->loose = o->top < last;
}

unsigned ui_output_command(struct ui_output *o, enum ui_command cmd)
{
	long at = (long)(o->loose ? o->top : last_top(o)), page = o->page > 0 ? o->page : 1, to;
	if (ui_paged(cmd, at, page, page / 2, (long)ui_output_count(o), &to))
		scroll_to(o, to);
	else if (cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV)
		ui_output_find(o, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
	else
		return UI_IGNORED;
	return UI_HANDLED;
}

bool ui_output_find(struct ui_output *o, int dir)
{
	size_t n = ui_output_count(o);
	size_t at = dir == 0 ? n : o->loose ? o->top : last_top(o);
	if (!o->search[0])
		return false;
	for (size_t step = 1; step <= n; step++) {
		size_t i = dir > 0 ? (at + step) % n : (at + n - step % n) % n;
		if (dir == 0)
			i = n - step;
		if (ui_find_text(ui_output_line(o, i), o->search) < 0)
			continue;
		o->top = i; /* in the first row, even near the end */
		o->loose = true;
		return true;
	}
	return false;
}

static void draw_line(const struct ui_output *o, struct ui_canvas *c, struct ui_rect r, size_t i)
{
	const char *text = ui_output_line(o, i);
	char before[UI_OUTPUT_LINE];
	ui_put(c, ui_cols(r, 1, r.w), UI_PLAIN, text);
	int hit = o->search[0] ? ui_find_text(text, o->search) : -1;
	if (hit < 0)
		return;
	snprintf(before, sizeof before, "%.*s", hit, text);
	ui_restyle(c, ui_cols(r, 1 + pv_showable_cells(before), pv_showable_cells(o->search)),
		UI_MATCH);
}

void ui_output_title(const struct ui_output *o, struct ui_canvas *c, struct ui_rect r)
{
	int x = ui_put(c, r, UI_TITLE, " O Output of the program");
	char text[96];
	snprintf(text, sizeof text, " ▸ %zu lines%s", ui_output_count(o),
		o->loose ? "" : " ▸ following");
	x += ui_put(c, ui_cols(r, x, r.w), UI_PLAIN, text);
	if (o->gone)
		ui_printf(c, ui_cols(r, x, r.w), UI_WARN, " ▸ %llu older ones are not kept",
			(unsigned long long)o->gone);
}

void ui_output_draw(struct ui_output *o, struct ui_canvas *c, struct ui_rect r)
{
	size_t n = ui_output_count(o);
	o->page = r.h;
	if (!o->loose)
		o->top = last_top(o);
	ui_clear(c, r, UI_PLAIN);
	if (n == 0)
		ui_put(c, ui_cols(r, 1, r.w), UI_DIM, "nothing printed so far");
	for (int y = 0; y < r.h && o->top + (size_t)y < n; y++)
		draw_line(o, c, ui_rows(r, y, 1), o->top + (size_t)y);
}
