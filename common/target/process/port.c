/* SPDX-License-Identifier: MIT */
/* Finds the sockets listening on a TCP port, and their owner, in /proc. */
#include "common/target/process/port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"

/* Sockets listening on one port: one for each family and address, so few. */
enum { SOCKETS = 64, LISTENS = 0x0a };

struct listeners {
	unsigned long inode[SOCKETS];
	size_t n;
	bool more;
};

static bool shares_network(pid_t pid)
{
	char path[64];
	struct stat theirs, ours;
	snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/net", &ours) == 0 &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

int pv_port_socket(pid_t pid, int pidfd)
{
	enum { KIND = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC };
	if (shares_network(pid))
		return socket(AF_INET, KIND, 0);
	int ours = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), fd = -1;
	if (ours >= 0 && setns(pidfd, CLONE_NEWNET) == 0) {
		fd = socket(AF_INET, KIND, 0);
		if (setns(ours, CLONE_NEWNET) != 0)
			pv_fd_close(&fd);
	}
	int why = errno;
	pv_fd_close(&ours);
	errno = why;
	return fd;
}

/* A line of proc(5)'s net/tcp: number, local address:port, remote address, state, ..., inode. */
static void take_socket_line(struct listeners *l, const char *line, uint16_t port)
{
	unsigned local, state;
	unsigned long inode;
	if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu",
		    &local, &state, &inode) != 3 ||
		state != LISTENS || local != port)
		return;
	l->more |= l->n == SOCKETS;
	if (l->n < SOCKETS)
		l->inode[l->n++] = inode;
}

static void find_listeners(struct listeners *l, const char *path, uint16_t port)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	while (f && getline(&line, &room, f) > 0)
		take_socket_line(l, line, port);
	free(line);
	if (f)
		fclose(f);
}

/*
 * Crosses out the socket that a descriptor of the process refers to, by the descriptor's link text.
 */
static void cross_out(struct listeners *l, const char *link)
{
	unsigned long inode;
	if (sscanf(link, "socket:[%lu]", &inode) != 1)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->inode[i] == inode)
			l->inode[i--] = l->inode[--l->n];
}

bool pv_port_is_held(pid_t pid, uint16_t port)
{
	char path[64], link[64];
	struct listeners l = { .n = 0 };
	struct dirent *d;
	snprintf(path, sizeof path, "/proc/%ld/net/tcp", (long)pid); /* its namespace's */
	find_listeners(&l, path, port);
	snprintf(path, sizeof path, "/proc/%ld/net/tcp6", (long)pid);
	find_listeners(&l, path, port);
	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	DIR *fds = l.n && !l.more ? opendir(path) : NULL;
	if (!fds)
		return false;
	while (l.n && (d = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), d->d_name, link, sizeof link - 1);
		link[n > 0 ? n : 0] = 0;
		cross_out(&l, link);
	}
	closedir(fds);
	return l.n == 0;
}
