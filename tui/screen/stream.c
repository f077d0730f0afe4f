/* SPDX-License-Identifier: MIT */
/* The stream of events: the page to read, answers, keys. */
#include "tui/screen/stream.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/base/status.h"
#include "common/query/event_stream.h"
#include "tui/screen/one_filter.h"

enum { MARGIN = 100, COST_SHARE = 4 };
#define FOLLOW_NS INT64_C(500000000)

bool ui_stream_has(const struct ui_pane *p)
{
	return p->def->parts > 0 && pv_view_is(p->def->part[0].view, PV_TRAIT_PAGED);
}

static struct ui_pane *pane_of(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_stream_has(&s->pane[i]))
			return &s->pane[i];
	return NULL;
}

/* --- wishes */

/* The list's filter, plus the thread of all views if there is room for both. */
static const char *filter_of(
	const struct ui_screen *s, const struct ui_list *l, char to[UI_TEXT_MAX])
{
	const struct ui_range *g = &s->shared.range;
	const bool any = strchr(l->filter, '|'); /* binds less than what is added */
	char id[24], quoted[2 * sizeof g->thread_name + 3];
	snprintf(id, sizeof id, "0x%" PRIx64, g->thread);
	pv_filter_quote(g->thread_name, quoted, sizeof quoted);
	const int n = snprintf(to, UI_TEXT_MAX, "%s%s%s%sthread:%s%s", any ? "(" : "", l->filter,
		any ? ")" : "", l->filter[0] ? " " : "", g->named ? "=" : "",
		g->named ? quoted : id);
	return g->on && g->threaded && n > 0 && n < UI_TEXT_MAX ? to : l->filter;
}

static void ask_page(struct ui_screen *s, struct ui_stream_wish wish, bool jump)
{
	char filter[UI_TEXT_MAX];
	struct ui_stream *st = &s->stream;
	const struct ui_range *g = &s->shared.range;
	const struct ui_list *l = &pane_of(s)->list[0];
	wish.ranged = g->on && !g->relative;
	wish.from_ns = g->from_ns;
	wish.to_ns = g->to_ns;
	wish.raw_names = s->shared.raw_names;
	snprintf(wish.requests, sizeof wish.requests, "%s", g->on ? g->requests : "");
	snprintf(wish.filter, sizeof wish.filter, "%s", filter_of(s, l, filter));
	st->wish = wish;
	st->begun = st->asked = true;
	st->cancelled = false;
	st->jump = jump;
	st->generation = s->shared.whole_generation;
	s->shared.events.reading = true;
	s->shared.events.error[0] = 0;
	s->shared.events.read = s->shared.events.total = 0;
}

static void ask_for(struct ui_screen *s, enum ui_stream_from from)
{
	ask_page(s, (struct ui_stream_wish){ .from = from }, true);
}

static void ask_around(struct ui_screen *s, int64_t time_ns, uint64_t id, bool jump)
{
	ask_page(s, (struct ui_stream_wish){ .time_ns = time_ns, .id = id }, jump);
}

/* The same place again, after the question has changed. */
static void ask_again(struct ui_screen *s, const struct ui_list *l)
{
	struct pv_event_facts at;
	const struct pv_event_page *page = s->shared.events.page;
	if (page && !l->follow && pv_event_page_find(page, l->selected, &at))
		ask_around(s, at.time_ns, l->selected, true);
	else
		ask_page(s, s->stream.wish, true);
}

/* The cursor of time, else the range's begin, else the end of what is still written. */
static void ask_first(struct ui_screen *s)
{
	const struct ui_range *g = &s->shared.range;
	struct ui_list *l = &pane_of(s)->list[0];
	bool live = !ui_has_ended(&s->shared);
	if (g->cursor_on) {
		ask_around(s, g->cursor_ns, 0, true);
		return;
	}
	l->follow = live && !g->on;
	ask_for(s, l->follow ? UI_STREAM_LAST : UI_STREAM_FIRST);
}

static bool has_changed(const struct ui_screen *s, const struct ui_list *l)
{
	const struct ui_stream_wish *w = &s->stream.wish;
	const struct ui_range *g = &s->shared.range;
	bool ranged = g->on && !g->relative;
	char filter[UI_TEXT_MAX];
	return strcmp(w->filter, filter_of(s, l, filter)) != 0 ||
	       w->raw_names != s->shared.raw_names || w->ranged != ranged ||
	       (ranged && (w->from_ns != g->from_ns || w->to_ns != g->to_ns));
}

/* The strip's cursor has moved. */
static bool takes_cursor(struct ui_screen *s)
{
	const struct ui_range *g = &s->shared.range;
	int64_t now = g->cursor_on ? g->cursor_ns : -1;
	bool moved = now >= 0 && now != s->stream.cursor_ns;
	s->stream.cursor_ns = now;
	return moved;
}

/* The selected row is near an end of the page, and the log goes on there. */
static bool nears_end(const struct ui_screen *s, const struct ui_list *l)
{
	const struct pv_event_page *page = s->shared.events.page;
	bool in_order = !l->chosen && !l->invert;
	if (!page || !l->table || l->asked.page != page || !in_order || l->table->rows == 0)
		return false;
	if (l->at < MARGIN && pv_event_page_more(page, true))
		return true;
	return l->at + MARGIN >= l->table->rows && pv_event_page_more(page, false);
}

static bool is_due(const struct ui_screen *s)
{
	const struct ui_stream *st = &s->stream;
	int64_t pause = st->cost_ns * COST_SHARE;
	pause = pause < FOLLOW_NS ? FOLLOW_NS : pause;
	return st->generation != s->shared.whole_generation && !s->shared.paused &&
	       (s->now_ns - st->read_ns >= pause || ui_has_ended(&s->shared));
}

void ui_stream_place(struct ui_screen *s, struct ui_pane *p)
{
	struct ui_list *l = &p->list[0];
	struct pv_event_facts at;
	const struct ui_events_shown *shown = &s->shared.events;
	if (!s->shared.whole)
		return;
	bool moved = takes_cursor(s);
	if (s->stream.finding)
		return;
	if (!s->stream.begun) {
		if (s->shared.feed.state != UI_FEED_LOADING) /* else the way to begin is unknown */
			ask_first(s);
	} else if (moved) {
		l->follow = false;
		ask_around(s, s->shared.range.cursor_ns, 0, true);
	} else if (has_changed(s, l)) {
		ask_again(s, l);
	} else if (shown->reading) {
		return;
	} else if (l->follow && s->stream.wish.from != UI_STREAM_LAST) {
		ask_for(s, UI_STREAM_LAST);
	} else if (l->follow && is_due(s)) {
		ask_for(s, UI_STREAM_LAST);
	} else if (!l->follow && nears_end(s, l) && l->selected != s->stream.wish.id &&
		   pv_event_page_find(shown->page, l->selected, &at)) {
		ask_around(s, at.time_ns, l->selected, false);
	}
}

/* --- answers */

/* Shows the next hit, if any, with the events around. */
static void take_hit(struct ui_screen *s, const struct pv_event_page *page)
{
	const struct ui_list *l = &pane_of(s)->list[0];
	int dir = s->stream.finding;
	struct pv_event_facts at;
	s->stream.finding = 0;
	s->stream.wish = s->stream.found_from;
	uint64_t id = page ? pv_event_page_next(page, dir) : 0;
	if (id && pv_event_page_find(page, id, &at))
		ask_around(s, at.time_ns, id, true);
	else if (page)
		ui_screen_say(s, true, "no event %s this one has %.60s",
			dir > 0 ? "after" : "before", l->search);
}

bool ui_stream_use(struct ui_screen *s, const struct pv_event_page *page, const char *error)
{
	struct ui_events_shown *shown = &s->shared.events;
	struct ui_list *l = &pane_of(s)->list[0];
	shown->reading = false;
	snprintf(shown->error, sizeof shown->error, "%s", PV_FIT(error ? error : "", 100));
	if (s->stream.finding) {
		take_hit(s, page);
		return false;
	}
	if (!page)
		return false;
	ui_slot_cancel(&l->slot); /* a waiting question has the old page, about to go */
	shown->page = page;
	l->stale = true;
	if (!s->stream.jump)
		return true;
	l->selected = pv_event_page_here(page);
	l->pinned = l->selected != 0;
	if (s->stream.wish.from == UI_STREAM_LAST || !l->pinned)
		l->to_end = true;
	return true;
}

void ui_stream_forget(struct ui_screen *s)
{
	s->shared.events = (struct ui_events_shown){ .page = NULL };
	s->stream = (struct ui_stream){ .cursor_ns = -1 };
	ui_list_forget(&pane_of(s)->list[0]);
}

/* --- keys */

/* Adds a term to the filter. */
static void narrow(struct ui_screen *s, struct ui_list *l, const char *field, const char *value)
{
	char filter[3 * UI_TEXT_MAX], quoted[UI_TEXT_MAX];
	bool any = strchr(l->filter, '|'); /* binds less than what is added */
	int n = snprintf(filter, sizeof filter, "%s%s%s%s%s:%s", any ? "(" : "", l->filter,
		any ? ")" : "", l->filter[0] ? " " : "", field,
		pv_filter_quote(value, quoted, sizeof quoted));
	if (n < 0 || n >= UI_TEXT_MAX) {
		ui_screen_say(s, true, "the filter is too long; Del clears it");
		return;
	}
	ui_filter_set_all(s, filter);
	ui_screen_say(s, false, "only %s %s; Del shows all again", field, value);
}

static unsigned narrow_to_row(struct ui_screen *s, struct ui_list *l, bool thread)
{
	struct pv_event_facts at;
	const struct pv_event_page *page = s->shared.events.page;
	if (!page || !pv_event_page_find(page, l->selected, &at))
		ui_screen_say(s, false, "there are no rows here");
	else
		narrow(s, l, thread ? "thread" : "kind", thread ? at.thread : at.kind);
	return UI_HANDLED;
}

/* The list's filter plus the text searched for, without regard to case. */
static bool filter_for_hits(
	const struct ui_screen *s, const struct ui_list *l, char *to, size_t size)
{
	char own[UI_TEXT_MAX];
	const char *filter = filter_of(s, l, own);
	char small[UI_TEXT_MAX], quoted[2 * UI_TEXT_MAX + 3];
	size_t i = 0;
	for (; l->search[i]; i++)
		small[i] = (char)tolower((unsigned char)l->search[i]);
	small[i] = 0;
	bool any = strchr(filter, '|');
	int n = snprintf(to, size, "%s%s%s method:%s", any ? "(" : "", filter, any ? ")" : "",
		pv_filter_quote(small, quoted, sizeof quoted));
	return n >= 0 && (size_t)n < size;
}

/* On this page, else the log is read on from there. */
static unsigned find_event(struct ui_screen *s, struct ui_list *l, int dir)
{
	const struct pv_event_page *page = s->shared.events.page;
	bool in_order = !l->chosen && !l->invert;
	struct pv_event_facts at;
	if (!l->search[0])
		snprintf(l->search, sizeof l->search, "%s", s->search);
	if (!l->search[0] || !page || !in_order || !pv_event_page_find(page, l->selected, &at))
		return UI_IGNORED;
	if (s->stream.finding)
		return UI_HANDLED; /* under way */
	l->follow = false;
	uint64_t id = pv_event_page_hit(page, l->selected, dir, l->search);
	if (id) {
		l->selected = id;
		l->pinned = l->stale = true;
		return UI_HANDLED;
	}
	struct ui_stream_wish was = s->stream.wish;
	if (!pv_event_page_more(page, dir < 0)) {
		ui_screen_say(s, true, "no event %s this one has %.60s",
			dir > 0 ? "after" : "before", l->search);
		return UI_HANDLED;
	}
	ask_around(s, at.time_ns, l->selected + (dir > 0), true);
	if (!filter_for_hits(s, l, s->stream.wish.filter, sizeof s->stream.wish.filter)) {
		s->stream.wish = was;
		s->stream.asked = s->shared.events.reading = false;
		ui_screen_say(s, true, "the filter and the text are too long to read on");
		return UI_HANDLED;
	}
	s->stream.finding = dir;
	s->stream.found_from = was;
	return UI_HANDLED;
}

void ui_stream_at(struct ui_screen *s, int64_t time_ns)
{
	pane_of(s)->list[0].follow = false;
	s->shared.range.cursor_on = true;
	s->shared.range.cursor_ns = time_ns;
	ui_screen_place(s);
}

void ui_stream_begin(struct ui_screen *s)
{
	pane_of(s)->list[0].follow = false;
	if (s->shared.whole)
		ask_for(s, UI_STREAM_FIRST);
}

unsigned ui_stream_command(struct ui_screen *s, enum ui_command cmd)
{
	struct ui_pane *p = &s->pane[s->current];
	struct ui_list *l = &p->list[0];
	if (!ui_stream_has(p) || s->help.open || s->output_open)
		return UI_IGNORED;
	switch (cmd) {
	case UI_CMD_TOP:
	case UI_CMD_BOTTOM:
		if (!s->shared.events.page || l->chosen || l->invert ||
			!pv_event_page_more(s->shared.events.page, cmd == UI_CMD_TOP))
			return UI_IGNORED; /* within the page */
		l->follow = false;
		ask_for(s, cmd == UI_CMD_TOP ? UI_STREAM_FIRST : UI_STREAM_LAST);
		return UI_HANDLED;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV:
		return find_event(s, l, cmd == UI_CMD_SEARCH_NEXT ? 1 : -1);
	case UI_CMD_SAME_THREAD:
	case UI_CMD_SAME_KIND:
		return narrow_to_row(s, l, cmd == UI_CMD_SAME_THREAD);
	case UI_CMD_CANCEL:
	case UI_CMD_STOP:
		if (!s->shared.events.reading)
			return UI_IGNORED;
		s->stream.cancelled = true;
		ui_screen_say(s, false, "reading stops; the rows that are there stay");
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

enum ui_command ui_stream_owner(const char *kind)
{
	/* first fitting beginning of a kind's name */
	static const struct {
		const char *kind;
		enum ui_command pane;
	} owner[] = { { "alloc", UI_CMD_ALLOCATIONS }, { "method.jit", UI_CMD_JIT },
		{ "method.", UI_CMD_METHODS }, { "gc.handle", UI_CMD_HANDLES },
		{ "gc.finalize", UI_CMD_HANDLES }, { "gc.", UI_CMD_COLLECTIONS },
		{ "exception.", UI_CMD_EXCEPTIONS }, { "monitor.", UI_CMD_LOCKS },
		{ "heap.root", UI_CMD_ROOTS }, { "heap.", UI_CMD_SHOTS },
		{ "sample.", UI_CMD_METHODS }, { "counters.", UI_CMD_COUNTERS },
		{ "thread.", UI_CMD_THREADS }, { "class.", UI_CMD_LOADED },
		{ "vtable.", UI_CMD_LOADED }, { "image.", UI_CMD_LOADED },
		{ "assembly.", UI_CMD_LOADED }, { "domain.", UI_CMD_LOADED },
		{ "context.", UI_CMD_LOADED }, { "coverage.", UI_CMD_COVERED },
		{ "ext.mark.mark", UI_CMD_MARKS }, { "ext.mark.span", UI_CMD_SPANS },
		{ "ext.calltree.", UI_CMD_METHODS }, { "ext.cpu.", UI_CMD_THREADS },
		{ "ext.runtime.jit", UI_CMD_JIT }, { "ext.runtime.sus", UI_CMD_COLLECTIONS },
		{ "runtime.", UI_CMD_JIT } };
	for (size_t i = 0; i < PV_COUNT_OF(owner); i++)
		if (strncmp(kind, owner[i].kind, strlen(owner[i].kind)) == 0)
			return owner[i].pane;
	return UI_CMD_KINDS;
}
