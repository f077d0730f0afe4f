/* From pane to pane: keys, Enter and back. */
#include <string.h>
#include <strings.h>

#include "tui/screen/evidence.h"
#include "tui/screen/screen.h"
#include "tui/panes/sections.h"

static size_t pane_of(enum ui_command cmd)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].command == cmd)
			return i;
	return 0;
}

void ui_screen_go(struct ui_screen *s, enum ui_command pane)
{
	s->help.open = false;
	s->menu.open = false;
	s->output_open = false;
	size_t to = pane_of(pane);
	if (to == s->current)
		return;
	s->current = to;
	ui_pane_enter(&s->pane[to], &s->shared);
	if (pane == UI_CMD_OBJECTS)
		ui_browser_visit(s);
	if (ui_compare_has(&s->pane[to]))
		ui_compare_visit(s);
}

void ui_screen_remember(struct ui_screen *s)
{
	enum { HISTORY_MAX = 200 };
	const struct ui_pane *p = &s->pane[s->current];
	if (s->history.n == HISTORY_MAX) {
		for (size_t i = 1; i < s->history.n; i++)
			s->history.v[i - 1] = s->history.v[i];
		s->history.n--;
	}
	if (pv_reserve(&s->history, 1))
		s->history.v[s->history.n++] = (struct ui_place){
			.pane = s->current, .focus = p->focus, .selected = p->list[0].selected
		};
}

/* The pane's own list goes to what was chosen in its details. */
static void go_to_main(struct ui_screen *s, struct ui_pane *p)
{
	const char *name = ui_pane_name(p);
	if (!name)
		return;
	ui_screen_remember(s);
	ui_list_want(&p->list[0], name);
	ui_pane_focus(p, 0);
}

static void go_to_pane(struct ui_screen *s, enum ui_command pane)
{
	ui_screen_remember(s);
	ui_screen_go(s, pane);
	ui_pane_focus(&s->pane[s->current], 0);
}

bool ui_screen_go_to_row(struct ui_screen *s, enum ui_command pane, const char *name)
{
	if (pane < UI_CMD_OVERVIEW || pane > UI_CMD_INFO || pane == UI_CMD_OBJECTS)
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

void ui_screen_go_in(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	if (p->def->parts == 0) {
		enum ui_command pane = ui_overview_pane(&s->overview);
		if (pane != p->def->command)
			go_to_pane(s, pane);
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
	case UI_DRILL_EVIDENCE:
		ui_screen_go_to_evidence(s, p->list[0].table, ui_list_row(&p->list[0]));
		break;
	case UI_DRILL_BROWSE:
		ui_browser_enter(s);
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
	if (to.evidence)
		ui_screen_leave_evidence(s, &to);
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
				    : ui_overview_next(&s->overview, dir);
	if (within)
		return;
	size_t to = (s->current + ui_pane_count + (size_t)(dir > 0 ? 1 : -1)) % ui_pane_count;
	ui_screen_go(s, ui_pane_defs[to].command);
	ui_pane_focus(&s->pane[to], dir > 0 ? 0 : ui_pane_defs[to].parts - 1);
	if (ui_pane_defs[to].parts == 0)
		s->overview.focus = dir > 0 ? 0 : UI_SECTIONS - 1;
}
