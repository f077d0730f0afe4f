/* SPDX-License-Identifier: MIT */
/* The one way of all loaders: the wish, the reading, the result, the end. */
#include "tui/feed/loader.h"

static const struct ui_loading *const kinds[UI_LOADERS] = { [UI_LOAD_RANGE] = &ui_load_range,
	[UI_LOAD_SHOT] = &ui_load_shot,
	[UI_LOAD_IDENTITY] = &ui_load_identity,
	[UI_LOAD_EVENTS] = &ui_load_events };

static bool *flag_of(struct ui_screen *s, size_t at)
{
	return (bool *)((char *)s + at);
}

static bool can_take(const struct ui_loading *kind, struct ui_screen *s)
{
	return kind->begin && *flag_of(s, kind->asked) && s->shared.whole &&
	       s->shared.feed.state != UI_FEED_LOADING;
}

static void look(struct ui_loader *l, const struct ui_loading *kind, struct ui_screen *s)
{
	struct ui_again_status st;
	if (!l->reading)
		return;
	ui_again_status(l->reading, &st);
	kind->tell(l, s, &st);
	if (st.done)
		kind->take(l, s);
	else if (st.over)
		kind->fail(l, s, st.error.what);
	if (st.over)
		ui_bury(&l->dying, &l->reading); /* unless taken */
}

static bool turn(struct ui_loader *l, const struct ui_loading *kind, struct ui_screen *s,
	struct ui_query_worker *worker)
{
	if (*flag_of(s, kind->cancelled))
		kind->cancel(l, s);
	*flag_of(s, kind->cancelled) = false;
	if (kind->prepare)
		kind->prepare(l, s);
	if (can_take(kind, s)) {
		*flag_of(s, kind->asked) = false;
		ui_bury(&l->dying, &l->reading);
		l->begun_ns = s->now_ns;
		kind->begin(l, s);
	}
	look(l, kind, s);
	if (kind->renew)
		kind->renew(l, s);
	ui_sweep(&l->dying, worker);
	return kind->rest(l, s, worker) || l->reading || l->dying.again.n;
}

void ui_loaders_feed(struct ui_loader all[UI_LOADERS], struct ui_feed *feed)
{
	for (int i = 0; i < UI_LOADERS; i++)
		all[i].feed = feed;
}

bool ui_loaders_turn(struct ui_loader all[UI_LOADERS], struct ui_screen *s,
	struct ui_query_worker *worker, bool *ret_pages)
{
	bool more = false;
	for (int i = 0; i < UI_LOAD_EVENTS; i++)
		more = turn(&all[i], kinds[i], s, worker) || more;
	*ret_pages = turn(&all[UI_LOAD_EVENTS], kinds[UI_LOAD_EVENTS], s, worker);
	return more;
}

/* The hit of a search asks for its page. */
void ui_loaders_wait(struct ui_loader all[UI_LOADERS], struct ui_screen *s)
{
	for (int i = 0; i < UI_LOADERS; i++)
		do {
			turn(&all[i], kinds[i], s, NULL);
			if (all[i].reading)
				ui_again_wait(all[i].reading);
		} while (all[i].reading || (i == UI_LOAD_EVENTS && can_take(kinds[i], s)));
}

void ui_loaders_drop(struct ui_loader all[UI_LOADERS], struct ui_screen *s)
{
	for (int i = 0; i < UI_LOADERS; i++) {
		kinds[i]->forget(&all[i], s);
		ui_bury(&all[i].dying, &all[i].reading);
		ui_bury(&all[i].dying, &all[i].shown);
		ui_sweep(&all[i].dying, NULL);
	}
}
