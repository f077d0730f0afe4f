#include "tui/app/event_loader.h"

enum { PATIENCE_MS = 10 /* a frame waits so long for a page that comes at once */ };

static void bury(struct ui_event_loader *e, struct ui_events **events)
{
	if (!*events)
		return;
	ui_events_cancel(*events);
	if (pv_reserve(&e->dying, 1))
		e->dying.v[e->dying.n++] = *events;
	*events = NULL; /* out of memory: it lives until the program ends */
}

static void sweep(struct ui_event_loader *e)
{
	while (e->dying.n)
		ui_events_destroy(e->dying.v[--e->dying.n]);
}

static bool can_take(const struct ui_screen *s)
{
	return s->stream.asked && s->shared.whole && s->shared.feed.state != UI_FEED_LOADING;
}

/* The page before stays on screen until the new one is there. */
static void take_wish(struct ui_event_loader *e, struct ui_screen *s)
{
	struct pv_error err = { 0 };
	if (s->stream.cancelled && e->reading) {
		bury(e, &e->reading);
		ui_stream_use(s, NULL, "reading was stopped; g and G read again");
	}
	s->stream.cancelled = false;
	if (!can_take(s))
		return;
	s->stream.asked = false;
	bury(e, &e->reading);
	e->begun_ns = s->now_ns;
	e->reading = ui_feed_read_events(e->feed, &s->stream.wish, &err);
	if (!e->reading)
		ui_stream_use(s, NULL, err.what);
	else
		ui_events_await(e->reading, PATIENCE_MS);
}

static void look(struct ui_event_loader *e, struct ui_screen *s)
{
	struct ui_events_status st;
	if (!e->reading)
		return;
	ui_events_status(e->reading, &st);
	s->shared.events.read = st.bytes_read;
	s->shared.events.total = st.bytes_total;
	if (!st.over)
		return;
	s->stream.cost_ns = s->now_ns - e->begun_ns;
	s->stream.read_ns = s->now_ns;
	if (!st.done) {
		ui_stream_use(s, NULL, st.error);
		bury(e, &e->reading);
		return;
	}
	struct ui_events *got = e->reading, *old = e->shown;
	e->reading = NULL;
	if (!ui_stream_use(s, ui_events_page(got), NULL)) {
		bury(e, &got);
		return;
	}
	e->shown = got;
	bury(e, &old);
}

bool ui_event_loader_turn(
	struct ui_event_loader *e, struct ui_screen *s, struct ui_query_worker *worker)
{
	take_wish(e, s);
	look(e, s);
	if (ui_query_worker_idle(worker))
		sweep(e);
	return e->reading || e->dying.n || s->stream.asked;
}

void ui_event_loader_wait(struct ui_event_loader *e, struct ui_screen *s)
{
	do {
		ui_event_loader_turn(e, s, NULL);
		if (e->reading)
			ui_events_wait(e->reading);
	} while (e->reading || can_take(s)); /* a hit that was found asks for its page */
}

void ui_event_loader_drop(struct ui_event_loader *e, struct ui_screen *s)
{
	if (s)
		ui_stream_forget(s);
	bury(e, &e->reading);
	bury(e, &e->shown);
	sweep(e);
	pv_array_finish(&e->dying);
}
