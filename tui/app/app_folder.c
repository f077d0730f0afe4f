/* SPDX-License-Identifier: MIT */
/*
 * A recording that is a folder: the list of processes, and the change from one process's log to
 * another's.
 */
#include <stdlib.h>

#include "tui/app/app_parts.h"
#include "tui/app/feed_of.h"
#include "tui/app/folder.h"
#include "tui/screen/process_choice.h"

enum { LOOK_MS = 250 };

void ui_app_show_folder(struct app *a)
{
	struct ui_folder *f = a->options->folder;
	if (f)
		ui_process_list(&a->screen, f->list, f->process);
}

/* Destroys replaced lists, once no question asked before can read them. */
static void sweep(struct app *a, struct ui_query_worker *worker)
{
	size_t left = 0;
	for (size_t i = 0; i < a->old_lists.n; i++) {
		struct old_list *old = &a->old_lists.v[i];
		if (ui_query_worker_past(worker, old->number))
			pv_processes_destroy(old->list);
		else
			a->old_lists.v[left++] = *old;
	}
	a->old_lists.n = left;
}

static bool renew(struct app *a)
{
	struct ui_folder *f = a->options->folder;
	struct pv_processes *old;
	sweep(a, a->worker);
	if (!f || !pv_reserve(&a->old_lists, 1) || !ui_folder_renew(f, &old))
		return false;
	a->old_lists.v[a->old_lists.n++] =
		(struct old_list){ old, ui_query_worker_posted(a->worker) };
	ui_app_show_folder(a);
	return true;
}

/* Now and then, as the folder's list is written anew while processes come and go. */
static void on_look(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	struct app *a = arg;
	const struct timeval t = ui_app_timeval(LOOK_MS);
	if (renew(a))
		ui_pace_anew(a);
	event_add(a->look, &t);
}

bool ui_app_watch_folder(struct app *a)
{
	struct timeval t = ui_app_timeval(LOOK_MS);
	if (!a->options->folder || !a->options->follow)
		return true;
	a->look = event_new(a->base, -1, 0, on_look, a);
	return a->look && event_add(a->look, &t) == 0;
}

/* ---- all of them together: their logs are read on the worker's thread */

struct merging {
	struct ui_job job;
	const struct ui_options *options;
	const char *folder;
	const struct pv_processes *list; /* stays while the worker is busy */
	uint64_t id;
	struct ui_merged made;
	bool ok;
	struct pv_error err;
};

static void run_merging(struct ui_job *j)
{
	struct merging *g = (struct merging *)j;
	g->ok = ui_merged_make(
		&g->made, g->options, g->folder, g->list, g->id == PV_PROCESSES_EACH, &g->err);
}

static void drop_merging(struct ui_job *j)
{
	struct merging *g = (struct merging *)j;
	ui_merged_close(&g->made);
	free(g);
}

static void begin_merging(struct app *a, uint64_t id)
{
	const struct ui_folder *f = a->options->folder;
	struct merging *g = calloc(1, sizeof *g);
	if (!g || ui_slot_pending(&a->merging)) {
		free(g);
		return;
	}
	g->job = (struct ui_job){ .run = run_merging, .drop = drop_merging };
	g->options = a->options;
	g->folder = f->path;
	g->list = f->list;
	g->id = id;
	ui_screen_say(&a->screen, false, "reading the logs of %zu processes",
		pv_processes_recorded(f->list));
	ui_query_worker_post(a->worker, &a->merging, &g->job);
}

void ui_app_take_merged(struct app *a)
{
	struct merging *g = (struct merging *)ui_slot_take(&a->merging);
	struct ui_options o = *a->options;
	char *path = NULL;
	if (!g)
		return;
	uint64_t before = o.folder->process;
	bool ok = g->ok && !a->next &&
		  ui_folder_choose_all(a->options->folder, g->id, &g->made, &path, &g->err);
	if (ok) {
		g->made = (struct ui_merged){ .fd = -1 }; /* the folder's now */
		o.path = a->options->folder->log;
		o.follow = false;
		o.no_index = true;
		a->next = ui_feed_of(&o, a->term != NULL, &g->err);
		if (a->next)
			a->old_path = path;
		else
			ui_folder_stay(a->options->folder, before, path);
		if (a->base)
			ui_pace_anew(a);
	}
	if (*g->err.what)
		ui_screen_say(&a->screen, true, "%s", g->err.what);
	drop_merging(&g->job);
}

void ui_app_choose(struct app *a)
{
	struct ui_folder *f = a->options->folder;
	struct pv_error err = { 0 };
	struct ui_options o = *a->options;
	uint64_t id = a->screen.shared.process_wanted, before = f ? f->process : 0;
	char *path;
	a->screen.shared.process_wanted = 0;
	if (!f || a->next)
		return;
	if (id == PV_PROCESSES_TOGETHER || id == PV_PROCESSES_EACH) {
		begin_merging(a, id);
		ui_app_take_merged(a); /* without a worker the job has run */
		return;
	}
	if (!ui_folder_choose(f, id, &path, &err)) {
		ui_screen_say(&a->screen, true, "%s", err.what);
		return;
	}
	o.path = f->log;
	a->next = ui_feed_of(&o, a->term != NULL, &err);
	if (a->next) {
		const struct pv_process *p = pv_processes_by_id(f->list, id);
		if (f->opened && p)
			f->opened(f->ctx, a->next, p->pid);
		a->old_path = path;
		return;
	}
	ui_screen_say(
		&a->screen, true, "process %u: %s", pv_processes_by_id(f->list, id)->pid, err.what);
	ui_folder_stay(f, before, path);
}

void ui_app_cancel_jobs(struct app *a)
{
	ui_slot_cancel(&a->decay);
	ui_slot_cancel(&a->zero);
	ui_slot_cancel(&a->costs);
	ui_slot_cancel(&a->merging);
}

/* Gives up answers about the old log; the first look at the new log comes with the next frame. */
static void swap_feeds(struct app *a)
{
	a->stats = (struct ui_stats){ 0 };
	a->stats_ns = 0;
	a->aheads = 0;
	ui_feed_close(*a->place);
	free(a->old_path);
	a->old_path = NULL;
	*a->place = a->feed = a->next;
	a->chosen = true;
	a->next = NULL;
	a->models = 0;
	a->complained = NULL;
	ui_loaders_feed(a->loader, a->feed);
}

bool ui_app_take_next(struct app *a)
{
	if (a->model)
		ui_screen_forget(&a->screen);
	a->model = NULL;
	ui_app_cancel_jobs(a); /* the jobs use the feed, about to close */
	if (!ui_query_worker_idle(a->worker))
		return false;
	ui_loaders_drop(a->loader, &a->screen);
	swap_feeds(a);
	if (!a->base)
		ui_feed_load(a->feed, NULL);
	ui_process_begin(&a->screen, a->options->folder->process);
	return true;
}

bool ui_app_has_no_log(struct app *a)
{
	if (!a->status.no_log || a->child)
		return false;
	if (!a->options->folder)
		return true;
	if (a->complained != a->feed) {
		ui_screen_say(&a->screen, true, "%s", a->status.error);
		a->complained = a->feed;
		a->unheard = true; /* another frame is wanted */
	}
	return false;
}

void ui_app_close_folder(struct app *a)
{
	sweep(a, NULL);
	pv_array_finish(&a->old_lists);
	ui_feed_close(a->next);
	free(a->old_path);
}
