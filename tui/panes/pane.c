/* SPDX-License-Identifier: MIT */
/* A pane: places, questions, keys and drawing of its lists, chart, flame graph or timeline. */
#include "tui/panes/pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/system/processes.h"
#include "tui/list/list_query.h"
#include "tui/list/list_tags.h"
#include "tui/draw/shorten.h"
#include "tui/panes/pane_chart.h"
#include "tui/panes/path_line.h"
#include "tui/panes/rooms.h"

enum { TITLE_MAX = 400, WORDS_MAX = 200 };

static const struct ui_pane_ops ui_pane_lists;

void ui_pane_init(struct ui_pane *p, const struct ui_pane_def *def)
{
	*p = (struct ui_pane){ .def = def, .ops = &ui_pane_lists };
	for (int i = 0; i < def->parts; i++) {
		ui_list_init(&p->list[i], def->part[i].view, def->part[i].tree);
		p->list[i].unfold = def->part[i].unfold;
		p->list[i].splits = def->scope & UI_SCOPE_METHODS;
		p->list[i].whole = i == 0 && def->scope & UI_SCOPE_SOURCE;
		p->list[i].follow = def->part[i].newest;
		p->list[i].sort = def->part[i].order;
		p->list[i].pools = def->part[i].pools;
		p->list[i].needs_select =
			i > 0 && strchr(def->part[i].title, '%') != NULL && !def->part[i].by_class;
	}
	if (def->kind == UI_PANE_LISTS)
		return;
	const struct ui_pane_ops *ops =
		def->kind == UI_PANE_FLAME ? &ui_pane_flame : &ui_pane_timeline;
	p->list[0].needs_select = true; /* without `select`: never asks */
	if (ops->create(p))
		p->ops = ops;
}

void ui_pane_finish(struct ui_pane *p)
{
	ui_graphs_finish(&p->graphs);
	if (p->ops->destroy)
		p->ops->destroy(p);
	p->ops = &ui_pane_lists;
	for (int i = 0; i < UI_PARTS; i++)
		ui_list_finish(&p->list[i]);
}

void ui_pane_forget(struct ui_pane *p)
{
	ui_graphs_finish(&p->graphs);
	if (p->ops->forget)
		p->ops->forget(p);
	for (int i = 0; i < p->def->parts; i++)
		ui_list_forget(&p->list[i]);
}

static bool differs(const struct ui_pane *p, const struct ui_shared *s)
{
	const struct pv_row *row = ui_list_row(&p->list[0]);
	return s->base_shot && row && row->id != s->base_shot;
}

static bool has_rows(const struct ui_list *l)
{
	return l->table && l->table->rows_all > 0;
}

/* The lists there are to see, by number; returns how many. */
static int lists_of(const struct ui_pane *p, const struct ui_shared *s, int list[UI_PARTS])
{
	int n = 0;
	for (int i = 0; i < p->def->parts; i++) {
		const struct ui_part *part = &p->def->part[i];
		bool shown = !part->only || s->summary.recorded & part->only;
		bool rows = !part->hide_empty || has_rows(&p->list[i]);
		shown = shown && (i == 0 || !p->no_details);
		if (shown && rows && !(s->summary.recorded & part->unless))
			list[n++] = i;
	}
	if (!p->def->either)
		return n;
	list[0] = 0;
	list[1] = differs(p, s) ? 2 : 1;
	return 2;
}

static int part_place(const int list[UI_PARTS], int n, int part)
{
	for (int i = 0; i < n; i++)
		if (list[i] == part)
			return i;
	return n - 1;
}

/* In a call tree the path to the cursor stays in sight, even if its parents do not. */
static void place_foot(struct ui_pane *p)
{
	enum { ROWS_LEAST = 6 };
	struct ui_rect *r = &p->split.part[0];
	p->foot = (struct ui_rect){ 0 };
	if (!(p->def->scope & UI_SCOPE_CALL_TREE) || r->h < ROWS_LEAST)
		return;
	p->foot = ui_rows(*r, r->h - 1, 1);
	r->h--;
}

/* The line above rows with a common subject, such as a file. */
static void place_head(struct ui_pane *p)
{
	struct ui_rect *r = &p->split.part[0];
	p->head = (struct ui_rect){ 0 };
	if (!(p->def->scope & UI_SCOPE_SOURCE) || r->h < 3)
		return;
	p->head = ui_rows(*r, 0, 1);
	*r = ui_rows(*r, 1, r->h - 1);
}

void ui_pane_place(struct ui_pane *p, const struct ui_shared *s, struct ui_rect body)
{
	int list[UI_PARTS] = { 0 };
	int n = lists_of(p, s, list);
	int at = part_place(list, n, p->focus);
	p->focus = list[at];
	const struct pv_table *main = p->list[0].table;
	struct ui_split_wish wish = { p->def->chart.rows, n - 1, at, 0,
		p->def->scope & UI_SCOPE_SOURCE };
	if (p->def->few)
		wish.main = 1 + (main && main->rows_all < 1000 ? (int)main->rows_all : 1000);
	struct ui_split split = ui_split(body, wish);
	p->split = split;
	for (int i = 0; i < UI_PARTS; i++)
		p->split.part[i] = (struct ui_rect){ 0 };
	for (int i = 0; i < n; i++)
		p->split.part[list[i]] = split.part[i];
	place_foot(p);
	place_head(p);
	if (p->split.rule.h == 0 && p->focus > 0) {
		/* Details with the whole body give a row to their title. */
		struct ui_rect *r = &p->split.part[p->focus];
		p->split.rule = ui_rows(*r, 0, 1);
		*r = ui_rows(*r, 1, r->h);
	}
}

/* Length of a method's name without its part in a logical stack (logical.h). */
static size_t length_of(enum ui_kind kind, const char *name)
{
	const char *mark = kind == UI_KIND_METHOD ? strrchr(name, '[') : NULL;
	bool part = mark && mark > name && mark[-1] == ' ' &&
		    (strncmp(mark, "[awaits", 7) == 0 || strncmp(mark, "[usual", 6) == 0);
	return part ? (size_t)(mark - name) - 1 : strlen(name);
}

void ui_pick(struct ui_shared *s, enum ui_kind kind, const char *name)
{
	if (kind == UI_KIND_NONE || !name)
		return;
	size_t len = length_of(kind, name);
	if (s->picked[kind] && strlen(s->picked[kind]) == len &&
		strncmp(s->picked[kind], name, len) == 0)
		return;
	char *copy = strndup(name, len);
	if (!copy)
		return;
	free(s->picked[kind]);
	s->picked[kind] = copy;
}

static const char *innermost(const char *name)
{
	const char *last = name ? strrchr(name, '\n') : NULL;
	return last ? last + 1 : name;
}

const char *ui_pane_name(const struct ui_pane *p)
{
	return p->ops->now(p).name;
}

/* Sizes are known for the selected class if objects were followed, else for all classes. */
static void choose_sizes(struct ui_list *l, const struct ui_shared *s)
{
	l->needs_select = ui_list_follows(l, s);
	if (!l->needs_select && l->select)
		ui_list_set_select(l, 0, 0);
}

static void refresh_details(struct ui_pane *p, const struct ui_shared *s)
{
	const struct pv_row *row = ui_list_row(&p->list[0]);
	uint64_t id = row ? row->id : 0;
	for (int i = 1; i < p->def->parts; i++) {
		struct ui_list *l = &p->list[i];
		bool diff = p->def->part[i].from_base;
		if (p->def->part[i].by_class)
			ui_list_set_about(l, ui_list_name(&p->list[0], row));
		const struct pv_row *second = ui_list_row(&p->list[1]);
		uint64_t base = diff ? s->base_shot : 0;
		if (p->def->part[i].of_second && second)
			base = second->id;
		if (pv_view_is(l->view, PV_TRAIT_FATES))
			choose_sizes(l, s);
		if (l->needs_select)
			ui_list_set_select(l, diff && !s->base_shot ? 0 : id, base);
		if (p->split.part[i].h > 0 || p->def->part[i].hide_empty)
			ui_list_refresh(l, s);
	}
}

/* Sorts by a column of the counted figures. */
static void order_by_counted(struct ui_pane *p, const struct ui_shared *s)
{
	bool calls = s->summary.recorded & PV_GROUP_CALLS &&
		     ui_list_counted(&p->list[0], s) != PV_COUNTED_SAMPLES;
	for (int i = 0; i < p->def->parts && !s->against; i++) {
		struct ui_list *l = &p->list[i];
		if (!l->splits)
			continue;
		const struct pv_view_row *row = &pv_view_rows[l->view];
		if (row->by_calls)
			ui_list_set_order(l, calls ? row->by_calls : row->by_samples);
	}
}

/* Why there are no calls in the chosen part of the recording. */
static const char *no_calls(const struct ui_pane *p, const struct ui_shared *s)
{
	if (!(p->def->scope & UI_SCOPE_CALLS) || !s->range.on)
		return NULL;
	if (!s->waits)
		return "nothing ran in this time; | counts what waited";
	if (s->range.requests[0])
		return "these requests made no call that was recorded, and no sample met them";
	return s->range.threaded
		       ? "this thread made no call then that was recorded, and no sample met it"
		       : "no call that was recorded, and no sample in this time";
}

static void refresh_lists(struct ui_pane *p, struct ui_shared *s)
{
	struct ui_list *focus = &p->list[p->focus];
	for (int i = 0; i < p->def->parts; i++) {
		p->list[i].finished = s->feed.state == UI_FEED_ENDED;
		p->list[i].reading = ui_range_reading(&s->range);
	}
	p->list[0].none = no_calls(p, s);
	order_by_counted(p, s);
	ui_list_refresh(&p->list[0], s);
	p->list[0].marked = p->def->scope & UI_SCOPE_HEAP ? s->base_shot : 0;
	refresh_details(p, s);
	if (focus->pinned && !focus->want)
		ui_pick(s, p->def->part[p->focus].kind, ui_pane_name(p));
	ui_chart_refresh(p, s);
}

static void put_title(struct ui_pane *p, struct ui_canvas *c, struct ui_rect r, int part)
{
	const struct ui_list *main = &p->list[0];
	const struct pv_row *row = ui_list_row(main);
	const char *name = ui_list_shown_name(main, row);
	char shot[32];
	if (p->def->scope & UI_SCOPE_HEAP && row) {
		snprintf(shot, sizeof shot, "shot %" PRIu64, row->id - 1);
		name = shot;
	}
	const char *format = p->def->part[part].title;
	const char *hole = strstr(format, "%s");
	char title[TITLE_MAX], small[TITLE_MAX];
	if (pv_view_is(p->list[part].view, PV_TRAIT_FATES) && !p->list[part].needs_select)
		name = "all classes";
	if (name)
		name = ui_shorten(name, r.w - (int)strlen(format) - 6, small, sizeof small);
	if (hole)
		snprintf(title, sizeof title, " %.*s%s%s%s ", (int)(hole - format), format,
			name ? name : "the selected row", hole + 2,
			p->list[part].newer ? "  (as of now, not of the pause)" : "");
	else
		snprintf(title, sizeof title, " %s ", format);
	ui_put(c, ui_cols(r, 0, r.w - 1), p->focus == part ? UI_TITLE : UI_STRONG, title);
}

/* In the place of rows: what records them. */
static void say_missing(
	const struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c, struct ui_rect r)
{
	const struct pv_table *t = p->list[0].table;
	if (!t || t->rows > 0 || p->list[0].filter[0] || p->list[0].reading ||
		ui_pane_can(p->def, ui_groups(s)))
		return;
	ui_clear(c, ui_rows(r, 1, 2), UI_PLAIN);
	if (s->process == PV_PROCESSES_TOGETHER || s->process == PV_PROCESSES_EACH) {
		ui_put(c, ui_cols(ui_rows(r, 1, 1), 2, r.w), UI_WARN,
			"this is of one process each");
		ui_put(c, ui_cols(ui_rows(r, 2, 1), 2, r.w), UI_DIM, "P chooses one");
		return;
	}
	if (p->def->command == UI_CMD_ALLOCATIONS && ui_groups(s) & PV_GROUP_HELD) {
		ui_put(c, ui_cols(ui_rows(r, 1, 1), 2, r.w), UI_WARN,
			"allocations were summed up by stack: :held has them");
		ui_put(c, ui_cols(ui_rows(r, 2, 1), 2, r.w), UI_DIM,
			"profview run --alloc records each");
		return;
	}
	ui_put(c, ui_cols(ui_rows(r, 1, 1), 2, r.w), UI_WARN, "the log has none of this");
	char words[WORDS_MAX];
	ui_put(c, ui_cols(ui_rows(r, 2, 1), 2, r.w), UI_DIM,
		ui_pane_recorded_by(p->def, s->all.recorder, words, sizeof words));
}

static void draw_lists(struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c)
{
	int list[UI_PARTS];
	int n = lists_of(p, s, list);
	if (p->head.h)
		ui_about_draw(c, p->head, &p->list[0]);
	if (p->foot.h)
		ui_path_draw(c, p->foot, 0, &p->list[0]);
	if (p->split.chart.h > 0)
		ui_chart_draw(p, s, c);
	ui_hline(c, p->split.rule);
	ui_vline(c, p->split.divide);
	for (int i = 0; i < n; i++) {
		struct ui_rect r = p->split.part[list[i]];
		p->list[list[i]].drawn = r;
		if (r.h == 0)
			continue;
		ui_list_draw(&p->list[list[i]], c, r, p->focus == list[i]);
		if (i == 0)
			say_missing(p, s, c, r);
		if (i > 0)
			put_title(p, c,
				(struct ui_rect){ r.x, p->split.rule.y, r.w, p->split.rule.h },
				list[i]);
	}
}

void ui_pane_set_group(struct ui_pane *p, enum pv_by group)
{
	p->group = group;
	for (int i = 0; i < p->def->parts; i++) {
		p->list[i].group = group;
		ui_list_untag(&p->list[i]); /* rows have other ids now */
	}
}

void ui_pane_enter(struct ui_pane *p, const struct ui_shared *s)
{
	enum ui_kind kind = p->def->parts ? p->def->part[0].kind : UI_KIND_NONE;
	if (kind != UI_KIND_NONE && s->picked[kind])
		ui_list_want(&p->list[0], s->picked[kind]);
}

void ui_pane_focus(struct ui_pane *p, int part)
{
	p->focus = part >= 0 && part < p->def->parts ? part : 0;
}

bool ui_pane_next_part(struct ui_pane *p, const struct ui_shared *s, int dir)
{
	int list[UI_PARTS];
	int n = lists_of(p, s, list);
	int at = part_place(list, n, p->focus) + dir;
	if (at < 0 || at >= n)
		return false;
	p->focus = list[at];
	return true;
}

static unsigned command_list(struct ui_pane *p, struct ui_shared *s, enum ui_command cmd)
{
	struct ui_list *l = &p->list[p->focus];
	if (cmd == UI_CMD_BASE && p->def->scope & UI_SCOPE_HEAP) {
		const struct pv_row *row = ui_list_row(&p->list[0]);
		s->base_shot = row && row->id != s->base_shot ? row->id : 0;
		return UI_HANDLED;
	}
	unsigned reply = ui_list_command(l, s, cmd);
	if (!(reply & UI_DRILL))
		return reply;
	switch (p->def->part[p->focus].drill) {
	case UI_DRILL_DETAIL:
		return ui_pane_next_part(p, s, 1) ? UI_HANDLED : reply;
	case UI_DRILL_MAIN:
		ui_pick(s, p->def->part[p->focus].kind, ui_pane_name(p));
		return UI_HANDLED | UI_DRILL;
	case UI_DRILL_FOLD:
		return ui_list_command(
			l, s, ui_list_row(l)->flags & PV_ROW_OPEN ? UI_CMD_FOLD : UI_CMD_UNFOLD);
	default:
		ui_pick(s, p->def->part[p->focus].kind, ui_pane_name(p));
		return reply;
	}
}

static unsigned click_list(struct ui_pane *p, struct ui_shared *s, struct ui_mouse m)
{
	for (int i = 0; i < p->def->parts; i++) {
		if (!ui_rect_has(p->split.part[i], m.x, m.y))
			continue;
		p->focus = i;
		unsigned reply = ui_list_mouse(&p->list[i], s, m);
		/* The list reports Enter only; the effect is up to the pane. */
		return reply & UI_DRILL ? command_list(p, s, UI_CMD_ENTER) : reply;
	}
	return UI_IGNORED;
}

unsigned ui_pane_scopes(const struct ui_pane *p)
{
	if (p->def->parts == 0)
		return UI_SCOPE_ANY | UI_SCOPE_LIST;
	const bool rows = p->ops == &ui_pane_lists;
	return UI_SCOPE_ANY | UI_SCOPE_MOVE | UI_SCOPE_LIST | p->def->scope |
	       (rows ? UI_SCOPE_ROWS : 0) | (p->list[p->focus].tree ? UI_SCOPE_TREE : 0);
}

struct ui_list *ui_pane_list(struct ui_pane *p)
{
	return &p->list[p->focus];
}

static unsigned true_now(const struct ui_pane *p, const struct ui_shared *s)
{
	const struct pv_table *main = p->list[0].table, *more = p->list[1].table;
	size_t rows = main ? main->rows : 0;
	return (rows > 0 ? UI_HINT_ROWS : 0u) | (rows > 1 ? UI_HINT_TWO : 0u) |
	       (!p->no_details && more && more->rows > 0 ? UI_HINT_MORE : 0u) |
	       (ui_can_tell(s) ? UI_HINT_TELL : 0u) | (ui_has_ended(s) ? 0u : UI_HINT_GROWS);
}

const char *ui_pane_hint(const struct ui_pane *p, const struct ui_shared *s, char *buf, size_t size)
{
	unsigned now = p->def->parts ? true_now(p, s) : 0;
	size_t n = 0;
	buf[0] = 0;
	for (int i = 0; i < UI_HINTS && p->def->hint[i].text && n < size; i++)
		if (!(p->def->hint[i].when & ~now))
			n += (size_t)snprintf(
				buf + n, size - n, "%s%s", n ? "; " : "", p->def->hint[i].text);
	return buf;
}

static struct ui_pane_now lists_now(const struct ui_pane *p)
{
	const struct ui_list *l = &p->list[p->focus], *main = &p->list[0];
	const struct pv_table *t = l->table ? l->table : main->table;
	const struct pv_row *row = ui_list_row(l);
	return (struct ui_pane_now){ .name = innermost(ui_list_name(l, row)),
		.shown = innermost(ui_list_shown_name(l, row)),
		.coverage = t ? t->coverage : NULL,
		.awaits = ui_list_awaits(main) || ui_list_awaits(l) };
}

static const struct ui_pane_ops ui_pane_lists = {
	.refresh = refresh_lists,
	.draw = draw_lists,
	.command = command_list,
	.mouse = click_list,
	.now = lists_now,
};
