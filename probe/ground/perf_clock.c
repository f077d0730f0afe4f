/* SPDX-License-Identifier: MIT */
/*
 * Opens, starts and closes perf events used as timers, where the system and the program allow them.
 */
#include "probe/ground/perf_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LEAST_PENDING = 1024, /* signals the user may have pending: below, SIGIO is near */
	SHARE = 4,            /* part of the descriptors that the program may have */
	LOW = 2048,           /* descriptors below 1024 are left to select() */
	ASKED_NS = 1000000000
};

static enum { UNKNOWN, ALLOWED, REFUSED } state;
static _Atomic unsigned overruns; /* SIGIOs: the queue was full */
static unsigned opened;

/* ---- SIGIO */

static void on_overrun(int signal)
{
	(void)signal;
	atomic_fetch_add_explicit(&overruns, 1, memory_order_relaxed);
}

/* A handler, since programs started by this program would inherit SIG_IGN. */
static bool guard(void)
{
	struct sigaction now, ours = { .sa_handler = on_overrun, .sa_flags = SA_RESTART };
	if (sigaction(SIGIO, NULL, &now) != 0)
		return false;
	if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_overrun)
		return true;
	if (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL)
		return false;
	sigemptyset(&ours.sa_mask);
	return sigaction(SIGIO, &ours, NULL) == 0;
}

bool pvp_perf_watch(void)
{
	if (state != ALLOWED)
		return true;
	if (guard() && !atomic_load_explicit(&overruns, memory_order_relaxed))
		return true;
	state = REFUSED;
	return false;
}

/* ---- permissions */

/* A filter's answer to an unknown call may be to kill: systemd's SystemCallFilter= does. */
static bool is_filtered(void)
{
	char line[256];
	bool filtered = true;
	FILE *f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "Seccomp:", 8) == 0)
			filtered = strtol(line + 8, NULL, 10) != 0;
	if (f)
		fclose(f);
	return filtered;
}

static int event_of(pid_t tid, uint64_t period)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	return (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool try(void)
{
	struct rlimit pending;
	if (is_filtered() || getrlimit(RLIMIT_SIGPENDING, &pending) != 0 ||
		pending.rlim_cur < LEAST_PENDING)
		return false;
	int fd = event_of(0, ASKED_NS);
	if (fd < 0)
		return false;
	close(fd);
	return guard();
}

bool pvp_perf_unfiltered(void)
{
	return !is_filtered();
}

bool pvp_perf_allowed(void)
{
	int before = errno;
	if (state == UNKNOWN)
		state = try() ? ALLOWED : REFUSED;
	errno = before;
	return state == ALLOWED;
}

/* ---- timers */

/* Out of the way of what the program opens. */
static int move_up(int fd)
{
	struct rlimit most;
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &most) != 0)
		return fd;
	int up = -1;
	if (opened < most.rlim_cur / SHARE)
		up = fcntl(fd, F_DUPFD_CLOEXEC,
			most.rlim_cur > 2 * LOW ? LOW : (int)most.rlim_cur / 2);
	close(fd);
	return up;
}

int pvp_perf_open(pid_t tid, uint64_t period, int signal)
{
	const struct f_owner_ex owner = { F_OWNER_TID, tid };
	int fd = pvp_perf_allowed() ? move_up(event_of(tid, period)) : -1;
	if (fd < 0)
		return -1;
	if (fcntl(fd, F_SETSIG, signal) != 0 || fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
		fcntl(fd, F_SETFL, O_ASYNC) != 0) {
		close(fd);
		return -1;
	}
	opened++;
	return fd;
}

void pvp_perf_next(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

void pvp_perf_period(int fd, uint64_t period)
{
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

bool pvp_perf_is_open(int fd, pid_t tid, int signal)
{
	struct f_owner_ex owner;
	return fcntl(fd, F_GETSIG) == signal && fcntl(fd, F_GETOWN_EX, &owner) == 0 &&
	       owner.type == F_OWNER_TID && owner.pid == tid;
}

void pvp_perf_close(int fd, pid_t tid, int signal)
{
	opened -= opened > 0;
	if (!pvp_perf_is_open(fd, tid, signal))
		return;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0); /* a child of fork may have the event open, too */
	close(fd);
}

void pvp_perf_forget(int fd)
{
	opened = 0;
	close(fd);
}
