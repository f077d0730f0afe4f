#include "tui/screen/open_help.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/processes.h"
#include "common/report/report_sections.h"
#include "tui/draw/list_query.h"
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

/* As one word of a shell, on a line of its own. */
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

/* The file, or a word for one where the log comes from a program. */
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

/* Of those about an object or a class the browser's place is meant, which no option says. */
static const struct pv_section *section_of(const struct ui_list *l)
{
	const unsigned of_one = PV_SECTION_OBJECT | PV_SECTION_CLASS | PV_SECTION_CHOICE;
	for (size_t i = 0; l && i < pv_section_count; i++)
		if (pv_sections[i].view == l->view && !(pv_sections[i].flags & of_one))
			return &pv_sections[i];
	return NULL;
}

/* Reports the figures of the list with the keys; empty: no report has them. */
static void report_command(const struct ui_screen *s, const struct ui_list *l, struct text *t)
{
	const struct ui_pane *p = &s->pane[s->current];
	const bool alive = ui_compare_flames(p);
	const bool lives = l && l->view == PV_VIEW_SURVIVAL && ui_list_follows(l, &s->shared);
	const struct pv_section *section = alive   ? pv_section_find("heap_flame")
					   : lives ? pv_section_find("lives")
						   : section_of(l);
	if (!section)
		return;
	add(t, "profview report\n--section %s", section->name);
	if (section->flags & PV_SECTION_METHOD) {
		const char *method = ui_list_name(&p->list[0], ui_list_row(&p->list[0]));
		add(t, "\n--method");
		add_word(t, method ? method : "");
	}
	if (l->chosen && l->sort)
		add(t, "\n--sort %s", l->sort);
	if (l->filter[0]) {
		add(t, "\n--filter");
		add_word(t, l->filter);
	}
	if (p->group)
		add(t, "\n--group %s", pv_by_name(p->group));
	if (s->shared.my_code)
		add(t, "\n--just-my-code");
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
	if (s->shared.callers && l->view == PV_VIEW_CALL_TREE)
		add(t, ":callers<Enter>");
	if (s->shared.least)
		add(t, ":threshold %g<Enter>", s->shared.least / 100.0);
}

/* Keys that lead a new viewer here. */
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
	if (p->list[0].splits)
		type_counted(&keys, s, &p->list[0]);
	if (s->shared.raw_names)
		add(&keys, ":raw-names<Enter>");
	for (int i = 0; i < p->focus; i++)
		add(&keys, "<Tab>");
	if (l && l->filter[0]) {
		add(&keys, "\\");
		for (const char *c = l->filter; *c; c++)
			add(&keys, *c == '<' ? "<lt>" : "%c", *c);
		add(&keys, "<Enter>");
	}
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
		const char *text = ui_column_help(pv_view_name(l->view), c->id);
		if (ui_list_shows(l, i) && text)
			ui_help_add(
				&s->help, &(struct ui_help_line){ .text = text, .key = c->title });
	}
	ui_help_add(&s->help, &(struct ui_help_line){ .text = "" });
}

/* Of a command with its words on lines of their own: as many on a line as have room there. */
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
