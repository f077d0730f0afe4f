#include "common/target/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

/* 0, or the errno that says why the connection does not stand. */
static int finish_connect(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int failed = 0, n;
	socklen_t size = sizeof failed;
	do
		n = poll(&p, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return ETIMEDOUT;
	if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) < 0)
		return errno;
	return failed;
}

static int connect_local(int fd, uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
		return 0;
	return errno == EINPROGRESS ? finish_connect(fd) : errno;
}

bool pv_control_heapshot(uint16_t port, struct pv_error *reterr)
{
	static const char line[] = "heapshot\n";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	int failed = connect_local(fd, port);
	if (!failed && send(fd, line, sizeof line - 1, MSG_NOSIGNAL) != sizeof line - 1)
		failed = errno;
	close(fd);
	if (failed)
		return pv_fail(reterr, PV_EIO, 0, "the program does not take commands on port %u: %s",
			(unsigned)port, strerror(failed));
	return true;
}
