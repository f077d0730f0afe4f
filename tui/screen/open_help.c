/* SPDX-License-Identifier: MIT */
/* Builds the help: keys, columns, and commands that give the same report or frame. */
#include "tui/screen/open_help.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/system/processes.h"
#include "common/report/report_sections.h"
#include "tui/list/list_query.h"
#include "tui/panes/column_help.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/screen.h"

struct text {
	char *at;
	size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	if (t->n >= t->size)
		return;
	va_start(args, format);
	int n = vsnprintf(t->at + t->n, t->size - t->n, format, args);
	va_end(args);
	t->n += n > 0 ? (size_t)n : 0;
}

/* Adds a word, quoted for a shell, on a line of its own. */
static void add_word(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./:,@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		add(t, "\n%s", word);
		return;
	}
	add(t, "\n'");
	for (; *word; word++)
		add(t, *word == '\'' ? "'\\''" : "%c", *word);
	add(t, "'");
}

/* The file; a placeholder if the log comes from a program. */
static void add_source(struct text *t, const struct ui_screen *s)
{
	struct stat st;
	const char *path = s->shared.source;
	const struct pv_process *p =
		s->shared.processes ? pv_processes_by_id(s->shared.processes, s->shared.process)
				    : NULL;
	bool file = path && stat(path, &st) == 0 && (S_ISREG(st.st_mode) || p);
	if (p && p->pid)
		add(t, "\n--process %u", p->pid);
	add_word(t, file ? path : "FILE");
}

static bool has_ends(const struct ui_range *r)
{
	return r->on && (r->from_ns != INT64_MIN || r->to_ns != INT64_MAX);
}

/* The chosen time and thread as options. */
static void add_range(struct text *t, const struct ui_range *r)
{
	char typed[80];
	if (has_ends(r))
		add(t, "\n--range %s", ui_range_typed(r, typed, sizeof typed));
	if (r->on && r->threaded && r->named)
		add(t, "\n--thread '%s'", r->thread_name);
	else if (r->on && r->threaded)
		add(t, "\n--thread 0x%" PRIx64, r->thread);
}

static const char *requests_of(const struct ui_range *r)
{
	return r->on ? r->requests : "";
}

/* Joins terms about rows and requests for --filter. False: there are neither. */
static bool both_of(const char *requests, const char *rows, char ret[2 * UI_TEXT_MAX])
{
	const bool two = rows[0] && requests[0];
	snprintf(ret, 2 * UI_TEXT_MAX, two ? "(%s) (%s)" : "%s%s", rows, requests);
	return ret[0];
}

static void add_filter(struct text *t, const char *requests, const char *rows)
{
	char both[2 * UI_TEXT_MAX];
	if (!both_of(requests, rows, both))
		return;
	add(t, "\n--filter");
	add_word(t, both);
}

static void type_filter(struct text *t, const char *requests, const char *rows)
{
	char both[2 * UI_TEXT_MAX];
	if (!both_of(requests, rows, both))
		return;
	add(t, "\\");
	for (const char *c = both; *c; c++)
		add(t, *c == '<' ? "<lt>" : "%c", *c);
	add(t, "<Enter>");
}

/* The same as keys. */
static void type_range(struct text *t, const struct ui_range *r)
{
	char typed[80];
	if (has_ends(r))
		add(t, ":range %s<Enter>", ui_range_typed(r, typed, sizeof typed));
	if (r->on && r->threaded && r->named)
		add(t, ":thread %s<Enter>", r->thread_name);
	else if (r->on && r->threaded)
		add(t, ":thread 0x%" PRIx64 "<Enter>", r->thread);
}

/*
 * The report section of the list. None for lists about one object or class: the browser's place is
 * meant, and no option names it.
 */
static const struct pv_view_row *section_of(const struct ui_list *l)
{
	const unsigned of_one = PV_SECTION_OBJECT | PV_SECTION_CLASS | PV_SECTION_CHOICE;
	const struct pv_view_row *row = l ? &pv_view_rows[l->view] : NULL;
	return row && row->section && !(row->flags & of_one) ? row : NULL;
}

/* Reports the figures of the list with the keys; empty: no report has them. */
static void report_command(const struct ui_screen *s, const struct ui_list *l, struct text *t)
{
	const struct ui_pane *p = &s->pane[s->current];
	const bool alive = ui_compare_flames(p);
	const char *followed = l ? pv_view_rows[l->view].followed : NULL;
	const bool lives = followed && ui_list_follows(l, &s->shared);
	const struct pv_view_row *section = alive   ? pv_section_find("heap_flame")
					    : lives ? pv_section_find(followed)
						    : section_of(l);
	if (!section)
		return;
	add(t, "profview report\n--section %s", section->section);
	if (section->flags & PV_SECTION_METHOD) {
		const char *method = ui_list_name(&p->list[0], ui_list_row(&p->list[0]));
		add(t, "\n--method");
		add_word(t, method ? method : "");
	}
	if (l->chosen && l->sort)
		add(t, "\n--sort %s", l->sort);
	add_filter(t, requests_of(&s->shared.range), l->filter);
	if (p->group)
		add(t, "\n--group %s", pv_by_name(p->group));
	if (s->shared.my_code)
		add(t, "\n--just-my-code");
	if (s->shared.physical)
		add(t, "\n--physical");
	if (s->shared.raw_names)
		add(t, "\n--names raw");
	if (section->flags & PV_SECTION_GRAPH)
		add(t, "\n--shot %u", (unsigned)s->shared.heap.shot);
	if ((alive || lives) && s->compare.shot != UI_NO_SHOT)
		add(t, "\n--shot %u", (unsigned)s->compare.shot);
	else if (!alive && !lives)
		add_range(t, &s->shared.range);
	add_source(t, s);
}

/* The figures of methods and tree. */
static void type_counted(struct text *t, const struct ui_screen *s, const struct ui_list *l)
{
	if (ui_list_counted(l, &s->shared) == PV_COUNTED_SAMPLES)
		add(t, ":counted samples<Enter>");
	if (s->shared.callers && ui_list_turns(l))
		add(t, ":callers<Enter>");
	if (s->shared.least)
		add(t, ":threshold %g<Enter>", s->shared.least / 100.0);
}

/* Builds a command with keys that lead a new viewer to this frame. */
static void frame_command(const struct ui_screen *s, const struct ui_list *l, struct text *t)
{
	const struct ui_pane *p = &s->pane[s->current];
	char room[400];
	struct text keys = { room, sizeof room, 0 };
	room[0] = 0;
	if (ui_compare_to_one(p) && s->compare.shot != UI_NO_SHOT && s->compare.shot)
		add(&keys, ":shots<Enter>g<%uj>", (unsigned)s->compare.shot);
	add(&keys, ":%s<Enter>", ui_command_row(p->def->command)->name);
	type_range(&keys, &s->shared.range);
	if (p->flame && p->flame->chosen)
		add(&keys, ":measure %s<Enter>", pv_flame_name(p->flame->measure));
	if (p->group)
		add(&keys, ":group %s<Enter>", pv_by_name(p->group));
	if (s->shared.my_code)
		add(&keys, ":my-code<Enter>");
	if (s->shared.physical)
		add(&keys, ":logical<Enter>");
	if (p->list[0].splits)
		type_counted(&keys, s, &p->list[0]);
	if (s->shared.raw_names)
		add(&keys, ":raw-names<Enter>");
	if (p->focus)
		type_filter(&keys, requests_of(&s->shared.range), "");
	for (int i = 0; i < p->focus; i++)
		add(&keys, "<Tab>");
	type_filter(&keys, l && p->focus ? "" : requests_of(&s->shared.range), l ? l->filter : "");
	if (l && l->chosen && l->sort)
		add(&keys, ":sort %s<Enter>%s", l->sort, l->invert ? "I" : "");
	add(t, "profview --dump\n--size %dx%d\n--keys", s->canvas.w, s->canvas.h);
	add_word(t, room);
	add_source(t, s);
}

static void add_columns(struct ui_screen *s, const struct ui_list *l)
{
	const struct pv_table *table = l ? l->table : NULL;
	if (!table || s->pane[s->current].flame)
		return;
	ui_help_add(&s->help, &(struct ui_help_line){ .text = "Columns", .heading = true });
	for (size_t i = 0; i < table->columns; i++) {
		const struct pv_column *c = &table->column[i];
		const char *text = ui_column_help(c);
		if (ui_list_shows(l, i) && text)
			ui_help_add(
				&s->help, &(struct ui_help_line){ .text = text, .key = c->title });
	}
}

/* Signs of Home and of the first line. */
static void add_signs(struct ui_screen *s)
{
	const char *const signs[][2] = {
		{ "!!  !", "findings: severe ones, and warnings; notes have a dot" },
		{ "max 31/50", "the most that a column has, and the height of the lane" },
		{ s->canvas.ascii ? "?" : "\u00b7", "not recorded in the time of that column" },
		{ "\u254c", "not read yet" },
		{ "S 7  m 2  ! 1", "heap shots, the program's marks, findings with a time" },
		{ "U F R N ?", "code: own, framework, runtime, native, not known" },
		{ "CPU, lock, idle", "samples of threads that ran, or waited so" },
		{ "LIVE, behind 2 s", "the program is watched, and is so far ahead" },
		{ "ENDED", "the log is whole: the program has ended, or was left" },
		{ "END ?", "the log does not say whether it is whole" },
		{ "NOT ENDED", "the log is still being written; --follow reads on" },
		{ "CUT OFF", "the program was killed, or the log has lost its end" },
		{ "lost 5", "events that the program's recorder had to drop" },
		{ "damaged 5", "places of the log that could not be read" },
		{ "\u25b8 partial", "these rows are not all, and why" },
	};
	ui_help_add(&s->help, &(struct ui_help_line){ .text = "Signs", .heading = true });
	for (size_t i = 0; i < PV_COUNT_OF(signs); i++)
		ui_help_add(&s->help,
			&(struct ui_help_line){ .key = signs[i][0], .text = signs[i][1] });
}

/* Adds a command, words wrapped to the width. */
static void add_command(struct ui_help *h, const char *command, int w)
{
	char line[UI_HELP_LINE], word[UI_HELP_LINE];
	size_t n = 0;
	while (*command) {
		size_t len = strcspn(command, "\n");
		snprintf(word, sizeof word, "%.*s", (int)len, command);
		command += len + (command[len] == '\n');
		if (n && (int)(n + strlen(word)) + 4 > w) {
			snprintf(line + n, sizeof line - n, " \\");
			ui_help_add_text(h, line);
			n = (size_t)snprintf(line, sizeof line, "  ");
		}
		n += (size_t)snprintf(line + n, sizeof line - n, "%s%s",
			n && line[n - 1] != ' ' ? " " : "", word);
		n = n < sizeof line ? n : sizeof line - 1;
	}
	if (n)
		ui_help_add_text(h, line);
}

static const char commands[] = "This view as a command";

static void add_commands(struct ui_screen *s, const struct ui_list *l)
{
	char room[UI_HELP_LINE] = "";
	struct text frame = { room, sizeof room, 0 }, report = frame;
	ui_help_add(&s->help, &(struct ui_help_line){ .text = commands, .heading = true });
	frame_command(s, l, &frame);
	add_command(&s->help, room, s->canvas.w);
	room[0] = 0;
	report_command(s, l, &report);
	add_command(&s->help, room, s->canvas.w);
	ui_help_add(&s->help, &(struct ui_help_line){ .text = "" });
}

void ui_open_help(struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	const struct ui_list *l = s->output_open ? NULL : ui_screen_list(s);
	if (s->help.open) {
		s->help.open = false;
		return;
	}
	ui_help_open(&s->help, ui_command_row(p->def->command)->help);
	if (p->def->parts == 0)
		add_signs(s);
	add_columns(s, l);
	ui_help_add_keys(&s->help, ui_pane_scopes(p));
	add_commands(s, l);
}

void ui_open_commands(struct ui_screen *s)
{
	struct ui_help *h = &s->help;
	h->open = false;
	ui_open_help(s);
	for (size_t i = 0; i < h->line.n; i++)
		if (h->line.v[i].text == commands)
			h->top = i;
}
