/* SPDX-License-Identifier: MIT */
/* From a finding, a collection or a thread to the rows that are its evidence. */
#include "tui/screen/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/query/filter_fits.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/strip.h"
#include "tui/screen/thread_choice.h"

/* Views in no pane, with a view that shows the same rows. */
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

static bool cell_id(
	const struct pv_table *t, const struct pv_row *row, const char *column, uint64_t *ret)
{
	int i = pv_table_column(t, column);
	if (i < 0 || row->cell[i].state != PV_CELL_VALUE)
		return false;
	*ret = row->cell[i].u;
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

/* The list that shows a view; a pane's main list is preferred. */
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

void ui_goto_narrow(struct ui_screen *s, int64_t from_ns, int64_t to_ns)
{
	struct ui_range r = { .on = true,
		.from_ns = from_ns > 0 ? from_ns - 1 : 0,
		.to_ns = to_ns < INT64_MAX ? to_ns + 1 : to_ns };
	ui_range_take_all(&r, &s->shared.range);
	ui_strip_set(s, &r);
}

void ui_goto_narrowed(struct ui_screen *s, size_t pane, int part, const char *filter)
{
	struct ui_list *l = &s->pane[pane].list[part];
	char why[96];
	if (!pv_filter_fits(l->view, filter, why, sizeof why))
		filter = ""; /* the subject is no row there */
	ui_goto_remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = s->shared.range;
		p->list = part ? l : NULL;
		memcpy(p->own, l->filter, sizeof p->own);
	}
	ui_screen_go(s, ui_pane_defs[pane].command);
	ui_pane_focus(&s->pane[pane], part);
	ui_filter_set_rows(s, part ? "" : filter);
	if (part)
		ui_list_set_filter(l, filter);
	else
		ui_filter_follow(s);
}

void ui_goto_shot(struct ui_screen *s, struct ui_browse_place to)
{
	s->browser.next = to;
	s->browser.going = true;
	ui_goto_pane(s, UI_CMD_OBJECTS);
	s->browser.going = false;
}

/* Goes to the evidence of a finding about the shot's objects; false: other evidence. */
static bool go_to_shot_evidence(struct ui_screen *s, const char *view, const char *subject)
{
	struct ui_browse_place to = { 0 };
	if (strcmp(view, pv_view_name(PV_VIEW_HEAP_KEEPERS)) == 0)
		to.mode = UI_BROWSE_KEEPERS;
	else if (strcmp(view, pv_view_name(PV_VIEW_HEAP_DUPLICATES)) == 0)
		to.mode = UI_BROWSE_TEXTS;
	else
		return false;
	if (*subject)
		pv_filter_quote(subject, to.filter, sizeof to.filter);
	ui_goto_shot(s, to);
	return true;
}

void ui_goto_evidence(struct ui_screen *s, const struct pv_table *t, const struct pv_row *row)
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
	if (!*cell_text(t, row, "finding", "")) {
		ui_goto_narrowed(s, ui_goto_index(UI_CMD_FINDINGS), 0, "score<25");
		ui_screen_say(s, false, "what was looked at and is fine; Backspace returns");
		return;
	}
	const char *subject = cell_text(t, row, "subject", "");
	if (go_to_shot_evidence(s, cell_text(t, row, "view", ""), subject))
		return;
	if (!find_list(view_named(cell_text(t, row, "view", "")), &pane, &part)) {
		ui_screen_say(s, false, "there is nothing behind this row");
		return;
	}
	snprintf(said, sizeof said, "%s; Backspace returns", PV_FIT(text, 180));
	bool timed = cell_time(t, row, "from_ns", &from_ns) && cell_time(t, row, "to_ns", &to_ns);
	ui_goto_narrowed(
		s, pane, part, *subject ? pv_filter_quote(subject, filter, sizeof filter) : "");
	if (timed)
		ui_goto_narrow(s, from_ns, to_ns);
	ui_screen_say(s, false, "%s", said);
}

/* Threads in one row: selects all of them in all views, and lists them one by one. */
static void goto_pool(struct ui_screen *s, const struct pv_table *t, const struct pv_row *row)
{
	char name[UI_TEXT_MAX], rows[UI_TEXT_MAX];
	snprintf(name, sizeof name, "%s", cell_text(t, row, "name", ""));
	char *end = strrchr(name, '(');
	if (end && end > name)
		end[-1] = '\0';
	ui_filter_rows(&s->shared, rows);
	ui_goto_narrowed(s, s->current, 0, rows);
	ui_threads_set(s, name);
	ui_screen_say(s, false, "these threads in all views; Backspace returns");
}

void ui_goto_events(struct ui_screen *s, const struct ui_pane *p)
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
	if (id >= 0 && t->column[id].unit == PV_UNIT_THREAD &&
		row->cell[id].state != PV_CELL_VALUE) {
		goto_pool(s, t, row);
		return;
	}
	bool timed = cell_time(t, row, "start_ns", &from_ns) &&
		     cell_time(t, row, "duration_ns", &lasted_ns);
	if (id >= 0 && t->column[id].unit == PV_UNIT_THREAD)
		snprintf(filter, sizeof filter, "thread:0x%" PRIx64, row->cell[id].u);
	else if (!timed)
		snprintf(filter, sizeof filter, "thread:%s",
			pv_filter_quote(cell_text(t, row, "name", "?"), name, sizeof name));
	ui_goto_narrowed(s, pane, part, filter);
	if (timed)
		ui_goto_narrow(s, from_ns, from_ns + lasted_ns);
	ui_screen_say(s, false, "its events; Backspace returns");
}

/* The first view that shows what a thread did at a time. */
static enum ui_command view_of_time(const struct ui_screen *s)
{
	static const enum ui_command views[] = { UI_CMD_TIMELINE, UI_CMD_CALL_TREE,
		UI_CMD_ALLOCATIONS };
	for (size_t i = 0; i < PV_COUNT_OF(views); i++)
		if (ui_pane_can(&ui_pane_defs[ui_goto_index(views[i])], ui_groups(&s->shared)))
			return views[i];
	return UI_CMD_STREAM;
}

static void goto_span(struct ui_screen *s, const struct ui_pane *p, enum ui_command view)
{
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	struct ui_range r = { .on = true, .threaded = true };
	char took[PV_UNIT_MAX];
	int64_t took_ns;
	if (!t || !row || !cell_time(t, row, "start_ns", &r.from_ns) ||
		!cell_time(t, row, "took_ns", &took_ns) || !cell_id(t, row, "thread", &r.thread))
		return;
	const int64_t began_ns = r.from_ns;
	r.from_ns = r.from_ns > 0 ? r.from_ns : 0;
	r.to_ns = pv_sat_add(r.from_ns, pv_sat_add(took_ns, 1));
	const bool request = s->shared.all.works;
	if (!request)
		ui_thread_name(s, r.thread, r.thread_name, sizeof r.thread_name);
	ui_goto_narrowed(s, ui_goto_index(view), 0, "");
	s->shared.waits = true;
	if (request) {
		r.threaded = false;
		ui_requests_began(s, began_ns, r.requests);
	}
	ui_strip_set(s, &r);
	ui_screen_say(s, false, "%s of the %s, in all views; Backspace returns",
		pv_units_ns(took, sizeof took, took_ns),
		request ? "request, by the threads that worked for it" : "thread that ended it");
}

void ui_goto_span(struct ui_screen *s, const struct ui_pane *p)
{
	goto_span(s, p, view_of_time(s));
}

void ui_goto_span_flame(struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	if (p->def->parts && p->def->part[p->focus].drill == UI_DRILL_SPAN &&
		ui_list_row(&p->list[p->focus]))
		goto_span(s, p, UI_CMD_FLAME);
	else
		ui_screen_say(s, true, "a flame is of one request: Enter or Tab leads to them");
}

void ui_goto_kind(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	char filter[UI_TEXT_MAX], name[UI_TEXT_MAX - 8];
	if (!t || !row)
		return;
	snprintf(filter, sizeof filter, "kind:%s",
		pv_filter_quote(cell_text(t, row, "name", "?"), name, sizeof name));
	ui_goto_narrowed(s, ui_goto_index(UI_CMD_STREAM), 0, filter);
	ui_stream_begin(s);
	ui_screen_say(s, false, "events of this kind; Backspace returns");
}

void ui_goto_nowhere(struct ui_screen *s, const struct ui_pane *p)
{
	const char *why = p->def->part[p->focus].why;
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	for (size_t i = 0; !why && t && row && i < t->columns; i++) {
		const int64_t at_ns = row->cell[i].i;
		if (t->column[i].unit != PV_UNIT_TIME || row->cell[i].state != PV_CELL_VALUE)
			continue;
		ui_goto_remember(s);
		ui_screen_go(s, UI_CMD_STREAM);
		ui_stream_at(s, at_ns > 0 ? at_ns : 0);
		ui_screen_say(s, false, "what happened then; Backspace returns");
		return;
	}
	ui_screen_say(
		s, false, "%s", why ? why : "no view shows more of this row than it says itself");
}

void ui_goto_threads(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	const char *who = t && row ? cell_text(t, row, "thread", NULL) : NULL;
	const char *whom = who ? cell_text(t, row, "holder", NULL) : NULL;
	char first[UI_TEXT_MAX / 2 - 2], second[UI_TEXT_MAX / 2 - 2], filter[UI_TEXT_MAX];
	size_t pane;
	int part;
	if (!who || !find_list(PV_VIEW_THREADS, &pane, &part))
		return;
	pv_filter_quote(who, first, sizeof first);
	if (whom)
		snprintf(filter, sizeof filter, "%s|%s", first,
			pv_filter_quote(whom, second, sizeof second));
	else
		snprintf(filter, sizeof filter, "%s", first);
	ui_goto_narrowed(s, pane, part, filter);
	ui_screen_say(s, false,
		whom ? "who waited, and for whom; Backspace returns"
		     : "who waited; the log does not say for whom");
}

void ui_goto_holder(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *t = p->list[p->focus].table;
	const struct pv_row *row = ui_list_row(&p->list[p->focus]);
	int64_t from_ns, lasted_ns;
	uint64_t holder;
	size_t pane;
	int part;
	if (!t || !row || !cell_time(t, row, "start_ns", &from_ns) ||
		!cell_time(t, row, "wait_ns", &lasted_ns))
		return;
	if (!cell_id(t, row, "holder_id", &holder)) {
		ui_screen_say(s, false, "the log does not say who had the lock then");
		return;
	}
	if (!find_list(PV_VIEW_CALL_TREE, &pane, &part))
		return;
	char thread[64], said[sizeof s->message];
	snprintf(thread, sizeof thread, "%s", PV_FIT(cell_text(t, row, "holder", "?"), 60));
	snprintf(said, sizeof said, "what %s did while %s waited for it; Backspace returns", thread,
		PV_FIT(cell_text(t, row, "thread", "?"), 60));
	ui_goto_narrowed(s, pane, part, "");
	struct ui_range r = { .on = true,
		.from_ns = from_ns > 0 ? from_ns : 0,
		.to_ns = from_ns + lasted_ns + 1,
		.threaded = true,
		.thread = holder };
	snprintf(r.thread_name, sizeof r.thread_name, "%s", thread);
	s->shared.waits = true;
	ui_strip_set(s, &r);
	ui_screen_say(s, false, "%s", said);
}
