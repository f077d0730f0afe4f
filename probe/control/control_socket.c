/* SPDX-License-Identifier: MIT */
/* Makes, checks and removes the control socket, and accepts peers of the same user. */
#include "probe/control/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { HIGH_FD = 200, MOST_NAMES = 9, BACKLOG = 16 };

struct pvp_fd pvp_fd_own(int fd)
{
	struct stat st;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (fstat(fd, &st) != 0)
		return (struct pvp_fd){ .fd = -1 };
	return (struct pvp_fd){ fd, st.st_dev, st.st_ino };
}

bool pvp_fd_ours(const struct pvp_fd *f)
{
	struct stat st;
	return f->fd >= 0 && fstat(f->fd, &st) == 0 && st.st_dev == f->device &&
	       st.st_ino == f->inode;
}

void pvp_fd_close(struct pvp_fd *f)
{
	if (pvp_fd_ours(f))
		close(f->fd);
	f->fd = -1;
}

/* Whether there is such a folder, with no other owner or writer. */
static bool private_folder(const char *path)
{
	struct stat st;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return false;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

static bool folder(char to[PVP_CONTROL_PATH])
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	int n = 0;
	if (runtime && *runtime == '/')
		n = snprintf(to, PVP_CONTROL_PATH, "%s/profview", runtime);
	if (n > 0 && n < PVP_CONTROL_PATH && private_folder(to))
		return true;
	snprintf(to, PVP_CONTROL_PATH, "/tmp/profview-%u", (unsigned)geteuid());
	return private_folder(to);
}

/* Whether a socket of this user is left over from a killed process. */
static bool abandoned(const struct sockaddr_un *at)
{
	struct stat st;
	if (lstat(at->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 &&
		       errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static bool bind_to(struct pvp_listener *l, const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	if (strlen(path) >= sizeof at.sun_path)
		return false;
	memcpy(at.sun_path, path, strlen(path));
	const struct sockaddr *address = (const struct sockaddr *)&at;
	fchmod(l->socket.fd, 0600); /* bind() gives the name this mode, for any umask */
	bool ok = bind(l->socket.fd, address, sizeof at) == 0;
	if (!ok && errno == EADDRINUSE && abandoned(&at) && unlink(path) == 0)
		ok = bind(l->socket.fd, address, sizeof at) == 0;
	if (!ok || lstat(path, &st) != 0)
		return false;
	memcpy(l->path, path, strlen(path) + 1);
	l->device = st.st_dev;
	l->inode = st.st_ino;
	return true;
}

/* Named after the pid; with a number added if the process has a second probe. */
static bool bind_in(struct pvp_listener *l, const char *dir)
{
	char path[PVP_CONTROL_PATH + 32];
	for (int i = 1; i <= MOST_NAMES; i++) {
		int n = snprintf(path, sizeof path, "%s/%ld", dir, (long)getpid());
		if (i > 1)
			snprintf(path + n, sizeof path - (size_t)n, "-%d", i);
		if (bind_to(l, path))
			return true;
	}
	return false;
}

bool pvp_listener_open(struct pvp_listener *l, const char *want)
{
	char dir[PVP_CONTROL_PATH];
	*l = (struct pvp_listener){ .socket = { .fd = -1 } };
	if (strcmp(want, "off") == 0)
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	l->socket = pvp_fd_own(fd);
	bool ok = *want == '/' ? bind_to(l, want) : folder(dir) && bind_in(l, dir);
	if (ok && listen(l->socket.fd, BACKLOG) == 0)
		return true;
	pvp_listener_close(l, ok);
	return false;
}

void pvp_listener_close(struct pvp_listener *l, bool remove)
{
	struct stat st;
	pvp_fd_close(&l->socket);
	if (remove && *l->path && lstat(l->path, &st) == 0 && st.st_dev == l->device &&
		st.st_ino == l->inode)
		unlink(l->path);
	l->path[0] = 0;
}

struct pvp_fd pvp_listener_accept(struct pvp_listener *l)
{
	struct ucred who;
	socklen_t size = sizeof who;
	int fd = accept4(l->socket.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return (struct pvp_fd){ .fd = -1 };
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
		(who.uid != geteuid() && who.uid != 0)) {
		close(fd);
		return (struct pvp_fd){ .fd = -1 };
	}
	return pvp_fd_own(fd);
}
