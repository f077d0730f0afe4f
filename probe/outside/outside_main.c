/* SPDX-License-Identifier: MIT */
/*
 * profview-outside [--led] PID [WORDS]: records a running process, with nothing loaded into it.
 * Words as for a probe: output=PATH, sample=N or sample-real=N (both also sample waits, as is
 * usual), nowaits, pages (page faults by stack, 1 of 17), and words for bounding and packing the
 * log. The recording ends by SIGINT or SIGTERM, or with the process. With the word exec=PID that
 * process is recorded instead, from its next exec on.
 *
 * With --led a parent holds the other ends of input and output, and the end of input ends the
 * program. Each answer is a line, "ok" or "no REASON": first, whether the kernel allows perf
 * events; then, to each line "?WORDS", whether the words are understood; at last, to a line with
 * the words of the recording, whether the recording has begun.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/word_limits.h"
#include "probe/control/session.h"
#include "probe/ground/probe_args.h"
#include "probe/ground/sample_rate.h"
#include "probe/outside/events.h"
#include "probe/outside/host_outside.h"
#include "probe/outside/refused.h"
#include "probe/outside/watch.h"

enum { REASON = 480, WORDS = 1536, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_LEFT = 3 };

struct recording {
	pid_t pid;
	bool led, waits, pages, from_exec;
	unsigned hz;
	char rest[WORDS]; /* words for the core */
};

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	stopped = number;
}

/* ---- words */

static bool take_sample(struct recording *r, const char *value, size_t len)
{
	char *end;
	unsigned long hz = strtoul(value, &end, 10);
	if (!len || *value < '0' || *value > '9' || end != value + len || hz < 1 ||
		hz > PVP_SAMPLE_MOST)
		return false;
	r->hz = (unsigned)hz;
	return true;
}

/* The core's words; refused are words about events made in the program itself. */
static bool take_rest(const struct recording *r, char *why)
{
	struct pvp_config c;
	struct pv_error err = { 0 };
	bool known = pvp_args_parse(r->rest, &c, &err);
	if (known && !c.calls && !c.alloc && !c.marks && !c.block)
		return true;
	snprintf(why, REASON, "%s: from outside sample=N and the words of a log are understood",
		known ? "calls, allocations and marks are not to be had" : err.what);
	return false;
}

static bool take_exec(struct recording *r, const char *value)
{
	long pid = strtol(value, NULL, 10);
	r->from_exec = true;
	r->pid = (pid_t)pid;
	return pid > 0 && pid <= INT32_MAX;
}

/* *ret_ours: the word is exec=PID, sample=N, sample-real=N or nowaits. False, with `why`: no such. */
static bool take_own(struct recording *r, const char *at, size_t len, bool *ret_ours, char *why)
{
	static const char real[] = "sample-real", off[] = "nowaits",
			  exec[] = "exec=", pages[] = "pages";
	size_t key = strcspn(at, "=,"), sample = sizeof "sample" - 1;
	*ret_ours = strncmp(at, exec, sizeof exec - 1) == 0;
	if (*ret_ours) {
		snprintf(why, REASON, "exec=PID: no such process");
		return take_exec(r, at + sizeof exec - 1);
	}
	bool is_real = key == sizeof real - 1 && strncmp(at, real, key) == 0;
	bool are_pages = len == sizeof pages - 1 && strncmp(at, pages, len) == 0;
	bool is_off = len == sizeof off - 1 && strncmp(at, off, len) == 0;
	r->pages |= are_pages;
	*ret_ours =
		is_real || is_off || are_pages || (key == sample && strncmp(at, real, key) == 0);
	r->waits = is_real || (r->waits && !is_off);
	if (!*ret_ours || len <= key || take_sample(r, at + key + 1, len - key - 1))
		return true;
	snprintf(why, REASON, "sample=N: from 1 to %d a second", PVP_SAMPLE_MOST);
	return false;
}

static bool take_words(struct recording *r, const char *text, char *why)
{
	strcpy(r->rest, "calls=off,alloc=off,marks=off,control=off");
	for (const char *at = text; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		bool ours = false;
		if (len && !take_own(r, at, len, &ours, why))
			return false;
		if (len && !ours && !pvp_args_add(r->rest, sizeof r->rest, at, len)) {
			snprintf(why, REASON, "the options are too long");
			return false;
		}
		at += len;
	}
	return take_rest(r, why);
}

/* ---- answers */

static void say(const struct recording *r, const char *why)
{
	if (r->led && !why)
		dprintf(STDOUT_FILENO, "ok\n");
	else if (r->led)
		dprintf(STDOUT_FILENO, "no %s\n", why);
	else if (why)
		dprintf(STDERR_FILENO, "profview-outside: %s\n", why);
}

/* ---- how it runs */

/* Sets limits and signals. When led, leaves the session, so that the terminal sends no signals. */
static void stand_apart(const struct recording *r)
{
	struct sigaction stop = { .sa_handler = on_stop };
	struct rlimit l = { 0, 0 };
	setrlimit(RLIMIT_CORE, &l);
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	/* Holds whatever the other process has for files and maps. */
	l.rlim_cur = l.rlim_max = (rlim_t)2 << 30;
	setrlimit(RLIMIT_AS, &l);
#endif
	signal(SIGPIPE, SIG_IGN);
	if (r->led) {
		setsid();
		signal(SIGHUP, SIG_IGN);
	}
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	prctl(PR_SET_NAME, "profview-outsid");
}

/* Waits until the process ends, the leader closes the input, or a signal comes. */
static void wait_for_end(const struct recording *r, int process)
{
	enum { LOOK_MS = 200 };
	struct pollfd p[] = { { .fd = process, .events = POLLIN },
		{ .fd = r->led ? STDIN_FILENO : -1, .events = POLLIN } };
	char byte;
	while (!stopped) {
		int n = poll(p, 2, process < 0 ? LOOK_MS : -1);
		if (n > 0 && p[0].revents)
			return;
		if (n > 0 && p[1].revents && read(STDIN_FILENO, &byte, 1) <= 0)
			return;
		if (process < 0 && kill(r->pid, 0) != 0 && errno == ESRCH)
			return;
	}
}

static int refuse(const struct recording *r, int error, bool killed, size_t threads)
{
	char why[REASON];
	pvo_refused(r->pid, error, killed, threads, why, sizeof why);
	say(r, why);
	return EXIT_REFUSED;
}

static int begin_session(const struct recording *r)
{
	char why[REASON];
	int error = pvp_session_start(r->rest, pvo_host(r->pid, r->hz, r->waits, r->pages));
	if (!error)
		return 0;
	snprintf(why, sizeof why, "the log cannot be written: %s", strerror(error));
	say(r, why);
	return EXIT_REFUSED;
}

/* False: the process has ended without, or the recording is not wanted any more. */
static bool wait_for_exec(const struct recording *r, int process)
{
	enum { OFTEN = 1000, SOON_MS = 1, LOOK_MS = 20 };
	struct pollfd p[] = { { .fd = process, .events = POLLIN },
		{ .fd = r->led ? STDIN_FILENO : -1, .events = POLLIN } };
	for (int i = 0; !stopped && !pvo_watch_exec(); i++)
		if (poll(p, 2, i < OFTEN ? SOON_MS : LOOK_MS) > 0)
			return pvo_watch_exec();
	return pvo_watch_exec();
}

/*
 * Files are read before the session begins, and after the exec. A process that has ended by then has
 * a log, too.
 */
static int meet_process(const struct recording *r, int process)
{
	int error = pvo_watch_prepare(r->pid, r->pages);
	if (!error && r->from_exec)
		error = pvo_watch_from_exec(r->hz, r->waits);
	if (!error && !r->from_exec)
		error = pvo_watch_read();
	if (error)
		return refuse(r, error, false, 0);
	if (!r->from_exec)
		return 0;
	say(r, NULL);
	if (!wait_for_exec(r, process))
		return EXIT_LEFT;
	pvo_watch_read();
	return 0;
}

static int record(const struct recording *r, int process)
{
	size_t threads = 0;
	int code = meet_process(r, process);
	if (code)
		return code;
	int error = pvo_watch_begin(r->hz, r->waits, &threads);
	if (error)
		return refuse(r, error, false, threads);
	/* From the first byte of a log on everything that happens is recorded. */
	code = begin_session(r);
	if (code) {
		pvo_watch_end();
		return code;
	}
	if (!r->from_exec)
		say(r, NULL);
	wait_for_end(r, process);
	pvo_watch_end();
	return pvp_session_stop() == 0 ? 0 : EXIT_REFUSED;
}

static bool parse(struct recording *r, int argc, char **argv, char *why)
{
	r->led = argc > 1 && strcmp(argv[1], "--led") == 0;
	argc -= r->led;
	argv += r->led;
	long pid = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	if (argc < 2 || argc > 3 || pid <= 0 || pid > INT32_MAX) {
		snprintf(why, REASON, "usage: profview-outside PID [sample=N,output=PATH]");
		return false;
	}
	r->pid = (pid_t)pid;
	return take_words(r, argc > 2 ? argv[2] : "", why);
}

/* False: end of input, or the line is too long. */
static bool read_line(char *to, size_t room)
{
	size_t n = 0;
	for (char c = 0; n + 1 < room && read(STDIN_FILENO, &c, 1) == 1; to[n++] = c)
		if (c == '\n') {
			to[n] = 0;
			return true;
		}
	return false;
}

/* 0: the words of the recording have come. Else the reason to exit, EXIT_USAGE or EXIT_LEFT. */
static int wait_to_begin(struct recording *r)
{
	char why[REASON], words[WORDS];
	while (read_line(words, sizeof words)) {
		bool asked = *words == '?';
		struct recording as_asked = *r;
		bool understood = take_words(asked ? &as_asked : r, words + asked, why);
		if (asked || !understood)
			say(r, understood ? NULL : why);
		if (!asked)
			return understood ? 0 : EXIT_USAGE;
	}
	return EXIT_LEFT;
}

int main(int argc, char **argv)
{
	struct recording r = { .hz = PVP_SAMPLE_USUAL, .waits = true };
	char why[REASON];
	bool killed;
	if (!parse(&r, argc, argv, why)) {
		say(&r, why);
		return EXIT_USAGE;
	}
	stand_apart(&r);
	int process = (int)syscall(SYS_pidfd_open, r.pid, 0);
	int error = process < 0 && errno == ESRCH ? ESRCH : pvo_events_ask(r.pid, r.hz, &killed);
	if (error)
		return refuse(&r, error, error != ESRCH && killed, 0);
	if (r.led) {
		say(&r, NULL);
		int code = wait_to_begin(&r);
		if (code)
			return code == EXIT_LEFT ? 0 : code;
	}
	if (r.from_exec) {
		close(process);
		process = (int)syscall(SYS_pidfd_open, r.pid, 0);
	}
	int code = record(&r, process);
	return code == EXIT_LEFT ? 0 : code;
}
