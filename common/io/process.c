#include "common/io/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/io/fd.h"

/* A log's start is rounded to a second, and the clock may have been set since the boot. */
enum { START_TOLERANCE_MS = 2000 };

static uint64_t ms_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_nsec / 1000000;
}

/* The start in clock ticks since the boot: field 22 of /proc/PID/stat. */
static bool start_ticks(pid_t pid, uint64_t *ret)
{
	char text[1024];
	snprintf(text, sizeof text, "/proc/%ld/stat", (long)pid);
	int fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = pv_fd_read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* The name, field 2, may hold blanks and brackets: count from the last bracket. */
	char *at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*ret = strtoull(at + 1, NULL, 10);
	return true;
}

/*
 * When process `pid` started, in ms since the epoch (right to a second or two); false when there
 * is no such process, or /proc does not say.
 */
static bool started_at(pid_t pid, uint64_t *ret_ms)
{
	uint64_t ticks;
	struct timespec now, up;
	long hz = sysconf(_SC_CLK_TCK);
	if (hz <= 0 || !start_ticks(pid, &ticks) || clock_gettime(CLOCK_REALTIME, &now) < 0 ||
		clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return false;
	*ret_ms = ms_of(&now) - ms_of(&up) + ticks * 1000 / (uint64_t)hz;
	return true;
}

enum pv_process_state pv_process_watch(pid_t pid, uint64_t then_ms, int *ret_fd)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno == ESRCH ? PV_PROCESS_GONE : PV_PROCESS_UNKNOWN;
	/* The pidfd is held first: what /proc now says is of this process, or it has exited. */
	uint64_t started;
	struct pollfd exited = { .fd = fd, .events = POLLIN };
	bool known = started_at(pid, &started);
	bool gone = poll(&exited, 1, 0) == 1 || (known && started > then_ms + START_TOLERANCE_MS);
	if (known && !gone) {
		*ret_fd = fd;
		return PV_PROCESS_RUNS;
	}
	close(fd);
	return gone ? PV_PROCESS_GONE : PV_PROCESS_UNKNOWN;
}
