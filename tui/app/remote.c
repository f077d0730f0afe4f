/* SPDX-License-Identifier: MIT */
/* `profview ps` and `profview ctl`: lists processes that can be joined, finds one, sends a line. */
#include "tui/app/remote.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/join/joinable.h"
#include "common/target/control/probe_socket.h"

enum { ANSWER_MS = 10000 };

bool ui_remote_ctl(
	long pid, const char *socket, char *const *words, int n, FILE *out, struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER] = "", path[PV_PROBE_PATH], answer[PV_PROBE_ANSWER];
	struct pv_foreign of;
	size_t used = 0;
	for (int i = 0; i < n; i++) {
		int k = snprintf(line + used, sizeof line - used, "%s%s", i ? " " : "", words[i]);
		used += (size_t)k;
		if (used >= sizeof line)
			return pv_fail(reterr, PV_EUSAGE, 0, "the line is too long");
	}
	if (socket && pv_dotnet_is_socket(socket))
		return pv_fail(reterr, PV_EIO, 0,
			"that is .NET's diagnostics socket: there is no probe behind it");
	if (socket ? !pv_foreign_at(&of, socket, reterr) ||
				!pv_probe_ask_in(&of, socket, line, ANSWER_MS, answer, reterr)
		   : !pv_probe_find((pid_t)pid, path, reterr) ||
				!pv_probe_ask(path, (pid_t)pid, line, ANSWER_MS, answer, reterr))
		return false;
	fputs(*answer ? "ok " : "ok", out);
	pv_showable_put(out, answer);
	putc('\n', out);
	return true;
}

static const char *how_to(enum pv_join how)
{
	static const char *const by[] = { [PV_JOIN_PROBE] = "probe",
		[PV_JOIN_MONO] = "attach",
		[PV_JOIN_DOTNET] = "diagnostics",
		[PV_JOIN_NATIVE] = "outside" };
	return by[how];
}

static bool put_json_text(FILE *out, const char *key, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	if (json)
		fprintf(out, ",\"%s\":%s", key, json);
	free(json);
	return json;
}

static bool put_json_row(FILE *out, const struct pv_joinable *j)
{
	fprintf(out, "\n{\"pid\":%ld,\"pid_inside\":%ld,\"join\":\"%s\"", (long)j->pid,
		pv_foreign_inner_pid(j->pid), how_to(j->how));
	static const char *const answer[] = {
		[PV_JOIN_UNASKED] = "null", [PV_JOIN_ANSWERED] = "true", [PV_JOIN_SILENT] = "false"
	};
	bool ok = put_json_text(out, "runtime", j->runtime) &&
		  put_json_text(out, "version", j->version) &&
		  put_json_text(out, "socket", j->path) &&
		  put_json_text(out, "command", j->command);
	fprintf(out, ",\"answered\":%s,\"ways\":[", answer[j->answer]);
	bool any = false;
	for (int w = 0; w < PV_JOIN_WAYS; w++)
		if (j->ways & 1u << w) {
			fputs(any ? ",\"" : "\"", out);
			pv_showable_put(out, pv_join_way_name((enum pv_join_way)w));
			putc('"', out);
			any = true;
		}
	putc(']', out);
	ok = ok && put_json_text(out, "no_probe", j->refused);
	putc('}', out);
	return ok;
}

static bool put_joinables_json(FILE *out, const struct pv_joinables *all)
{
	bool ok = true;
	fputs("[", out);
	for (size_t i = 0; ok && i < all->list.n; i++) {
		fputs(i ? "," : "", out);
		ok = put_json_row(out, &all->list.v[i]);
	}
	fputs(all->list.n ? "\n]\n" : "]\n", out);
	return ok;
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static const char *version_of(const struct pv_joinable *j)
{
	return j->answer == PV_JOIN_SILENT ? "no answer" : j->version;
}

static int wider(int width, const char *text)
{
	int n = pv_showable_cells(or_dash(text));
	return n > width ? n : width;
}

static void put_column(FILE *out, int width, const char *text)
{
	pv_showable_put(out, or_dash(text));
	fprintf(out, "%*s", 2 + width - pv_showable_cells(or_dash(text)), "");
}

static const char *ways_of(const struct pv_joinable *j, char *to, size_t room)
{
	size_t n = 0;
	*to = '\0';
	for (int w = 0; w < PV_JOIN_WAYS; w++)
		if (j->ways & 1u << w && n < room)
			n += (size_t)snprintf(to + n, room - n, "%s%s", n ? "," : "",
				pv_join_way_name((enum pv_join_way)w));
	return to;
}

/* Below the table: what each way into the listed processes gives, and why a probe cannot enter. */
static void put_ways(FILE *out, const struct pv_joinables *all)
{
	unsigned met = 0;
	for (size_t i = 0; i < all->list.n; i++)
		met |= all->list.v[i].ways;
	for (int w = 0; w < PV_JOIN_WAYS; w++)
		if (met & 1u << w) {
			put_column(out, 6, pv_join_way_name((enum pv_join_way)w));
			pv_showable_put(out, pv_join_way_gives((enum pv_join_way)w));
			putc('\n', out);
		}
	for (size_t i = 0; i < all->list.n; i++)
		if (*all->list.v[i].refused) {
			fputs("no probe: ", out);
			pv_showable_put(out, all->list.v[i].refused);
			putc('\n', out);
		}
}

/* The pid; also the pid inside, where the process's own namespace has another. */
static const char *pid_text(const struct pv_joinable *j, char *to, size_t room)
{
	long inner = pv_foreign_inner_pid(j->pid);
	int n = snprintf(to, room, "%ld", (long)j->pid);
	if (inner != (long)j->pid && n > 0)
		snprintf(to + n, room - (size_t)n, " (%ld inside)", inner);
	return to;
}

static void put_joinables_text(FILE *out, const struct pv_joinables *all)
{
	int pids = 8, runtime = 7, version = 7, ways = 4;
	char text[64];
	for (size_t i = 0; i < all->list.n; i++) {
		pids = wider(pids, pid_text(&all->list.v[i], text, sizeof text));
		runtime = wider(runtime, all->list.v[i].runtime);
		version = wider(version, version_of(&all->list.v[i]));
		ways = wider(ways, ways_of(&all->list.v[i], text, sizeof text));
	}
	fprintf(out, "%*s  %-11s  %-*s  %-*s  %-*s  %s\n", pids, "PID", "BY", runtime, "RUNTIME",
		version, "VERSION", ways, "WAYS", "COMMAND");
	for (size_t i = 0; i < all->list.n; i++) {
		const struct pv_joinable *j = &all->list.v[i];
		pid_text(j, text, sizeof text);
		fprintf(out, "%*s", pids - pv_showable_cells(text), "");
		pv_showable_put(out, text);
		fprintf(out, "  %-11s  ", how_to(j->how));
		put_column(out, runtime, j->runtime);
		put_column(out, version, version_of(j));
		put_column(out, ways, ways_of(j, text, sizeof text));
		pv_showable_put(out, j->command);
		putc('\n', out);
	}
	put_ways(out, all);
}

bool ui_remote_ps(FILE *out, bool json, bool idle, struct pv_error *reterr)
{
	struct pv_joinables all;
	bool ok = pv_joinables_find(&all, idle, reterr);
	if (ok && json)
		ok = put_joinables_json(out, &all) ||
		     pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	else if (ok)
		put_joinables_text(out, &all);
	pv_joinables_finish(&all);
	return ok;
}

/* ---- find a process by name */

enum { LISTED = 64 };

enum match { NOT, IN_COMMAND, BY_NAME };

/* Whether the first or second word of the command, without folders, is the name. */
static bool has_name(const char *command, const char *name)
{
	const char *word = command;
	for (int i = 0; i < 2 && *word; i++) {
		size_t len = strcspn(word, " ");
		const char *slash = memrchr(word, '/', len);
		const char *at = slash ? slash + 1 : word;
		size_t n = len - (size_t)(at - word);
		if (n == strlen(name) && memcmp(at, name, n) == 0)
			return true;
		word += len + (word[len] == ' ');
	}
	return false;
}

static enum match match_of(const struct pv_joinable *j, const char *name)
{
	if (has_name(j->command, name))
		return BY_NAME;
	/* Any native process can be joined: the name within its command is not enough. */
	return j->how != PV_JOIN_NATIVE && strstr(j->command, name) ? IN_COMMAND : NOT;
}

/* The best matches. */
struct found {
	enum match best;
	size_t n;
	pid_t pid[LISTED];
};

/* A process is listed once for each way into it, in adjacent rows. */
static void take_match(struct found *f, enum match how, pid_t pid)
{
	if (how == NOT || how < f->best)
		return;
	if (how > f->best)
		*f = (struct found){ .best = how };
	size_t last = f->n < LISTED ? f->n : LISTED;
	if (last && f->pid[last - 1] == pid)
		return;
	if (f->n < LISTED)
		f->pid[f->n] = pid;
	f->n++;
}

static bool find_joinable(const char *name, struct found *ret, struct pv_error *reterr)
{
	struct pv_joinables all = { 0 };
	*ret = (struct found){ .best = NOT };
	bool ok = pv_joinables_find(&all, true, reterr);
	for (size_t i = 0; ok && i < all.list.n; i++)
		take_match(ret, match_of(&all.list.v[i], name), all.list.v[i].pid);
	pv_joinables_finish(&all);
	return ok && (ret->n || pv_fail(reterr, PV_EUSAGE, 0,
					"no process that can be joined is called \"%s\"; profview "
					"ps lists them",
					PV_FIT(name, 60)));
}

static bool too_many(const struct found *f, const char *name, struct pv_error *reterr)
{
	enum { SAID = 8 };
	char pids[16 * SAID] = "";
	for (size_t i = 0, n = 0; i < f->n && i < SAID; i++)
		n += (size_t)snprintf(
			pids + n, sizeof pids - n, "%s%ld", n ? ", " : "", (long)f->pid[i]);
	return pv_fail(reterr, PV_EUSAGE, 0, "%zu processes are called \"%s\": give a number, %s%s",
		f->n, PV_FIT(name, 60), pids, f->n > SAID ? ", ..." : "");
}

bool ui_pid_by_name(const char *name, long *ret_pid, struct pv_error *reterr)
{
	struct found f;
	if (!find_joinable(name, &f, reterr))
		return false;
	*ret_pid = f.pid[0];
	return f.n == 1 || too_many(&f, name, reterr);
}
