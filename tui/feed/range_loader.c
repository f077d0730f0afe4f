/* SPDX-License-Identifier: MIT */
/* The screen's range of time or thread: read in the background, its model given to the screen. */
#include "tui/feed/loader.h"
#include "common/base/utf8.h"
#include "common/query/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/screen/thread_choice.h"

/* A range open towards a live end is read again at this distance. */
#define AGAIN_NS INT64_C(3000000000)
enum { COST_SHARE = 4 };

/* The user has set another range, or none. */
static void take_range_wish(struct ui_loader *r, struct ui_screen *s)
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

static void set_failed(struct ui_screen *s, const char *why)
{
	s->shared.range.state = UI_RANGE_FAILED;
	snprintf(s->shared.range.error, sizeof s->shared.range.error, "%s", PV_FIT(why, 100));
}

/* Reads the chosen thread, or all threads that have its name now. */
static struct ui_again *read(
	const struct ui_loader *r, struct ui_screen *s, struct pv_error *reterr)
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

static void begin_reading(struct ui_loader *r, struct ui_screen *s)
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
		set_failed(s, e.what);
}

static void take_range(struct ui_loader *r, struct ui_screen *s)
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

static void fail_range(struct ui_loader *r, struct ui_screen *s, const char *why)
{
	if (!r->shown)
		set_failed(s, why);
}

static void cancel_range(struct ui_loader *r, struct ui_screen *s)
{
	if (!r->reading)
		return;
	ui_bury(&r->dying, &r->reading);
	fail_range(r, s, "reading was cancelled");
}

static void tell_range(struct ui_loader *r, struct ui_screen *s, const struct ui_again_status *st)
{
	(void)r;
	s->shared.range.read = st->step;
	s->shared.range.total = st->steps;
}

/* The log has grown within the range: reads again. */
static void want_again(struct ui_loader *r, const struct ui_screen *s)
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

static void renew_range(struct ui_loader *r, struct ui_screen *s)
{
	want_again(r, s);
	begin_reading(r, s);
}

static bool rest_of_range(
	const struct ui_loader *r, struct ui_screen *s, struct ui_query_worker *worker)
{
	const struct ui_range *g = &s->shared.range;
	(void)worker;
	return r->shown && g->to_ns > g->until_ns && s->shared.feed.state == UI_FEED_LIVE &&
	       s->shared.duration_ns > g->until_ns && !s->shared.paused;
}

static void forget_range(struct ui_loader *r, struct ui_screen *s)
{
	if (s && r->shown)
		ui_screen_use(s, NULL);
	if (s)
		s->range_asked = s->shared.range.on;
}

const struct ui_loading ui_load_range = {
	.cancelled = offsetof(struct ui_screen, range_cancelled),
	.cancel = cancel_range,
	.tell = tell_range,
	.take = take_range,
	.fail = fail_range,
	.prepare = take_range_wish,
	.renew = renew_range,
	.rest = rest_of_range,
	.forget = forget_range,
};
