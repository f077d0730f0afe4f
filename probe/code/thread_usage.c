/* SPDX-License-Identifier: MIT */
/* Reads a thread's processor time by getrusage(2), or from /proc. */
#include "probe/code/thread_usage.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/code/wait_state.h"

enum { SECOND = 1000000000 };

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000;
}

struct pvp_usage pvp_usage_since(struct pvp_usage *last)
{
	struct rusage r;
	struct pvp_usage ret = { 0, 0 };
	int before = errno;
	if (getrusage(RUSAGE_THREAD, &r) == 0) {
		const struct pvp_usage now = { ns_of(&r.ru_utime), ns_of(&r.ru_stime) };
		/* The system splits the time by estimate, and may correct either part downwards. */
		if (now.user_ns > last->user_ns)
			ret.user_ns = now.user_ns - last->user_ns;
		if (now.kernel_ns > last->kernel_ns)
			ret.kernel_ns = now.kernel_ns - last->kernel_ns;
		*last = now;
	}
	errno = before;
	return ret;
}

struct pvp_usage pvp_usage_of(pid_t tid)
{
	char text[1024];
	long ticks = sysconf(_SC_CLK_TCK);
	pvp_thread_file(tid, "stat", text, sizeof text);
	if (ticks <= 0)
		return (struct pvp_usage){ 0, 0 };
	const uint64_t tick_ns = SECOND / (uint64_t)ticks;
	return (struct pvp_usage){ pv_stat_number(text, PV_STAT_USER) * tick_ns,
		pv_stat_number(text, PV_STAT_SYSTEM) * tick_ns };
}
