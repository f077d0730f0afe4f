/* SPDX-License-Identifier: MIT */
/* Exit codes for errors and for how reading ended, with the messages that explain them. */
#include "tui/app/exits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tui/app/child.h"
#include "tui/app/complain.h"
#include "tui/feed/feed.h"
#include "tui/feed/feed_end.h"
#include "tui/app/folder.h"
#include "tui/app/options.h"

static int exit_of(enum pv_code code)
{
	switch (code) {
	case PV_OK:
		return 0;
	case PV_EUSAGE:
		return EXIT_USAGE;
	case PV_ENOMEM:
	case PV_EOUTPUT:
	case PV_ECANCELLED:
		return EXIT_OWN;
	default:
		return EXIT_INPUT;
	}
}

int ui_exit_complain(const char *path, const struct pv_error *e)
{
	const char *what = e->what[0] ? e->what : pv_code_text(e->code);
	char limits[160];
	bool limited = e->code == PV_ENOMEM || strstr(what, strerror(EMFILE));
	if (limited && ui_child_limits(limits, sizeof limits))
		ui_complain(path, "%s (%s)", what, limits);
	else if (path && e->offset)
		ui_complain(path, "%s, at byte %" PRIu64, what, e->offset);
	else
		ui_complain(path, "%s", what);
	return exit_of(e->code);
}

static bool output_was_closed;

void ui_exit_note_output(void)
{
	output_was_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
}

/* The first file opened by the program takes the number of an output that was closed. */
int ui_exit_output(int code)
{
	static bool said;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno == EPIPE)
		return code;
	if (!said)
		ui_complain(NULL, "standard output: %s",
			output_was_closed ? "closed" : strerror(errno));
	said = true;
	return EXIT_OWN;
}

int ui_exit_status(const struct ui_options *o, struct ui_feed *f, int code)
{
	struct ui_feed_status s;
	ui_feed_record_wait(f);
	ui_feed_status(f, &s);
	const char *path = s.unkept && o->record ? o->record : ui_input_name(o);
	if (s.exit_code && s.error[0])
		ui_complain(path, "%s", s.error);
	return code ? code : s.unkept ? EXIT_OWN : 0;
}

int ui_exit_cut(const char *path, int why, int code)
{
	ui_complain(path, "recording was cut short: %s", strerror(why));
	return code ? code : EXIT_OWN;
}

static volatile int caught;

static void on_stop(int sig)
{
	caught = sig;
}

volatile int *ui_exit_caught(void)
{
	struct sigaction sa = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND };
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	return &caught;
}

int ui_exit_stopped(const char *output)
{
	ui_complain(output, "stopped, nothing was written");
	return 128 + caught;
}

void ui_exit_waits(const char *path)
{
	ui_complain(path, "nothing has come yet, still waiting");
}

const char *ui_input_name(const struct ui_options *o)
{
	const struct ui_folder *f = o->folder;
	return !f || !f->log ? o->path : *f->merged.path ? f->path : f->log;
}

const char *ui_output_name(const struct ui_options *o)
{
	return strcmp(o->output, "-") == 0 ? "standard output" : o->output;
}
