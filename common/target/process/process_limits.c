/* SPDX-License-Identifier: MIT */
/* Limits of another process by its cgroups and rlimits, and whether it is stopped or frozen. */
#include "common/target/process/process_limits.h"

#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/utf8.h"
#include "common/target/process/patience.h"

enum { AWAKE_MS = 1500, LOOK_MS = 50, PATHS = 4096, TEXT = 16 << 10 };

/* --- cgroups */

/* A cgroup folder: first the process's own, then each parent up to the mount point. */
struct group {
	char path[PATHS];
	size_t top; /* bytes of the mount's own path */
	bool v2;
};

static bool mount_has_option(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* The process's path in the hierarchy with the controller; v2: in the one without a name. */
static bool path_in(pid_t pid, const char *controller, bool v2, char to[PATHS])
{
	char text[TEXT], *rest = text;
	pv_proc_read(pid, "cgroup", text, sizeof text);
	for (char *line; (line = strtok_r(rest, "\n", &rest));) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		if (v2 ? names[1] != 0 : !mount_has_option(names + 1, controller))
			continue;
		snprintf(to, PATHS, "%s", path);
		return true;
	}
	return false;
}

/* "ID PARENT DEVICE ROOT PLACE OPTIONS ... - TYPE SOURCE OPTIONS" of mountinfo, proc(5). */
static bool mount_fits(
	char *line, const char *controller, bool v2, char root[PATHS], char at[PATHS])
{
	char *type = strstr(line, " - "), kind[16], options[256];
	return type && sscanf(type, " - %15s %*s %255s", kind, options) == 2 &&
	       strcmp(kind, v2 ? "cgroup2" : "cgroup") == 0 &&
	       (v2 || mount_has_option(options, controller)) &&
	       sscanf(line, "%*s %*s %*s %4095s %4095s", root, at) == 2;
}

/* A mount shows only the part below its root: in a container the container's own group. */
static bool find_group(pid_t pid, const char *controller, bool v2, struct group *ret)
{
	char path[PATHS], root[PATHS], at[PATHS], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *mounts =
		path_in(pid, controller, v2, path) ? fopen("/proc/self/mountinfo", "re") : NULL;
	while (mounts && !found && getline(&line, &room, mounts) > 0)
		found = mount_fits(line, controller, v2, root, at);
	free(line);
	if (mounts)
		fclose(mounts);
	if (!found)
		return false;
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	const char *below = strncmp(path, root, n) == 0 ? path + n : path;
	int length = snprintf(ret->path, sizeof ret->path, "%s%s", at, below);
	ret->top = strlen(at);
	ret->v2 = v2;
	return length > 0 && (size_t)length < sizeof ret->path &&
	       !strstr(below, "/.."); /* not seen here */
}

static bool to_parent(struct group *g)
{
	char *slash = strrchr(g->path, '/');
	if (!slash || (size_t)(slash - g->path) < g->top || !g->path[g->top])
		return false;
	*slash = 0;
	return true;
}

static bool read_in(const struct group *g, const char *name, char *to, size_t room)
{
	char path[PATHS + 64];
	snprintf(path, sizeof path, "%s/%s", g->path, name);
	return pv_text_read(path, to, room) > 0;
}

/* "max" means no limit, as does v1's number for it. */
static int64_t number_in(const struct group *g, const char *name)
{
	char text[64];
	int64_t n;
	bool is = read_in(g, name, text, sizeof text) && sscanf(text, "%" SCNd64, &n) == 1;
	return is && n < INT64_C(1) << 60 ? n : INT64_MAX;
}

static int64_t field_in(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, n) == 0 && at[n] == ' ')
			return strtoll(at + n, NULL, 10);
	}
	return 0;
}

static void take_least(struct pv_limit *l, int64_t most, int64_t used, const char *name)
{
	if (most == INT64_MAX || used == INT64_MAX || most - used >= l->left)
		return;
	l->left = most > used ? most - used : 0;
	l->most = most;
	snprintf(l->name, sizeof l->name, "%s", name);
}

static void take_threads(const struct group *g, struct pv_limit *l)
{
	take_least(l, number_in(g, "pids.max"), number_in(g, "pids.current"),
		"pids.max of its cgroup");
}

static void take_memory(const struct group *g, struct pv_limit *l)
{
	char stat[TEXT] = "";
	const char *most = g->v2 ? "memory.max" : "memory.limit_in_bytes";
	int64_t used = number_in(g, g->v2 ? "memory.current" : "memory.usage_in_bytes");
	read_in(g, "memory.stat", stat, sizeof stat);
	int64_t cache = field_in(stat, g->v2 ? "inactive_file" : "total_inactive_file") +
			field_in(stat, g->v2 ? "active_file" : "total_active_file");
	used = used == INT64_MAX || cache > used ? used : used - cache;
	take_least(l, number_in(g, most), used,
		g->v2 ? "memory.max of its cgroup" : "memory.limit of its cgroup");
}

static void take_groups(pid_t pid, const char *controller,
	void (*take)(const struct group *, struct pv_limit *), struct pv_limit *l)
{
	for (int v2 = 0; v2 < 2; v2++) {
		struct group g;
		bool more = find_group(pid, controller, v2, &g);
		for (; more; more = to_parent(&g))
			take(&g, l);
	}
}

/* --- threads */

static bool status_of(pid_t pid, char to[TEXT])
{
	return pv_proc_read(pid, "status", to, TEXT) > 0;
}

static uint64_t status_field(const char *status, const char *name, int base)
{
	const char *at = strstr(status, name);
	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

/* Visible threads only: there may be more. */
static int64_t threads_of_user(uint64_t uid)
{
	DIR *proc = opendir("/proc");
	int64_t n = 0;
	char status[TEXT];
	for (struct dirent *e; proc && (e = readdir(proc));)
		if (*e->d_name > '0' && *e->d_name <= '9' && status_of(atoi(e->d_name), status) &&
			status_field(status, "\nUid:", 10) == uid)
			n += (int64_t)status_field(status, "\nThreads:", 10);
	if (proc)
		closedir(proc);
	return n;
}

/*
 * RLIMIT_NPROC counts the threads of a user; root and processes with CAP_SYS_RESOURCE have no
 * limit.
 */
static void take_nproc(pid_t pid, struct pv_limit *l)
{
	enum { SYS_ADMIN = 21, SYS_RESOURCE = 24 };
	const uint64_t exempt = UINT64_C(1) << SYS_ADMIN | UINT64_C(1) << SYS_RESOURCE;
	char status[TEXT], text[TEXT];
	int64_t most;
	pv_proc_read(pid, "limits", text, sizeof text);
	const char *at = strstr(text, "\nMax processes");
	if (!at || sscanf(at, " Max processes %" SCNd64, &most) != 1 || !status_of(pid, status))
		return;
	uint64_t uid = status_field(status, "\nUid:", 10);
	if (uid && !(status_field(status, "\nCapEff:", 16) & exempt))
		take_least(l, most, threads_of_user(uid), "RLIMIT_NPROC of its user");
}

void pv_limit_threads(pid_t pid, struct pv_limit *ret)
{
	*ret = (struct pv_limit){ .left = INT64_MAX };
	take_groups(pid, "pids", take_threads, ret);
	take_nproc(pid, ret);
}

bool pv_limits_leave_threads(pid_t pid, int wanted, struct pv_error *reterr)
{
	struct pv_limit l;
	pv_limit_threads(pid, &l);
	return l.left >= wanted ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "process %ld may make %" PRId64
		       " more thread%s, and %d are needed: %s is %" PRId64,
		       (long)pid, l.left, l.left == 1 ? "" : "s", wanted, l.name, l.most);
}

/* --- memory */

void pv_limit_memory(pid_t pid, struct pv_limit *ret)
{
	*ret = (struct pv_limit){ .left = INT64_MAX };
	take_groups(pid, "memory", take_memory, ret);
}

bool pv_limits_leave_memory(pid_t pid, int64_t wanted, struct pv_error *reterr)
{
	struct pv_limit l;
	pv_limit_memory(pid, &l);
	const double mib = 1 << 20;
	return l.left >= wanted ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "process %ld has %.1f MiB of memory left, and %.0f MiB are needed: %s is %.1f MiB",
		       (long)pid, (double)l.left / mib, (double)wanted / mib, l.name,
		       (double)l.most / mib);
}

/* --- our own */

static void say_tight(char *to, size_t room, const char *name, uint64_t most, const char *unit)
{
	size_t n = strlen(to);
	snprintf(to + n, room - n, "%s%s is %" PRIu64 "%s", n ? "; " : "", name, most, unit);
}

bool pv_limits_tight(char *to, size_t room)
{
	enum { FEW_FILES = 32, LITTLE_MIB = 256, MIB = 1 << 20 };
	struct rlimit files, space;
	struct pv_limit threads, memory;
	*to = 0;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FEW_FILES)
		say_tight(to, room, "RLIMIT_NOFILE", files.rlim_cur, "");
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur / MIB < LITTLE_MIB)
		say_tight(to, room, "RLIMIT_AS", space.rlim_cur / MIB, " MiB");
	pv_limit_threads(getpid(), &threads);
	if (threads.left < PV_LIMIT_FEW_THREADS)
		say_tight(to, room, threads.name, (uint64_t)threads.most, "");
	pv_limit_memory(getpid(), &memory);
	if (memory.left / MIB < LITTLE_MIB)
		say_tight(to, room, memory.name, (uint64_t)memory.most / MIB, " MiB");
	return *to;
}

/* --- whether the process runs */

static bool is_frozen(pid_t pid)
{
	struct group g;
	char text[256] = "";
	if (find_group(pid, "freezer", false, &g) &&
		read_in(&g, "freezer.state", text, sizeof text) && strncmp(text, "FR", 2) == 0)
		return true;
	return find_group(pid, "", true, &g) && read_in(&g, "cgroup.events", text, sizeof text) &&
	       field_in(text, "frozen") == 1;
}

static const char *stillness(pid_t pid)
{
	char text[1024];
	pv_proc_read(pid, "stat", text, sizeof text);
	const char *state = pv_stat_find(text, PV_STAT_STATE);
	if (state && *state == 'T')
		return "stopped (SIGSTOP or the like)";
	if (state && *state == 't')
		return "held by a debugger";
	return is_frozen(pid) ? "frozen, by its cgroup" : NULL;
}

bool pv_limits_awake(pid_t pid, struct pv_error *reterr)
{
	const char *still = stillness(pid);
	for (int64_t end = pv_patience_now_ms() + AWAKE_MS; still && pv_patience_now_ms() < end;
		still = stillness(pid))
		poll(NULL, 0, LOOK_MS);
	return !still ||
	       pv_fail(reterr, PV_EUSAGE, 0, "process %ld is %s: it can answer when it runs again",
		       (long)pid, still);
}
