/* SPDX-License-Identifier: MIT */
/* Objects followed from shot to shot: read in the background, given to the screen when there. */
#include "tui/feed/identity_loader.h"

/* Nothing may be asked any more of what is shown. */
static void put_down(struct ui_identity_loader *f, struct ui_screen *s, const char *why)
{
	ui_compare_use(s, NULL, NULL, why);
	ui_bury(&f->dying, &f->shown);
}

static void take_identity_wish(struct ui_identity_loader *f, struct ui_screen *s)
{
	struct ui_compare *c = &s->compare;
	struct pv_error e = { 0 };
	if (!c->asked || !s->shared.whole || s->shared.feed.state == UI_FEED_LOADING)
		return;
	c->asked = false;
	ui_bury(&f->dying, &f->reading);
	const struct ui_follow_wish w = { c->base, c->shot, c->by_address, c->single };
	f->reading = ui_feed_follow(f->feed, &w, &e);
	if (!f->reading)
		put_down(f, s, e.what);
}

static void look_at_identity(struct ui_identity_loader *f, struct ui_screen *s)
{
	struct ui_identity_shown *shown = &s->shared.identity;
	struct ui_again_status st;
	if (!f->reading)
		return;
	ui_again_status(f->reading, &st);
	shown->phase = st.phase;
	shown->step = st.step;
	shown->steps = st.steps;
	if (!st.over)
		return;
	put_down(f, s, st.done ? NULL : st.error.what);
	if (!st.done) {
		ui_bury(&f->dying, &f->reading);
		return;
	}
	f->shown = f->reading;
	f->reading = NULL;
	ui_compare_use(s, ui_again_identity(f->shown), ui_again_model(f->shown), NULL);
}

bool ui_identity_loader_turn(
	struct ui_identity_loader *f, struct ui_screen *s, struct ui_query_worker *worker)
{
	struct ui_compare *c = &s->compare;
	if (c->cancelled && s->shared.identity.reading) {
		ui_bury(&f->dying, &f->reading);
		c->asked = false;
		put_down(f, s,
			c->single ? "following objects was cancelled; coming back begins anew"
				  : "following objects was cancelled; u begins anew");
	}
	c->cancelled = false;
	take_identity_wish(f, s);
	look_at_identity(f, s);
	ui_sweep(&f->dying, worker);
	return f->reading || f->dying.again.n || c->asked ||
	       (c->due && s->shared.identity.on_screen);
}

void ui_identity_loader_wait(struct ui_identity_loader *f, struct ui_screen *s)
{
	do {
		ui_identity_loader_turn(f, s, NULL);
		if (f->reading)
			ui_again_wait(f->reading);
	} while (f->reading);
}

void ui_identity_loader_drop(struct ui_identity_loader *f, struct ui_screen *s)
{
	if (s) {
		ui_compare_forget(s);
		s->shared.identity.reading = s->compare.asked = false;
	}
	ui_bury(&f->dying, &f->reading);
	ui_bury(&f->dying, &f->shown);
	ui_sweep(&f->dying, NULL);
}
