/* SPDX-License-Identifier: MIT */
/* Keeps rates and the coverage line unchanged for two seconds, if only numbers differ. */
#include "tui/panes/renew.h"

#include <stdio.h>
#include <string.h>

#include "tui/list/list_hold.h"

#define STAY_NS INT64_C(2000000000)
#define FAR_NS  INT64_C(1000000000)

static bool goes_as_before(const struct ui_feed_status *a, const struct ui_feed_status *b)
{
	return a->state == UI_FEED_LIVE && b->state == UI_FEED_LIVE &&
	       (a->lag_ns > FAR_NS) == (b->lag_ns > FAR_NS) && (a->lag_ns < 0) == (b->lag_ns < 0) &&
	       !a->events_per_s == !b->events_per_s;
}

void ui_renew_feed(struct ui_renewed *t, struct ui_shared *s, const struct ui_feed_status *feed)
{
	const struct ui_feed_status before = s->feed;
	s->feed = *feed;
	if (!goes_as_before(&before, feed) || s->now_ns - t->rated_ns >= STAY_NS) {
		t->rated_ns = s->now_ns;
		return;
	}
	s->feed.events_per_s = before.events_per_s;
	s->feed.bytes_per_s = before.bytes_per_s;
	s->feed.lag_ns = before.lag_ns;
}

const char *ui_renew_coverage(struct ui_renewed *t, const struct ui_shared *s, const char *text)
{
	const bool moves = !ui_has_ended(s) && !s->paused;
	t->held = moves && s->now_ns - t->covered_ns < STAY_NS && strcmp(t->coverage, text) != 0 &&
		  ui_hold_same_words(t->coverage, text);
	if (t->held)
		return t->coverage;
	t->covered_ns = s->now_ns;
	snprintf(t->coverage, sizeof t->coverage, "%s", text);
	return t->coverage;
}
