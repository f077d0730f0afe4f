/* SPDX-License-Identifier: MIT */
/* Pages of events for the stream: read in the background, given to the screen when there. */
#include "tui/feed/loader.h"

enum { PATIENCE_MS = 10 /* a frame waits so long for a quick page */ };

static void fail_events(struct ui_loader *l, struct ui_screen *s, const char *why)
{
	(void)l;
	ui_stream_use(s, NULL, why);
}

static void cancel_events(struct ui_loader *l, struct ui_screen *s)
{
	if (!l->reading)
		return;
	ui_bury(&l->dying, &l->reading);
	fail_events(l, s, "reading was stopped; g and G read again");
}

/* The page before stays on screen until the new page is there. */
static void begin_events(struct ui_loader *l, struct ui_screen *s)
{
	struct pv_error err = { 0 };
	l->reading = ui_feed_read_events(l->feed, &s->stream.wish, &err);
	if (!l->reading)
		fail_events(l, s, err.what);
	else
		ui_again_await(l->reading, PATIENCE_MS);
}

static void tell_events(struct ui_loader *l, struct ui_screen *s, const struct ui_again_status *st)
{
	s->shared.events.read = st->step;
	s->shared.events.total = st->steps;
	if (!st->over)
		return;
	s->stream.cost_ns = s->now_ns - l->begun_ns;
	s->stream.read_ns = s->now_ns;
}

static void take_events(struct ui_loader *l, struct ui_screen *s)
{
	struct ui_again *got = l->reading;
	if (!ui_stream_use(s, ui_again_page(got), NULL))
		return;
	l->reading = l->shown;
	l->shown = got;
}

static bool rest_of_events(
	const struct ui_loader *l, struct ui_screen *s, struct ui_query_worker *worker)
{
	(void)l, (void)worker;
	return s->stream.asked;
}

static void forget_events(struct ui_loader *l, struct ui_screen *s)
{
	(void)l;
	if (s)
		ui_stream_forget(s);
}

const struct ui_loading ui_load_events = {
	.asked = offsetof(struct ui_screen, stream.asked),
	.cancelled = offsetof(struct ui_screen, stream.cancelled),
	.cancel = cancel_events,
	.begin = begin_events,
	.tell = tell_events,
	.take = take_events,
	.fail = fail_events,
	.rest = rest_of_events,
	.forget = forget_events,
};
