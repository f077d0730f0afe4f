/* SPDX-License-Identifier: MIT */
/* Finds the program that writes a log, and speaks to its probe. */
#include "common/target/control/log_peer.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/target/foreign/foreign.h"

bool pv_log_peer_writer(
	const struct pv_log_peer *p, struct pv_log_writer *ret, struct pv_error *reterr)
{
	if (p->pid <= 0)
		return pv_fail(reterr, PV_EIO, 0, "the log does not say whose it is");
	if (p->file && pv_log_writer_find(p->pid, p->file, true, ret))
		return true;
	return pv_fail(reterr, PV_EIO, 0,
		"nothing is sent: no process here is known to write the log, which says process "
		"%ld",
		(long)p->pid);
}

struct named {
	char path[PV_PROBE_PATH], id[20];
};

/* A word of the header, as the process wrote it; "": missing. */
static void find_word(const char *args, const char *key, char *to, size_t room)
{
	size_t len = strlen(key), n;
	*to = 0;
	for (const char *at = args; at && (at = strstr(at, key)); at += len) {
		n = strcspn(at + len, ",");
		if ((at == args || at[-1] == ',' || at[-1] == ':') && n < room) {
			memcpy(to, at + len, n);
			to[n] = 0;
			return;
		}
	}
}

/* The output's name stands last, and may hold anything. */
static bool named_by(const struct pv_log_peer *p, struct named *ret)
{
	const char *end = p->args ? strstr(p->args, ",output=") : NULL;
	char *head = p->args ? strndup(p->args, end ? (size_t)(end - p->args) : SIZE_MAX) : NULL;
	find_word(head, "control=", ret->path, sizeof ret->path);
	find_word(head, "id=", ret->id, sizeof ret->id);
	free(head);
	return *ret->path == '/';
}

bool pv_log_peer_is_probe(const struct pv_log_peer *p)
{
	struct named n;
	return named_by(p, &n);
}

/* ---- a candidate process */

struct asking {
	struct named named;
	const char *line;
	int ms;
	char *answer;
	struct pv_error *reterr;
};

/* True: the process was the writer, and *ret_ok is its answer. */
static bool ask_one(const struct asking *a, const struct pv_foreign *of, bool *ret_ok)
{
	char id[20];
	if (*a->named.id) {
		if (!pv_probe_ask_in(of, a->named.path, "stats", a->ms, a->answer, a->reterr))
			return false;
		if (!pv_probe_word(a->answer, "id", id, sizeof id) ||
			strcmp(id, a->named.id) != 0) {
			pv_fail(a->reterr, PV_EIO, 0,
				"nothing is sent: the probe in process %ld writes another log than "
				"this one",
				(long)of->pid);
			return false;
		}
	}
	*ret_ok = (*a->named.id && strcmp(a->line, "stats") == 0) ||
		  pv_probe_ask_in(of, a->named.path, a->line, a->ms, a->answer, a->reterr);
	return true;
}

/* By the header's number: in our namespace, or of a process with this number in its own. */
static bool ask_those(const struct asking *a, pid_t inner, bool *ret_ok)
{
	struct asking last = *a;
	struct pv_foreign of;
	DIR *proc = opendir("/proc");
	bool met = false;
	pv_fail(a->reterr, PV_EIO, 0, "nothing is sent: process %ld of the log is not seen here",
		(long)inner);
	for (struct dirent *e; proc && !met && (e = readdir(proc));) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		met = pid > 0 && (pid == inner || pv_foreign_inner_pid(pid) == inner) &&
		      pv_foreign_look(&of, pid) && ask_one(a, &of, ret_ok);
	}
	if (proc)
		closedir(proc);
	of = pv_foreign_self();
	of.pid = 0; /* the folder may be ours, and the process number not visible */
	last.reterr = NULL;
	return met || ask_one(&last, &of, ret_ok);
}

bool pv_log_peer_ask(const struct pv_log_peer *p, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	struct asking a = { .line = line, .ms = ms, .answer = ret_answer, .reterr = reterr };
	struct pv_log_writer w;
	struct pv_foreign of;
	bool ok = false;
	if (!named_by(p, &a.named))
		return pv_fail(reterr, PV_EUSAGE, 0, "the log names no control socket");
	if (!pv_log_peer_writer(p, &w, reterr))
		return *a.named.id && p->pid > 0 && ask_those(&a, p->pid, &ok) && ok;
	bool met = pv_foreign_look(&of, w.pid) && ask_one(&a, &of, &ok);
	close(w.pidfd);
	return met && ok;
}
