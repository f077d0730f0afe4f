/* SPDX-License-Identifier: MIT */
/* Pages of events for the stream: read in the background, given to the screen when there. */
#include "tui/feed/event_loader.h"

enum { PATIENCE_MS = 10 /* a frame waits so long for a quick page */ };

static bool can_take(const struct ui_screen *s)
{
	return s->stream.asked && s->shared.whole && s->shared.feed.state != UI_FEED_LOADING;
}

/* Takes what the stream asks for. The page before stays on screen until the new page is there. */
static void take_event_wish(struct ui_event_loader *e, struct ui_screen *s)
{
	struct pv_error err = { 0 };
	if (s->stream.cancelled && e->reading) {
		ui_bury(&e->dying, &e->reading);
		ui_stream_use(s, NULL, "reading was stopped; g and G read again");
	}
	s->stream.cancelled = false;
	if (!can_take(s))
		return;
	s->stream.asked = false;
	ui_bury(&e->dying, &e->reading);
	e->begun_ns = s->now_ns;
	e->reading = ui_feed_read_events(e->feed, &s->stream.wish, &err);
	if (!e->reading)
		ui_stream_use(s, NULL, err.what);
	else
		ui_again_await(e->reading, PATIENCE_MS);
}

static void look_at_events(struct ui_event_loader *e, struct ui_screen *s)
{
	struct ui_again_status st;
	if (!e->reading)
		return;
	ui_again_status(e->reading, &st);
	s->shared.events.read = st.step;
	s->shared.events.total = st.steps;
	if (!st.over)
		return;
	s->stream.cost_ns = s->now_ns - e->begun_ns;
	s->stream.read_ns = s->now_ns;
	if (!st.done) {
		ui_stream_use(s, NULL, st.error.what);
		ui_bury(&e->dying, &e->reading);
		return;
	}
	struct ui_again *got = e->reading, *old = e->shown;
	e->reading = NULL;
	if (!ui_stream_use(s, ui_again_page(got), NULL)) {
		ui_bury(&e->dying, &got);
		return;
	}
	e->shown = got;
	ui_bury(&e->dying, &old);
}

bool ui_event_loader_turn(
	struct ui_event_loader *e, struct ui_screen *s, struct ui_query_worker *worker)
{
	take_event_wish(e, s);
	look_at_events(e, s);
	ui_sweep(&e->dying, worker);
	return e->reading || e->dying.again.n || s->stream.asked;
}

void ui_event_loader_wait(struct ui_event_loader *e, struct ui_screen *s)
{
	do {
		ui_event_loader_turn(e, s, NULL);
		if (e->reading)
			ui_again_wait(e->reading);
	} while (e->reading || can_take(s)); /* a hit of a search asks for its page */
}

void ui_event_loader_drop(struct ui_event_loader *e, struct ui_screen *s)
{
	if (s)
		ui_stream_forget(s);
	ui_bury(&e->dying, &e->reading);
	ui_bury(&e->dying, &e->shown);
	ui_sweep(&e->dying, NULL);
}
