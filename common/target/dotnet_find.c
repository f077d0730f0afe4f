/* Finds the diagnostics socket of a .NET process, also of one in another container. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/proc_file.h"
#include "common/target/dotnet_ipc.h"
#include "common/target/patience.h"

enum { ENVIRONMENT = 128 << 10 };

long pv_dotnet_inner_pid(pid_t pid)
{
	char status[4096];
	const char *at = NULL;
	long last = (long)pid;
	if (pv_proc_read(pid, "status", status, sizeof status) > 0)
		at = strstr(status, "\nNSpid:");
	if (!at)
		return last;
	for (at += 7; *at && *at != '\n';) {
		char *end;
		long n = strtol(at, &end, 10);
		if (end == at)
			break;
		last = n;
		at = end;
	}
	return last;
}

bool pv_proc_variable(pid_t pid, const char *name, char *to, size_t room)
{
	size_t len = strlen(name);
	char *environment = malloc(ENVIRONMENT);
	ssize_t n = environment ? pv_proc_read(pid, "environ", environment, ENVIRONMENT) : -1;
	*to = 0;
	for (const char *at = environment; n > 0 && at < environment + n; at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '=' && strlen(at + len + 1) < room)
			snprintf(to, room, "%s", at + len + 1);
	free(environment);
	return n >= 0;
}

struct pv_dotnet_entry {
	long inner;
	char name[80];
};

static bool note(struct pv_dotnet_folder *f, const char *name)
{
	static const char start[] = "dotnet-diagnostic-";
	struct pv_dotnet_entry e;
	char *end;
	if (strncmp(name, start, sizeof start - 1) != 0 || strlen(name) >= sizeof e.name)
		return true;
	e.inner = strtol(name + sizeof start - 1, &end, 10);
	strcpy(e.name, name);
	if (*end != '-')
		return true;
	if (!pv_reserve(&f->list, 1))
		return false;
	f->list.v[f->list.n++] = e;
	return true;
}

/* Another's folder may be as large as he likes: the clock is looked at now and then. */
static void read_folder(struct pv_dotnet_folder *f, const char *name, int64_t end_ms)
{
	enum { BETWEEN = 1024 };
	struct dirent *e;
	if (strcmp(f->name, name) == 0)
		return;
	DIR *dir = opendir(name);
	snprintf(f->name, sizeof f->name, "%s", name);
	f->list.n = 0;
	for (unsigned i = 1; dir && (e = readdir(dir)); i++)
		if (!note(f, e->d_name) || (i % BETWEEN == 0 && pv_patience_now_ms() >= end_ms))
			break;
	if (dir)
		closedir(dir);
}

void pv_dotnet_folder_finish(struct pv_dotnet_folder *folder)
{
	pv_array_finish(&folder->list);
}

/*
 * Whether something was made before the process was: by one that had its number earlier and did not
 * remove it. Where clocks do not say, it was not.
 */
static bool is_stale(pid_t pid, const struct timespec *made)
{
	enum { SLACK_S = 2 };
	struct timespec now;
	int64_t age = pv_process_age_ms(pid);
	if (age < 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	return (int64_t)now.tv_sec - (int64_t)made->tv_sec > age / 1000 + SLACK_S;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/*
 * Of several sockets with one pid the newest is the living process's. Whose they are comes first:
 * those of others than the process's user are nothing but a reason why there is none.
 */
static bool newest(struct pv_dotnet *d, const struct pv_dotnet_folder *f, long inner)
{
	char path[sizeof d->socket];
	struct timespec best = { 0, 0 };
	struct stat st;
	bool found = false;
	d->socket[0] = 0;
	for (size_t i = 0; i < f->list.n; i++) {
		const struct pv_dotnet_entry *e = &f->list.v[i];
		if (e->inner != inner ||
			snprintf(path, sizeof path, "%s/%s", f->name, e->name) >=
				(int)sizeof path ||
			lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode) ||
			is_stale(d->pid, &st.st_mtim))
			continue;
		bool theirs = st.st_uid == d->uid;
		if (theirs ? found && !is_newer(&st.st_mtim, &best) : found)
			continue;
		found |= theirs;
		best = st.st_mtim;
		memcpy(d->socket, path, sizeof path);
	}
	return found;
}

/* By its name, which says when the process was started: quick, however large the folder is. */
static bool by_name(struct pv_dotnet *d, const char *folder, long inner)
{
	char path[sizeof d->socket], text[1024];
	struct stat st;
	pv_proc_read(d->pid, "stat", text, sizeof text);
	uint64_t ticks = pv_stat_number(text, PV_STAT_START);
	if (!ticks ||
		snprintf(path, sizeof path, "%s/dotnet-diagnostic-%ld-%" PRIu64 "-socket", folder,
			inner, ticks) >= (int)sizeof path ||
		lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != d->uid)
		return false;
	memcpy(d->socket, path, sizeof path);
	return true;
}

/* Another file system than ours, or other mounts in it. */
static bool lives_elsewhere(pid_t pid)
{
	char path[64], theirs[64], ours[64];
	struct stat a, b;
	snprintf(path, sizeof path, "/proc/%ld/ns/mnt", (long)pid);
	ssize_t n = readlink(path, theirs, sizeof theirs),
		m = readlink("/proc/self/ns/mnt", ours, sizeof ours);
	if (n > 0 && m > 0 && (n != m || memcmp(theirs, ours, (size_t)n) != 0))
		return true;
	snprintf(path, sizeof path, "/proc/%ld/root/.", (long)pid);
	return stat(path, &a) == 0 && stat("/.", &b) == 0 &&
	       (a.st_ino != b.st_ino || a.st_dev != b.st_dev);
}

/* Path that the process's socket would have; false: the process cannot be looked at. */
static bool locate(struct pv_dotnet *d, pid_t pid)
{
	char proc[32];
	struct stat st;
	*d = (struct pv_dotnet){ .pid = pid };
	snprintf(proc, sizeof proc, "/proc/%ld", (long)pid);
	if (stat(proc, &st) != 0 ||
		!pv_proc_variable(pid, "TMPDIR", d->temporary, sizeof d->temporary))
		return false;
	d->uid = st.st_uid;
	d->gid = st.st_gid;
	size_t n = strlen(d->temporary);
	if (n > 1 && d->temporary[n - 1] == '/')
		d->temporary[n - 1] = 0;
	if (d->temporary[0] != '/')
		snprintf(d->temporary, sizeof d->temporary, "/tmp");
	if (lives_elsewhere(pid))
		snprintf(d->root, sizeof d->root, "/proc/%ld/root", (long)pid);
	return true;
}

static bool find_in(struct pv_dotnet *d, struct pv_dotnet_folder *folder, int64_t end_ms)
{
	char name[sizeof d->root + sizeof d->temporary];
	long inner = pv_dotnet_inner_pid(d->pid);
	snprintf(name, sizeof name, "%s%s", d->root, d->temporary);
	if (by_name(d, name, inner))
		return true;
	read_folder(folder, name, end_ms);
	return newest(d, folder, inner);
}

bool pv_dotnet_find_in(
	struct pv_dotnet *ret, pid_t pid, struct pv_dotnet_folder *folder, int64_t end_ms)
{
	return locate(ret, pid) && find_in(ret, folder, end_ms);
}

bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr)
{
	struct pv_dotnet_folder folder = { 0 };
	struct pv_dotnet d;
	if (!locate(&d, pid))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld cannot be looked at: it is gone, or another user's (then be "
			"that user, or root)",
			(long)pid);
	bool found = find_in(&d, &folder, INT64_MAX);
	pv_dotnet_folder_finish(&folder);
	if (found)
		*ret = d;
	return found || pv_dotnet_why_not(&d, reterr);
}
