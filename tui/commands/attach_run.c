/* SPDX-License-Identifier: MIT */
/*
 * `profview attach` of several programs: joins each, gathers their logs in a folder, shows or
 * waits.
 */
#include "tui/commands/attach_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/launch/gather.h"
#include "common/target/launch/launch_folder.h"
#include "common/target/control/probe_socket.h"
#include "tui/app/app.h"
#include "tui/app/child.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/app/feed_of.h"
#include "tui/feed/feed_tell.h"
#include "tui/app/folder.h"
#include "tui/app/remote.h"

_Static_assert((int)UI_ATTACH_MOST <= (int)PV_GATHER_MOST, "all that are named have room");

struct joined {
	size_t n;
	struct pv_gather_input input[UI_ATTACH_MOST];
	struct ui_joined *of[UI_ATTACH_MOST]; /* NULL: not joined */
	struct pv_gather gather;
	char path[1024];
	int lock; /* on a temporary folder, until we end */
	bool temporary;
};

/* ---- the processes to join */

static bool add_pid(long to[UI_ATTACH_MOST], size_t *n, long pid)
{
	for (size_t i = 0; i < *n; i++)
		if (to[i] == pid)
			return true;
	if (*n == UI_ATTACH_MOST)
		return false;
	to[(*n)++] = pid;
	return true;
}

/* A name that several processes have is refused: which ones are meant is said by their numbers. */
static bool add_named(long to[UI_ATTACH_MOST], size_t *n, const char *name, struct pv_error *reterr)
{
	long found;
	return ui_pid_by_name(name, &found, reterr) &&
	       (add_pid(to, n, found) ||
		       pv_fail(reterr, PV_EUSAGE, 0, "%d processes at most", UI_ATTACH_MOST));
}

/* A process that is not seen here has no number, and a folder lists by number. */
static bool add_at(long to[UI_ATTACH_MOST], size_t *n, const struct ui_options *o, const char *path,
	struct pv_error *reterr)
{
	struct pv_foreign of;
	if (!pv_foreign_at(&of, path, reterr))
		return false;
	if (!of.pid && (o->n_joins > 1 || ui_child_is_tree(o)))
		return pv_fail(reterr, PV_EIO, 0,
			"the process at %s is not seen here: it is joined by itself, and into a file",
			PV_FIT(path, 80));
	return add_pid(to, n, of.pid);
}

size_t ui_attach_pids(const struct ui_options *o, long to[UI_ATTACH_MOST], struct pv_error *reterr)
{
	size_t n = 0;
	for (int i = 0; i < o->n_joins; i++) {
		const char *text = o->join[i];
		bool number = *text >= '0' && *text <= '9';
		if (strchr(text, '/') ? !add_at(to, &n, o, text, reterr)
			: number      ? !add_pid(to, &n, strtol(text, NULL, 10))
				      : !add_named(to, &n, text, reterr))
			return 0;
	}
	return n;
}

bool ui_attach_wants_folder(const struct ui_options *o, size_t pids)
{
	return pids > 1 || ui_child_is_tree(o);
}

/* ---- joining */

/*
 * Options for a process of several. What to record is for processes in which a probe or stream is
 * begun here; a process with a probe is joined as is, except .NET if its stream was asked for.
 */
static struct ui_options options_of(const struct ui_options *given, long pid)
{
	struct ui_options o = *given;
	char socket[PV_PROBE_PATH];
	o.pid = pid;
	o.record = NULL;
	bool stream = (o.via && strcmp(o.via, "events") == 0) || o.meter.n;
	if (o.via && strcmp(o.via, "outside") == 0)
		return o;
	if (!pv_probe_find((pid_t)pid, socket, NULL) || (stream && pv_dotnet_is((pid_t)pid)))
		return o;
	o.via = o.alloc = o.sample = o.heapshot = o.probe = NULL;
	o.calls = false;
	o.meter.n = 0;
	return o;
}

static void join_all(struct joined *a, const struct ui_options *given, const long *pid)
{
	for (size_t i = 0; i < a->n; i++) {
		struct ui_options o = options_of(given, pid[i]);
		struct pv_error err = { 0 };
		char why[UI_CHILD_WHY] = "";
		a->input[i].pid = (pid_t)pid[i];
		a->input[i].fd = -1;
		a->of[i] = ui_child_join(&o, why, &err);
		if (!a->of[i]) {
			pv_utf8_fit(a->input[i].why, sizeof a->input[i].why, *why ? why : err.what,
				SIZE_MAX);
			continue;
		}
		a->input[i].path = ui_joined_path(a->of[i]);
		a->input[i].fd = ui_joined_fd(a->of[i]);
		a->input[i].stream = ui_joined_streams(a->of[i]);
		a->input[i].trails = ui_joined_is_ours(a->of[i]);
		if (*ui_joined_note(a->of[i]))
			ui_complain(NULL, "process %ld: %s", pid[i], ui_joined_note(a->of[i]));
	}
}

static void give_up_joined(struct joined *a, size_t at)
{
	if (a->of[at])
		ui_joined_leave(a->of[at]);
	a->of[at] = NULL;
	a->input[at].path = NULL;
}

/* Their pipes are read now: the probes and streams begin. */
static size_t go_all(struct joined *a)
{
	size_t going = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct pv_error err = { 0 };
		if (a->of[i] && a->input[i].path && ui_joined_go(a->of[i], &err)) {
			going++;
			continue;
		}
		if (a->of[i] && a->input[i].path) {
			snprintf(a->input[i].why, sizeof a->input[i].why, "%s", err.what);
			pv_gather_refuse(&a->gather, i, err.what);
		}
		give_up_joined(a, i);
		ui_complain(NULL, "process %ld is not joined: %s", (long)a->input[i].pid,
			a->input[i].why);
	}
	return going;
}

static bool make_folder(struct joined *a, const struct ui_options *o, struct pv_error *reterr)
{
	a->temporary = !o->record;
	if (a->temporary)
		return pv_launch_folder_temporary(a->path, sizeof a->path, NULL, &a->lock, reterr);
	snprintf(a->path, sizeof a->path, "%s", o->record);
	return pv_launch_folder(a->path, reterr);
}

/* Ends the streams and reads what is left of them, then leaves each process as before. */
static void leave_all(struct joined *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->of[i] && ui_joined_is_ours(a->of[i]))
			ui_joined_end(a->of[i]);
	pv_gather_finish(&a->gather);
	for (size_t i = 0; i < a->n; i++)
		give_up_joined(a, i);
}

/* ---- the folder's screen, or a frame */

static void on_opened(void *ctx, struct ui_feed *f, uint32_t pid)
{
	struct joined *a = ctx;
	for (size_t i = 0; i < a->n; i++)
		if (a->of[i] && (uint32_t)a->input[i].pid == pid && ui_joined_streams(a->of[i]))
			ui_feed_shoot_by(f, ui_joined_shot, a->of[i]);
}

static int show_joined(struct joined *a, const struct ui_options *given)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	struct ui_folder folder;
	char word[] = "attach", *const words[] = { word, NULL };
	int code = EXIT_OWN;
	if (!ui_folder_open(&folder, a->path, NULL, &err))
		return ui_exit_complain(a->path, &err);
	folder.opened = on_opened;
	folder.ctx = a;
	o.path = folder.log;
	o.folder = &folder;
	o.record = NULL;
	o.follow = true;
	o.words = words;
	o.n_words = 1;
	struct ui_feed *f = ui_feed_of(&o, true, &err);
	if (f) {
		const struct pv_process *p = pv_processes_by_id(folder.list, folder.process);
		on_opened(a, f, p ? p->pid : 0);
	}
	if (!f || !ui_app_run(&f, &o, NULL, &code, &err))
		code = ui_exit_complain(o.path, &err);
	else
		code = ui_exit_status(&o, f, code);
	ui_feed_close(f);
	ui_folder_close(&folder);
	return code;
}

/* Of what was recorded, as of any folder. */
static int print(const struct joined *a, const struct ui_options *given)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	struct ui_folder folder;
	struct ui_app_frame frame;
	if (!ui_folder_open(&folder, a->path, NULL, &err))
		return ui_exit_complain(a->path, &err);
	o.path = folder.log;
	o.folder = &folder;
	o.record = NULL;
	struct ui_feed *f = o.path ? ui_feed_of(&o, false, &err) : NULL;
	int code = EXIT_INPUT;
	if (!o.path)
		ui_complain(a->path, "no process was recorded");
	else if (!f || !ui_app_dump(&f, &o, &frame, &err))
		code = ui_exit_complain(o.path, &err);
	else {
		fputs(frame.text, stdout);
		free(frame.text);
		ui_folder_say(&folder);
		code = ui_exit_output(ui_exit_status(&o, f, frame.exit_code));
	}
	ui_feed_close(f);
	ui_folder_close(&folder);
	return code;
}

static int follow_all(struct joined *a, const struct ui_options *o)
{
	bool screen = isatty(STDOUT_FILENO);
	int code = 0;
	if (screen) {
		code = show_joined(a, o);
		leave_all(a);
	} else {
		volatile int *caught = ui_exit_caught();
		pv_gather_wait(&a->gather, caught);
		leave_all(a);
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		code = print(a, o);
		code = *caught ? 128 + *caught : code;
	}
	return a->gather.cut ? ui_exit_cut(o->record, a->gather.cut, 0) : code;
}

int ui_attach_several(const struct ui_options *o, const long *pid, size_t n)
{
	static struct joined a;
	struct pv_error err = { 0 };
	a = (struct joined){ .n = n, .gather = { .fd = -1 } };
	if (o->record && !ui_child_is_tree(o)) {
		ui_complain(NULL, "of several processes --record takes a FOLDER/");
		return EXIT_USAGE;
	}
	if (!make_folder(&a, o, &err))
		return ui_exit_complain(NULL, &err);
	join_all(&a, o, pid);
	bool begun = pv_gather_start(&a.gather, a.path, a.temporary, a.input, n, &err);
	int code = begun ? EXIT_INPUT : ui_exit_complain(NULL, &err);
	if (begun && go_all(&a))
		code = follow_all(&a, o);
	for (size_t i = 0; i < n; i++)
		give_up_joined(&a, i);
	pv_gather_leave(&a.gather);
	if (!begun && a.temporary)
		pv_launch_folder_remove(a.path);
	return code;
}
