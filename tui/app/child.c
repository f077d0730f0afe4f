/* SPDX-License-Identifier: MIT */
/* The program started or joined from here: its launch, its relay's messages, its end. */
#include "tui/app/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/utf8.h"
#include "common/target/join/join.h"
#include "common/target/launch/launch.h"
#include "common/target/process/process_limits.h"
#include "common/target/launch/relay.h"
#include "common/target/process/words.h"
#include "tui/app/exits.h"
#include "tui/app/stream_wish.h"

_Static_assert(UI_CHILD_WHY >= (int)PV_WORDS_WHY, "a word that is refused has room");

enum {
	END_MS = 5000,
	EXIT_MISSING = 127,
	EXIT_UNRUNNABLE = 126,
	EXIT_REFUSED = 3,
	MS_NS = 1000000,
	AWAIT_MS = 3000,
	AWAIT_STEP_MS = 50,
	COMPETE_MS = 300,
	WORTH_NS = 20 * MS_NS,
};

struct ui_child {
	struct pv_launch launch;
	struct pv_relay relay;
	struct ui_output output;
	struct ui_child_status status;
	struct pv_event_relay events; /* of a program whose event stream is read; else none */
	struct pv_event_options event_wish;
	char note[480];
	bool relay_gone;
	char name[200];
	size_t others;
	uint64_t heaviest_ns;
	char heaviest[PV_RELAY_MESSAGE + 1]; /* path of the heaviest process's log */
	char typed[PV_RELAY_MESSAGE + 1];    /* the log of the command's own process */
	char program[256];
};

static int exit_of(const struct pv_error *err, bool missing)
{
	if (missing)
		return EXIT_MISSING;
	return err->code == PV_EUSAGE ? EXIT_REFUSED
	       : err->code == PV_EIO  ? EXIT_UNRUNNABLE
				      : EXIT_OWN;
}

/*
 * Whether a native program is recorded as a tree, as servers fork. With all events recorded the log
 * is read as it comes: as a file the log would soon be as large as those of a tree may get.
 */
static bool natives_as_trees(const struct ui_options *o, bool screen)
{
	return screen && !o->calls && !(o->alloc && !*o->alloc) && !o->probe;
}

static struct pv_launch_options wish(const struct ui_options *o, bool screen)
{
	return (struct pv_launch_options){ .calls = o->calls,
		.alloc = o->alloc,
		.sample = o->sample,
		.heapshot = o->heapshot,
		.leaks = o->leaks,
		.block = o->record && !screen,
		.probe = o->probe,
		.folder = ui_child_is_tree(o) ? o->record : NULL,
		.natives = natives_as_trees(o, screen),
		.outside = ui_via_of(o) == PV_JOIN_VIA_OUTSIDE,
		.trees = !ui_child_is_tree(o) && !o->rules && !(screen && o->record),
		.keep = ui_child_is_tree(o) ? NULL : o->record };
}

static bool samples(const struct ui_options *o)
{
	return !o->sample || strcmp(o->sample, "0") != 0;
}

/* Opens the door for the event stream, and starts the reader, before the program runs. */
static bool expect_stream(struct ui_child *g, struct pv_error *reterr)
{
	if (!g->launch.streams)
		return true;
	struct pv_event_door door = { .listener = pv_event_door_listen(g->launch.door, reterr),
		.waiting = -1 };
	bool ok = door.listener >= 0 &&
		  pv_event_relay_start(&g->events, &door, g->launch.pipe, reterr);
	pv_event_door_close(&door);
	return ok;
}

static bool choose_events(struct ui_child *g, const struct ui_options *o, int *ret_exit,
	char ret_why[UI_CHILD_WHY], struct pv_error *reterr)
{
	if (!g->launch.streams)
		return snprintf(g->note, sizeof g->note, "%s", g->launch.note) >= 0;
	if (ui_stream_wish(&g->event_wish, o, samples(o), "", ret_why, reterr))
		return ui_stream_note(o, samples(o), g->launch.note, g->note, sizeof g->note);
	*ret_exit = EXIT_USAGE;
	return false;
}

struct ui_child *ui_child_create(const struct ui_options *o, bool screen, int *ret_exit,
	char ret_why[UI_CHILD_WHY], struct pv_error *reterr)
{
	struct pv_launch_options lo = wish(o, screen);
	struct ui_child *g = calloc(1, sizeof *g);
	bool missing = false;
	*ret_exit = EXIT_OWN;
	*ret_why = 0;
	if (!g) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	g->relay.fd = g->relay.gate = g->events.fd = -1;
	g->status.status = -1;
	pv_utf8_fit(g->name, sizeof g->name, o->words[0], SIZE_MAX);
	bool may = ui_run_may_go_via(o, lo.folder, ret_why, reterr);
	bool planned = may && pv_launch_plan(&g->launch, o->words, &lo, &missing, reterr);
	if (!planned)
		*ret_exit = !may || g->launch.refused ? EXIT_USAGE : exit_of(reterr, missing);
	if (g->launch.refused)
		snprintf(ret_why, UI_CHILD_WHY, "%s", g->launch.why);
	if (planned && choose_events(g, o, ret_exit, ret_why, reterr) &&
		pv_launch_prepare(&g->launch, reterr) && expect_stream(g, reterr) &&
		pv_relay_start(&g->relay, &g->launch, screen, reterr))
		return g;
	g->status.ended = true;
	ui_child_close(g);
	return NULL;
}

void ui_child_close(struct ui_child *g)
{
	if (!g)
		return;
	/* While the program runs its pipe stays for the next viewer; then the relay removes it. */
	bool remove = g->status.ended || !g->status.runs;
	/* Processes of a tree may go on, and with them their launcher, who tidies up. */
	remove = remove && !(g->relay.relayed && *g->launch.socket);
	pv_relay_leave(&g->relay);
	pv_event_relay_leave(&g->events);
	pv_launch_finish(&g->launch, remove);
	ui_output_finish(&g->output);
	free(g);
}

const char *ui_child_note(const struct ui_child *g)
{
	return g->note;
}

const char *ui_child_pipe(const struct ui_child *g)
{
	return g->launch.pipe;
}

bool ui_child_in_tree(const struct ui_child *g)
{
	return *g->launch.records;
}

const char *ui_child_records(const struct ui_child *g)
{
	return g->launch.records;
}

void ui_child_heaviest(const struct ui_child *g, struct ui_child_heaviest *ret)
{
	const char *slash = strrchr(g->heaviest, '/');
	*ret = (struct ui_child_heaviest){ .others = g->others,
		.cpu_ns = g->heaviest_ns,
		.path = g->heaviest,
		.name = g->program,
		.pid = slash ? strtol(slash + 1, NULL, 10) : 0 };
}

const char *ui_child_meant(const struct ui_child *g)
{
	return pv_launch_starts_others(&g->launch) ? "" : g->typed;
}

static int64_t clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / MS_NS;
}

/* Other processes that begin at the same time may use more, and get time to show so. */
void ui_child_await_heaviest(struct ui_child *g)
{
	int64_t began = clock_ms(), worth = 0;
	for (int64_t now = began; !g->status.ended && now - began < AWAIT_MS; now = clock_ms()) {
		struct pollfd p = { .fd = g->relay.fd, .events = POLLIN };
		if (*ui_child_meant(g))
			return;
		if (!worth && *g->heaviest && g->heaviest_ns >= WORTH_NS)
			worth = now;
		if (worth && now - worth >= COMPETE_MS)
			return;
		poll(&p, 1, AWAIT_STEP_MS);
		ui_child_turn(g);
	}
}

bool ui_child_go(struct ui_child *g)
{
	if (g->launch.streams && !pv_event_relay_expect(&g->events, &g->event_wish, NULL))
		return false; /* the relay would wait for a process that is gone */
	g->status.runs = pv_relay_go(&g->relay);
	g->status.pid = g->relay.relayed ? 0 : g->relay.pid;
	return g->status.runs;
}

int ui_child_fd(const struct ui_child *g)
{
	return g->relay.fd;
}

struct ui_output *ui_child_output(struct ui_child *g)
{
	return &g->output;
}

void ui_child_status(const struct ui_child *g, struct ui_child_status *ret)
{
	*ret = g->status;
}

static void note_failure(struct ui_child *g, int why)
{
	char text[320];
	snprintf(text, sizeof text, "profview: %s: %s", g->name, strerror(why));
	ui_output_note(&g->output, text);
	g->status.not_run = why;
	g->status.exit_code = why == ENOENT ? EXIT_MISSING : EXIT_UNRUNNABLE;
}

static void note_exit(struct ui_child *g, int status)
{
	char text[80];
	bool killed = WIFSIGNALED(status);
	g->status.status = status;
	g->status.exit_code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (killed)
		snprintf(text, sizeof text, "[ended by signal %d]", WTERMSIG(status));
	else
		snprintf(text, sizeof text, "[ended with code %d]", WEXITSTATUS(status));
	ui_output_note(&g->output, text);
}

/* The program has ended: no further writer comes to its log, unless children go on. */
static void ended(struct ui_child *g)
{
	g->status.runs = false;
	g->status.ended = true;
	pv_event_relay_ended(&g->events);
	pv_outside_await_end(&g->launch.recorder);
	pv_launch_hang_up(&g->launch);
}

/* "OTHERS CPU_NS PATH\nPROGRAM\nPATH": the second path is of the command's own process. */
static void note_heaviest(struct ui_child *g, const char *text, size_t n)
{
	char *end;
	memcpy(g->heaviest, text, n);
	g->heaviest[n] = 0;
	g->others = (size_t)strtoul(g->heaviest, &end, 10);
	g->heaviest_ns = strtoull(end, &end, 10);
	end += *end == ' ';
	memmove(g->heaviest, end, strlen(end) + 1);
	char *line = strchr(g->heaviest, '\n'), *typed = strrchr(g->heaviest, '\n');
	if (!line)
		return;
	if (typed > line && typed[1]) /* a command that has ended has no path here */
		snprintf(g->typed, sizeof g->typed, "%s", typed + 1);
	*typed = 0;
	snprintf(g->program, sizeof g->program, "%s", typed > line ? line + 1 : "");
	*line = 0;
}

static void note_cut(struct ui_child *g, int why)
{
	char text[160];
	g->status.cut = why;
	snprintf(text, sizeof text, "[recording is cut short: %s]", strerror(why));
	ui_output_note(&g->output, text);
}

static bool take_message(struct ui_child *g)
{
	struct pv_relay_message m;
	char text[80];
	pv_relay_read(&g->relay, &m);
	switch (m.kind) {
	case PV_RELAY_NOTHING:
		return false;
	case PV_RELAY_STARTED:
		g->status.pid = (long)m.number;
		return true;
	case PV_RELAY_OUTPUT:
		ui_output_add(&g->output, m.bytes, m.n);
		return true;
	case PV_RELAY_DROPPED:
		snprintf(text, sizeof text, "[%lld bytes were printed too fast to be kept]",
			(long long)m.number);
		ui_output_note(&g->output, text);
		return true;
	case PV_RELAY_EXITED:
		note_exit(g, (int)m.number);
		ended(g);
		return true;
	case PV_RELAY_FAILED:
		note_failure(g, (int)m.number);
		ended(g);
		return true;
	case PV_RELAY_HEAVIEST:
		note_heaviest(g, m.bytes, m.n);
		return true;
	case PV_RELAY_CUT:
		note_cut(g, (int)m.number);
		return true;
	case PV_RELAY_STAYS: /* nothing follows, as after the end */
	case PV_RELAY_GONE:
		break;
	}
	if (!g->status.ended) {
		ui_output_note(
			&g->output, "[the process that holds the program's terminal is gone]");
		ended(g);
	}
	g->relay_gone = true;
	return false;
}

void ui_child_turn(struct ui_child *g)
{
	enum { AT_ONCE = 256 }; /* messages: keys come in between */
	for (int i = 0; i < AT_ONCE && !g->relay_gone && take_message(g); i++)
		;
}

bool ui_child_streams(const struct ui_child *g)
{
	return g->launch.streams;
}

bool ui_child_shot(void *child, struct pv_error *reterr)
{
	struct ui_child *g = child;
	return pv_event_relay_shot(&g->events, reterr);
}

void ui_child_silence(struct ui_child *g, char *to, size_t room)
{
	struct pv_error err = { 0 };
	if (g->launch.streams) {
		bool goes = pv_event_relay_goes(&g->events, &err);
		snprintf(to, room, "%s", goes ? "its event stream has not begun" : err.what);
		return;
	}
	pv_launch_silence(&g->launch, g->status.runs ? (pid_t)g->status.pid : 0, to, room);
}

void ui_child_others(const struct ui_child *g, long followed, char *to, size_t room)
{
	pv_launch_others(&g->launch, (pid_t)followed, to, room);
}

void ui_child_signal(struct ui_child *g, int sig)
{
	if (g->status.runs)
		pv_relay_signal(&g->relay, sig);
}

void ui_child_resize(struct ui_child *g, int w, int h)
{
	if (g->status.runs)
		pv_relay_resize(&g->relay, w, h);
}

void ui_child_end(struct ui_child *g)
{
	ui_child_signal(g, SIGTERM);
	for (int ms = 0; g->status.runs && ms < END_MS; ms += 50) {
		struct pollfd p = { .fd = g->relay.fd, .events = POLLIN };
		poll(&p, 1, 50);
		ui_child_turn(g);
	}
}

/* Until the relay reports the end. */
static void wait_for_relay(struct ui_child *g)
{
	while (!g->status.ended) {
		struct pollfd p = { .fd = g->relay.fd, .events = POLLIN };
		poll(&p, 1, -1);
		ui_child_turn(g);
	}
	if (g->status.status < 0 && !g->status.not_run)
		g->status.exit_code = EXIT_OWN;
}

void ui_child_wait(struct ui_child *g)
{
	int status, why;
	if (g->status.ended)
		return;
	if (g->relay.relayed) {
		wait_for_relay(g);
		return;
	}
	if (!pv_relay_wait(&g->relay, &status, &why))
		g->status.exit_code = EXIT_OWN;
	else if (why)
		note_failure(g, why);
	else
		note_exit(g, status);
	ended(g);
}

bool ui_child_limits(char *to, size_t room)
{
	return pv_limits_tight(to, room);
}

/* ---- a program that runs already */

struct ui_joined {
	struct pv_join_place place;
	char note[480];
};

static bool no_meters(char *ret_why, struct pv_error *reterr)
{
	snprintf(ret_why, UI_CHILD_WHY, "--meter: the probe has no meters; --via events has");
	return pv_fail(reterr, PV_EUSAGE, 0, "%s", ret_why);
}

/* A probe that is there already keeps what was asked for when recording began. */
static bool join_wish(
	struct ui_joined *j, const struct ui_options *o, char *ret_why, struct pv_error *reterr)
{
	j->place.wish = wish(o, false);
	if (j->place.outside)
		return ui_outside_wish(o, ret_why, reterr) &&
		       ui_outside_words(&j->place, ret_why, reterr);
	if (j->place.streams) {
		char instead[240];
		bool samples = o->sample && strcmp(o->sample, "0") != 0;
		snprintf(instead, sizeof instead, "%s%s", j->place.instead,
			*j->place.instead ? "; its event stream is read instead" : "");
		return ui_stream_wish(
			       &j->place.events, o, samples, j->place.instead, ret_why, reterr) &&
		       ui_stream_note(o, samples, instead, j->note, sizeof j->note);
	}
	if (o->meter.n)
		return pv_fail(
			reterr, PV_EUSAGE, 0, "--meter: the probe has no meters; --via events has");
	if (pv_join_chooses(&j->place))
		pv_launch_note(&j->place.wish, PV_HOST_DOTNET, j->note, sizeof j->note);
	if (pv_join_chooses(&j->place))
		return pv_launch_check(&j->place.wish, PV_HOST_DOTNET, ret_why) ||
		       pv_fail(reterr, PV_EUSAGE, 0, "%s", ret_why);
	if (!(o->calls || o->alloc || o->sample || o->heapshot || o->probe))
		return true;
	if (!pv_launch_check(
		    &j->place.wish, PV_HOST_NATIVE | PV_HOST_MONO | PV_HOST_DOTNET, ret_why))
		return pv_fail(reterr, PV_EUSAGE, 0, "%s", ret_why);
	return pv_fail(reterr, PV_EUSAGE, 0,
		o->inject ? "what a probe put into a running Mono records cannot be chosen"
			  : "process %ld has a probe already, which records what it was told: join "
			    "it "
			    "without options, and ask it with profview ctl %ld set exception=off",
		o->pid, o->pid);
}

/* A log that is a file stays after reading: --record has nothing to keep. */
static bool take_record(
	const struct ui_joined *j, const struct ui_options *o, struct pv_error *reterr)
{
	struct stat st;
	return !o->record || stat(j->place.path, &st) != 0 || !S_ISREG(st.st_mode) ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "process %ld writes its log into a file itself, where it stays: --record "
		       "FOLDER/ copies it",
		       o->pid);
}

/* NULL: not found, or lacks what was asked for. */
static struct ui_joined *take_joined(struct ui_joined *j, bool found, const struct ui_options *o,
	char *ret_why, struct pv_error *reterr)
{
	if (found && take_record(j, o, reterr) && join_wish(j, o, ret_why, reterr))
		return j;
	if (found)
		pv_join_leave(&j->place);
	free(j);
	return NULL;
}

struct ui_joined *ui_child_join(
	const struct ui_options *o, char ret_why[UI_CHILD_WHY], struct pv_error *reterr)
{
	*ret_why = 0;
	enum pv_join_may may = o->readonly ? PV_JOIN_MAY_LOOK
			       : o->inject ? PV_JOIN_MAY_INJECT
					   : PV_JOIN_MAY_COMMAND;
	struct ui_joined *j = calloc(1, sizeof *j);
	if (!j)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	enum pv_join_via via = ui_via_of(o);
	bool sound = j && (!o->meter.n || via != PV_JOIN_VIA_PROBE || no_meters(ret_why, reterr));
	bool found = sound && pv_join_find(&j->place, (pid_t)o->pid, o->socket, may, via, reterr);
	return take_joined(j, found, o, ret_why, reterr);
}

struct ui_joined *ui_child_listen(const struct ui_options *o, int listener,
	const volatile int *stop, char ret_why[UI_CHILD_WHY], struct pv_error *reterr)
{
	*ret_why = 0;
	struct ui_joined *j = calloc(1, sizeof *j);
	if (!j)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	bool found = j && pv_join_listen(&j->place, listener, stop, reterr);
	return take_joined(j, found, o, ret_why, reterr);
}

const char *ui_joined_note(const struct ui_joined *j)
{
	return j->note;
}

const char *ui_joined_path(const struct ui_joined *j)
{
	return j->place.path;
}

int ui_joined_fd(const struct ui_joined *j)
{
	return j->place.log;
}

bool ui_joined_injects(const struct ui_joined *j)
{
	return j->place.mono;
}

bool ui_joined_go(struct ui_joined *j, struct pv_error *reterr)
{
	return pv_join_go(&j->place, reterr);
}

bool ui_joined_shot(void *joined, struct pv_error *reterr)
{
	struct ui_joined *j = joined;
	return pv_join_shot(&j->place, reterr);
}

bool ui_joined_streams(const struct ui_joined *j)
{
	return j->place.streams;
}

bool ui_joined_is_ours(const struct ui_joined *j)
{
	return j->place.streams || j->place.outside || pv_join_chooses(&j->place);
}

void ui_joined_end(void *joined)
{
	struct ui_joined *j = joined;
	pv_join_end(&j->place);
}

void ui_joined_leave(struct ui_joined *j)
{
	pv_join_leave(&j->place);
	free(j);
}
