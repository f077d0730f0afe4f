/* SPDX-License-Identifier: MIT */
/* The program that writes the log: its end, its output, and the cost of recording. */
#include "tui/app/app_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define ASK_NS INT64_C(1000000000) /* between two checks of what recording costs */
/*
 * ms of silence after which a started program is suspicious, and how often the reason is looked
 * for.
 */
enum { QUIET_MS = 4000, POLLS = 15 };

/* The exit code of a program started from here is passed on. */
int ui_app_code(const struct app *a)
{
	struct ui_child_status g = { 0 };
	if (a->child)
		ui_child_status(a->child, &g);
	return g.ended ? g.exit_code : a->status.exit_code;
}

void ui_app_end_program(struct app *a)
{
	struct ui_child_status g;
	ui_child_end(a->child);
	ui_child_status(a->child, &g);
	a->exit_code = g.ended ? g.exit_code : 128 + SIGTERM;
}

void ui_app_record_on(struct app *a)
{
	if (a->child)
		ui_child_wait(a->child);
	ui_feed_load(a->feed, NULL);
	ui_feed_status(a->feed, &a->status);
	a->exit_code = ui_app_code(a);
}

void ui_app_make_cheaper(struct app *a)
{
	struct pv_error err = { 0 };
	char what[160];
	const struct ui_cost *c = &a->screen.shared.cost;
	enum ui_cost_kind kind = c->known ? ui_cost_dearest_now(c) : UI_COST_KINDS;
	a->screen.shared.cost.known = false; /* the next look shows the change */
	a->stats = (struct ui_stats){ 0 };
	if (ui_feed_turn_off(a->feed, kind, what, sizeof what, &err))
		ui_screen_say(&a->screen, false, "%s", what);
	else
		ui_screen_say(&a->screen, true, "nothing is turned off: %s", err.what);
}

void ui_app_make_whole(struct app *a)
{
	struct pv_error err = { 0 };
	char what[160];
	a->screen.shared.cost.known = false;
	a->stats = (struct ui_stats){ 0 };
	if (ui_feed_turn_on(a->feed, what, sizeof what, &err))
		ui_screen_say(&a->screen, false, "%s", what);
	else
		ui_screen_say(&a->screen, true, "nothing is turned on: %s", err.what);
}

static void say_end(struct app *a, int code)
{
	if (code > 128)
		ui_screen_say(&a->screen, true, "the program was ended by signal %d", code - 128);
	else
		ui_screen_say(&a->screen, code != 0,
			"the program has ended with code %d; O shows what it printed", code);
}

/* Another process of the tree may use more by now; the process on screen stays. */
static void look_at_tree(struct app *a)
{
	struct ui_child_heaviest most;
	ui_child_heaviest(a->child, &most);
	a->screen.shared.others = most.others;
	if (!most.pid || most.pid == (long)a->screen.shared.all.pid || most.pid == a->heavier ||
		!a->screen.shared.all.pid || a->chosen)
		return;
	a->heavier = most.pid;
	ui_screen_say(&a->screen, false,
		"%s, process %ld, uses most now: P lists it, and Enter shows it", most.name,
		most.pid);
}

/* The program started from here has printed something, or ended. */
static void on_words(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	struct ui_child_status before, now;
	ui_child_status(a->child, &before);
	ui_child_turn(a->child);
	ui_child_status(a->child, &now);
	a->screen.program_runs = now.runs;
	look_at_tree(a);
	if (now.ended && !before.ended)
		say_end(a, now.exit_code);
	if (now.ended)
		event_del(a->words);
	/* The user wants to leave, and there is nothing to choose any more. */
	if (now.ended && a->screen.prompt.open && a->screen.prompt.kind == UI_PROMPT_PROGRAM)
		ui_app_leave(a, ui_app_code(a));
	ui_pace_data(a);
}

/*
 * Mono starts a program without its profiler in silence; the reason why nothing comes is said here.
 */
static void on_quiet(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	char why[220];
	struct timeval again = ui_app_timeval(QUIET_MS);
	if (!a->screen.program_runs)
		return;
	if (a->status.bytes_read == 0) {
		ui_child_silence(a->child, why, sizeof why);
		ui_screen_say(&a->screen, true, "no log yet: %s", why);
	} else if (!a->options->folder) {
		ui_child_others(a->child, a->screen.shared.all.pid, why, sizeof why);
		if (*why && strcmp(why, a->others) != 0)
			ui_screen_say(&a->screen, false, "not followed: %s", why);
		memcpy(a->others, why, sizeof why);
	}
	if (++a->polls < POLLS)
		event_add(a->quiet, &again);
	ui_pace_anew(a);
}

bool ui_app_watch_child(struct app *a)
{
	struct timeval t = ui_app_timeval(QUIET_MS);
	struct ui_child_status now;
	if (!a->child)
		return true;
	ui_child_status(a->child, &now);
	a->screen.program_runs = now.runs;
	look_at_tree(a);
	if (now.ended) { /* before the screen opened */
		say_end(a, now.exit_code);
		return true;
	}
	a->words = event_new(a->base, ui_child_fd(a->child), EV_READ | EV_PERSIST, on_words, a);
	a->quiet = event_new(a->base, -1, 0, on_quiet, a);
	return a->words && a->quiet && event_add(a->words, NULL) == 0 &&
	       event_add(a->quiet, &t) == 0;
}

/* ---- cost of recording */

static void run_stats(struct ui_job *j)
{
	struct order *o = (struct order *)j;
	o->heard = ui_feed_stats(o->feed, &o->stats);
}

static void take_stats(struct app *a)
{
	struct order *o = (struct order *)ui_slot_take(&a->costs);
	struct ui_cost *cost = &a->screen.shared.cost;
	if (o && o->heard && a->stats.ms && a->stats.ms < o->stats.ms)
		ui_cost_between(&a->stats, &o->stats, cost);
	if (o && o->heard)
		a->stats = o->stats;
	else if (o)
		cost->known = false;
	free(o);
}

/* Only while the cost is on screen and events come: an idle log costs nothing. */
void ui_app_watch_cost(struct app *a)
{
	const struct ui_screen *s = &a->screen;
	bool live = a->status.state == UI_FEED_LIVE;
	take_stats(a);
	if (!live)
		a->screen.shared.cost.known = false;
	if (!live || s->current != 0 || s->shared.readonly || !a->model ||
		ui_slot_pending(&a->costs) || ui_app_now() - a->stats_ns < ASK_NS)
		return;
	a->stats_ns = ui_app_now();
	ui_app_order(a, &a->costs, run_stats);
}
