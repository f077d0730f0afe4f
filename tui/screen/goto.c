/* SPDX-License-Identifier: MIT */
/* From pane to pane: keys, Enter and back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/filter/filter.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/query/event_stream.h"
#include "tui/list/list_query.h"
#include "tui/screen/which_figures.h"
#include "tui/screen/evidence.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/process_choice.h"
#include "tui/screen/thread_choice.h"
#include "tui/panes/sections.h"
#include "tui/panes/timeline_pane.h"

size_t ui_goto_index(enum ui_command cmd)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].command == cmd)
			return i;
	return 0;
}

/* The pane a room begins with: the first, or else the pane for what the log recorded. */
static size_t pane_to_begin_with(const struct ui_screen *s, size_t first, size_t n)
{
	const unsigned groups = ui_groups(&s->shared);
	for (size_t at = first; at < first + n && !ui_pane_can(&ui_pane_defs[first], groups); at++)
		if (ui_pane_defs[at].rare && ui_pane_can(&ui_pane_defs[at], groups))
			return at;
	return first;
}

/* The pane of a room's key: the pane of the room seen last; within the room the next. */
static size_t pane_of_room(const struct ui_screen *s, int room)
{
	size_t first = ui_room_first(room), n = ui_room_views(room), at = s->room_view[room];
	if (ui_room_of_pane(s->current) == room)
		at = first + (s->current - first + 1) % n;
	else if (at < first || at >= first + n)
		at = pane_to_begin_with(s, first, n);
	while (!ui_pane_exists(&ui_pane_defs[at], &s->shared))
		at = first + (at - first + 1) % n;
	return at;
}

/* The time of the selected row, if the row has one. */
static bool row_time(const struct ui_pane *p, int64_t *ret_ns)
{
	const struct ui_list *l = &p->list[p->focus];
	const struct pv_row *row = p->def->parts ? ui_list_row(l) : NULL;
	int64_t to_ns;
	if (p->timeline && ui_timeline_row(p->timeline)) {
		ui_timeline_time(p->timeline, ret_ns, &to_ns);
		return true;
	}
	for (size_t i = 0; row && l->pinned && i < l->table->columns; i++) {
		if (l->table->column[i].unit != PV_UNIT_TIME || row->cell[i].state != PV_CELL_VALUE)
			continue;
		*ret_ns = row->cell[i].i > 0 ? row->cell[i].i : 0;
		return true;
	}
	return false;
}

/* The time of the selected row, else of the strip's cursor, else the range's begin. */
static bool time_of_interest(const struct ui_screen *s, int64_t *ret_ns)
{
	const struct ui_range *r = &s->shared.range;
	if (row_time(&s->pane[s->current], ret_ns))
		return true;
	bool from = r->on && !r->relative && r->from_ns != INT64_MIN;
	if (r->cursor_on && !(from && (r->cursor_ns < r->from_ns || r->cursor_ns > r->to_ns)))
		*ret_ns = r->cursor_ns;
	else if (from)
		*ret_ns = r->from_ns;
	else
		return false;
	return true;
}

void ui_screen_go(struct ui_screen *s, enum ui_command pane)
{
	int64_t at_ns;
	int room = ui_room_of_command(pane);
	if (room != UI_ROOM_NONE && !s->help.open && !s->output_open)
		pane = ui_pane_defs[pane_of_room(s, room)].command;
	else if (room != UI_ROOM_NONE) /* a help or output on top is closed first */
		pane = ui_pane_defs[room == ui_room_of_pane(s->current) ? s->current
									: pane_of_room(s, room)]
			       .command;
	s->help.open = false;
	s->menu.open = false;
	s->output_open = false;
	size_t to = ui_goto_index(pane);
	if (to == s->current)
		return;
	if (ui_stream_has(&s->pane[to]) && time_of_interest(s, &at_ns))
		ui_stream_at(s, at_ns);
	s->current = to;
	s->room_view[ui_room_of_pane(to)] = to;
	ui_screen_place(s);
	ui_pane_enter(&s->pane[to], &s->shared);
	if (pane == UI_CMD_OBJECTS)
		ui_browser_visit(s);
	if (ui_compare_has(&s->pane[to]))
		ui_compare_visit(s);
	else if (ui_compare_to_one(&s->pane[to]))
		s->compare.held = false;
}

void ui_stream_goto(struct ui_screen *s, const char *text)
{
	int64_t ns;
	const struct ui_log_time log = { s->shared.duration_ns, s->shared.all.start_time_ms };
	if (!ui_time_parse(text, &log, &ns)) {
		ui_screen_say(s, true, "a time is 1.5s, 00:01:12, -10s or @14:05:30, not %s",
			PV_FIT(text, 40));
		return;
	}
	ui_screen_go(s, UI_CMD_STREAM);
	ui_stream_at(s, ns < 0 ? 0 : ns);
}

void ui_goto_remember(struct ui_screen *s)
{
	enum { HISTORY_MAX = 200 };
	const struct ui_pane *p = &s->pane[s->current];
	if (s->history.n == HISTORY_MAX) {
		for (size_t i = 1; i < s->history.n; i++)
			s->history.v[i - 1] = s->history.v[i];
		s->history.n--;
	}
	if (!pv_reserve(&s->history, 1))
		return;
	struct ui_place *place = &s->history.v[s->history.n++];
	*place = (struct ui_place){ .pane = s->current,
		.focus = p->focus,
		.waits = s->shared.waits,
		.by_samples = s->shared.by_samples,
		.entered = s->filter_entered };
	memcpy(place->filter, s->shared.filter, sizeof place->filter);
	for (int i = 0; i < p->def->parts; i++)
		ui_list_keep(&p->list[i], &place->of[i]);
}

void ui_goto_pane(struct ui_screen *s, enum ui_command pane)
{
	ui_goto_remember(s);
	ui_screen_go(s, pane);
	ui_pane_focus(&s->pane[s->current], 0);
}

bool ui_screen_go_to_row(struct ui_screen *s, enum ui_command pane, const char *name)
{
	int room = ui_room_of_command(pane);
	if (room > 0)
		pane = ui_pane_defs[ui_room_first(room)].command;
	if (!ui_opens_pane(pane) || pane == UI_CMD_OBJECTS)
		return false;
	ui_goto_pane(s, pane);
	ui_list_want(&s->pane[s->current].list[0], name);
	return true;
}

/* Views with names, in the order in which Home searches them. */
static const struct {
	enum pv_view view;
	enum ui_command pane;
} named[] = {
	{ PV_VIEW_METHODS, UI_CMD_METHODS },
	{ PV_VIEW_CLASSES, UI_CMD_ALLOCATIONS },
	{ PV_VIEW_THREADS, UI_CMD_THREADS },
	{ PV_VIEW_ROUTES, UI_CMD_ROUTES },
	{ PV_VIEW_SPANS, UI_CMD_SPANS },
	{ PV_VIEW_LOCKS, UI_CMD_LOCKS },
};

static bool has_named(const struct ui_shared *s, enum pv_view view, const char *text)
{
	char filter[UI_TEXT_MAX];
	struct ui_list l;
	ui_list_init(&l, view, false);
	ui_list_set_filter(&l, pv_filter_quote(text, filter, sizeof filter));
	struct pv_table *t = ui_list_whole(&l, s);
	const bool has = t && t->rows > 0;
	pv_table_destroy(t);
	ui_list_finish(&l);
	return has;
}

void ui_goto_named(struct ui_screen *s, const char *text)
{
	for (size_t i = 0; *text && i < PV_COUNT_OF(named); i++) {
		if (!has_named(&s->shared, named[i].view, text))
			continue;
		ui_goto_pane(s, named[i].pane);
		struct ui_list *l = &s->pane[s->current].list[0];
		snprintf(l->search, sizeof l->search, "%s", text);
		l->look_tell = true;
		ui_list_find(l, &s->shared, 0);
		return;
	}
	if (*text)
		ui_screen_say(s, true,
			"not found in methods, classes, threads, spans and locks: %s",
			PV_FIT(text, 60));
}

bool ui_screen_go_to_box(struct ui_screen *s, const char *title)
{
	ui_screen_go(s, UI_CMD_OVERVIEW);
	for (int i = 0; i < UI_SECTIONS; i++) {
		if (strncasecmp(ui_sections[i].title, title, strlen(title)) != 0)
			continue;
		s->overview.focus = i;
		return true;
	}
	ui_screen_say(s, true, "there is no box %s", title);
	return true;
}

void ui_screen_go_to_paths(struct ui_screen *s)
{
	uint32_t shot = s->browser.wish.shot;
	ui_goto_pane(s, UI_CMD_OBJECTS);
	ui_browser_open(s, shot, 0);
	ui_browser_grant(s);
}

static void leave_evidence(struct ui_screen *s, const struct ui_place *from)
{
	const struct ui_range *was = &from->range, *now = &s->shared.range;
	bool same = was->on == now->on && was->from_ns == now->from_ns &&
		    was->to_ns == now->to_ns && was->threaded == now->threaded &&
		    was->thread == now->thread && was->named == now->named &&
		    strcmp(was->requests, now->requests) == 0;
	if (from->list)
		ui_list_set_filter(from->list, from->own);
	s->shared.waits = from->waits;
	if (!same) {
		ui_strip_set(s, was);
		s->message[0] = 0;
	}
}

bool ui_screen_go_back(struct ui_screen *s)
{
	if (s->history.n == 0)
		return false;
	struct ui_place to = s->history.v[--s->history.n];
	struct ui_pane *p = &s->pane[to.pane];
	s->current = to.pane;
	s->room_view[ui_room_of_pane(to.pane)] = to.pane;
	ui_screen_place(s);
	if (strcmp(s->shared.filter, to.filter) != 0) {
		ui_filter_set_all(s, to.filter);
		ui_filter_follow(s);
	}
	s->filter_entered = to.entered;
	if (to.evidence)
		leave_evidence(s, &to);
	if (s->shared.by_samples != to.by_samples)
		ui_counted_choose(s, to.by_samples);
	if (p->def->parts) {
		ui_pane_focus(p, to.focus);
		ui_list_want(&p->list[0], NULL);
		for (int i = 0; i < p->def->parts; i++)
			ui_list_return(&p->list[i], &to.of[i]);
	}
	return true;
}

void ui_screen_go_on(struct ui_screen *s, int dir)
{
	struct ui_pane *p = &s->pane[s->current];
	bool within = p->def->parts ? ui_pane_next_part(p, &s->shared, dir)
				    : ui_overview_next(&s->overview, &s->shared, dir);
	if (within)
		return;
	size_t to = s->current;
	do
		to = (to + ui_pane_count + (size_t)(dir > 0 ? 1 : -1)) % ui_pane_count;
	while (!ui_pane_exists(&ui_pane_defs[to], &s->shared));
	ui_screen_go(s, ui_pane_defs[to].command);
	ui_pane_focus(&s->pane[to], dir > 0 ? 0 : ui_pane_defs[to].parts - 1);
	if (ui_pane_defs[to].parts == 0)
		s->overview.focus = dir > 0 ? 0 : UI_BLOCK_HOTTEST;
}

void ui_screen_list_rooms(struct ui_screen *s)
{
	struct ui_menu *m = &s->menu;
	*m = (struct ui_menu){ .open = true, .title = "Rooms", .n = UI_ROOMS, .of_rooms = true };
	m->at = (size_t)ui_room_of_pane(s->current);
	for (int i = 0; i < UI_ROOMS; i++) {
		char words[sizeof m->own[i]] = "";
		bool can = ui_room_can(i, ui_groups(&s->shared));
		if (!can)
			ui_room_records(i, s->shared.all.recorder, words, sizeof words);
		snprintf(m->own[i], sizeof m->own[i], "%c %s%s%.60s", ui_room_key(i),
			ui_rooms[i].name, can ? "" : "  ", words);
		m->item[i] = m->own[i];
		m->value[i] = (size_t)i;
	}
}
