/* Where the diagnostics socket of a .NET process is, wherever the process lives. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/target/dotnet_ipc.h"

enum { ENVIRONMENT = 128 << 10 };

ssize_t pv_proc_read(pid_t pid, const char *what, char *to, size_t room)
{
	char path[64];
	size_t n = 0;
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 0;
	while (fd >= 0 && n + 1 < room && (got = read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	to[n] = 0;
	return got < 0 ? -1 : (ssize_t)n;
}

/* The process's number where it lives, which may be a container. */
static long inner_pid(pid_t pid)
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

/* Of several sockets with one pid the newest is the living process's. */
static bool newest(struct pv_dotnet *d, const char *folder, long inner)
{
	char start[64], path[sizeof d->socket];
	struct timespec best = { 0, 0 };
	struct stat st;
	int n = snprintf(start, sizeof start, "dotnet-diagnostic-%ld-", inner);
	DIR *dir = opendir(folder);
	struct dirent *e;
	d->socket[0] = 0;
	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, start, (size_t)n) != 0 ||
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >=
				(int)sizeof path ||
			lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
			continue;
		if (*d->socket && (st.st_mtim.tv_sec < best.tv_sec ||
					  (st.st_mtim.tv_sec == best.tv_sec &&
						  st.st_mtim.tv_nsec <= best.tv_nsec)))
			continue;
		best = st.st_mtim;
		memcpy(d->socket, path, sizeof path);
	}
	if (dir)
		closedir(dir);
	return *d->socket;
}

/* Whoever made the socket is whom we would tell: only the process's own user may be that. */
static bool is_theirs(const struct pv_dotnet *d)
{
	struct stat socket;
	return lstat(d->socket, &socket) == 0 && d->uid == socket.st_uid;
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

bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr)
{
	char folder[sizeof ret->root + sizeof ret->temporary];
	struct pv_dotnet d = { .pid = pid };
	struct stat st;
	snprintf(folder, sizeof folder, "/proc/%ld", (long)pid);
	if (stat(folder, &st) != 0 ||
		!pv_proc_variable(pid, "TMPDIR", d.temporary, sizeof d.temporary))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld cannot be looked at: it is gone, or another user's (then be "
			"that user, or root)",
			(long)pid);
	d.uid = st.st_uid;
	d.gid = st.st_gid;
	size_t n = strlen(d.temporary);
	if (n > 1 && d.temporary[n - 1] == '/')
		d.temporary[n - 1] = 0;
	if (d.temporary[0] != '/')
		snprintf(d.temporary, sizeof d.temporary, "/tmp");
	if (lives_elsewhere(pid))
		snprintf(d.root, sizeof d.root, "/proc/%ld/root", (long)pid);
	snprintf(folder, sizeof folder, "%s%s", d.root, d.temporary);
	if (!newest(&d, folder, inner_pid(pid)) || !is_theirs(&d))
		return pv_dotnet_why_not(&d, reterr);
	*ret = d;
	return true;
}
