/* SPDX-License-Identifier: MIT */
/* The files that a process sees, reached through descriptors. */
#include "common/target/foreign/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/target/foreign/rights.h"

/* Whether the process is in another file system than ours, or has other mounts. */
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

bool pv_foreign_look(struct pv_foreign *ret, pid_t pid)
{
	char status[4096];
	unsigned long real, uid, gid;
	if (pv_proc_read(pid, "status", status, sizeof status) <= 0)
		return false;
	const char *user = strstr(status, "\nUid:"), *group = strstr(status, "\nGid:");
	if (!user || !group || sscanf(user, "\nUid: %lu %lu", &real, &uid) != 2 ||
		sscanf(group, "\nGid: %lu %lu", &real, &gid) != 2)
		return false;
	*ret = (struct pv_foreign){
		.pid = pid, .uid = (uid_t)uid, .gid = (gid_t)gid, .elsewhere = lives_elsewhere(pid)
	};
	return true;
}

struct pv_foreign pv_foreign_self(void)
{
	return (struct pv_foreign){ .pid = getpid(), .uid = geteuid(), .gid = getegid() };
}

bool pv_foreign_is_ours(const struct pv_foreign *f)
{
	return f->uid == geteuid() && !f->elsewhere;
}

long pv_foreign_inner_pid(pid_t pid)
{
	char status[4096];
	long inner = pv_proc_read(pid, "status", status, sizeof status) > 0
			     ? pv_status_innermost(status)
			     : 0;
	return inner ? inner : (long)pid;
}

/* Lines of user_namespaces(7): first inside, first outside as the reader counts, how many. */
uid_t pv_foreign_inner_uid(const struct pv_foreign *f)
{
	char map[4096];
	unsigned long inner, outer, count;
	int used;
	if (pv_proc_read(f->pid, "uid_map", map, sizeof map) <= 0)
		return f->uid;
	for (const char *at = map; sscanf(at, "%lu %lu %lu%n", &inner, &outer, &count, &used) == 3;
		at += used)
		if (f->uid >= outer && f->uid - outer < count)
			return (uid_t)(inner + (f->uid - outer));
	return f->uid;
}

void pv_foreign_show(const struct pv_foreign *f, const char *path, char *to, size_t room)
{
	if (f->elsewhere)
		snprintf(to, room, "/proc/%ld/root%s", (long)f->pid, path);
	else
		snprintf(to, room, "%s", path);
}

/* With our own rights: the caller checks the opened file. */
static int reach(const struct pv_foreign *f, const char *path, int flags)
{
	char name[64];
	struct pv_tree_of t = { .root = -1, .working = -1, .self = -1 };
	if (f->elsewhere) {
		snprintf(name, sizeof name, "/proc/%ld/root", (long)f->pid);
		t.root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (t.root < 0)
			return -1;
	}
	int fd = pv_fd_above_standard(pv_rights_open(&t, path, flags));
	int why = errno;
	pv_fd_close(&t.root);
	errno = why;
	return fd;
}

int pv_foreign_list(const struct pv_foreign *f, const char *path)
{
	return reach(f, path, O_PATH | O_DIRECTORY);
}

/* ---- sockets */

/* A process that changed its user still owns the sockets made before, as root or as us. */
static bool is_trusted(uid_t owner, uid_t uid)
{
	return owner == uid || owner == 0 || owner == geteuid();
}

static bool is_socket_of(int fd, uid_t uid)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return false;
	if (S_ISSOCK(st.st_mode) && is_trusted(st.st_uid, uid) &&
		(uid == geteuid() || geteuid() == 0))
		return true;
	errno = EACCES;
	return false;
}

/* A process that is not visible, as from inside a container, has no number here. */
static bool is_end_of(int fd, const struct pv_foreign *f)
{
	struct ucred who;
	socklen_t size = sizeof who;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return false;
	if (is_trusted(who.uid, f->uid) && (!who.pid || who.pid == f->pid))
		return true;
	errno = EACCES;
	return false;
}

/* Connects by the descriptor of the checked file, whatever has the file's name by now. */
static int connect_to(int file, const struct pv_foreign *f)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d", file);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && is_end_of(fd, f))
		return fd;
	int why = errno;
	pv_fd_close(&fd);
	errno = why;
	return -1;
}

/* Closes the file. */
static int meet_socket(int file, const struct pv_foreign *f)
{
	int fd = file >= 0 && is_socket_of(file, f->uid) ? connect_to(file, f) : -1;
	int why = errno;
	pv_fd_close(&file);
	errno = why;
	return fd;
}

struct meeting {
	struct pv_foreign of;
	char path[PV_FOREIGN_PATH];
};

static int meet_as_user(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	const struct meeting *m = what;
	fds[0] = meet_socket(pv_rights_open(t, m->path, O_PATH | O_NOFOLLOW), &m->of);
	return fds[0] < 0 ? errno : 0;
}

/* Root has no number in a user namespace: a listener there would not know us, only its own user. */
int pv_foreign_dial(const struct pv_foreign *f, const char *path)
{
	struct meeting m;
	int fds[PV_RIGHTS_FDS] = { -1, -1, -1 };
	if (geteuid() != 0 || !f->uid || (f->pid && pv_foreign_inner_uid(f) == f->uid))
		return meet_socket(reach(f, path, O_PATH | O_NOFOLLOW), f);
	memset(&m, 0, sizeof m);
	m.of = *f;
	if (strlen(path) >= sizeof m.path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(m.path, path, strlen(path));
	return pv_rights_do(f, meet_as_user, &m, sizeof m, fds, fds) ? fds[0] : -1;
}

bool pv_foreign_at(struct pv_foreign *ret, const char *path, struct pv_error *reterr)
{
	struct stat st;
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int file = pv_fd_above_standard(open(path, O_PATH | O_CLOEXEC)), fd = -1;
	bool is = file >= 0 && fstat(file, &st) == 0 && is_socket_of(file, st.st_uid);
	if (is) {
		snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d", file);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		is = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
		     getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
	}
	int why = errno;
	pv_fd_close(&fd);
	pv_fd_close(&file);
	if (is)
		is = !who.pid || pv_foreign_look(ret, who.pid);
	if (!is)
		return pv_fail(reterr, PV_EIO, 0, "%s is no socket that can be spoken to: %s",
			PV_FIT(path, 100), strerror(why));
	if (!who.pid)
		*ret = (struct pv_foreign){ .uid = st.st_uid };
	ret->elsewhere = false; /* for this path is ours */
	return true;
}
