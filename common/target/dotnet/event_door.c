/* SPDX-License-Identifier: MIT */
/* Connections to .NET's diagnostics server: dialled, or accepted from a runtime that calls. */
#include "common/target/dotnet/event_door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/process/patience.h"

/* A calling runtime's first bytes: this magic, a cookie, its own process number, two bytes. */
enum { COOKIE = 16, CALL = 8 + COOKIE + 8 + 2, CALL_MS = 2000, QUEUE = 16 };
static const char call[8] = "ADVR_V1";

/* A socket of this user without a listener: the process that made the file was killed. */
static bool is_left(const struct sockaddr_un *at)
{
	struct stat st;
	if (lstat(at->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool left = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) < 0 &&
		    errno == ECONNREFUSED;
	pv_fd_close(&fd);
	return left;
}

int pv_event_door_listen(const char *path, struct pv_error *reterr)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof at.sun_path) {
		pv_fail(reterr, PV_EUSAGE, 0, "the path of a socket has %zu bytes at most",
			sizeof at.sun_path - 1);
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path));
	if (is_left(&at))
		unlink(path);
	int fd = pv_fd_above_standard(
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	mode_t before = umask(077);
	bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
	int why = errno;
	umask(before);
	if (ok && listen(fd, QUEUE) == 0)
		return fd;
	why = ok ? errno : why;
	if (ok)
		unlink(path);
	pv_fd_close(&fd);
	pv_fail(reterr, PV_EIO, 0, "%s: %s", path, strerror(why));
	return -1;
}

/*
 * Accepts a connection from a process of ours and reads its first bytes; -1: none, or not a
 * runtime's.
 */
static int take_call(int listener, uint8_t said[CALL], pid_t *ret_pid)
{
	struct ucred who;
	socklen_t len = sizeof who;
	int fd = pv_fd_above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	if (fd < 0)
		return -1;
	bool ok = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && pv_local_may(who.uid);
	int64_t end = pv_patience_now_ms() + CALL_MS;
	for (size_t got = 0; ok && got < CALL;) {
		ssize_t n = read(fd, said + got, CALL - got);
		if (n > 0)
			got += (size_t)n;
		else
			ok = n < 0 && (errno == EINTR || (errno == EAGAIN && pv_patience_wait(fd,
										     POLLIN, end)));
	}
	if (ok && memcmp(said, call, sizeof call) == 0) {
		*ret_pid = who.pid;
		return fd;
	}
	close(fd);
	return -1;
}

void pv_event_door_take(struct pv_event_door *d)
{
	uint8_t said[CALL];
	d->waiting = take_call(d->listener, said, &d->dotnet.pid);
	if (d->waiting >= 0)
		memcpy(d->cookie, said + sizeof call, COOKIE);
}

bool pv_event_door_await(
	struct pv_event_door *ret, int listener, const volatile int *stop, struct pv_error *reterr)
{
	enum { LOOK_MS = 100 };
	*ret = (struct pv_event_door){ .listener = listener, .waiting = -1 };
	while (ret->waiting < 0) {
		struct pollfd p = { .fd = listener, .events = POLLIN };
		int n = poll(&p, 1, LOOK_MS); /* a signal may have come before poll() */
		if (*stop)
			return pv_fail(reterr, PV_ECANCELLED, 0, "stopped");
		if (n < 0 && errno != EINTR)
			return pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
		if (n > 0)
			pv_event_door_take(ret);
	}
	return true;
}

int pv_event_door_open(struct pv_event_door *d, int64_t end_ms)
{
	uint8_t said[CALL];
	pid_t pid;
	if (d->listener < 0)
		return pv_foreign_dial(&d->dotnet.of, d->dotnet.socket);
	int fd = d->waiting;
	d->waiting = -1;
	while (fd < 0 && pv_patience_wait(d->listener, POLLIN, end_ms)) {
		fd = take_call(d->listener, said, &pid);
		if (fd >= 0 && memcmp(said + sizeof call, d->cookie, COOKIE) != 0)
			pv_fd_close(&fd); /* another program's; the runtime calls again */
	}
	return fd;
}

void pv_event_door_close(struct pv_event_door *d)
{
	pv_fd_close(&d->listener);
	pv_fd_close(&d->waiting);
}
