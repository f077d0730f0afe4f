/* SPDX-License-Identifier: MIT */
/* Objects followed from shot to shot: read in the background, given to the screen when there. */
#include "tui/feed/loader.h"

/* Nothing may be asked any more of what is shown. */
static void fail_identity(struct ui_loader *l, struct ui_screen *s, const char *why)
{
	ui_compare_use(s, NULL, NULL, why);
	ui_bury(&l->dying, &l->shown);
}

static void cancel_identity(struct ui_loader *l, struct ui_screen *s)
{
	struct ui_compare *c = &s->compare;
	if (!s->shared.identity.reading)
		return;
	ui_bury(&l->dying, &l->reading);
	c->asked = false;
	fail_identity(l, s,
		c->single ? "following objects was cancelled; coming back begins anew"
			  : "following objects was cancelled; u begins anew");
}

static void begin_identity(struct ui_loader *l, struct ui_screen *s)
{
	const struct ui_compare *c = &s->compare;
	const struct ui_follow_wish w = { c->base, c->shot, c->by_address, c->single };
	struct pv_error e = { 0 };
	l->reading = ui_feed_follow(l->feed, &w, &e);
	if (!l->reading)
		fail_identity(l, s, e.what);
}

static void tell_identity(
	struct ui_loader *l, struct ui_screen *s, const struct ui_again_status *st)
{
	struct ui_identity_shown *shown = &s->shared.identity;
	(void)l;
	shown->phase = st->phase;
	shown->step = st->step;
	shown->steps = st->steps;
}

static void take_identity(struct ui_loader *l, struct ui_screen *s)
{
	fail_identity(l, s, NULL);
	l->shown = l->reading;
	l->reading = NULL;
	ui_compare_use(s, ui_again_identity(l->shown), ui_again_model(l->shown), NULL);
}

static bool rest_of_identity(
	const struct ui_loader *l, struct ui_screen *s, struct ui_query_worker *worker)
{
	(void)l, (void)worker;
	return s->compare.asked || (s->compare.due && s->shared.identity.on_screen);
}

static void forget_identity(struct ui_loader *l, struct ui_screen *s)
{
	(void)l;
	if (!s)
		return;
	ui_compare_forget(s);
	s->shared.identity.reading = s->compare.asked = false;
}

const struct ui_loading ui_load_identity = {
	.asked = offsetof(struct ui_screen, compare.asked),
	.cancelled = offsetof(struct ui_screen, compare.cancelled),
	.cancel = cancel_identity,
	.begin = begin_identity,
	.tell = tell_identity,
	.take = take_identity,
	.fail = fail_identity,
	.rest = rest_of_identity,
	.forget = forget_identity,
};
