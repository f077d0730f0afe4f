/* SPDX-License-Identifier: MIT */
/* Lists processes that can be joined, and how, within a time limit. */
#include "common/target/join/joinable.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/map.h"
#include "common/base/system/proc_file.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/launch/launch.h"
#include "common/target/launch/outside.h"
#include "common/target/process/patience.h"
#include "common/target/control/probe_socket.h"

/*
 * Everything is found first, then all are asked at once. Looking at folders of others gets no more
 * than its part of the second that people wait, asking what is left.
 */
enum { LOOK_MS = 400, ALL_MS = 850, LEAST_MS = 200, RUN_MS = 200 };

/* --- finding processes */

/* A process, or one of its probes. */
struct found {
	pid_t pid;
	uid_t uid;
	struct pv_foreign of; /* of a probe: whose paths its socket's is one of */
	bool mono, dotnet, native;
	bool idle;                     /* a native one that does not run */
	uint64_t used;                 /* clock ticks of processor time, of a native one */
	char probe[PV_PROBE_PATH];     /* "": it is the process */
	struct pv_dotnet runtime;      /* set if `dotnet` */
	size_t question;               /* its number */
	struct pv_dotnet_asked *asked; /* owned; one of these where it was asked */
	uint8_t *answer;
};

struct search {
	PV_ARRAY(struct found) found;
	PV_ARRAY(struct pv_question) question;
	struct pv_map process; /* pid -> number in found */
	struct pv_map probed;  /* pid -> 1: it has a probe */
	struct pv_dotnet_folder folder;
	int64_t look_end;
	bool failed;
	bool outside; /* native ones can be joined */
};

static bool keep_found(struct search *s, const struct found *f)
{
	s->failed |= !pv_reserve(&s->found, 1);
	if (!s->failed)
		s->found.v[s->found.n++] = *f;
	return !s->failed;
}

static bool keep_probe(void *ctx, const char *path, pid_t pid, uid_t uid)
{
	struct found f = { .pid = pid, .uid = uid, .of = { .pid = pid, .uid = uid } };
	snprintf(f.probe, sizeof f.probe, "%s", path);
	return keep_found(ctx, &f);
}

static bool keep_elsewhere(void *ctx, const char *path, pid_t pid, uid_t uid)
{
	struct search *s = ctx;
	struct pv_foreign of;
	if (!keep_probe(s, path, pid, uid))
		return false;
	if (pv_foreign_look(&of, pid))
		s->found.v[s->found.n - 1].of = of;
	return true;
}

static uint64_t used_by(pid_t pid)
{
	char text[1024];
	return pv_proc_read(pid, "stat", text, sizeof text) > 0
		       ? pv_stat_number(text, PV_STAT_USER) + pv_stat_number(text, PV_STAT_SYSTEM)
		       : 0;
}

/* Of this user, and no thread of the kernel's. */
static bool is_native(const struct search *s, pid_t pid, uid_t uid)
{
	char line[2];
	return s->outside && uid == geteuid() &&
	       pv_proc_read(pid, "cmdline", line, sizeof line) > 0;
}

static void look_at_process(struct search *s, pid_t pid, uid_t uid)
{
	struct found f = { .pid = pid, .uid = uid };
	if (!pv_local_may(uid))
		return;
	pv_probe_each_elsewhere(pid, keep_elsewhere, s);
	f.mono = pv_process_is_mono(pid);
	f.dotnet = !f.mono && pv_dotnet_find_in(&f.runtime, pid, &s->folder, s->look_end);
	f.native = !f.mono && !f.dotnet && is_native(s, pid, uid);
	f.used = f.native ? used_by(pid) : 0;
	if (f.native)
		s->failed |= !keep_found(s, &f);
	if (f.mono || f.dotnet)
		s->failed |= !pv_map_set(&s->process, (uint64_t)pid, (uint32_t)s->found.n) ||
			     !keep_found(s, &f);
}

static void look_around(struct search *s)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat st;
	pv_probe_each(keep_probe, s);
	while (proc && !s->failed && (d = readdir(proc))) {
		long pid = strtol(d->d_name, NULL, 10);
		if (pid > 0 && pid != getpid() && fstatat(dirfd(proc), d->d_name, &st, 0) == 0)
			look_at_process(s, (pid_t)pid, st.st_uid);
	}
	if (proc)
		closedir(proc);
}

/* --- describing them */

static bool prepare(struct search *s, struct found *f)
{
	struct pv_question q;
	if (f->dotnet)
		f->asked = pv_dotnet_question(&f->runtime, &q);
	else
		f->answer = malloc(PV_PROBE_ANSWER);
	if ((!f->asked && !f->answer) || !pv_reserve(&s->question, 1))
		return false;
	if (f->answer)
		q = pv_probe_question(f->probe, &f->of, "stats\n", f->answer);
	f->question = s->question.n;
	s->question.v[s->question.n++] = q;
	return true;
}

static void ask_all(struct search *s, int64_t end_ms)
{
	for (size_t i = 0; i < s->found.n && !s->failed; i++)
		if (!s->found.v[i].mono && !s->found.v[i].native)
			s->failed = !prepare(s, &s->found.v[i]);
	if (!s->failed)
		pv_ask(s->question.v, s->question.n, end_ms);
}

/* Nothing is there any more, or another's: not silence. */
static bool is_none(const struct pv_question *q)
{
	return q->why == ECONNREFUSED || q->why == ENOENT || q->why == EACCES;
}

static void hear_dotnet(struct search *s, struct found *f, struct pv_joinable *j)
{
	bool ok =
		f->asked && pv_dotnet_answered(&f->runtime, &s->question.v[f->question], f->asked);
	f->asked = NULL;
	const char *version = f->runtime.version;
	j->answer = ok || *version ? PV_JOIN_ANSWERED : PV_JOIN_SILENT;
	bool aot = pv_dotnet_is_aot(f->pid);
	snprintf(j->runtime, sizeof j->runtime, aot ? "NativeAOT" : ".NET");
	snprintf(j->version, sizeof j->version, "%.*s", (int)strcspn(version, "+"), version);
}

static void hear_probe(struct search *s, struct found *f, struct pv_joinable *j)
{
	char answer[PV_PROBE_ANSWER];
	uint32_t process = pv_map_get(&s->process, (uint64_t)f->pid);
	j->answer = PV_JOIN_SILENT;
	if (!pv_probe_answered(&s->question.v[f->question], answer, NULL))
		return;
	j->answer = PV_JOIN_ANSWERED;
	pv_probe_word(answer, "host", j->runtime, sizeof j->runtime);
	pv_probe_word(answer, "version", j->version, sizeof j->version);
	if (strcmp(j->runtime, "coreclr") == 0 && process != PV_MAP_NONE &&
		s->found.v[process].dotnet)
		hear_dotnet(s, &s->found.v[process], j);
	j->answer = PV_JOIN_ANSWERED;
}

/* --- rows */

static void look_for_ways(const struct found *f, struct pv_joinable *j)
{
	struct pv_error why = { 0 };
	if (j->how == PV_JOIN_MONO)
		j->ways = 1 << PV_WAY_INJECT;
	else if (j->how == PV_JOIN_NATIVE)
		j->ways = 1 << PV_WAY_OUTSIDE;
	else if (j->how == PV_JOIN_PROBE || pv_join_probe_may(&f->runtime, true, &why))
		j->ways = 1 << PV_WAY_PROBE;
	if (j->how == PV_JOIN_DOTNET)
		j->ways |= 1 << PV_WAY_EVENTS;
	snprintf(j->refused, sizeof j->refused, "%s", why.what);
}

static void add_joinable(struct search *s, struct found *f, struct pv_joinables *to)
{
	struct pv_joinable j = { .pid = f->pid };
	bool probed = pv_map_get(&s->probed, (uint64_t)f->pid) != PV_MAP_NONE;
	if (*f->probe ? is_none(&s->question.v[f->question])
		      : probed || (f->dotnet && s->question.v[f->question].why == EACCES))
		return;
	j.how = *f->probe   ? PV_JOIN_PROBE
		: f->mono   ? PV_JOIN_MONO
		: f->native ? PV_JOIN_NATIVE
			    : PV_JOIN_DOTNET;
	if (*f->probe)
		hear_probe(s, f, &j);
	else if (f->dotnet)
		hear_dotnet(s, f, &j);
	else
		snprintf(j.runtime, sizeof j.runtime, f->native ? "native" : "mono");
	look_for_ways(f, &j);
	if (*f->probe)
		pv_foreign_show(&f->of, f->probe, j.path, sizeof j.path);
	else if (!f->native)
		pv_foreign_show(&f->runtime.of, f->runtime.socket, j.path, sizeof j.path);
	pv_process_command(j.pid, j.command, sizeof j.command);
	if (f->native && (!*j.command || pv_dotnet_is(j.pid)))
		return; /* just ended, or of a runtime with ways of its own */
	if (*f->probe)
		s->failed |= !pv_map_set(&s->probed, (uint64_t)f->pid, 1);
	s->failed |= !pv_reserve(&to->list, 1);
	if (!s->failed)
		to->list.v[to->list.n++] = j;
}

static int by_pid(const void *a, const void *b)
{
	const struct pv_joinable *x = a, *y = b;
	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (int)x->how - (int)y->how;
}

static void finish_search(struct search *s)
{
	for (size_t i = 0; i < s->found.n; i++) {
		free(s->found.v[i].asked);
		free(s->found.v[i].answer);
	}
	pv_array_finish(&s->found);
	pv_array_finish(&s->question);
	pv_map_finish(&s->process);
	pv_map_finish(&s->probed);
	pv_dotnet_folder_finish(&s->folder);
}

/* Native ones that stood still since they were found are left out. */
static void leave_idle(struct search *s, int64_t since_ms)
{
	bool any = false;
	for (size_t i = 0; i < s->found.n && !any; i++)
		any = s->found.v[i].native;
	int64_t left = since_ms + RUN_MS - pv_patience_now_ms();
	if (any && left > 0)
		poll(NULL, 0, (int)left);
	for (size_t i = 0; i < s->found.n; i++) {
		struct found *f = &s->found.v[i];
		f->idle = f->native && used_by(f->pid) == f->used;
	}
}

bool pv_joinables_find(struct pv_joinables *ret, bool idle, struct pv_error *reterr)
{
	int64_t began = pv_patience_now_ms(), end = began + ALL_MS;
	struct search s = { .look_end = began + LOOK_MS,
		.outside = pv_launch_has_library(PV_OUTSIDE_PROGRAM) };
	*ret = (struct pv_joinables){ 0 };
	look_around(&s);
	int64_t least = pv_patience_now_ms() + LEAST_MS;
	int64_t looked = pv_patience_now_ms();
	ask_all(&s, least > end ? least : end);
	if (!idle)
		leave_idle(&s, looked);
	for (int probes = 1; probes >= 0; probes--) /* first: their processes are then known */
		for (size_t i = 0; i < s.found.n && !s.failed; i++)
			if (!!*s.found.v[i].probe == probes && !s.found.v[i].idle)
				add_joinable(&s, &s.found.v[i], ret);
	bool ok = !s.failed;
	finish_search(&s);
	if (ret->list.n)
		qsort(ret->list.v, ret->list.n, sizeof *ret->list.v, by_pid);
	return ok || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

void pv_joinables_finish(struct pv_joinables *j)
{
	pv_array_finish(&j->list);
}
