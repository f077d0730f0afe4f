#include "tui/app/identity_loader.h"

static void bury(struct ui_identity_loader *f, struct ui_following **following)
{
	if (!*following)
		return;
	ui_following_cancel(*following);
	if (pv_reserve(&f->dying, 1))
		f->dying.v[f->dying.n++] = *following;
	*following = NULL; /* out of memory: it lives until the program ends */
}

static void sweep(struct ui_identity_loader *f)
{
	while (f->dying.n)
		ui_following_destroy(f->dying.v[--f->dying.n]);
}

/* Nothing may be asked any more of what is shown. */
static void put_down(struct ui_identity_loader *f, struct ui_screen *s, const char *why)
{
	ui_compare_use(s, NULL, NULL, why);
	bury(f, &f->shown);
}

static void take_wish(struct ui_identity_loader *f, struct ui_screen *s)
{
	struct ui_compare *c = &s->compare;
	struct pv_error e = { 0 };
	if (!c->asked || !s->shared.whole || s->shared.feed.state == UI_FEED_LOADING)
		return;
	c->asked = false;
	bury(f, &f->reading);
	f->reading = ui_feed_follow(f->feed, c->base, c->shot, c->by_address, &e);
	if (!f->reading)
		put_down(f, s, e.what);
}

static void look(struct ui_identity_loader *f, struct ui_screen *s)
{
	struct ui_identity_shown *shown = &s->shared.identity;
	struct ui_following_status st;
	if (!f->reading)
		return;
	ui_following_status(f->reading, &st);
	shown->phase = st.phase;
	shown->step = st.step;
	shown->steps = st.steps;
	if (!st.over)
		return;
	put_down(f, s, st.done ? NULL : st.error.what);
	if (!st.done) {
		bury(f, &f->reading);
		return;
	}
	f->shown = f->reading;
	f->reading = NULL;
	ui_compare_use(s, ui_following_identity(f->shown), ui_following_model(f->shown), NULL);
}

bool ui_identity_loader_turn(
	struct ui_identity_loader *f, struct ui_screen *s, struct ui_query_worker *worker)
{
	struct ui_compare *c = &s->compare;
	if (c->cancelled && s->shared.identity.reading) {
		bury(f, &f->reading);
		c->asked = false;
		put_down(f, s, "following objects was cancelled; u begins anew");
	}
	c->cancelled = false;
	take_wish(f, s);
	look(f, s);
	if (ui_query_worker_idle(worker))
		sweep(f);
	return f->reading || f->dying.n || c->asked || (c->due && s->shared.identity.on_screen);
}

void ui_identity_loader_wait(struct ui_identity_loader *f, struct ui_screen *s)
{
	do {
		ui_identity_loader_turn(f, s, NULL);
		if (f->reading)
			ui_following_wait(f->reading);
	} while (f->reading);
}

void ui_identity_loader_drop(struct ui_identity_loader *f, struct ui_screen *s)
{
	if (s) {
		ui_compare_forget(s);
		s->shared.identity.reading = s->compare.asked = false;
	}
	bury(f, &f->reading);
	bury(f, &f->shown);
	sweep(f);
	pv_array_finish(&f->dying);
}
