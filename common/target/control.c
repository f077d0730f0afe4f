#include "common/target/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/target/patience.h"

/* Long for this machine's own network, short for somebody who has pressed a key. */
enum { PATIENCE_MS = 500 };

/* A port that nobody listens on can be given to our own end, and the socket meet itself. */
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

/* The profiler compares what one read gives it with the whole line, so it goes out in one piece. */
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

bool pv_control_heapshot(uint16_t port, struct pv_error *reterr)
{
	if (port == 0)
		return pv_fail(reterr, PV_EUSAGE, 0, "the log names no port to ask at");
	int64_t end = pv_patience_now_ms() + PATIENCE_MS;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && connect_to(fd, port, end) && send_line(fd, "heapshot\n", end);
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (ok)
		return true;
	if (why == ECONNREFUSED)
		return pv_fail(reterr, PV_EIO, 0,
			"nobody listens on port %u: the program has ended, or runs elsewhere",
			(unsigned)port);
	return pv_fail(reterr, PV_EIO, 0, "asking on port %u: %s", (unsigned)port, strerror(why));
}
