/* SPDX-License-Identifier: MIT */
/* Finds the diagnostics socket of a .NET process, also of one in another container. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/io/fd.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/process/patience.h"

enum { ENVIRONMENT = 128 << 10 };

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

static const char start[] = "dotnet-diagnostic-";

bool pv_dotnet_is_socket(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strncmp(slash ? slash + 1 : path, start, sizeof start - 1) == 0;
}

static bool note_socket(struct pv_dotnet_folder *f, const char *name)
{
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

static void open_folder(struct pv_dotnet_folder *f, const struct pv_dotnet *d)
{
	char name[sizeof f->name];
	snprintf(name, sizeof name, "%ld:%s", d->of.elsewhere ? (long)d->pid : 0, d->temporary);
	if (strcmp(f->name, name) == 0)
		return;
	pv_dotnet_folder_finish(f);
	*f = (struct pv_dotnet_folder){ .fd = pv_foreign_list(&d->of, d->temporary) };
	memcpy(f->name, name, sizeof name);
}

/* Another's folder may be as large as he likes: the clock is looked at now and then. */
static void read_folder(struct pv_dotnet_folder *f, int64_t end_ms)
{
	enum { BETWEEN = 1024 };
	struct dirent *e;
	int fd = f->was_read || f->fd < 0 ? -1 : openat(f->fd, ".", O_RDONLY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	f->was_read = true;
	for (unsigned i = 1; dir && (e = readdir(dir)); i++)
		if (!note_socket(f, e->d_name) ||
			(i % BETWEEN == 0 && pv_patience_now_ms() >= end_ms))
			break;
	if (dir)
		closedir(dir);
	else
		pv_fd_close(&fd);
}

void pv_dotnet_folder_finish(struct pv_dotnet_folder *folder)
{
	if (*folder->name)
		pv_fd_close(&folder->fd);
	*folder->name = 0;
	pv_array_finish(&folder->list);
}

/*
 * Whether a socket is older than the process: left by an earlier process with the same number.
 * False where the clocks do not say.
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

/* Whether the folder has a socket of this name. */
static bool is_socket(const struct pv_dotnet_folder *f, const char *name, struct stat *ret)
{
	return fstatat(f->fd, name, ret, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(ret->st_mode);
}

static bool path_of(struct pv_dotnet *d, const char *name)
{
	char path[sizeof d->socket];
	if (snprintf(path, sizeof path, "%s/%s", d->temporary, name) >= (int)sizeof path)
		return false;
	memcpy(d->socket, path, sizeof path);
	return true;
}

/*
 * The newest of several sockets with one pid is the living process's. The owner is checked first: a
 * socket of another user than the process's is only a reason to report.
 */
static bool find_newest_socket(struct pv_dotnet *d, const struct pv_dotnet_folder *f, long inner)
{
	struct timespec best = { 0, 0 };
	struct stat st;
	bool found = false;
	d->socket[0] = 0;
	for (size_t i = 0; i < f->list.n; i++) {
		const struct pv_dotnet_entry *e = &f->list.v[i];
		if (e->inner != inner || !is_socket(f, e->name, &st) ||
			is_stale(d->pid, &st.st_mtim))
			continue;
		bool theirs = st.st_uid == d->of.uid;
		if (theirs ? found && !is_newer(&st.st_mtim, &best) : found)
			continue;
		if (!path_of(d, e->name))
			continue;
		found |= theirs;
		best = st.st_mtim;
	}
	return found;
}

/* By the name, made of the process's start time: quick, however large the folder is. */
static bool find_socket_by_name(struct pv_dotnet *d, const struct pv_dotnet_folder *f, long inner)
{
	char name[80], text[1024];
	struct stat st;
	pv_proc_read(d->pid, "stat", text, sizeof text);
	uint64_t ticks = pv_stat_number(text, PV_STAT_START);
	snprintf(name, sizeof name, "dotnet-diagnostic-%ld-%" PRIu64 "-socket", inner, ticks);
	return ticks && is_socket(f, name, &st) && st.st_uid == d->of.uid && path_of(d, name);
}

/* Path of the process's socket; false: the process cannot be looked at. */
static bool locate(struct pv_dotnet *d, pid_t pid)
{
	*d = (struct pv_dotnet){ .pid = pid };
	if (!pv_foreign_look(&d->of, pid) ||
		!pv_proc_variable(pid, "TMPDIR", d->temporary, sizeof d->temporary))
		return false;
	size_t n = strlen(d->temporary);
	if (n > 1 && d->temporary[n - 1] == '/')
		d->temporary[n - 1] = 0;
	if (d->temporary[0] != '/')
		snprintf(d->temporary, sizeof d->temporary, "/tmp");
	return true;
}

static bool find_in(struct pv_dotnet *d, struct pv_dotnet_folder *folder, int64_t end_ms)
{
	long inner = pv_foreign_inner_pid(d->pid);
	open_folder(folder, d);
	if (find_socket_by_name(d, folder, inner))
		return true;
	read_folder(folder, end_ms);
	return find_newest_socket(d, folder, inner);
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
	if (!locate(&d, pid)) {
		int why = kill(pid, 0) == 0 ? 0 : errno;
		return pv_fail(reterr, PV_EUSAGE, 0, "process %ld cannot be looked at: %s",
			(long)pid,
			why == ESRCH     ? "it is gone"
			: geteuid() == 0 ? "root is refused, too, as by another user namespace, "
					   "a security module, or because it has just ended"
			: why == EPERM
				? "it is another user's (be that user, or root)"
				: "the system hides it, as it has more rights than its user (be root)");
	}
	bool found = find_in(&d, &folder, INT64_MAX);
	pv_dotnet_folder_finish(&folder);
	if (found)
		*ret = d;
	return found || pv_dotnet_why_not(&d, reterr);
}
