/* SPDX-License-Identifier: MIT */
/* Completion of the command line and of filters: candidates, keys, drawing. */
#include "tui/screen/complete.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/filter/filter_names.h"
#include "tui/screen/screen.h"
#include "tui/screen/thread_choice.h"
#include "tui/panes/sections.h"

enum { MOST = 200, WORD = UI_PROMPT_MAX };

struct words {
	const char *stem; /* prefix of the words */
	bool any_case;
	char word[MOST][WORD];
	size_t n;
};

static void add_completion(struct words *w, const char *text)
{
	size_t n = strlen(w->stem);
	bool fits =
		w->any_case ? strncasecmp(text, w->stem, n) == 0 : strncmp(text, w->stem, n) == 0;
	if (!fits || !text[0] || w->n == MOST || strlen(text) >= WORD || strchr(text, '\n'))
		return;
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->word[i], text) == 0)
			return;
	snprintf(w->word[w->n++], WORD, "%s", text);
}

/* --- arguments of commands --- */

static void add_columns(struct words *w, const struct ui_list *l)
{
	for (size_t i = 0; l && l->table && i < l->table->columns; i++)
		if (ui_list_shows(l, i))
			add_completion(w, l->table->column[i].id);
}

/* All columns, also columns not shown now. */
static void add_all_columns(struct words *w, const struct ui_list *l)
{
	for (size_t i = 0; l && l->table && i < l->table->columns; i++)
		if (!(l->table->column[i].flags & PV_COLUMN_HIDE_SCREEN))
			add_completion(w, l->table->column[i].id);
}

/* Rows at hand, by name. */
static void add_rows(struct words *w, const struct ui_list *l)
{
	for (size_t i = 0; l && l->table && i < l->table->rows; i++) {
		const char *name = ui_list_name(l, &l->table->row[i]);
		const char *shown = ui_list_shown_name(l, &l->table->row[i]);
		if (name)
			add_completion(w, name);
		if (shown && shown != name)
			add_completion(w, shown);
	}
}

static void add_fixed(struct words *w, const char *list)
{
	for (size_t n; *list; list += n + strspn(list + n, " ")) {
		char word[16];
		n = strcspn(list, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, list);
		add_completion(w, word);
	}
}

static const struct ui_list *list_of(const struct ui_screen *s, enum ui_command pane)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if ((ui_pane_defs[i].command == pane || ui_pane_defs[i].room == pane) &&
			ui_pane_defs[i].parts)
			return &s->pane[i].list[0];
	return NULL;
}

static void add_threads(struct words *w, struct ui_screen *s)
{
	struct pv_table *t = ui_threads_now(s);
	int name = t ? pv_table_column(t, "name") : -1;
	add_completion(w, "all");
	for (size_t i = 0; name >= 0 && i < t->rows; i++)
		if (t->row[i].cell[name].state == PV_CELL_VALUE && t->row[i].cell[name].s)
			add_completion(w, t->row[i].cell[name].s);
	pv_table_destroy(t);
}

static void add_arguments(struct words *w, struct ui_screen *s, enum ui_command cmd)
{
	w->any_case = true;
	switch (cmd) {
	case UI_CMD_SORT_MENU:
		add_columns(w, ui_screen_list(s));
		break;
	case UI_CMD_COLUMNS:
		add_all_columns(w, ui_screen_list(s));
		add_completion(w, "all");
		break;
	case UI_CMD_UNITS:
		add_fixed(w, "binary decimal");
		break;
	case UI_CMD_GLYPHS:
		add_fixed(w, "block braille ascii");
		break;
	case UI_CMD_THREAD:
		add_threads(w, s);
		break;
	case UI_CMD_SLOW:
		add_fixed(w, "100ms 200ms 1s all");
		break;
	case UI_CMD_WINDOW:
		add_fixed(w, "1 10 60 all");
		break;
	case UI_CMD_RANGE:
		add_fixed(w, "all -1s.. -10s.. -60s..");
		break;
	case UI_CMD_SCHEDULE:
		add_fixed(w, "off 10s 30s 60s 5gc 10gc 100gc");
		break;
	case UI_CMD_GROUP:
		for (enum pv_by by = 0; by < PV_BY_COUNT; by++)
			add_completion(w, pv_by_name(by));
		break;
	case UI_CMD_FILTER:
	case UI_CMD_SEARCH:
	case UI_CMD_FIND_OBJECT:
		add_rows(w, ui_screen_list(s));
		break;
	case UI_CMD_HOME:
	case UI_CMD_OVERVIEW:
		for (int i = 0; i < UI_SECTIONS; i++)
			add_completion(w, ui_sections[i].title);
		break;
	default:
		add_rows(w, list_of(s, cmd));
		break;
	}
}

/* --- terms of a filter */

/* Length of the filter before the unfinished term. */
static size_t before_term(const char *stem)
{
	size_t n = strlen(stem);
	while (n > 0 && !strchr(" |(!", stem[n - 1]))
		n--;
	return n;
}

/* Fields, columns that can be compared, and named filters. */
static void add_terms(struct words *w, const struct ui_list *l, const struct pv_filter_names *named)
{
	char word[WORD];
	for (size_t i = 0; named && i < named->name.n; i++) {
		snprintf(word, sizeof word, "\\%s", named->name.v[i].name);
		add_completion(w, word);
	}
	for (enum pv_filter_field i = 1; pv_filter_field_name(i); i++) {
		snprintf(word, sizeof word, "%s:", pv_filter_field_name(i));
		add_completion(w, word);
		bool whole = strcmp(w->stem, word) == 0;
		snprintf(word, sizeof word, "%s:=", pv_filter_field_name(i));
		if (whole)
			add_completion(w, word);
	}
	for (size_t i = 0; l && l->table && i < l->table->columns; i++) {
		enum pv_unit unit = l->table->column[i].unit;
		if (unit != PV_UNIT_TEXT && unit != PV_UNIT_LIST)
			add_completion(w, l->table->column[i].id);
	}
}

/* Length of the command line before the unfinished argument; 0: the command is unfinished. */
static size_t before_argument(const char *stem)
{
	static const char several[] = "columns ";
	size_t n = strcspn(stem, " ");
	if (strncmp(stem, several, sizeof several - 1) == 0)
		return (size_t)(strrchr(stem, ' ') + 1 - stem);
	return stem[n] ? n + strspn(stem + n, " ") : 0;
}

/* Gathers the candidates for a line that begins as `stem`; only the last word changes. */
static void gather_words(struct ui_screen *s, const char *stem, struct words *w)
{
	size_t n = strcspn(stem, " ");
	char name[WORD];
	w->n = 0;
	if (s->prompt.kind == UI_PROMPT_FILTER) {
		w->stem = stem + before_term(stem);
		w->any_case = false;
		add_terms(w, ui_screen_list(s), s->shared.named);
		return;
	}
	w->stem = stem;
	w->any_case = false;
	if (!stem[n]) {
		for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++)
			add_completion(w, ui_command_row(cmd)->name);
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)n, stem);
	w->stem = stem + before_argument(stem);
	enum ui_command cmd = ui_command_of_name(name);
	if (cmd != UI_CMD_NONE)
		add_arguments(w, s, cmd);
}

/* The part of the line before what is being completed. */
static size_t kept(const struct ui_screen *s)
{
	const char *stem = s->complete.stem;
	if (s->prompt.kind == UI_PROMPT_FILTER)
		return before_term(stem);
	return before_argument(stem);
}

/* --- keys --- */

static void show_word(struct ui_screen *s, const char *word)
{
	char line[UI_PROMPT_MAX];
	const char *stem = s->complete.stem;
	size_t before = kept(s);
	snprintf(line, sizeof line, "%.*s%s", (int)before, stem, word);
	ui_prompt_set(&s->prompt, line);
}

/* How far all of them agree, in bytes. */
static size_t common(const struct words *w)
{
	size_t same = strlen(w->word[0]);
	for (size_t i = 1; i < w->n; i++)
		for (size_t k = 0; k < same; k++)
			if (w->word[i][k] != w->word[0][k])
				same = k;
	return same;
}

static void begin_completion(struct ui_screen *s, struct words *w)
{
	struct ui_complete *c = &s->complete;
	snprintf(c->stem, sizeof c->stem, "%s", s->prompt.text);
	gather_words(s, c->stem, w);
	c->n = w->n;
	c->at = 0;
	c->open = w->n > 1;
	if (w->n == 0) {
		ui_screen_say(s, true, "nothing begins so");
		return;
	}
	size_t same = common(w);
	if (w->n == 1 || same > strlen(w->stem)) {
		char word[WORD];
		snprintf(word, sizeof word, "%.*s", (int)same, w->word[0]);
		show_word(s, word);
	}
}

void ui_complete_next(struct ui_screen *s, int dir)
{
	struct ui_complete *c = &s->complete;
	struct words w;
	if (!c->open) {
		begin_completion(s, &w);
		return;
	}
	gather_words(s, c->stem, &w);
	c->n = w.n;
	if (w.n == 0) {
		c->open = false;
		return;
	}
	c->at = dir > 0 ? c->at % w.n + 1 : c->at > 1 ? c->at - 1 : w.n;
	show_word(s, w.word[c->at - 1]);
}

void ui_complete_close(struct ui_screen *s)
{
	s->complete.open = false;
}

void ui_complete_draw(const struct ui_screen *s, struct ui_canvas *canvas, struct ui_rect r)
{
	const struct ui_complete *c = &s->complete;
	struct words w;
	if (!c->open || r.h == 0)
		return;
	gather_words((struct ui_screen *)s, c->stem, &w);
	ui_clear(canvas, r, UI_PLAIN);
	/* The first candidate drawn, so that the chosen one has room. */
	size_t first = 0;
	for (size_t i = 0, x = 1; i < w.n && i + 1 <= c->at; i++) {
		x += strlen(w.word[i]) + 2;
		if ((int)x > r.w) {
			first = i;
			x = strlen(w.word[i]) + 3;
		}
	}
	int x = 1;
	for (size_t i = first; i < w.n && x < r.w; i++)
		x += 2 + ui_put_cut(canvas, ui_cols(r, x, r.w - x),
				 i + 1 == c->at ? UI_CURSOR : UI_DIM, w.word[i]);
}
