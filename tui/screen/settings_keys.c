/* SPDX-License-Identifier: MIT */
/* Commands for the user's settings: columns, units, characters. */
#include "tui/screen/settings_keys.h"

#include <stdio.h>
#include <string.h>

#include "tui/draw/settings.h"
#include "tui/screen/screen.h"

static bool has_settings(struct ui_screen *s)
{
	if (!s->shared.settings)
		ui_screen_say(s, true, "nothing can be set here");
	return s->shared.settings != NULL;
}

/* The list under the keys; NULL: the view has no columns. */
static struct ui_list *columns_of(struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	struct ui_list *l = p->flame || p->timeline ? NULL : ui_screen_list(s);
	if (!l)
		ui_screen_say(s, true, "this view has no columns");
	return l;
}

static uint32_t hidden_of(const struct ui_screen *s, const struct ui_list *l)
{
	return ui_settings_hidden(s->shared.settings, l->view, l->table->column, l->table->columns);
}

/* Opens the menu of columns, in which Enter hides or shows a column; the name is not listed. */
static void list_columns(struct ui_screen *s, size_t at)
{
	struct ui_menu *m = &s->menu;
	const struct ui_list *l = columns_of(s);
	if (!l || !l->table)
		return;
	if (s->shared.against && s->shared.against->has(l->view)) {
		ui_screen_say(s, true, "beside a base the columns are always the same");
		return;
	}
	const struct pv_table *t = l->table;
	const uint32_t hidden = hidden_of(s, l);
	*m = (struct ui_menu){
		.of_columns = true, .title = "Columns: Enter hides, shows", .at = at
	};
	for (size_t i = 0; i < t->columns && i < UI_COLUMNS_MAX && m->n < UI_MENU_MAX; i++) {
		const struct pv_column *c = &t->column[i];
		if (c->flags & PV_COLUMN_HIDE_SCREEN ||
			(int)i == ui_columns_name(t->column, t->columns))
			continue;
		snprintf(m->own[m->n], sizeof m->own[0], "[%c] %s", hidden >> i & 1 ? ' ' : 'x',
			c->title[0] ? c->title : c->id);
		m->item[m->n] = m->own[m->n];
		m->value[m->n++] = i;
	}
	m->open = m->n > 0;
}

static void set_columns(struct ui_screen *s, const char *words)
{
	char why[100];
	const struct ui_list *l = columns_of(s);
	if (!l)
		return;
	if (!ui_settings_columns(s->shared.settings, l->view, words, why, sizeof why))
		ui_screen_say(s, true, "%s", why);
	else
		ui_screen_say(s, false, "columns of %s; :save keeps them", pv_view_name(l->view));
}

bool ui_settings_chose(struct ui_screen *s, enum ui_menu_answer answer)
{
	char words[UI_COLUMN_SET] = "";
	size_t n = 0;
	const struct ui_list *l = s->menu.of_columns ? columns_of(s) : NULL;
	if (!l || !l->table || answer != UI_MENU_CHOSEN)
		return s->menu.of_columns;
	const uint32_t shown = ~hidden_of(s, l) ^ UINT32_C(1) << s->menu.value[s->menu.at];
	for (size_t i = 0; i < l->table->columns && i < UI_COLUMNS_MAX && n < sizeof words; i++)
		if (shown >> i & 1 && !(l->table->column[i].flags & PV_COLUMN_HIDE_SCREEN))
			n += (size_t)snprintf(
				words + n, sizeof words - n, "%s ", l->table->column[i].id);
	set_columns(s, words);
	list_columns(s, s->menu.at);
	return true;
}

static void set_units(struct ui_screen *s, enum pv_byte_units units)
{
	pv_units_use(units);
	s->shared.settings->units = units;
	s->shared.settings->units_chosen = true;
	ui_screen_say(s, false, "bytes in %s; :save keeps it",
		units == PV_BYTES_BINARY ? "KiB, MiB, steps of 1024" : "kB, MB, steps of 1000");
}

/* The wish, or the nearest choice that the terminal can show. */
static enum ui_glyphs possible(const struct ui_shared *s, enum ui_glyphs wish)
{
	if (s->only_ascii)
		return UI_GLYPHS_ASCII;
	return wish == UI_GLYPHS_BRAILLE && s->no_braille ? UI_GLYPHS_BLOCK : wish;
}

void ui_screen_draw_with(struct ui_screen *s, enum ui_glyphs wish)
{
	const enum ui_glyphs glyphs = possible(&s->shared, wish);
	s->canvas.ascii = glyphs == UI_GLYPHS_ASCII;
	s->canvas.dots = s->shared.dots = glyphs == UI_GLYPHS_BRAILLE;
}

static void set_glyphs(struct ui_screen *s, enum ui_glyphs wish)
{
	const enum ui_glyphs glyphs = possible(&s->shared, wish);
	if (glyphs != wish) {
		ui_screen_say(s, true, "%s: %s", ui_glyphs_word(wish),
			s->shared.only_ascii ? "the locale's characters are not UTF-8"
					     : "the Linux console has no Braille");
		return;
	}
	ui_screen_draw_with(s, wish);
	s->shared.settings->glyphs = wish;
	s->shared.settings->glyphs_chosen = true;
	ui_screen_say(s, false, "charts in %s; :save keeps it",
		wish == UI_GLYPHS_BRAILLE ? "Braille, two columns a cell"
		: wish == UI_GLYPHS_ASCII ? "ASCII, and all else, too"
					  : "blocks");
}

/* The next choice that the terminal can show. */
static void next_glyphs(struct ui_screen *s)
{
	const enum ui_glyphs now = s->canvas.dots    ? UI_GLYPHS_BRAILLE
				   : s->canvas.ascii ? UI_GLYPHS_ASCII
						     : UI_GLYPHS_BLOCK;
	enum ui_glyphs next = (now + 1) % UI_GLYPHS_COUNT;
	if (possible(&s->shared, next) != next && !s->shared.only_ascii)
		next = (next + 1) % UI_GLYPHS_COUNT;
	set_glyphs(s, next);
}

unsigned ui_settings_command(struct ui_screen *s, enum ui_command cmd)
{
	if (cmd != UI_CMD_COLUMNS && cmd != UI_CMD_UNITS && cmd != UI_CMD_GLYPHS &&
		cmd != UI_CMD_SAVE)
		return UI_IGNORED;
	if (!has_settings(s))
		return UI_HANDLED;
	if (cmd == UI_CMD_COLUMNS)
		list_columns(s, 0);
	else if (cmd == UI_CMD_GLYPHS)
		next_glyphs(s);
	else if (cmd == UI_CMD_UNITS)
		set_units(
			s, pv_units_used() == PV_BYTES_BINARY ? PV_BYTES_DECIMAL : PV_BYTES_BINARY);
	else
		s->shared.settings->save = true;
	return UI_HANDLED;
}

bool ui_settings_typed(struct ui_screen *s, enum ui_command cmd, const char *word)
{
	enum pv_byte_units units;
	if (cmd != UI_CMD_COLUMNS && cmd != UI_CMD_UNITS && cmd != UI_CMD_GLYPHS)
		return false;
	if (!has_settings(s))
		return true;
	if (cmd == UI_CMD_COLUMNS)
		set_columns(s, word);
	else if (cmd == UI_CMD_GLYPHS && ui_glyphs_of(word) < UI_GLYPHS_COUNT)
		set_glyphs(s, ui_glyphs_of(word));
	else if (cmd == UI_CMD_GLYPHS)
		ui_screen_say(s, true, "glyphs are block, braille or ascii");
	else if (pv_units_of(word, &units))
		set_units(s, units);
	else
		ui_screen_say(s, true, "units are binary or decimal");
	return true;
}
