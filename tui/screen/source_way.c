/* SPDX-License-Identifier: MIT */
/* From a row to its source text, between hot lines, and into the user's editor. */
#include "tui/screen/source_way.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "tui/screen/evidence.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/screen.h"

static void wish_finish(struct pv_source_wish *w)
{
	free((char *)(uintptr_t)w->file);
	free((char *)(uintptr_t)w->method);
	*w = (struct pv_source_wish){ .maps = w->maps, .machine = w->machine };
}

void ui_source_finish(struct ui_source *o)
{
	wish_finish(&o->wish);
	free(o->picked);
	*o = (struct ui_source){ 0 };
}

bool ui_source_has(const struct ui_pane *p)
{
	return p->def->scope & UI_SCOPE_SOURCE;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Wants another file, or another line; texts may be NULL, and are copied. */
static void wish_for(struct ui_screen *s, const char *file, uint32_t line, const char *method)
{
	struct ui_source *o = &s->source;
	const struct pv_source_wish next = { .file = copy_of(file),
		.method = copy_of(method),
		.line = line,
		.machine = o->wish.machine,
		.maps = o->wish.maps };
	const bool other = !same_text(file, o->wish.file) || !same_text(method, o->wish.method) ||
			   line != o->wish.line;
	wish_finish(&o->wish);
	o->wish = next;
	free(o->picked);
	o->picked = copy_of(s->shared.picked[UI_KIND_METHOD]);
	o->arriving = true;
	if (other)
		ui_list_restart(&s->pane[ui_goto_index(UI_CMD_SOURCE)].list[0]);
}

/* The path (the table's) and line of a row. False: the row lacks one of them. */
static bool source_of_row(const struct pv_table *t, const struct pv_row *row, const char **ret_file,
	uint32_t *ret_line)
{
	int file = t ? pv_table_column(t, "file") : -1, line = t ? pv_table_column(t, "line") : -1;
	if (!row || file < 0 || line < 0 || row->cell[file].state != PV_CELL_VALUE ||
		row->cell[line].state != PV_CELL_VALUE || !row->cell[file].s)
		return false;
	*ret_file = row->cell[file].s;
	*ret_line = (uint32_t)row->cell[line].u;
	return true;
}

/* The stack of a row, as a list of methods; NULL: it has none. */
static const char *stack_of(const struct ui_list *l)
{
	const struct pv_row *row = ui_list_row(l);
	int stack = row ? pv_table_column(l->table, "stack") : -1;
	return stack >= 0 && row->cell[stack].state == PV_CELL_VALUE ? row->cell[stack].s : NULL;
}

/* The method of a row of this pane; NULL: none. */
static const char *method_of(const struct ui_screen *s, const struct ui_pane *p)
{
	if (p->def->parts == 0 || p->timeline)
		return s->shared.picked[UI_KIND_METHOD];
	return p->def->part[p->focus].kind == UI_KIND_METHOD || p->flame ? ui_pane_name(p) : NULL;
}

/* Wants the place of the row under the cursor, else the row's method; false: neither known. */
static bool wish_for_row(struct ui_screen *s, const struct ui_pane *p)
{
	const struct ui_list *l = &p->list[p->focus];
	const char *file, *method = method_of(s, p);
	uint32_t line;
	if (p->def->parts && source_of_row(l->table, ui_list_row(l), &file, &line)) {
		wish_for(s, file, line, NULL);
		return true;
	}
	const char *stack = p->def->parts && !method ? stack_of(l) : NULL;
	if (method)
		ui_pick(&s->shared, UI_KIND_METHOD, method);
	if (method || stack)
		wish_for(s, NULL, 0, method ? s->shared.picked[UI_KIND_METHOD] : stack);
	return method || stack;
}

static void go(struct ui_screen *s)
{
	if (s->source.wish.machine)
		ui_list_restart(&s->pane[ui_goto_index(UI_CMD_SOURCE)].list[0]);
	s->source.wish.machine = false;
	ui_goto_pane(s, UI_CMD_SOURCE);
	ui_filter_leave_class(s);
}

/* The method of the line under the cursor. */
static void go_to_method(struct ui_screen *s, const struct ui_list *l)
{
	const struct pv_row *row = ui_list_row(l);
	int method = row ? pv_table_column(l->table, "method") : -1;
	if (method < 0 || row->cell[method].state != PV_CELL_VALUE) {
		ui_screen_say(s, false, "no sample was met at this line, nor in what it called");
		return;
	}
	ui_pick(&s->shared, UI_KIND_METHOD, row->cell[method].s);
	free(s->source.picked); /* coming back shows the same lines */
	s->source.picked = copy_of(s->shared.picked[UI_KIND_METHOD]);
	ui_goto_pane(s, UI_CMD_METHODS);
}

void ui_source_enter(struct ui_screen *s, struct ui_pane *p)
{
	const struct ui_list *l = &p->list[p->focus];
	const char *file;
	uint32_t line;
	if (ui_source_has(p) && p->focus == 0) {
		go_to_method(s, l);
	} else if (!source_of_row(l->table, ui_list_row(l), &file, &line)) {
		ui_screen_say(s, false, "these samples were met at no known line");
	} else if (ui_source_has(p)) {
		wish_for(s, file, line, NULL);
		ui_pane_focus(p, 0);
	} else {
		wish_for(s, file, line, NULL);
		go(s);
	}
}

/* The next line with many samples, from the cursor on and round. */
static void go_to_hot(struct ui_screen *s, struct ui_list *l, int dir)
{
	const size_t n = l->table ? l->table->rows : 0;
	for (size_t i = 1; i <= n; i++) {
		const size_t at = (l->at + (dir > 0 ? i : n - i % n)) % n;
		if (!(l->table->row[at].flags & PV_ROW_HOT))
			continue;
		if (at == l->at)
			ui_screen_say(s, false, "this is the only hot line of the file");
		ui_list_move_to(l, at);
		return;
	}
	ui_screen_say(s, false, "no sample was met in this file");
}

/* The program starts the editor, as the screen has no terminal. False: the row has no line. */
static bool edit_row(struct ui_screen *s, const struct ui_list *l)
{
	struct ui_source *o = &s->source;
	const char *file;
	if (!source_of_row(l->table, ui_list_row(l), &file, &o->edit_line))
		return false;
	if (!pv_source_place(file, o->wish.maps, o->edit, sizeof o->edit))
		o->edit[0] = 0;
	return true;
}

static void edit(struct ui_screen *s, const struct ui_pane *p)
{
	if (p->def->parts == 0 || !edit_row(s, &p->list[p->focus]))
		ui_screen_say(
			s, false, "this row has no file and line; Ctrl-S leads to the source");
}

/* From the text to the machine code of the function at the cursor, and back. */
static void turn_machine(struct ui_screen *s, struct ui_pane *p)
{
	struct ui_source *o = &s->source;
	const char *file;
	uint32_t line;
	ui_pane_focus(p, 0);
	if (source_of_row(p->list[0].table, ui_list_row(&p->list[0]), &file, &line))
		wish_for(s, file, line, NULL);
	o->wish.machine = !o->wish.machine;
	o->arriving = true;
	ui_list_restart(&p->list[0]);
}

unsigned ui_source_command(struct ui_screen *s, enum ui_command cmd)
{
	struct ui_pane *p = &s->pane[s->current];
	const bool here = ui_source_has(p) && !s->help.open && !s->output_open;
	const bool search = cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV;
	if (here && search && p->focus == 0 && !p->list[0].search[0]) {
		go_to_hot(s, &p->list[0], cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
		return UI_HANDLED;
	}
	if (here && cmd == UI_CMD_MACHINE) {
		turn_machine(s, p);
		return UI_HANDLED | UI_REPAINT;
	}
	if (cmd == UI_CMD_EDITOR && !s->help.open && !s->output_open) {
		edit(s, p);
		return UI_HANDLED | UI_REPAINT;
	}
	if (cmd != UI_CMD_SOURCE || here || s->help.open || s->output_open)
		return UI_IGNORED;
	if (!wish_for_row(s, p) && p->def->parts)
		ui_screen_say(s, false, "this row is of no method; the source is of %s",
			s->source.wish.file     ? PV_FIT(s->source.wish.file, 100)
			: s->source.wish.method ? PV_FIT(s->source.wish.method, 100)
						: "the hottest line");
	s->source.arriving = true;
	go(s);
	return UI_HANDLED;
}

/* A method selected meanwhile is shown instead. */
void ui_source_place(struct ui_screen *s, struct ui_pane *p)
{
	(void)p;
	if (!same_text(s->source.picked, s->shared.picked[UI_KIND_METHOD]))
		wish_for(s, NULL, 0, s->shared.picked[UI_KIND_METHOD]);
	s->shared.lines_of = &s->source.wish;
}

void ui_source_find(struct ui_screen *s, struct ui_pane *p)
{
	struct ui_list *l = &p->list[0];
	if (!s->source.arriving || !l->table || !l->table->rows || ui_list_asking(l) || l->stale)
		return;
	s->source.arriving = false;
	for (size_t i = 0; i < l->table->rows; i++) {
		const size_t half = (size_t)l->page / 2;
		if (!(l->table->row[i].flags & PV_ROW_MARKED))
			continue;
		ui_list_move_to(l, i);
		l->top = i > half ? i - half : 0;
		break;
	}
}
