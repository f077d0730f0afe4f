/* From pane to pane: keys, Enter and back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/query/event_stream.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/process_choice.h"
#include "tui/screen/thread_choice.h"
#include "tui/panes/sections.h"
#include "tui/panes/timeline_pane.h"

static size_t pane_of(enum ui_command cmd)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].command == cmd)
			return i;
	return 0;
}

/* A room's first pane, or the one that the log was recorded for. */
static size_t pane_to_begin_with(const struct ui_screen *s, size_t first, size_t n)
{
	const unsigned groups = ui_groups(&s->shared);
	for (size_t at = first; at < first + n && !ui_pane_can(&ui_pane_defs[first], groups); at++)
		if (ui_pane_defs[at].rare && ui_pane_can(&ui_pane_defs[at], groups))
			return at;
	return first;
}

/* The pane that a room's key leads to: the one last seen there, and from there the next. */
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

/* When what the selected row shows happened, if it says so. */
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
	size_t to = pane_of(pane);
	if (to == s->current)
		return;
	if (ui_stream_has(&s->pane[to]) && row_time(&s->pane[s->current], &at_ns))
		ui_stream_at(s, at_ns);
	s->current = to;
	s->room_view[ui_room_of_pane(to)] = to;
	ui_screen_place(s);
	ui_pane_enter(&s->pane[to], &s->shared);
	if (pane == UI_CMD_OBJECTS)
		ui_browser_visit(s);
	if (ui_compare_has(&s->pane[to]))
		ui_compare_visit(s);
}

void ui_stream_goto(struct ui_screen *s, const char *text)
{
	int64_t ns;
	if (!pv_units_parse_time(text, strlen(text), &ns)) {
		ui_screen_say(
			s, true, "a time is 1.5s, 00:01:12 or -10s, not %s", PV_FIT(text, 40));
		return;
	}
	ns = ns < 0 ? ns + s->shared.duration_ns : ns;
	ui_screen_go(s, UI_CMD_STREAM);
	ui_stream_at(s, ns < 0 ? 0 : ns);
}

static void remember(struct ui_screen *s)
{
	enum { HISTORY_MAX = 200 };
	const struct ui_pane *p = &s->pane[s->current];
	if (s->history.n == HISTORY_MAX) {
		for (size_t i = 1; i < s->history.n; i++)
			s->history.v[i - 1] = s->history.v[i];
		s->history.n--;
	}
	if (pv_reserve(&s->history, 1))
		s->history.v[s->history.n++] = (struct ui_place){ .pane = s->current,
			.focus = p->focus,
			.selected = p->list[0].selected,
			.waits = s->shared.waits };
}

/* The pane's own list goes to what was chosen in its details. */
static void go_to_main(struct ui_screen *s, struct ui_pane *p)
{
	const char *name = ui_pane_name(p);
	if (!name)
		return;
	remember(s);
	ui_list_want(&p->list[0], name);
	ui_pane_focus(p, 0);
}

static void go_to_pane(struct ui_screen *s, enum ui_command pane)
{
	remember(s);
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
	go_to_pane(s, pane);
	ui_list_want(&s->pane[s->current].list[0], name);
	return true;
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
	go_to_pane(s, UI_CMD_OBJECTS);
	ui_browser_open(s, shot, 0);
	ui_browser_grant(s);
}

/* The objects of the class under the cursor, in the shot that the main list has selected. */
static void go_to_objects(struct ui_screen *s, struct ui_pane *p)
{
	const struct pv_row *shot = ui_list_row(&p->list[0]),
			    *row = ui_list_row(&p->list[p->focus]);
	if (!shot || !row)
		return;
	uint32_t index = (uint32_t)(shot->id - 1);
	uint64_t klass = row->id;
	go_to_pane(s, UI_CMD_OBJECTS);
	ui_browser_open(s, index, klass);
}

/* --- from a finding to the view that it rests on --- */

/* Views that are no part of a pane, and those that show the same. */
static const struct {
	enum pv_view view, instead;
} others[] = {
	{ PV_VIEW_ALLOCATION_SITES, PV_VIEW_CLASSES },
};

static const char *cell_text(
	const struct pv_table *t, const struct pv_row *row, const char *column, const char *other)
{
	int i = pv_table_column(t, column);
	return i < 0 || row->cell[i].state != PV_CELL_VALUE || !row->cell[i].s ? other
									       : row->cell[i].s;
}

static bool cell_time(
	const struct pv_table *t, const struct pv_row *row, const char *column, int64_t *ret)
{
	int i = pv_table_column(t, column);
	if (i < 0 || row->cell[i].state != PV_CELL_VALUE)
		return false;
	*ret = row->cell[i].i;
	return true;
}

static enum pv_view view_named(const char *name)
{
	enum pv_view view = 0;
	while (view < PV_VIEW_COUNT && strcmp(pv_view_name(view), name) != 0)
		view++;
	for (size_t i = 0; i < PV_COUNT_OF(others); i++)
		if (view == others[i].view)
			return others[i].instead;
	return view;
}

/* The list that shows a view, first those that are a pane's main one. */
static bool find_list(enum pv_view view, size_t *ret_pane, int *ret_part)
{
	for (int part = 0; part < UI_PARTS; part++) {
		for (size_t i = 0; i < ui_pane_count; i++) {
			if (part >= ui_pane_defs[i].parts ||
				ui_pane_defs[i].part[part].view != view)
				continue;
			*ret_pane = i;
			*ret_part = part;
			return true;
		}
	}
	return false;
}

/* A time of no length still has something to see around it. */
static void narrow_range(struct ui_screen *s, int64_t from_ns, int64_t to_ns)
{
	struct ui_range r = { .on = true,
		.from_ns = from_ns > 0 ? from_ns - 1 : 0,
		.to_ns = to_ns < INT64_MAX ? to_ns + 1 : to_ns };
	ui_range_take_thread(&r, &s->shared.range);
	ui_strip_set(s, &r);
}

static void go_narrowed(struct ui_screen *s, size_t pane, int part, const char *filter)
{
	struct ui_list *l = &s->pane[pane].list[part];
	remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = s->shared.range;
		p->list = l;
		memcpy(p->filter, l->filter, sizeof p->filter);
	}
	ui_screen_go(s, ui_pane_defs[pane].command);
	ui_pane_focus(&s->pane[pane], part);
	ui_list_set_filter(l, filter);
}

static void go_to_evidence(struct ui_screen *s, const struct pv_table *t, const struct pv_row *row)
{
	size_t pane;
	int part;
	int64_t from_ns, to_ns;
	if (!t || !row)
		return;
	char said[sizeof s->message], filter[UI_TEXT_MAX];
	const char *text = cell_text(t, row, "text", "");
	if (strcmp(cell_text(t, row, "verdict", ""), "not judged") == 0) {
		ui_screen_say(s, false, "there is no evidence: %s", PV_FIT(text, 180));
		return;
	}
	if (!find_list(view_named(cell_text(t, row, "view", "")), &pane, &part)) {
		ui_screen_say(s, false, "there is nothing behind this row");
		return;
	}
	snprintf(said, sizeof said, "%s; Backspace returns", PV_FIT(text, 180));
	bool timed = cell_time(t, row, "from_ns", &from_ns) && cell_time(t, row, "to_ns", &to_ns);
	const char *subject = cell_text(t, row, "subject", "");
	go_narrowed(s, pane, part, *subject ? pv_filter_quote(subject, filter, sizeof filter) : "");
	if (timed)
		narrow_range(s, from_ns, to_ns);
	ui_screen_say(s, false, "%s", said);
}

/* The events of a thread, or those while the program stood still. */
static void go_to_events(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	char filter[UI_TEXT_MAX] = "", name[UI_TEXT_MAX - 16];
	int64_t from_ns, lasted_ns;
	size_t pane;
	int part;
	if (!t || !row || !find_list(PV_VIEW_STREAM, &pane, &part))
		return;
	int id = pv_table_column(t, "id");
	bool timed = cell_time(t, row, "start_ns", &from_ns) &&
		     cell_time(t, row, "duration_ns", &lasted_ns);
	if (id >= 0 && t->column[id].unit == PV_UNIT_ADDRESS)
		snprintf(filter, sizeof filter, "thread:0x%" PRIx64, row->cell[id].u);
	else if (!timed)
		snprintf(filter, sizeof filter, "thread:%s",
			pv_filter_quote(cell_text(t, row, "name", "?"), name, sizeof name));
	go_narrowed(s, pane, part, filter);
	if (timed)
		narrow_range(s, from_ns, from_ns + lasted_ns);
	ui_screen_say(s, false, "its events; Backspace returns");
}

/* The end of the collection before, 0: it is the first. */
static int64_t end_before(const struct pv_table *t, int64_t start_ns)
{
	int64_t end = 0, start, lasted;
	for (size_t i = 0; i < t->rows; i++) {
		if (!cell_time(t, &t->row[i], "start_ns", &start) || start >= start_ns)
			continue;
		if (!cell_time(t, &t->row[i], "duration_ns", &lasted))
			lasted = 0;
		end = start + lasted > end ? start + lasted : end;
	}
	return end < start_ns ? end : start_ns;
}

/* Of a collection: what filled the heap until it came; without allocations its own events. */
static void go_to_before(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *t = p->list[0].table;
	const struct pv_row *row = ui_list_row(&p->list[0]);
	bool known = ui_groups(&s->shared) & PV_GROUP_ALLOC;
	char lasted[PV_UNIT_MAX];
	int64_t start_ns, from_ns;
	size_t pane;
	int part;
	if (!t || !row || !cell_time(t, row, "start_ns", &start_ns))
		return;
	if (!known) {
		go_to_events(s, p);
		return;
	}
	if (!find_list(PV_VIEW_CLASSES, &pane, &part))
		return;
	from_ns = end_before(t, start_ns);
	go_narrowed(s, pane, part, "");
	narrow_range(s, from_ns, start_ns);
	ui_screen_say(s, false, "allocated in the %s before this collection; Backspace returns",
		pv_units_ns(lasted, sizeof lasted, start_ns - from_ns));
}

/* The chosen time of the timeline, with its thread: here, or the calls that were sampled then. */
static void go_to_time(struct ui_screen *s, enum ui_command pane)
{
	size_t to = pane_of(pane);
	struct ui_timeline *t = s->pane[s->current].timeline;
	if (!t || !ui_timeline_row(t)) {
		ui_screen_say(s, false, "there is no cell here");
		return;
	}
	size_t from = s->current;
	const struct ui_range was = s->shared.range;
	remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = was;
		p->list = &s->pane[to].list[0];
		memcpy(p->filter, p->list->filter, sizeof p->filter);
	}
	bool only_waits = !s->shared.waits && ui_timeline_only_waits(t);
	ui_thread_choose_time(s);
	if (to == from)
		return;
	ui_screen_go(s, pane);
	if (!only_waits)
		return;
	s->shared.waits = true;
	ui_screen_say(s, false, "nothing ran in this time: waiting counts, | leaves it out");
}

void ui_screen_take_time(struct ui_screen *s)
{
	go_to_time(s, UI_CMD_TIMELINE);
}

/* Of an event: the pane it is about, with the cursor of time where it stands. */
static void go_to_owner(struct ui_screen *s, const struct ui_pane *p)
{
	struct pv_event_facts at;
	const struct pv_event_page *page = s->shared.events.page;
	if (!page || !pv_event_page_find(page, p->list[0].selected, &at))
		return;
	s->shared.range.cursor_on = true;
	s->shared.range.cursor_ns = s->stream.cursor_ns = at.time_ns > 0 ? at.time_ns : 0;
	go_to_pane(s, ui_stream_owner(at.kind));
}

static void leave_evidence(struct ui_screen *s, const struct ui_place *from)
{
	const struct ui_range *was = &from->range, *now = &s->shared.range;
	bool same = was->on == now->on && was->from_ns == now->from_ns &&
		    was->to_ns == now->to_ns && was->threaded == now->threaded &&
		    was->thread == now->thread;
	ui_list_set_filter(from->list, from->filter);
	s->shared.waits = from->waits;
	if (!same) {
		ui_strip_set(s, was);
		s->message[0] = 0;
	}
}

/* The row under the cursor comes along. */
static void go_in_from_home(struct ui_screen *s)
{
	struct ui_overview *o = &s->overview;
	struct ui_list *l = ui_overview_list(o);
	const struct pv_row *row = l ? ui_list_row(l) : NULL;
	enum ui_command pane = ui_overview_pane(o, &s->shared);
	const char *name = ui_list_name(l ? l : &o->list[0], row);
	if (o->focus == UI_BLOCK_WRONG) {
		if (row)
			go_to_evidence(s, l->table, row);
		else
			go_to_pane(s, pane);
		return;
	}
	if (o->focus == UI_BLOCK_PROCESSES && row) {
		go_to_pane(s, pane);
		ui_process_at(s, row->id);
		return;
	}
	if (o->focus == UI_BLOCK_TIME) {
		go_to_pane(s, UI_CMD_FLAME);
		return;
	}
	if (row && o->focus == UI_BLOCK_HOTTEST)
		ui_pick(&s->shared, UI_KIND_METHOD, name);
	else if (row && (o->focus == UI_BLOCK_ALLOCATED || o->focus == UI_BLOCK_HELD))
		ui_pick(&s->shared, UI_KIND_CLASS, name);
	else if (row && o->focus == UI_BLOCK_HELD_BY)
		ui_pick(&s->shared, UI_KIND_METHOD, name);
	int room = ui_room_of_command(pane);
	if (room != UI_ROOM_NONE && row) /* the first view has its row */
		pane = ui_pane_defs[ui_room_first(room)].command;
	go_to_pane(s, pane);
	if (row && o->focus == UI_BLOCK_WAITED)
		ui_list_want(&s->pane[s->current].list[0], name);
	if (row && o->focus == UI_BLOCK_HELD)
		ui_list_want(&s->pane[s->current].list[1], name);
}

void ui_screen_go_to_flame(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	const char *name = p->flame ? NULL : ui_pane_name(p);
	if (!name)
		return;
	ui_pick(&s->shared, UI_KIND_METHOD, name);
	go_to_pane(s, UI_CMD_FLAME);
	ui_flame_want(s->pane[s->current].flame, s->shared.picked[UI_KIND_METHOD]);
}

/* The time chosen in the heat strip, which goes: the flame is of it; Backspace restores. */
static void go_to_heat(struct ui_screen *s, struct ui_flame *f)
{
	struct ui_range r = { .on = true };
	ui_heat_time(&f->heat, &r.from_ns, &r.to_ns);
	remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = s->shared.range;
		p->list = &s->pane[s->current].list[0];
		memcpy(p->filter, p->list->filter, sizeof p->filter);
	}
	ui_heat_command(&f->heat, UI_CMD_HEAT);
	ui_range_take_thread(&r, &s->shared.range);
	ui_strip_set(s, &r);
}

void ui_screen_go_in(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	if (p->flame) {
		go_to_heat(s, p->flame);
		return;
	}
	if (p->timeline) {
		go_to_time(s, UI_CMD_CALL_TREE);
		return;
	}
	if (p->def->parts == 0) {
		go_in_from_home(s);
		return;
	}
	ui_pick(&s->shared, p->def->part[p->focus].kind, ui_pane_name(p));
	switch (p->def->part[p->focus].drill) {
	case UI_DRILL_MAIN:
		go_to_main(s, p);
		break;
	case UI_DRILL_METHODS:
		go_to_pane(s, UI_CMD_METHODS);
		break;
	case UI_DRILL_TREE:
		go_to_pane(s, UI_CMD_CALL_TREE);
		break;
	case UI_DRILL_CLASSES:
		go_to_pane(s, UI_CMD_ALLOCATIONS);
		break;
	case UI_DRILL_OBJECTS:
		go_to_objects(s, p);
		break;
	case UI_DRILL_OWNER:
		go_to_owner(s, p);
		break;
	case UI_DRILL_EVENTS:
		go_to_events(s, p);
		break;
	case UI_DRILL_BEFORE:
		go_to_before(s, p);
		break;
	case UI_DRILL_EVIDENCE:
		go_to_evidence(s, p->list[0].table, ui_list_row(&p->list[0]));
		break;
	case UI_DRILL_BROWSE:
		ui_browser_enter(s);
		break;
	case UI_DRILL_PROCESS:
		ui_process_ask(s, ui_list_row(&p->list[0]));
		break;
	default:
		ui_screen_say(s, false, "there is nothing behind this row");
		break;
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
	if (to.evidence)
		leave_evidence(s, &to);
	if (p->def->parts) {
		ui_pane_focus(p, to.focus);
		ui_list_want(&p->list[0], NULL);
		p->list[0].selected = to.selected;
		p->list[0].pinned = true;
		p->list[0].stale = true;
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
		bool can = ui_room_can(i, ui_groups(&s->shared));
		snprintf(m->own[i], sizeof m->own[i], "%c %s%s%s", ui_room_key(i), ui_rooms[i].name,
			can ? "" : "  needs ", can ? "" : ui_room_records(i));
		m->item[i] = m->own[i];
		m->value[i] = (size_t)i;
	}
}
