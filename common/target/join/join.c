/* SPDX-License-Identifier: MIT */
/*
 * Joins a running process: finds its log, or has the probe, the event stream or the recorder
 * write a log.
 */
#include "common/target/join/join.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/system/proc_file.h"
#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/target/launch/join_folder.h"
#include "common/target/join/joinable.h"
#include "common/target/launch/join_ways.h"
#include "common/target/launch/launch.h"
#include "common/target/process/process_limits.h"
#include "common/target/join/mono_attach.h"
#include "common/target/process/patience.h"

enum { WORDS = 2048, BASE = PV_FOREIGN_PATH / 2, ASK_MS = 5000, YOUNG_MS = 3000, LOOK_MS = 30 };

/*
 * The path for opening the log. A name stays valid longer than a descriptor, but only where no
 * other user can change the name.
 */
static void read_from(struct pv_join_place *j, int log, const char *name)
{
	struct stat held, named;
	j->log = -1;
	if (pv_foreign_is_ours(&j->of) && *name == '/' && fstat(log, &held) == 0 &&
		stat(name, &named) == 0 && named.st_ino == held.st_ino &&
		named.st_dev == held.st_dev) {
		snprintf(j->path, sizeof j->path, "%s", name);
		return;
	}
	j->log = log;
	snprintf(j->path, sizeof j->path, "/proc/self/fd/%d", log);
}

/* The probe's log, if it can be opened: the process may see other files than we do. */
static bool present_place(struct pv_join_place *j, const char *stats, bool *ret_file)
{
	struct stat st;
	char kind[16] = "", reader[16] = "";
	const char *at = strstr(stats, " output=");
	pv_probe_word(stats, "sink", kind, sizeof kind);
	pv_probe_word(stats, "reader", reader, sizeof reader);
	if (!at || !strcmp(kind, "other"))
		return false;
	at += strlen(" output=");
	*ret_file = strcmp(kind, "file") == 0;
	int log = pv_foreign_find(&j->of, at);
	if (log < 0 || fstat(log, &st) != 0 || S_ISREG(st.st_mode) != *ret_file) {
		pv_fd_close(&log);
		return false;
	}
	read_from(j, log, at);
	if (j->log < 0)
		close(log);
	return true;
}

/* A pipe for the process `of`: the process's user's, in a folder visible there. */
static bool make_pipe(struct pv_join_place *j, const struct pv_foreign *of, const char *base,
	struct pv_error *reterr)
{
	char name[PV_FOREIGN_PATH + 8];
	if (!pv_foreign_make(&j->made, of, base, reterr))
		return false;
	snprintf(name, sizeof name, "%s/log", j->made.path);
	j->of = *of;
	read_from(j, j->made.log, name);
	return true;
}

/* A pipe of our own, where this process or a child of ours writes the log. */
static bool make_own_pipe(struct pv_join_place *j, struct pv_error *reterr)
{
	const struct pv_foreign self = pv_foreign_self();
	return make_pipe(j, &self, pv_run_folder_base(BASE), reterr);
}

/* Gives a young process a little time to open its socket. */
static bool find_socket(struct pv_dotnet *d, pid_t pid, struct pv_error *reterr)
{
	int64_t end = pv_patience_now_ms() + YOUNG_MS;
	while (!pv_dotnet_find(d, pid, reterr)) {
		if (!pv_process_is_younger(pid, YOUNG_MS) || !pv_dotnet_may_listen(pid) ||
			pv_patience_now_ms() >= end)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
	return true;
}

/*
 * The library by a path that the process can load. Where the process does not see our files, a copy
 * lies in a folder of the process's user until the end of the visit. The name is of the build and the
 * process: by this path the loader knows a loaded library, so another visit loads no second one.
 */
static bool library_for(const struct pv_dotnet *d, struct pv_foreign_copy *ret_copy,
	char to[PV_PROGRAM_PATH], struct pv_error *reterr)
{
	char ours[PV_PROGRAM_PATH], folder[40], name[80];
	struct stat st;
	if (!pv_launch_library(PV_CORECLR_LIBRARY, ours, reterr))
		return false;
	if (stat(ours, &st) != 0)
		return pv_fail(reterr, PV_EIO, 0, PV_CORECLR_LIBRARY " is gone");
	memcpy(to, ours, sizeof ours);
	if (!pv_join_copies(d))
		return true;
	snprintf(folder, sizeof folder, "profview-lib-%u", (unsigned)d->of.uid);
	snprintf(name, sizeof name, "%llx-%ld-%s",
		(unsigned long long)st.st_mtim.tv_sec << 30 | (unsigned)st.st_mtim.tv_nsec,
		(long)d->pid, PV_CORECLR_LIBRARY);
	snprintf(to, PV_PROGRAM_PATH, "%s/%s/%s", d->temporary, folder, name);
	pv_foreign_unkeep(ret_copy);
	return pv_foreign_keep(ret_copy, &d->of, d->temporary, folder, ours, name) ||
	       pv_fail(reterr, PV_EIO, 0,
		       "the probe's library cannot be put into %s/%s, where process %ld could load "
		       "it: %s",
		       d->temporary, folder, (long)d->pid, strerror(errno));
}

/* A killing filter would end the program by a system call which the runtime makes only then. */
static bool filter_allows(const struct pv_dotnet *d, struct pv_error *reterr)
{
	char number[24], library[PV_PROGRAM_PATH];
	struct pv_foreign_copy copy = { .folder = -1 };
	snprintf(number, sizeof number, "%ld", (long)d->pid);
	bool may = !pv_seccomp_filters(number) || !pv_join_probe_may(d, false, NULL) ||
		   !library_for(d, &copy, library, NULL) ||
		   pv_dotnet_may_stream(d, library, reterr);
	pv_foreign_unkeep(&copy);
	return may;
}

static bool find_stream(struct pv_join_place *ret, struct pv_error *reterr)
{
	ret->streams = true;
	ret->relay.fd = -1;
	if (!filter_allows(&ret->dotnet, reterr) || !make_own_pipe(ret, reterr))
		return false;
	const struct pv_event_door door = { .dotnet = ret->dotnet, .listener = -1, .waiting = -1 };
	if (pv_event_relay_start(&ret->relay, &door, ret->path, reterr))
		return true;
	pv_join_leave(ret);
	return false;
}

/* Asks before making anything: the join may be refused. */
static bool find_outside(struct pv_join_place *ret, pid_t pid, struct pv_error *reterr)
{
	*ret = (struct pv_join_place){
		.pid = pid, .outside = true, .relay.fd = -1, .recorder.fd = -1, .log = -1
	};
	if (pv_outside_start(&ret->recorder, pid, reterr) && make_own_pipe(ret, reterr))
		return true;
	pv_join_leave(ret);
	return false;
}

/* Loads the probe into a running .NET process, to write into our pipe. */
static bool find_dotnet(struct pv_join_place *ret, pid_t pid, bool silent, enum pv_join_via via,
	struct pv_error *reterr)
{
	struct pv_error why = { 0 };
	if (pv_process_is_mono(pid))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs Mono without a probe; start it with profview run, or let "
			"Mono's attach agent put one in: --inject (its risks are in the manual)",
			(long)pid);
	struct pv_dotnet *d = &ret->dotnet;
	if (!find_socket(d, pid, reterr))
		return false;
	if (silent)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs .NET without a probe, and --readonly puts none in",
			(long)pid);
	if (!pv_dotnet_ask(d, ASK_MS, reterr))
		return false;
	if (via == PV_JOIN_VIA_EVENTS)
		return find_stream(ret, reterr);
	if (!pv_join_probe_may(d, via == PV_JOIN_VIA_AUTO, &why)) {
		if (via == PV_JOIN_VIA_AUTO) {
			memcpy(ret->instead, why.what, sizeof ret->instead);
			return find_stream(ret, reterr);
		}
		return pv_fail(reterr, why.code, 0, "%s", why.what);
	}
	return make_pipe(ret, &d->of,
		d->of.elsewhere || strcmp(pv_run_folder_base(BASE), "/tmp") != 0 ? d->temporary
										 : "/tmp",
		reterr);
}

static bool attach_dotnet(struct pv_join_place *j, struct pv_error *reterr)
{
	char library[PV_PROGRAM_PATH], words[WORDS], options[sizeof words + PV_FOREIGN_PATH + 32];
	if (!pv_launch_words(&j->wish, PV_HOST_DOTNET, words, sizeof words))
		return pv_fail(reterr, PV_EUSAGE, 0, "these options are too long");
	snprintf(options, sizeof options, "%s,output=%s/log", words, j->made.path);
	return library_for(&j->dotnet, &j->copy, library, reterr) &&
	       pv_dotnet_attach(&j->dotnet, library, options, reterr);
}

static bool ask_probe(const struct pv_join_place *j, const char *line,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	return pv_probe_ask_in(&j->at, j->control, line, ASK_MS, ret_answer, reterr);
}

/* The probe at the given socket path of ours, or at its usual place. */
static bool find_probe(struct pv_join_place *j, const char *socket, struct pv_error *reterr)
{
	j->at = j->of;
	if (!socket || pv_dotnet_is_socket(socket))
		return pv_probe_find(j->pid, j->control, reterr);
	if (snprintf(j->control, sizeof j->control, "%s", socket) >= (int)sizeof j->control)
		return pv_fail(reterr, PV_EUSAGE, 0, "the socket's path is too long");
	return pv_foreign_at(&j->at, socket, reterr) &&
	       (j->at.pid == j->pid ||
		       pv_fail(reterr, PV_EIO, 0, "another process has that socket by now"));
}

/* A leaving probe does not answer; afterwards .NET can be joined again. */
static bool find_join_place(struct pv_join_place *ret, pid_t pid, const char *socket, bool silent,
	enum pv_join_via via, struct pv_error *reterr)
{
	char stats[PV_PROBE_ANSWER];
	bool file;
	*ret = (struct pv_join_place){ .pid = pid, .relay.fd = -1, .recorder.fd = -1, .log = -1 };
	bool there = pv_foreign_look(&ret->of, pid);
	if (via == PV_JOIN_VIA_EVENTS || !find_probe(ret, socket, reterr))
		return there ? find_dotnet(ret, pid, silent, via, reterr)
			     : pv_fail(reterr, PV_EIO, 0, "there is no process %ld", (long)pid);
	if (!ask_probe(ret, "stats", stats, reterr)) {
		*ret->control = 0;
		return false;
	}
	if (present_place(ret, stats, &file)) {
		ret->greet = !file && !silent;
		return true;
	}
	if (silent)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"its log goes nowhere that can be read, and --readonly asks for nothing "
			"else");
	const struct pv_foreign of = ret->of;
	return make_pipe(ret, &of, "/tmp", reterr);
}

/* ---- a process that is not visible here: only the socket is known */

/* Unknown what the process may load; its events come through the socket. */
static bool find_unseen_dotnet(struct pv_join_place *ret, const char *socket, const char *folder,
	enum pv_join_via via, struct pv_error *reterr)
{
	struct pv_dotnet *d = &ret->dotnet;
	d->of = ret->of;
	snprintf(d->socket, sizeof d->socket, "%s", socket);
	snprintf(d->temporary, sizeof d->temporary, "%s", folder);
	if (via == PV_JOIN_VIA_PROBE)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"a probe goes into a process that is seen here; by its socket its event "
			"stream can be read: --via events");
	if (via == PV_JOIN_VIA_AUTO)
		snprintf(ret->instead, sizeof ret->instead, "the process is not seen here");
	return pv_dotnet_ask(d, ASK_MS, reterr) && find_stream(ret, reterr);
}

/*
 * A path named by such a probe may be another file here, so the pipe is ours, in the folder of the
 * socket, the only folder known to be shared.
 */
static bool find_unseen(struct pv_join_place *ret, const char *socket, bool silent,
	enum pv_join_via via, struct pv_error *reterr)
{
	char stats[PV_PROBE_ANSWER], folder[PV_PROBE_PATH], *path = realpath(socket, NULL);
	bool fits = path && strlen(path) < sizeof ret->control;
	*ret = (struct pv_join_place){ .relay.fd = -1, .recorder.fd = -1, .log = -1 };
	snprintf(ret->control, sizeof ret->control, "%s", fits ? path : "");
	free(path);
	if (!fits)
		return pv_fail(reterr, PV_EIO, 0, "%s: no such socket, or its path is too long",
			PV_FIT(socket, 100));
	if (!pv_foreign_at(&ret->of, ret->control, reterr))
		return false;
	if (silent)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the process is not seen here, and --readonly asks it for nothing");
	memcpy(folder, ret->control, sizeof folder);
	*strrchr(folder, '/') = 0;
	if (pv_dotnet_is_socket(ret->control))
		return find_unseen_dotnet(ret, ret->control, folder, via, reterr);
	if (via == PV_JOIN_VIA_OUTSIDE)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the process is not seen here, and from outside only those are watched that are");
	if (via == PV_JOIN_VIA_EVENTS)
		return pv_fail(
			reterr, PV_EUSAGE, 0, "that is no socket of .NET's, which has its events");
	ret->at = ret->of;
	if (!ask_probe(ret, "stats", stats, reterr))
		return false;
	if (!pv_probe_word(stats, "control", ret->inside, sizeof ret->inside) ||
		*ret->inside != '/')
		memcpy(ret->inside, ret->control, sizeof ret->inside);
	*strrchr(ret->inside, '/') = 0;
	const struct pv_foreign of = ret->of;
	return make_pipe(ret, &of, folder, reterr);
}

static bool attach_unseen(const struct pv_join_place *j, struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER], answer[PV_PROBE_ANSWER];
	snprintf(line, sizeof line, "attach %s%s/log", j->inside, strrchr(j->made.path, '/'));
	return ask_probe(j, line, answer, reterr);
}

/* The probe's words, of which the recorder has some. */
static bool words_outside(const struct pv_join_place *j, char to[WORDS], struct pv_error *reterr)
{
	const char *more = j->wish.probe, *hz = j->wish.sample;
	int n = snprintf(to, WORDS, "%s%s%s%s,output=%s", hz && *hz ? "sample=" : "", hz ? hz : "",
		more ? "," : "", more ? more : "", j->path);
	return n < WORDS || pv_fail(reterr, PV_EUSAGE, 0, "these options are too long");
}

static bool go_outside(struct pv_join_place *j, struct pv_error *reterr)
{
	char words[WORDS];
	return words_outside(j, words, reterr) && pv_outside_go(&j->recorder, words, reterr);
}

bool pv_join_may_wish(struct pv_join_place *j, struct pv_error *reterr)
{
	char words[WORDS];
	return !j->outside ||
	       (words_outside(j, words, reterr) && pv_outside_check(&j->recorder, words, reterr));
}

static bool find_mono(struct pv_join_place *ret, pid_t pid, struct pv_error *reterr)
{
	*ret = (struct pv_join_place){
		.pid = pid, .mono = true, .relay.fd = -1, .recorder.fd = -1, .log = -1
	};
	return pv_mono_attach_check(pid, reterr) && make_own_pipe(ret, reterr);
}

static bool attach_mono(const struct pv_join_place *j, struct pv_error *reterr)
{
	char options[sizeof j->path + 80];
	snprintf(options, sizeof options,
		"nodefaults,gc,exception,monitor,counter,heapshot=ondemand,output=%s", j->path);
	return pv_mono_attach(j->pid, options, reterr);
}

/* Root is refused, too, or the process has just ended. */
static bool is_hidden(pid_t pid)
{
	char text[PV_PROBE_PATH];
	return geteuid() == 0 && !pv_proc_variable(pid, "TMPDIR", text, sizeof text);
}

/* Whether the process has no probe, and runs no runtime with a probe or a stream. */
static bool is_native(pid_t pid, const char *socket)
{
	char probe[PV_PROBE_PATH];
	struct pv_dotnet d;
	return !socket && !is_hidden(pid) && !pv_process_is_mono(pid) &&
	       !pv_probe_find(pid, probe, NULL) && !pv_dotnet_find(&d, pid, NULL) &&
	       !pv_dotnet_is(pid) && pv_launch_has_library(PV_OUTSIDE_PROGRAM);
}

bool pv_join_find(struct pv_join_place *ret, pid_t pid, const char *socket, enum pv_join_may may,
	enum pv_join_via via, struct pv_error *reterr)
{
	char probe[PV_PROBE_PATH];
	bool silent = may == PV_JOIN_MAY_LOOK;
	*ret = (struct pv_join_place){ .pid = pid, .relay.fd = -1, .recorder.fd = -1, .log = -1 };
	if (!pid)
		return find_unseen(ret, socket, silent, via, reterr);
	if (via == PV_JOIN_VIA_OUTSIDE)
		return find_outside(ret, pid, reterr);
	if (!pv_limits_awake(pid, reterr))
		return false;
	if (may == PV_JOIN_MAY_INJECT && via != PV_JOIN_VIA_EVENTS && pv_process_is_mono(pid) &&
		!pv_probe_find(pid, probe, NULL))
		return find_mono(ret, pid, reterr);
	if (via == PV_JOIN_VIA_AUTO && may != PV_JOIN_MAY_INJECT && is_native(pid, socket))
		return find_outside(ret, pid, reterr);
	if (find_join_place(ret, pid, socket, silent, via, reterr))
		return true;
	/* The probe answered a moment ago and is gone: look once more. */
	if (!pv_probe_find(pid, probe, NULL) && pv_dotnet_is(pid) && reterr &&
		reterr->code == PV_EIO)
		return find_join_place(ret, pid, socket, silent, via, reterr);
	return false;
}

bool pv_join_listen(
	struct pv_join_place *ret, int listener, const volatile int *stop, struct pv_error *reterr)
{
	struct pv_event_door door;
	*ret = (struct pv_join_place){
		.streams = true, .relay.fd = -1, .recorder.fd = -1, .log = -1
	};
	bool ok = pv_event_door_await(&door, listener, stop, reterr);
	ret->pid = door.dotnet.pid;
	ok = ok && make_own_pipe(ret, reterr);
	if (ok && !pv_event_relay_start(&ret->relay, &door, ret->path, reterr)) {
		pv_join_leave(ret);
		ok = false;
	}
	pv_event_door_close(&door); /* the relay has taken over */
	return ok;
}

bool pv_join_go(struct pv_join_place *j, struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER], answer[PV_PROBE_ANSWER];
	if (j->greet) /* a slow process has received the line all the same */
		ask_probe(j, "hello", answer, NULL);
	if (j->outside)
		return go_outside(j, reterr);
	if (j->streams)
		return pv_event_relay_go(&j->relay, &j->events, reterr);
	if (!*j->made.path)
		return true;
	if (j->dotnet.pid)
		return attach_dotnet(j, reterr);
	if (j->mono)
		return attach_mono(j, reterr);
	if (!j->pid)
		return attach_unseen(j, reterr);
	snprintf(line, sizeof line, "attach %s/log", j->made.path);
	if (ask_probe(j, line, answer, reterr))
		return true;
	/* The probe of .NET has just left; the pipe serves the next probe too. */
	if (pv_dotnet_find(&j->dotnet, j->pid, NULL) && j->dotnet.of.uid == j->made.of.uid)
		return attach_dotnet(j, reterr);
	if (pv_foreign_is_ours(&j->of) || !reterr || reterr->code != PV_EUSAGE)
		return false;
	const struct pv_error why = *reterr;
	return pv_fail(reterr, why.code, 0,
		"process %ld cannot write to %s/log, which was made for it as its user %u: %s; attach "
		"as that user, where the process runs",
		(long)j->pid, j->made.path, (unsigned)j->of.uid, PV_FIT(why.what, 60));
}

bool pv_join_shot(struct pv_join_place *j, struct pv_error *reterr)
{
	return j->outside ? pv_fail(reterr, PV_EIO, 0, "from outside none can be taken")
			  : pv_event_relay_shot(&j->relay, reterr);
}

/* A joined probe writes a farewell and leaves, as when the reader is gone. */
void pv_join_end(struct pv_join_place *j)
{
	char control[PV_PROBE_PATH], answer[PV_PROBE_ANSWER];
	pv_event_relay_leave(&j->relay);
	pv_outside_leave(&j->recorder);
	bool stays = !pv_join_chooses(j) || pv_dotnet_waits_to_begin(j->dotnet.pid);
	if (!stays && pv_probe_find(j->pid, control, NULL))
		pv_probe_ask(control, j->pid, "stop", ASK_MS, answer, NULL);
}

void pv_join_leave(struct pv_join_place *j)
{
	pv_event_relay_leave(&j->relay);
	pv_outside_leave(&j->recorder);
	if (!*j->made.path)
		pv_fd_close(&j->log);
	j->log = -1;
	pv_foreign_remove(&j->made);
	pv_foreign_unkeep(&j->copy);
}
