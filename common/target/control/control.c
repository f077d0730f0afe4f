/* SPDX-License-Identifier: MIT */
/* Asks stock Mono's log profiler for a heap shot over its TCP port. */
#include "common/target/control/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/io/log_writer.h"
#include "common/target/process/patience.h"
#include "common/target/process/port.h"

/* Long for this machine's own network, short for somebody who has pressed a key. */
enum { PATIENCE_MS = 500 };

/* A port without a listener can be given to our own end, and the socket meet itself. */
static bool is_itself(int fd)
{
	struct sockaddr_in ours = { 0 }, theirs = { 0 };
	socklen_t a = sizeof ours, b = sizeof theirs;
	return getsockname(fd, (struct sockaddr *)&ours, &a) == 0 &&
	       getpeername(fd, (struct sockaddr *)&theirs, &b) == 0 &&
	       ours.sin_port == theirs.sin_port;
}

static bool connect_to(int fd, uint16_t port, int64_t end)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int why = 0;
	socklen_t size = sizeof why;
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
		if (errno != EINPROGRESS && errno != EINTR)
			return false;
		if (!pv_patience_wait(fd, POLLOUT, end) ||
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) < 0)
			return false;
	}
	if (why == 0 && is_itself(fd))
		why = ECONNREFUSED;
	errno = why;
	return why == 0;
}

/* In one piece: the profiler compares the bytes of a single read with the whole line. */
static bool send_line(int fd, const char *line, int64_t end)
{
	for (;;) {
		ssize_t n = send(fd, line, strlen(line), MSG_NOSIGNAL);
		if (n == (ssize_t)strlen(line))
			return true;
		if (n >= 0)
			errno = EMSGSIZE;
		if (n < 0 && errno == EAGAIN && pv_patience_wait(fd, POLLOUT, end))
			continue;
		if (n >= 0 || errno != EINTR)
			return false;
	}
}

static bool still_lives(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	return poll(&p, 1, 0) == 0;
}

/*
 * Sends the line if the process holds the port before and after the connection was made, and lived
 * all the time.
 */
static bool ask_port(pid_t pid, uint16_t port, int pidfd, struct pv_error *reterr)
{
	int64_t end = pv_patience_now_ms() + PATIENCE_MS;
	int fd = pv_port_socket(pid, pidfd);
	if (fd < 0)
		return pv_fail(reterr, PV_EIO, 0,
			"process %ld listens in a network of its own, which only root reaches: %s",
			(long)pid, strerror(errno));
	bool met = connect_to(fd, port, end);
	int why = errno;
	bool held = met && pv_port_is_held(pid, port) && still_lives(pidfd);
	bool ok = held && send_line(fd, "heapshot\n", end);
	if (held)
		why = errno;
	close(fd);
	if (ok)
		return true;
	if (met && !held)
		return pv_fail(reterr, PV_EIO, 0, "nothing is sent: process %ld has just ended",
			(long)pid);
	return pv_fail(reterr, PV_EIO, 0, "asking on port %u: %s", (unsigned)port, strerror(why));
}

bool pv_control_heapshot(const struct pv_log_peer *p, struct pv_error *reterr)
{
	struct pv_log_writer w;
	if (p->port == 0)
		return pv_fail(reterr, PV_EUSAGE, 0, "the log names no port to ask at");
	if (!pv_log_peer_writer(p, &w, reterr))
		return false;
	bool ok = pv_port_is_held(w.pid, p->port)
			  ? ask_port(w.pid, p->port, w.pidfd, reterr)
			  : pv_fail(reterr, PV_EIO, 0,
				    "nothing is sent: process %ld does not listen on port %u, "
				    "which the log names",
				    (long)w.pid, (unsigned)p->port);
	close(w.pidfd);
	return ok;
}
