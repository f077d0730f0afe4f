/* SPDX-License-Identifier: MIT */
/* The event loop of the viewer (libevent): keys, signals, frames and jobs on the model. */
#include "tui/app/app.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/system/thread.h"
#include "common/base/utf8.h"
#include "tui/app/app_parts.h"
#include "tui/app/conf.h"
#include "tui/app/folder.h"
#include "tui/screen/settings_keys.h"
#include "tui/screen/strip.h"
#include "tui/screen/typing.h"

enum { REFRESH_MS = 500 };
/* ns. A load longer than this: Ctrl-C ends the load first, the program only when pressed again. */
#define LONG_LOAD_NS INT64_C(1000000000)

static const int signals[UI_APP_SIGNALS] = { SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP };

static void free_event(struct event *e)
{
	if (e)
		event_free(e);
}

/* False: questions about the log before are still open, or memory ran out. */
static bool take_next(struct app *a)
{
	if (!ui_app_take_next(a))
		return false;
	a->begun_ns = ui_app_now();
	if (!a->base)
		return true;
	ui_pace_anew(a);
	return ui_pace_watch_feed(a);
}

/*
 * The feed has another model: nothing of the old one may be kept. There is no model until the last
 * question about the old one has ended.
 */
static void take_status(struct app *a, bool held)
{
	if (a->next && !take_next(a))
		return;
	if (held && a->model && a->status.models == a->models)
		return;
	bool wait = !a->term || !a->model; /* else the status of the last frame will do */
	a->unheard = !wait && !ui_feed_status_now(a->feed, &a->status);
	if (wait)
		ui_feed_status(a->feed, &a->status);
	ui_query_worker_spare(a->worker, ui_pace_spare(a));
	if (a->model && a->status.models == a->models)
		return;
	if (a->model)
		ui_screen_forget(&a->screen);
	a->model = NULL;
	if (!ui_query_worker_idle(a->worker))
		return;
	ui_loaders_drop(a->loader, &a->screen);
	a->model = ui_feed_adopt(a->feed);
	a->models = a->status.models;
}

void ui_app_leave(struct app *a, int code)
{
	a->exit_code = code;
	if (a->base)
		event_base_loopbreak(a->base);
}

static void shoot(struct app *a)
{
	struct pv_error err = { 0 };
	if (ui_feed_take_shot(a->feed, &err))
		ui_screen_say(&a->screen, false,
			"heap shot asked for; it comes with the next collection");
	else
		ui_screen_say(&a->screen, true, "no heap shot: %s", err.what);
}

/* --- jobs on the model --- */

static void run_decay(struct ui_job *j)
{
	struct order *o = (struct order *)j;
	o->more = ui_feed_decay(o->feed);
}

static void run_zero(struct ui_job *j)
{
	ui_feed_zero_window(((struct order *)j)->feed);
}

static void drop_order(struct ui_job *j)
{
	free(j);
}

void ui_app_order(struct app *a, struct ui_request *slot, void (*run)(struct ui_job *))
{
	struct order *o = calloc(1, sizeof *o);
	if (!o)
		return;
	o->job = (struct ui_job){ .run = run, .drop = drop_order, .urgent = true };
	o->feed = a->feed;
	ui_query_worker_post(a->worker, slot, &o->job);
}

/* Carries out commands that the screen cannot. False: the user wants to leave. */
static bool do_reply(struct app *a, unsigned reply)
{
	if (reply & UI_LEAVE) {
		ui_app_leave(a, ui_app_code(a));
		if (reply & UI_END_PROGRAM && a->child)
			ui_app_end_program(a);
		return false;
	}
	if (reply & UI_CHEAPER)
		ui_app_make_cheaper(a);
	if (reply & UI_WHOLE)
		ui_app_make_whole(a);
	if (reply & UI_SHOOT)
		shoot(a);
	if (reply & UI_STOP)
		ui_feed_stop(a->feed);
	if (reply & UI_ZERO)
		ui_app_order(a, &a->zero, run_zero);
	if (a->screen.shared.process_wanted)
		ui_app_choose(a);
	if (a->screen.source.edit[0])
		ui_app_edit(a);
	if (reply & UI_REPAINT && a->term)
		ui_term_repaint(a->term);
	return true;
}

/* Without a terminal no one waits for a frame: the loaders finish first, so figures are exact. */
static void turn_range(struct app *a, int64_t now)
{
	ui_screen_finish_frame(&a->screen); /* asks the loaders */
	if (a->term)
		a->pace.turns =
			ui_loaders_turn(a->loader, &a->screen, a->worker, &a->pace.turns_pages);
	else
		ui_loaders_wait(a->loader, &a->screen);
	ui_screen_update(&a->screen, a->model, &a->status, now);
}

static void picture(struct app *a, bool held)
{
	const int64_t now = ui_app_now();
	if (a->base)
		ui_feed_turn(a->feed);
	take_status(a, held);
	a->screen.shared.held = held;
	ui_screen_update(&a->screen, a->model, &a->status, now);
	if (a->model)
		turn_range(a, now);
	ui_app_save_settings(a);
	ui_screen_draw(&a->screen);
}

void ui_app_draw(struct app *a)
{
	picture(a, false);
	if (a->term)
		ui_term_draw(a->term, &a->screen.canvas);
}

/* --- keys --- */

/* Keys pressed before their rows were there; false: a key leaves. */
static bool catch_up(struct app *a)
{
	while (a->aheads && !ui_screen_awaits(&a->screen, a->ahead[0])) {
		int key = a->ahead[0];
		memmove(a->ahead, a->ahead + 1, --a->aheads * sizeof a->ahead[0]);
		if (!do_reply(a, ui_screen_key(&a->screen, key)))
			return false;
		ui_pace_key(a);
	}
	return true;
}

/*
 * Every key acts at once, except keys that move in rows still being asked for. Another key
 * overtakes the waiting ones, and they are forgotten.
 */
static bool take_key(struct app *a, int key)
{
	/* Keys after the Enter of a prompt are for the rows that the prompt's command shows. */
	bool follows = a->aheads && a->screen.prompt.open && key != UI_KEY_ESC;
	if (follows || ui_screen_awaits(&a->screen, key)) {
		if (a->aheads < UI_APP_AHEAD)
			a->ahead[a->aheads++] = key;
		return true;
	}
	a->aheads = 0;
	return do_reply(a, ui_screen_key(&a->screen, key));
}

/* --- events --- */

static void on_key(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	struct ui_mouse m;
	int key;
	bool any = false;
	/* The picture may be half a second old, too old to say whether leaving loses anything. */
	struct ui_feed_status now = a->status;
	if (ui_feed_status_now(a->feed, &now))
		a->screen.shared.feed.stock_pipe = now.stock_pipe;
	while ((key = ui_term_key(a->term, &m)) != UI_KEY_NONE) {
		any = true;
		if (ui_term_pasted(a->term) && !ui_screen_pastes(&a->screen, key))
			continue;
		if (!(key == UI_KEY_MOUSE ? do_reply(a, ui_screen_mouse(&a->screen, m))
					  : take_key(a, key)))
			return;
	}
	ui_pace_heard(a);
	if (any)
		ui_pace_key(a);
	else if (ui_term_gone(a->term))
		ui_app_leave(a, 128 + SIGHUP);
}

/*
 * When data stops, rates must still come down to nothing and a rolling window must empty; then
 * all is quiet.
 */
static void watch_rates(struct app *a)
{
	if (a->status.state != UI_FEED_LIVE)
		return;
	if (a->status.events_per_s || a->status.bytes_per_s)
		ui_pace_refresh(a, REFRESH_MS);
	if (!a->screen.shared.window_ns)
		return;
	struct order *o = (struct order *)ui_slot_take(&a->decay);
	if (!o && !ui_slot_pending(&a->decay) && !ui_pace_refreshes(a)) {
		ui_app_order(a, &a->decay, run_decay);
		o = (struct order *)ui_slot_take(&a->decay);
	}
	if (o && o->more)
		ui_pace_refresh(a, REFRESH_MS);
	free(o);
}

/* Asks for heap shots that are due, and wakes for the next one. */
static void keep_schedule(struct app *a)
{
	struct ui_schedule *w = &a->screen.shared.schedule;
	int64_t left;
	if (!ui_schedule_on(w) || a->status.state != UI_FEED_LIVE)
		return;
	if (ui_schedule_due(w, ui_app_now(), ui_screen_collections(&a->screen), &left))
		shoot(a);
	if (left > 0 && !ui_pace_refreshes(a))
		ui_pace_refresh(a, left / 1000000 + 1);
}

/* Whether rows wait to change places, or newer figures to be shown. */
static bool holds_something(const struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	bool on = s->renewed.held;
	for (int i = 0; i < p->def->parts; i++)
		on = on || p->list[i].hold.on;
	for (int i = 0; i < UI_OVERVIEW_LISTS && p->def->parts == 0; i++)
		on = on || s->overview.list[i].hold.on;
	return on;
}

static bool after_frame(struct app *a)
{
	if (ui_app_has_no_log(a)) {
		ui_app_leave(a, a->status.exit_code);
		return false;
	}
	if (!catch_up(a))
		return false;
	watch_rates(a);
	if (holds_something(&a->screen) && !ui_pace_refreshes(a))
		ui_pace_refresh(a, REFRESH_MS);
	ui_app_watch_cost(a);
	ui_app_take_merged(a);
	keep_schedule(a);
	return true;
}

static const struct ui_pace_work frame_work = { picture, after_frame };

static void resize(struct app *a)
{
	int w, h;
	ui_term_size(a->term, &w, &h);
	ui_screen_resize(&a->screen, w, h);
	if (a->child)
		ui_child_resize(a->child, w, h);
	ui_term_repaint(a->term);
	ui_pace_anew(a);
}

static struct event *signal_event(struct app *a, int sig)
{
	for (size_t i = 0; i < PV_COUNT_OF(signals); i++)
		if (signals[i] == sig)
			return a->signal[i];
	return NULL;
}

/* The shell must see the usual stop, so the usual action is taken, here. */
static void stop_for_the_shell(struct app *a)
{
	struct event *stop = signal_event(a, SIGTSTP);
	ui_term_suspend(a->term);
	event_del(stop);
	raise(SIGTSTP);
	event_add(stop, NULL);
	ui_term_resume(a->term);
	resize(a);
}

static void on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)what;
	struct app *a = arg;
	switch (sig) {
	case SIGWINCH:
		resize(a);
		break;
	case SIGTSTP:
		stop_for_the_shell(a);
		break;
	case SIGCONT:
		ui_term_resume(a->term);
		resize(a);
		break;
	case SIGINT:
		if (a->screen.prompt.open) {
			do_reply(a, ui_screen_key(&a->screen, UI_KEY_ESC));
			ui_pace_key(a);
			break;
		}
		if (a->status.state == UI_FEED_LOADING &&
			ui_app_now() - a->begun_ns > LONG_LOAD_NS) {
			do_reply(a, ui_screen_command(&a->screen, UI_CMD_STOP));
			ui_pace_key(a);
			break;
		}
		if (a->screen.program_runs) {
			do_reply(a, ui_screen_command(&a->screen, UI_CMD_QUIT_NOW));
			ui_pace_key(a);
			break;
		}
		ui_app_leave(a, 128 + SIGINT);
		break;
	default:
		ui_app_leave(a, 128 + (int)sig);
		break;
	}
}

/* --- life --- */

static void close_loop(struct app *a)
{
	free_event(a->keys);
	ui_pace_close(a);
	free_event(a->words);
	free_event(a->quiet);
	free_event(a->look);
	for (size_t i = 0; i < PV_COUNT_OF(signals); i++)
		free_event(a->signal[i]);
	if (a->base)
		event_base_free(a->base);
	a->base = NULL;
}

/*
 * Keys may come from a terminal or plain file, and epoll may refuse both: any method will do that
 * can watch every kind of descriptor.
 */
static struct event_base *make_base(void)
{
	struct event_config *config = event_config_new();
	if (!config)
		return NULL;
	event_config_require_features(config, EV_FEATURE_FDS);
	struct event_base *base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
}

static bool open_loop(struct app *a, struct pv_error *reterr)
{
	a->base = make_base();
	if (!a->base)
		return pv_fail(reterr, PV_ENOMEM, 0, "cannot start the event loop");
	a->keys = event_new(a->base, ui_term_fd(a->term), EV_READ | EV_PERSIST, on_key, a);
	bool ok = ui_app_watch_child(a) && ui_pace_open(a, &frame_work) && ui_app_watch_folder(a) &&
		  a->keys && event_add(a->keys, NULL) == 0;
	if (ok)
		event_active(a->keys, EV_READ, 0); /* keys typed during the open */
	for (size_t i = 0; ok && i < PV_COUNT_OF(signals); i++) {
		a->signal[i] = event_new(a->base, signals[i], EV_SIGNAL | EV_PERSIST, on_signal, a);
		ok = a->signal[i] && event_add(a->signal[i], NULL) == 0;
	}
	return ok || pv_fail(reterr, PV_ENOMEM, 0, "cannot watch keys and signals");
}

bool ui_app_open_screen(struct app *a, const struct ui_options *o, struct pv_error *reterr)
{
	a->groups = pv_groups_cache_create();
	const char *path = o->folder ? o->folder->path : o->path;
	struct ui_screen_options so = { .source = o->n_words ? NULL : path,
		.output = a->child ? ui_child_output(a->child) : NULL,
		.readonly = o->readonly,
		.worker = a->worker,
		.groups = a->groups,
		.only_ascii = !ui_term_unicode(),
		.no_braille = !o->dump && ui_term_is_console() };
	if (!ui_screen_init(&a->screen, &so))
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	ui_app_show_folder(a);
	a->screen.shared.title = o->n_words ? o->words[0] : o->program;
	a->screen.shared.my_code = o->report.my_code;
	a->screen.shared.waits = o->report.waits;
	a->screen.shared.against = o->against;
	ui_app_take_settings(a, o);
	ui_screen_draw_with(&a->screen, o->glyphs_given ? o->glyphs : a->settings.glyphs);
	ui_loaders_feed(a->loader, a->feed);
	const struct ui_range r = {
		.on = o->ranged, .from_ns = o->from_ns, .to_ns = o->to_ns, .relative = o->relative
	};
	if (o->ranged)
		ui_strip_set(&a->screen, &r);
	return true;
}

/* Presses the keys given on the command line. False: a key left the program, or does not exist. */
bool ui_app_press(struct app *a, const char *keys, struct pv_error *reterr)
{
	while (keys && *keys) {
		int key;
		unsigned times;
		size_t len = ui_key_parse(keys, &key, &times);
		if (len == 0)
			return pv_fail(reterr, PV_EUSAGE, 0, "--keys: there is no key %s",
				PV_FIT(keys, 20));
		for (keys += len; times > 0; times--) {
			if (!take_key(a, key))
				return true;
			ui_app_draw(a);
		}
	}
	return true;
}

bool ui_app_run(struct ui_feed **f, const struct ui_options *o, struct ui_child *child,
	int *ret_exit, struct pv_error *reterr)
{
	struct app a = { .feed = *f,
		.place = f,
		.options = o,
		.child = child,
		.worker = ui_query_worker_create(),
		.begun_ns = ui_app_now() };
	const struct ui_term_options to = ui_app_term_options(o);
	pv_thread_answer_soon();
	if (o->record)
		signal(SIGHUP, SIG_IGN); /* for the loop to handle; recording goes on */
	if (!ui_app_open_screen(&a, o, reterr)) {
		ui_query_worker_destroy(a.worker);
		pv_groups_cache_destroy(a.groups);
		return false;
	}
	a.term = ui_term_open(&to, reterr);
	bool ok = a.term && open_loop(&a, reterr);
	if (ok) {
		int w, h;
		a.screen.canvas.hues = ui_term_hues(a.term);
		ui_term_size(a.term, &w, &h);
		ok = ui_screen_resize(&a.screen, w, h) ||
		     pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	}
	if (ok) {
		ui_pace_frame(&a);
		ok = ui_app_press(&a, o->keys, reterr);
	}
	if (ok && !event_base_got_break(a.base))
		event_base_dispatch(a.base);
	close_loop(&a);
	ui_term_close(a.term);
	ui_query_worker_stop(a.worker); /* questions may read the screen's sets */
	ui_screen_finish(&a.screen);
	ui_app_cancel_jobs(&a);
	ui_query_worker_destroy(a.worker);
	pv_groups_cache_destroy(a.groups);
	ui_loaders_drop(a.loader, NULL);
	ui_app_close_folder(&a);
	if (o->record && a.exit_code == 128 + SIGHUP)
		ui_app_record_on(&a);
	*ret_exit = a.exit_code;
	return ok;
}
