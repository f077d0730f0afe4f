/* SPDX-License-Identifier: MIT */
/* Watches a process by its pidfd, after a check of its start. */
#include "common/io/process.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/io/fd.h"

/* A log's start is rounded to a second, and the clock may have been set since the boot. */
enum { START_TOLERANCE_MS = 2000 };

static uint64_t ms_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_nsec / 1000000;
}

/* Start of the process, in ms since the epoch (right to a second or two); false: unknown. */
static bool started_at(pid_t pid, uint64_t *ret_ms)
{
	struct timespec now;
	int64_t age = pv_process_age_ms(pid);
	if (age < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0)
		return false;
	*ret_ms = ms_of(&now) - (uint64_t)age;
	return true;
}

enum pv_process_state pv_process_watch(pid_t pid, uint64_t then_ms, int *ret_fd)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno == ESRCH ? PV_PROCESS_GONE : PV_PROCESS_UNKNOWN;
	/* The pidfd comes first: then /proc is about this process, or it has exited. */
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
