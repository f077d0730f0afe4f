/* SPDX-License-Identifier: MIT */
/* When frames are drawn: timers and events that lead to a frame. */
#include "tui/app/pace.h"

#include <time.h>

#include "tui/app/app_parts.h"

/*
 * ms. A frame for a key is drawn at once, but not sooner than this after the last frame for a key.
 * A frame for an answer that the user waits for: not sooner than this after any frame.
 */
enum { KEY_FRAME_MS = 4, ANSWER_FRAME_MS = 16 };
/* ms. Between two readings of new data: least, most; longest wait of a data frame for answers. */
enum { DATA_FRAME_MS = 500, SLOW_FRAME_MS = 1000, PATIENCE_MS = 250 };
/* ms. The least while a finished log is read: keys then mean the log, of which little is known. */
enum { LOADING_FRAME_MS = 100 };
enum { LOADER_MS = 100, EARLY_MS = 20 }; /* early: of a timer, by the loop's clock */
enum { BUSY_SHARE = 4 }; /* least gap after a frame, as a multiple of the frame's cost */
enum { HASTE_MS = 1000 };
#define MS         INT64_C(1000000)
#define OVERDUE_NS INT64_C(100000000)

/* Arms the frame timer, or brings the frame forward: `gap_ms` after `since_ns`. */
static void frame_after(struct app *a, int64_t since_ns, int64_t gap_ms)
{
	int64_t since = (ui_app_now() - since_ns) / MS;
	int64_t wait = since >= gap_ms ? 0 : gap_ms - since;
	struct timeval left;
	if (event_pending(a->pace.frame, EV_TIMEOUT, &left)) {
		struct timeval now;
		event_base_gettimeofday_cached(a->base, &now);
		int64_t due = (int64_t)(left.tv_sec - now.tv_sec) * 1000 +
			      (left.tv_usec - now.tv_usec) / 1000;
		if (due <= wait)
			return;
	}
	struct timeval t = ui_app_timeval(wait);
	event_add(a->pace.frame, &t);
}

static bool is_hasty(const struct app *a)
{
	return ui_app_now() < a->pace.hasty_ns;
}

static void make_haste(struct app *a)
{
	a->pace.hasty_ns = ui_app_now() + HASTE_MS * MS;
}

/* A frame drawn for another reason does not make a key wait. */
void ui_pace_key(struct app *a)
{
	a->pace.keyed = true;
	make_haste(a);
	frame_after(a, a->pace.keyed_ns, KEY_FRAME_MS);
}

void ui_pace_anew(struct app *a)
{
	make_haste(a);
	a->pace.data_waits = true;
	a->pace.looked_ns = 0;
	frame_after(a, a->pace.drawn_ns, ANSWER_FRAME_MS);
}

/* After a long frame the processor is left to others for a while. */
static int64_t data_gap(const struct app *a)
{
	int64_t gap = a->pace.cost_ns * BUSY_SHARE / MS;
	int64_t least = a->status.state == UI_FEED_LOADING ? LOADING_FRAME_MS : DATA_FRAME_MS;
	return gap < least ? least : gap > SLOW_FRAME_MS ? SLOW_FRAME_MS : gap;
}

void ui_pace_data(struct app *a)
{
	a->pace.data_waits = true;
	frame_after(a, a->pace.looked_ns, data_gap(a));
}

/* Frames may be drawn during a reading, but the reader needs the processor more while it lags. */
unsigned ui_pace_spare(const struct app *a)
{
	const struct ui_feed_status *f = &a->status;
	if (a->screen.shared.paused)
		return 0; /* figures of this moment are wanted now */
	if (f->state == UI_FEED_LIVE)
		return f->lag_ns > OVERDUE_NS ? BUSY_SHARE : 1;
	return f->state == UI_FEED_LOADING ? BUSY_SHARE : 0;
}

/* No more notices are needed until the log is looked at anew. */
static void on_data(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	event_del(a->pace.data);
	ui_pace_data(a);
}

static void on_refresh(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	if (a->pace.turns_pages || (a->pace.turns && is_hasty(a)))
		frame_after(a, a->pace.drawn_ns, ANSWER_FRAME_MS);
	else
		ui_pace_data(a);
}

/*
 * An answer that the user does not wait for is drawn with the next data, or when data would be due.
 */
static void on_answers(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	ui_query_worker_clear(a->worker);
	if (is_hasty(a))
		frame_after(a, a->pace.drawn_ns, ANSWER_FRAME_MS);
	else if (!a->pace.asked)
		frame_after(a, a->pace.looked_ns, data_gap(a));
	else if (ui_query_worker_idle(a->worker))
		frame_after(a, a->pace.drawn_ns, 0);
}

void ui_pace_heard(struct app *a)
{
	const bool more = a->pace.rest && ui_term_has_room(a->term);
	if (more || (a->pace.held && ui_term_wait(a->term, a->pace.keyed) == 0))
		frame_after(a, a->pace.drawn_ns, 0);
}

static void on_drained(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	if (!ui_term_drain(a->term))
		event_add(a->pace.drained, NULL);
	else
		ui_pace_heard(a);
}

/* Comes back to what is under way. */
static void follow_loaders(struct app *a)
{
	const struct timeval page = ui_app_timeval(ANSWER_FRAME_MS),
			     part = ui_app_timeval(LOADER_MS);
	if (a->pace.turns_pages || a->pace.turns)
		event_add(a->pace.refresh, a->pace.turns_pages ? &page : &part);
}

static void show_frame(struct app *a, int64_t start_ns)
{
	struct ui_pace *p = &a->pace;
	p->rest = !ui_term_draw(a->term, &a->screen.canvas);
	p->drawn_ns = ui_app_now();
	p->cost_ns = p->drawn_ns - start_ns;
	if (p->keyed)
		p->keyed_ns = p->drawn_ns;
	p->keyed = p->asked = false;
	if (p->drained && !ui_term_drain(a->term))
		event_add(p->drained, NULL);
}

/* False: the picture is not shown, since answers are awaited, so that one frame has all new data. */
static bool make_frame(struct app *a)
{
	struct ui_pace *p = &a->pace;
	const int64_t start = ui_app_now();
	const bool due = start >= p->looked_ns + (data_gap(a) - EARLY_MS) * MS;
	const bool anew = p->data_waits && due && !p->rest;
	const bool waits = anew && !p->keyed && !is_hasty(a);
	if (anew) {
		p->looked_ns = start;
		p->data_waits = false;
	}
	p->work->picture(a, !anew);
	if (waits && !ui_query_worker_idle(a->worker)) {
		p->asked = true;
		frame_after(a, start, PATIENCE_MS);
		return false;
	}
	show_frame(a, start);
	return true;
}

/* False: the line has yet to take the last frame. */
static bool is_taken(struct app *a)
{
	const bool more = a->pace.rest && ui_term_has_room(a->term);
	const int64_t wait = more ? 0 : ui_term_wait(a->term, a->pace.keyed);
	a->pace.held = wait > 0;
	if (a->pace.held)
		frame_after(a, ui_app_now(), wait);
	return !a->pace.held;
}

void ui_pace_frame(struct app *a)
{
	if (!is_taken(a))
		return;
	const bool shown = make_frame(a);
	if (!a->pace.work->after(a))
		return;
	event_add(a->pace.data, NULL);
	if (a->unheard || (a->pace.data_waits && shown))
		ui_pace_data(a);
	if (a->pace.rest) /* should the terminal not answer any more */
		frame_after(a, a->pace.drawn_ns, SLOW_FRAME_MS);
	follow_loaders(a);
}

static void on_frame(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	ui_pace_frame(arg);
}

bool ui_pace_watch_feed(struct app *a)
{
	if (a->pace.data)
		event_free(a->pace.data);
	a->pace.data = event_new(a->base, ui_feed_fd(a->feed), EV_READ | EV_PERSIST, on_data, a);
	return a->pace.data != NULL;
}

int64_t ui_app_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void ui_pace_refresh(struct app *a, int64_t ms)
{
	const struct timeval t = ui_app_timeval(ms);
	event_add(a->pace.refresh, &t);
}

bool ui_pace_refreshes(const struct app *a)
{
	return event_pending(a->pace.refresh, EV_TIMEOUT, NULL);
}

bool ui_pace_open(struct app *a, const struct ui_pace_work *work)
{
	struct ui_pace *p = &a->pace;
	p->work = work;
	const int out = ui_term_out_fd(a->term);
	make_haste(a);
	p->data_waits = true;
	p->answers = event_new(
		a->base, ui_query_worker_fd(a->worker), EV_READ | EV_PERSIST, on_answers, a);
	p->frame = event_new(a->base, -1, 0, on_frame, a);
	p->refresh = event_new(a->base, -1, 0, on_refresh, a);
	p->drained = out >= 0 ? event_new(a->base, out, EV_WRITE, on_drained, a) : NULL;
	return ui_pace_watch_feed(a) && p->answers && p->frame && p->refresh &&
	       (out < 0 || p->drained) && (!a->worker || event_add(p->answers, NULL) == 0);
}

void ui_pace_close(struct app *a)
{
	struct event *all[] = { a->pace.data, a->pace.answers, a->pace.frame, a->pace.refresh,
		a->pace.drained };
	for (size_t i = 0; i < PV_COUNT_OF(all); i++)
		if (all[i])
			event_free(all[i]);
}
