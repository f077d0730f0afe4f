/* SPDX-License-Identifier: MIT */
/* Enter: goes from the row under the cursor to the view with more about it. */
#include <stdio.h>
#include <string.h>

#include "common/query/event_stream.h"
#include "tui/panes/flame_pane.h"
#include "tui/panes/sections.h"
#include "tui/panes/timeline_pane.h"
#include "tui/screen/cause.h"
#include "tui/screen/which_figures.h"
#include "tui/screen/evidence.h"
#include "tui/screen/process_choice.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"
#include "tui/screen/thread_choice.h"

/* From a detail to the pane's own list, at the row of the detail's name. */
static void go_to_main(struct ui_screen *s, struct ui_pane *p)
{
	const char *name = ui_pane_name(p);
	if (!name)
		return;
	ui_goto_remember(s);
	ui_list_want(&p->list[0], name);
	ui_pane_focus(p, 0);
}

/* Narrows all views to the row's class, until Backspace; the keys go to the details. */
static void narrow_to_row(struct ui_screen *s, struct ui_pane *p)
{
	char name[UI_TEXT_MAX], was[UI_TEXT_MAX];
	const struct ui_list *l = &p->list[p->focus];
	const char *of = ui_list_name(l, ui_list_row(l));
	snprintf(name, sizeof name, "%s", of ? of : "");
	memcpy(was, s->shared.filter, sizeof was);
	ui_goto_remember(s);
	ui_filter_enter_class(s, p->group, name);
	ui_pane_next_part(p, &s->shared, 1);
	if (strcmp(was, s->shared.filter) != 0)
		ui_screen_say(s, false, "only this in all views; Backspace returns");
}

/* Goes to the classes, with all views narrowed to the row's class. */
static void go_to_class(struct ui_screen *s, const struct ui_pane *p)
{
	char name[UI_TEXT_MAX];
	const char *of = ui_pane_name(p);
	enum pv_by by = p->group;
	snprintf(name, sizeof name, "%s", of ? of : "");
	ui_goto_pane(s, UI_CMD_ALLOCATIONS);
	if (by == s->pane[s->current].group)
		ui_filter_enter_class(s, by, name);
}

/* Methods are shown without the class filter set by Enter. */
static void go_to_methods(struct ui_screen *s, enum ui_command pane)
{
	ui_goto_pane(s, pane);
	ui_filter_leave_class(s);
}

/* Goes to the objects of the class under the cursor, in the shot selected in the main list. */
static void go_to_objects(struct ui_screen *s, struct ui_pane *p)
{
	const struct pv_row *shot = ui_list_row(&p->list[0]),
			    *row = ui_list_row(&p->list[p->focus]);
	if (!shot || !row)
		return;
	uint32_t index = (uint32_t)(shot->id - 1);
	uint64_t klass = row->id;
	ui_goto_pane(s, UI_CMD_OBJECTS);
	ui_browser_open(s, index, klass);
}

/* Takes the time and thread chosen in the timeline: here, or for the calls sampled then. */
static void go_to_time(struct ui_screen *s, enum ui_command pane)
{
	size_t to = ui_goto_index(pane);
	struct ui_timeline *t = s->pane[s->current].timeline;
	if (!t || !ui_timeline_row(t)) {
		ui_screen_say(s, false, "there is no cell here");
		return;
	}
	size_t from = s->current;
	const struct ui_range was = s->shared.range;
	ui_goto_remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = was;
	}
	ui_counted_choose(s, true); /* the lanes show samples */
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

/* Goes from an event to the pane of its kind, with the cursor of time at the event. */
static void go_to_owner(struct ui_screen *s, const struct ui_pane *p)
{
	struct pv_event_facts at;
	const struct pv_event_page *page = s->shared.events.page;
	if (!page || !pv_event_page_find(page, p->list[0].selected, &at))
		return;
	s->shared.range.cursor_on = true;
	s->shared.range.cursor_ns = s->stream.cursor_ns = at.time_ns > 0 ? at.time_ns : 0;
	ui_goto_pane(s, ui_stream_owner(at.kind));
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
			ui_goto_evidence(s, l->table, row);
		else
			ui_goto_pane(s, pane);
		return;
	}
	if (o->focus == UI_BLOCK_PROCESSES && row) {
		ui_goto_pane(s, pane);
		ui_process_at(s, row->id);
		return;
	}
	if (o->focus == UI_BLOCK_TIME) {
		ui_goto_pane(s, UI_CMD_FLAME);
		return;
	}
	if (row && pv_view_is(l->view, PV_SECTION_GRAPH)) {
		ui_goto_shot(s, ui_browser_where(s, row->id));
		return;
	}
	if (row && o->focus == UI_BLOCK_HOTTEST)
		ui_pick(&s->shared, UI_KIND_METHOD, name);
	else if (row && (o->focus == UI_BLOCK_ALLOCATED || o->focus == UI_BLOCK_HELD))
		ui_pick(&s->shared, UI_KIND_CLASS, name);
	else if (row && o->focus == UI_BLOCK_HELD_BY)
		ui_pick(&s->shared, UI_KIND_METHOD, name);
	int room = ui_room_of_command(pane);
	if (room != UI_ROOM_NONE && row) /* the room's first view has the row */
		pane = ui_pane_defs[ui_room_first(room)].command;
	ui_goto_pane(s, pane);
	if (row && o->focus == UI_BLOCK_SPANS) { /* many have the same name */
		struct ui_list *to = &s->pane[s->current].list[0];
		to->selected = row->id;
		to->pinned = to->stale = true;
	}
	if (row && (o->focus == UI_BLOCK_WAITED || o->focus == UI_BLOCK_ROUTES))
		ui_list_want(&s->pane[s->current].list[0], name);
	if (row && o->focus == UI_BLOCK_HELD)
		ui_list_want(&s->pane[s->current].list[1], name);
}

void ui_screen_go_to_flame(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	if (p->def->scope & UI_SCOPE_REQUESTS) {
		ui_goto_span_flame(s);
		return;
	}
	const char *name = p->flame ? NULL : ui_pane_name(p);
	if (!name)
		return;
	ui_pick(&s->shared, UI_KIND_METHOD, name);
	go_to_methods(s, UI_CMD_FLAME);
	ui_flame_want(s->pane[s->current].flame, s->shared.picked[UI_KIND_METHOD]);
}

/*
 * Narrows to the time chosen in the heat strip, and closes the strip: the flame graph shows this
 * time; Backspace restores.
 */
static void go_to_heat(struct ui_screen *s, struct ui_flame *f)
{
	struct ui_range r = { .on = true };
	ui_heat_time(&f->heat, &r.from_ns, &r.to_ns);
	ui_goto_remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = s->shared.range;
	}
	ui_heat_command(&f->heat, UI_CMD_HEAT);
	ui_range_take_all(&r, &s->shared.range);
	ui_strip_set(s, &r);
}

void ui_screen_go_in(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	ui_counted_seek(s);
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
	case UI_DRILL_NARROW:
		narrow_to_row(s, p);
		break;
	case UI_DRILL_METHODS:
		if (!ui_pane_can(
			    s->pane[ui_goto_index(UI_CMD_METHODS)].def, s->shared.summary.recorded))
			ui_source_command(s, UI_CMD_SOURCE); /* nothing is known of methods */
		else
			go_to_methods(s, UI_CMD_METHODS);
		break;
	case UI_DRILL_TREE:
		go_to_methods(s, UI_CMD_CALL_TREE);
		break;
	case UI_DRILL_CLASSES:
		go_to_class(s, p);
		break;
	case UI_DRILL_OBJECTS:
		go_to_objects(s, p);
		break;
	case UI_DRILL_OWNER:
		go_to_owner(s, p);
		break;
	case UI_DRILL_EVENTS:
		ui_goto_events(s, p);
		break;
	case UI_DRILL_SPAN:
		ui_goto_span(s, p);
		break;
	case UI_DRILL_SOURCE:
		ui_source_enter(s, p);
		break;
	case UI_DRILL_KIND:
		ui_goto_kind(s, p);
		break;
	case UI_DRILL_THREADS:
		ui_goto_threads(s, p);
		break;
	case UI_DRILL_HOLDER:
		ui_goto_holder(s, p);
		break;
	case UI_DRILL_BEFORE:
		ui_cause_enter(s, p);
		break;
	case UI_DRILL_EVIDENCE:
		ui_goto_evidence(s, p->list[0].table, ui_list_row(&p->list[0]));
		break;
	case UI_DRILL_BROWSE:
		ui_browser_enter(s);
		break;
	case UI_DRILL_PROCESS:
		ui_process_ask(s, ui_list_row(&p->list[0]));
		break;
	default:
		if (s->shared.identity.on_screen && s->shared.identity.reading)
			ui_screen_say(
				s, false, "objects are still being followed: the rows come then");
		else
			ui_goto_nowhere(s, p);
		break;
	}
}
