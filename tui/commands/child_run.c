/* SPDX-License-Identifier: MIT */
/* `profview run`: starts the program, shows or awaits it, and says how the program ended. */
#include "tui/commands/child_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/app/app.h"
#include "tui/commands/check_run.h"
#include "tui/app/child.h"
#include "tui/app/complain.h"
#include "tui/app/exits.h"
#include "tui/feed/feed_end.h"
#include "tui/app/feed_of.h"
#include "tui/feed/feed_tell.h"
#include "tui/app/folder.h"
#include "tui/terminal/term.h"

enum { WORTH_NS = 20000000 }; /* of processor time, from which on a process is recorded */

static struct ui_child *passed_to;

static void on_pass(int sig)
{
	ui_child_signal(passed_to, sig);
}

/*
 * A program with a terminal of its own gets the terminal's signals from here; else the terminal
 * signals the program, too, and this process ignores them. SIGTERM and SIGHUP are passed on.
 */
static void signals_to(struct ui_child *g)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, pass = { .sa_handler = on_pass };
	bool own_terminal = ui_child_fd(g) >= 0 && isatty(STDOUT_FILENO);
	passed_to = g;
	sigaction(SIGINT, own_terminal ? &pass : &ignore, NULL);
	sigaction(SIGQUIT, own_terminal ? &pass : &ignore, NULL);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
}

static void usual_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigaction(SIGTERM, &usual, NULL);
	sigaction(SIGHUP, &usual, NULL);
	sigaction(SIGINT, &usual, NULL);
}

/* The program has our streams; we wait. */
static void wait_for_child(struct ui_child *g)
{
	signals_to(g);
	ui_child_wait(g);
	usual_signals();
}

/* Without a screen the overview goes to stderr, apart from the program's output. */
static void tell_overview(const struct ui_options *o, struct ui_feed *f, struct ui_child *g)
{
	struct pv_error err = { 0 };
	struct ui_app_frame frame;
	struct ui_feed_status s;
	struct ui_child_status program;
	ui_child_status(g, &program);
	if (program.not_run) {
		ui_complain(o->words[0], "%s", strerror(program.not_run));
		return;
	}
	bool ok = ui_app_dump(&f, o, &frame, &err);
	ui_feed_status(f, &s);
	if (ok && s.bytes_read)
		ui_complain_frame(frame.text);
	else if (!ok)
		ui_exit_complain(NULL, &err);
	if (ok)
		free(frame.text);
}

static void tell_untrue_code(void)
{
	ui_complain(NULL,
		"exit code 0 may be untrue: the process ended without Mono's own shutdown, and "
		"Mono, while it is sampled, makes 0 of an abort (Environment.FailFast, a crash); "
		"--sample=0 shows the true code");
}

/*
 * Says in a line each what is notable about a program that has ended. A program that ended well but
 * was not recorded at all counts as a failure of profview.
 */
static int tell_end(const struct ui_options *o, struct ui_feed *f, struct ui_child *g, int code)
{
	struct ui_child_status program;
	struct ui_feed_status s;
	struct ui_feed_end end;
	char why[240];
	ui_child_status(g, &program);
	ui_feed_status(f, &s);
	if (!program.ended || program.not_run)
		return code;
	if (s.bytes_read == 0) {
		ui_child_silence(g, why, sizeof why);
		ui_complain(NULL, "no log came: %s", why);
		return code ? code : EXIT_OWN;
	}
	ui_feed_end(f, program.status < 0 ? 0 : program.pid, program.status, &end);
	if (end.code_untrue && code == 0)
		tell_untrue_code();
	int own = ui_exit_status(o, f, 0);
	if (own == 0 && !end.code_untrue && end.cut_off && code < 128)
		ui_complain(NULL, "the log is %s", end.line);
	return code ? code : own;
}

static int run_child(const struct ui_options *o, struct ui_feed *f, struct ui_child *g, bool screen)
{
	struct pv_error err = { 0 };
	struct ui_child_status s;
	int code = EXIT_OWN;
	if (!ui_child_go(g)) {
		ui_complain(NULL, "%s could not be started", o->words[0]);
		return EXIT_OWN;
	}
	if (ui_child_streams(g))
		ui_feed_shoot_by(f, ui_child_shot, g);
	if (screen && !ui_app_run(&f, o, g, &code, &err))
		code = ui_exit_complain(NULL, &err);
	if (!screen)
		wait_for_child(g);
	ui_child_status(g, &s);
	if (!screen)
		tell_overview(o, f, g);
	code = tell_end(o, f, g, screen ? code : s.exit_code);
	if (s.runs)
		ui_complain(NULL, "process %ld runs on; profview attach %ld joins it again", s.pid,
			s.pid);
	return code;
}

/* The log, in a folder next to the file that the user asked for, gets this file's name. */
static bool keep_log(const char *log, const char *record)
{
	if (link(log, record) == 0)
		return true;
	/* Some file systems give no file a second name. */
	bool linkless = errno == EPERM || errno == EOPNOTSUPP;
	if (linkless && access(record, F_OK) != 0 && rename(log, record) == 0)
		return true;
	ui_complain(record, "%s", strerror(errno));
	return false;
}

/* A tree without a folder leaves one log at most. The log of the typed command needs no words. */
static int tell_one(const struct ui_options *o, const struct ui_child_heaviest *most, int code)
{
	if (most->others > 1)
		ui_complain(NULL,
			"%zu other processes: --record FOLDER/ has a log of each that is worth one",
			most->others);
	return !o->record || keep_log(most->path, o->record) ? code : EXIT_OWN;
}

/* Nothing was recorded, or only a starter not worth keeping, and no record was asked for. */
static bool tell_none(
	const struct ui_options *o, struct ui_child *g, const struct ui_child_heaviest *most)
{
	char why[240];
	bool folder = ui_child_is_tree(o);
	if (*most->path && (folder || o->record || most->cpu_ns >= WORTH_NS))
		return false;
	if (folder) {
		ui_complain(o->record,
			"none of %zu processes was recorded: its index.json says why",
			most->others + 1);
		return true;
	}
	ui_child_silence(g, why, sizeof why);
	ui_complain(NULL, "no log came: %s", why);
	return true;
}

/* A tree without a screen: the overview is of who used most. */
static int tell_tree(const struct ui_options *given, struct ui_child *g)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	struct ui_child_status s;
	struct ui_child_heaviest most;
	ui_child_status(g, &s);
	ui_child_heaviest(g, &most);
	o.path = most.path;
	o.record = NULL;
	if (s.not_run) {
		ui_complain(o.words[0], "%s", strerror(s.not_run));
		return s.exit_code;
	}
	if (s.status < 0)
		ui_complain(NULL, "the launcher was ended: the program goes on, and its exit code "
				  "is not known");
	if (tell_none(given, g, &most))
		return s.exit_code ? s.exit_code : EXIT_OWN;
	struct ui_feed *f = ui_feed_of(&o, false, &err);
	if (f)
		tell_overview(&o, f, g);
	else
		ui_exit_complain(o.path, &err);
	ui_feed_close(f);
	if (!ui_child_is_tree(given))
		return tell_one(given, &most, s.exit_code);
	ui_complain(given->record, "%zu other process%s: see its index.json", most.others,
		most.others == 1 ? "" : "es");
	return s.exit_code;
}

/* With a screen: shows the program that was meant, else the heaviest when the screen opened. */
static int show_tree(const struct ui_options *given, struct ui_child *g)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	struct ui_folder folder = { 0 };
	struct ui_child_heaviest most;
	struct ui_child_status s;
	int code = EXIT_OWN;
	signals_to(g);
	ui_child_await_heaviest(g);
	usual_signals();
	ui_child_heaviest(g, &most);
	if (!most.pid)
		return tell_tree(given, g);
	const char *meant = ui_child_meant(g);
	char *path = strdup(*meant ? meant : most.path);
	o.path = path;
	o.record = NULL;
	o.follow = true;
	bool listed = path && ui_folder_join(&folder, ui_child_records(g), path, &err);
	o.folder = listed ? &folder : NULL;
	struct ui_feed *f = path ? ui_feed_of(&o, true, &err) : NULL; /* also without a list */
	if (!f || !ui_app_run(&f, &o, g, &code, &err))
		code = ui_exit_complain(path, &err);
	else
		code = ui_exit_status(&o, f, code);
	ui_feed_close(f);
	ui_folder_close(&folder);
	free(path);
	ui_child_status(g, &s);
	if (s.runs)
		ui_complain(NULL, "process %ld runs on", s.pid);
	return code;
}

static int run_tree(const struct ui_options *o, struct ui_child *g, bool screen)
{
	if (!ui_child_go(g)) {
		ui_complain(NULL, "%s could not be started", o->words[0]);
		return EXIT_OWN;
	}
	int code;
	if (screen) {
		code = show_tree(o, g);
	} else {
		wait_for_child(g);
		code = tell_tree(o, g);
	}
	struct ui_child_status s;
	ui_child_status(g, &s);
	return s.cut ? ui_exit_cut(o->record, s.cut, code) : code;
}

int ui_child_run(const struct ui_options *given)
{
	struct pv_error err = { 0 };
	struct ui_options o = *given;
	bool screen = isatty(STDOUT_FILENO);
	int code;
	char why[UI_CHILD_WHY];
	if (o.rules && ui_child_is_tree(&o)) {
		ui_complain(o.record, "--check judges one log, and not a folder of them");
		return EXIT_USAGE;
	}
	if (screen && !ui_term_known(&err)) /* before the program is started for nothing */
		return ui_exit_complain(NULL, &err);
	bool shots = false;
	if (o.rules && !ui_check_ready(&o, &shots, &code))
		return code;
	if (shots && !o.heapshot && !o.leaks && !(o.probe && strstr(o.probe, "heapshot")))
		o.heapshot = "onshutdown"; /* rules ask for objects alive at the end */
	struct ui_child *g = ui_child_create(&o, screen, &code, why, &err);
	if (!g && *why)
		ui_complain(NULL, "%s", why);
	else if (!g)
		ui_exit_complain(NULL, &err);
	if (!g)
		return code;
	o.path = ui_child_pipe(g);
	if (*ui_child_note(g))
		ui_complain(NULL, "%s", ui_child_note(g));
	if (ui_child_in_tree(g)) {
		code = run_tree(&o, g, screen);
		ui_child_close(g);
		return code;
	}
	struct ui_feed *f = ui_feed_of(&o, screen, &err);
	code = f ? run_child(&o, f, g, screen) : ui_exit_complain(NULL, &err);
	if (f && o.rules) {
		int checked = ui_check_feed(&o, f);
		code = code ? code : checked;
	}
	ui_feed_close(f);
	ui_child_close(g);
	return code;
}
