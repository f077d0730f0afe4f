/* SPDX-License-Identifier: MIT */
/*
 * Private folders for the pipes of started programs, and the removal of folders left by killed
 * viewers.
 */
#include "common/target/launch/join_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/status.h"
#include "common/io/fd.h"
#include "common/target/foreign/left_folder.h"

static const char prefix[] = "profview-run-";

/* A process id says nothing across containers, but the lock does. */
static bool is_left(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	       flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* A program that outlives its viewer writes into the folder again when joined. */
static bool is_named_by(pid_t pid, const char *folder)
{
	enum { MOST = 1 << 20 };
	char path[32], *text = malloc(MOST);
	snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
	FILE *f = text ? fopen(path, "re") : NULL;
	size_t n = f ? fread(text, 1, MOST, f) : 0;
	bool is = n && memmem(text, n, folder, strlen(folder));
	if (f)
		fclose(f);
	free(text);
	return is;
}

/* Whether a process has the folder in its environment, as recorded programs have. */
static bool is_used(const char *folder)
{
	DIR *all = opendir("/proc");
	bool used = !all;
	for (struct dirent *e; !used && (e = readdir(all)) != NULL;) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		used = pid > 0 && pid != getpid() && is_named_by(pid, folder);
	}
	if (all)
		closedir(all);
	return used;
}

static void remove_if(int folder, const char *name, mode_t kind)
{
	struct stat st;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == kind)
		unlinkat(folder, name, 0);
}

static bool is_recordings(const char *name)
{
	const char *dot = strrchr(name, '.');
	return strstr(name, "index.json") ||
	       (dot && (strcmp(dot, ".mlpd") == 0 || strcmp(dot, ".nettrace") == 0));
}

void pv_run_folder_empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d));)
		if (is_recordings(e->d_name))
			unlinkat(folder, e->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

static void remove_folder(int base, const char *name)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_left(fd) && !is_used(name)) {
		remove_if(fd, "log", S_IFIFO);
		remove_if(fd, "s", S_IFSOCK);
		pv_run_folder_empty(fd);            /* recordings that were not to be kept */
		unlinkat(base, name, AT_REMOVEDIR); /* if empty */
	}
	close(fd);
}

const char *pv_run_folder_base(size_t most)
{
	const char *const places[] = { "/tmp", getenv("TMPDIR"), "/var/tmp" };
	for (size_t i = 0; i < PV_COUNT_OF(places); i++) {
		const char *at = places[i];
		if (at && *at == '/' && strlen(at) <= most && !strpbrk(at, ", ") &&
			access(at, W_OK) == 0)
			return at;
	}
	return "/tmp";
}

static void sweep(const char *base)
{
	DIR *dir = opendir(base);
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		if (pv_folder_is_left(e->d_name, prefix))
			remove_folder(dirfd(dir), e->d_name);
	}
	if (dir)
		closedir(dir);
}

/*
 * Whether no process listens at the socket any more, here or in a container that shares the folder.
 */
static bool is_refused(int folder, const char *name)
{
	struct stat st;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int n = snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", folder, name);
	if (n < 0 || (size_t)n >= sizeof at.sun_path ||
		fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) != 0 &&
		       errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

/* Removes control sockets of killed processes; a probe removes its own. */
static void sweep_sockets(void)
{
	enum { MOST = 4096 }; /* looked at each time */
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/tmp/profview-%u", (unsigned)geteuid());
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ours = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077);
	DIR *dir = ours ? fdopendir(fd) : NULL;
	if (!dir) {
		pv_fd_close(&fd);
		return;
	}
	struct dirent *e;
	for (int i = 0; i < MOST && (e = readdir(dir)) != NULL; i++) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);
		if (pid > 0 && (!*end || *end == '-') && pv_pid_is_gone((pid_t)pid) &&
			is_refused(fd, e->d_name))
			unlinkat(fd, e->d_name, 0);
	}
	closedir(dir);
}

bool pv_run_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr)
{
	sweep(base);
	sweep_sockets();
	int n = snprintf(to, room, "%s/%s%ld-XXXXXX", base, prefix, (long)getpid());
	bool fits = n >= 0 && (size_t)n < room, made = fits && mkdtemp(to);
	int fd = made ? open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	fd = pv_fd_above_standard(fd);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_lock = fd;
		return true;
	}
	pv_fail(reterr, PV_EIO, 0, "no %s a pipe in %s: %s",
		made ? "lock on a folder for" : "folder for", base,
		fits ? strerror(errno) : "its path is too long");
	pv_fd_close(&fd);
	if (made)
		rmdir(to);
	*to = 0;
	return false;
}
