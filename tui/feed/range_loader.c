/* SPDX-License-Identifier: MIT */
/* The screen's range of time or thread: read in the background, its model given to the screen. */
#include "tui/feed/range_loader.h"
#include "common/base/utf8.h"
#include "common/query/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/screen/thread_choice.h"

/* A range open towards a live end is read again at this distance. */
#define AGAIN_NS INT64_C(3000000000)
enum { COST_SHARE = 4 };

/* The user has set another range, or none. */
static void take_range_wish(struct ui_range_loader *r, struct ui_screen *s)
{
	if (!s->range_asked)
		return;
	s->range_asked = false;
	ui_bury(&r->dying, &r->reading);
	ui_screen_use(s, NULL);
	ui_bury(&r->dying, &r->shown);
	s->shared.range.state = UI_RANGE_BUCKETS;
	s->shared.range.total = s->shared.range.read = 0;
	s->shared.range.error[0] = 0;
	r->wanted = s->shared.range.on;
}

static void fail_range(struct ui_screen *s, const char *why)
{
	s->shared.range.state = UI_RANGE_FAILED;
	snprintf(s->shared.range.error, sizeof s->shared.range.error, "%s", PV_FIT(why, 100));
}

/* Reads the chosen thread, or all threads that have its name now. */
static struct ui_again *read(
	const struct ui_range_loader *r, struct ui_screen *s, struct pv_error *reterr)
{
	const struct ui_range *g = &s->shared.range;
	size_t n = g->threaded;
	uint64_t *all = g->threaded && g->named ? ui_threads_named(s, g->thread_name, &n) : NULL;
	const struct ui_range_wish wish = { .from_ns = g->from_ns,
		.to_ns = g->to_ns,
		.thread = all           ? all
			  : g->threaded ? &g->thread
					: NULL,
		.threads = n,
		.requests = g->requests };
	struct ui_again *ret = ui_feed_read_range(r->feed, &wish, reterr);
	free(all);
	return ret;
}

static void begin_reading(struct ui_range_loader *r, struct ui_screen *s)
{
	struct ui_range *g = &s->shared.range;
	struct pv_error e = { 0 };
	if (!r->wanted || r->reading || !s->shared.whole ||
		s->shared.feed.state == UI_FEED_LOADING || s->shared.feed.state == UI_FEED_WAITING)
		return;
	struct pv_facts facts;
	pv_view_facts(s->shared.whole, &facts);
	const struct ui_log_time log = { s->shared.duration_ns, facts.start_time_ms };
	r->wanted = false;
	r->begun_ns = s->now_ns;
	if (ui_range_resolve(g, &log, &e) &&
		ui_range_check(g, ui_has_ended(&s->shared) ? log.duration_ns : INT64_MAX, &e))
		r->reading = read(r, s, &e);
	if (!r->reading)
		fail_range(s, e.what);
}

static void take_over(struct ui_range_loader *r, struct ui_screen *s)
{
	struct ui_again *old = r->shown;
	r->shown = r->reading;
	r->reading = NULL;
	r->ended_ns = s->now_ns;
	r->cost_ns = s->now_ns - r->begun_ns;
	ui_screen_use(s, ui_again_model(r->shown));
	s->shared.range.state = UI_RANGE_EXACT;
	s->shared.range.until_ns = ui_again_until_ns(r->shown);
	if (s->shared.range.requests[0] && !ui_again_requests(r->shown))
		ui_screen_say(s, true, "no request that has ended is of this filter");
	ui_bury(&r->dying, &old);
}

static void look_at_range(struct ui_range_loader *r, struct ui_screen *s)
{
	struct ui_range *g = &s->shared.range;
	struct ui_again_status st;
	if (!r->reading)
		return;
	ui_again_status(r->reading, &st);
	g->read = st.step;
	g->total = st.steps;
	if (!st.over)
		return;
	if (st.done) {
		take_over(r, s);
		return;
	}
	if (!r->shown)
		fail_range(s, st.error.what);
	ui_bury(&r->dying, &r->reading);
}

/* The log has grown within the range: reads again. */
static void renew(struct ui_range_loader *r, const struct ui_screen *s)
{
	const struct ui_range *g = &s->shared.range;
	int64_t pause = r->cost_ns * COST_SHARE;
	if (!r->shown || r->reading || s->shared.paused || g->to_ns <= g->until_ns ||
		s->shared.duration_ns <= g->until_ns)
		return;
	pause = pause < AGAIN_NS ? AGAIN_NS : pause;
	r->wanted = r->wanted || s->now_ns - r->ended_ns >= pause ||
		    s->shared.feed.state == UI_FEED_ENDED;
}

bool ui_range_loader_turn(
	struct ui_range_loader *r, struct ui_screen *s, struct ui_query_worker *worker)
{
	if (s->range_cancelled && r->reading) {
		ui_bury(&r->dying, &r->reading);
		if (!r->shown)
			fail_range(s, "reading was cancelled");
	}
	s->range_cancelled = false;
	take_range_wish(r, s);
	look_at_range(r, s);
	renew(r, s);
	begin_reading(r, s);
	ui_sweep(&r->dying, worker);
	const struct ui_range *g = &s->shared.range;
	bool growing = r->shown && g->to_ns > g->until_ns && s->shared.feed.state == UI_FEED_LIVE &&
		       s->shared.duration_ns > g->until_ns && !s->shared.paused;
	return r->reading || r->dying.again.n || growing;
}

void ui_range_loader_wait(struct ui_range_loader *r, struct ui_screen *s)
{
	do {
		ui_range_loader_turn(r, s, NULL);
		if (r->reading)
			ui_again_wait(r->reading);
	} while (r->reading);
}

void ui_range_loader_drop(struct ui_range_loader *r, struct ui_screen *s)
{
	if (s && r->shown)
		ui_screen_use(s, NULL);
	ui_bury(&r->dying, &r->reading);
	ui_bury(&r->dying, &r->shown);
	ui_sweep(&r->dying, NULL);
	if (s)
		s->range_asked = s->shared.range.on;
}
