/* SPDX-License-Identifier: MIT */
/* The lines of the help, from the commands: scrolling, search, drawing. */
#include "tui/panes/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/showable.h"
#include "tui/list/list.h"
#include "tui/draw/paging.h"

enum { KEYS_W = 20 };

void ui_help_add(struct ui_help *h, const struct ui_help_line *line)
{
	if (pv_reserve(&h->line, 1))
		h->line.v[h->line.n++] = *line;
}

static void add_help_line(struct ui_help *h, struct ui_help_line line)
{
	ui_help_add(h, &line);
}

/* Scopes with the same heading are one part. */
static void add_scope(struct ui_help *h, unsigned scope, const char *heading, const char *before)
{
	if (strcmp(heading, before) != 0) {
		add_help_line(h, (struct ui_help_line){ .text = "" });
		add_help_line(h, (struct ui_help_line){ .text = heading, .heading = true });
	}
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++)
		if (ui_command_row(cmd)->scope == scope)
			add_help_line(h, (struct ui_help_line){ .cmd = cmd });
}

void ui_help_add_text(struct ui_help *h, const char *text)
{
	char *copy = pv_reserve(&h->own, 1) ? strdup(text) : NULL;
	if (!copy)
		return;
	h->own.v[h->own.n++] = copy;
	add_help_line(h, (struct ui_help_line){ .text = copy });
}

static void drop_texts(struct ui_help *h)
{
	while (h->own.n)
		free(h->own.v[--h->own.n]);
}

void ui_help_open(struct ui_help *h, const char *pane)
{
	drop_texts(h);
	h->line.n = 0;
	h->top = 0;
	h->open = true;
	h->search[0] = 0;
	add_help_line(h, (struct ui_help_line){ .text = pane, .heading = true });
}

void ui_help_add_keys(struct ui_help *h, unsigned scopes)
{
	static const struct {
		unsigned scope;
		const char *heading;
	} parts[] = {
		{ UI_SCOPE_OBJECTS, "In this pane" },
		{ UI_SCOPE_DIFF, "In this pane" },
		{ UI_SCOPE_FLAME, "In the flame" },
		{ UI_SCOPE_EVENTS, "In this pane" },
		{ UI_SCOPE_LANES, "In this pane" },
		{ UI_SCOPE_HEAP, "In this pane" },
		{ UI_SCOPE_REQUESTS, "In this pane" },
		{ UI_SCOPE_SOURCE, "In this pane" },
		{ UI_SCOPE_CALL_TREE, "In this pane" },
		{ UI_SCOPE_METHODS, "In this pane" },
		{ UI_SCOPE_CALLS, "In this pane" },
		{ UI_SCOPE_TREE, "In trees" },
		{ UI_SCOPE_LIST, "In lists" },
		{ UI_SCOPE_ROWS, "Rows of lists" },
		{ UI_SCOPE_MOVE, "Moving and searching" },
		{ UI_SCOPE_ANY, "Everywhere" },
	};
	static const char *const remarks[] = {
		"A click on a column's title sorts, on a row selects; a double click is Enter.",
		"The wheel scrolls. Shift and the mouse select text as in any terminal.",
	};
	const char *before = "";
	for (size_t i = 0; i < PV_COUNT_OF(parts); i++) {
		if (!(scopes & parts[i].scope))
			continue;
		add_scope(h, parts[i].scope, parts[i].heading, before);
		before = parts[i].heading;
	}
	add_help_line(h, (struct ui_help_line){ .text = "" });
	add_help_line(h, (struct ui_help_line){ .text = "Mouse", .heading = true });
	for (size_t i = 0; i < PV_COUNT_OF(remarks); i++)
		add_help_line(h, (struct ui_help_line){ .text = remarks[i] });
	add_help_line(h, (struct ui_help_line){ .text = "" });
}

void ui_help_finish(struct ui_help *h)
{
	drop_texts(h);
	pv_array_finish(&h->own);
	pv_array_finish(&h->line);
	*h = (struct ui_help){ 0 };
}

static void scroll_to(struct ui_help *h, long top)
{
	long most = (long)h->line.n - h->page;
	h->top = top < 0 || most < 0 ? 0 : top > most ? (size_t)most : (size_t)top;
}

unsigned ui_help_command(struct ui_help *h, enum ui_command cmd)
{
	long page = h->page > 2 ? h->page - 1 : 1, to;
	if (ui_paged(cmd, (long)h->top, page, page / 2 + 1, (long)h->line.n, &to))
		scroll_to(h, to);
	else if (cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV)
		ui_help_find(h, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
	else
		return UI_IGNORED;
	return UI_HANDLED;
}

static void help_text(const struct ui_help_line *line, char *buf, size_t size)
{
	char keys[64];
	if (line->cmd == UI_CMD_NONE && !line->key) {
		snprintf(buf, size, "%s", line->text);
		return;
	}
	if (line->key) {
		snprintf(buf, size, "%s%*s %s", line->key,
			ui_max(0, KEYS_W - pv_showable_cells(line->key)), "", line->text);
		return;
	}
	ui_command_keys(line->cmd, keys, sizeof keys);
	const struct ui_command_row *row = ui_command_row(line->cmd);
	snprintf(buf, size, "%-*s %s  (:%s)", KEYS_W, keys, row->help, row->name);
}

bool ui_help_find(struct ui_help *h, int dir)
{
	size_t n = h->line.n;
	for (size_t step = dir == 0 ? 0 : 1; n && step <= n; step++) {
		size_t at = dir < 0 ? (h->top + n - step % n) % n : (h->top + step) % n;
		char text[UI_HELP_LINE];
		help_text(&h->line.v[at], text, sizeof text);
		if (ui_find_text(text, h->search) >= 0) {
			h->top = at;
			return true;
		}
	}
	return false;
}

static void draw_line(const struct ui_help *h, struct ui_canvas *c, struct ui_rect r, size_t i)
{
	const struct ui_help_line *line = &h->line.v[i];
	char text[UI_HELP_LINE], before[UI_HELP_LINE];
	help_text(line, text, sizeof text);
	if (line->heading)
		ui_put(c, r, UI_TITLE, text);
	else
		ui_put(c, ui_cols(r, 2, r.w), UI_PLAIN, text);
	if (line->cmd != UI_CMD_NONE || line->key)
		ui_restyle(c, ui_cols(r, 2, KEYS_W), UI_STRONG);
	int hit = ui_find_text(text, h->search);
	if (hit < 0)
		return;
	snprintf(before, sizeof before, "%.*s", hit, text);
	ui_restyle(c,
		ui_cols(r, pv_showable_cells(before) + (line->heading ? 0 : 2),
			pv_showable_cells(h->search)),
		UI_MATCH);
}

void ui_help_draw(struct ui_help *h, struct ui_canvas *c, struct ui_rect r)
{
	h->page = r.h;
	ui_clear(c, r, UI_PLAIN);
	for (int y = 0; y < r.h && h->top + (size_t)y < h->line.n; y++)
		draw_line(h, c, ui_rows(r, y, 1), h->top + (size_t)y);
}
