/* SPDX-License-Identifier: MIT */
/* Ways into a running process, and why each may be refused. */
#include "common/target/launch/join_ways.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/utf8.h"
#include "common/target/process/carried.h"
#include "common/target/launch/launch.h"
#include "common/target/process/process_limits.h"
#include "common/target/process/program.h"

static const struct {
	const char *name, *gives;
} ways[PV_JOIN_WAYS] = {
	[PV_WAY_PROBE] = { "probe",
		"calls, allocations, samples of running code, spans, locks, heap shots" },
	[PV_WAY_EVENTS] = { "events",
		"nothing is loaded: samples at safe points, collections, exceptions, locks, counters, "
		"heap shots" },
	[PV_WAY_OUTSIDE] = { "outside",
		"nothing is loaded: samples of running code and waits, with their stacks, by the kernel's events" },
	[PV_WAY_INJECT] = { "inject", "a probe by Mono's attach agent: the manual has its risks" },
};

const char *pv_join_way_name(enum pv_join_way way)
{
	return ways[way].name;
}

const char *pv_join_way_gives(enum pv_join_way way)
{
	return ways[way].gives;
}

/* --- compiled ahead of time */

bool pv_dotnet_is_aot(pid_t pid)
{
	char exe[64];
	snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)pid);
	int fd = open(exe, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool is = fd >= 0 && pv_program_is_aot(fd);
	if (fd >= 0)
		close(fd);
	return is;
}

/* --- the probe */

static bool machine_fits(const struct pv_dotnet *d, struct pv_error *reterr)
{
#if defined(__x86_64__)
	static const char ours[] = "x64";
#else
	static const char ours[] = "arm64";
#endif
#if defined(__GLIBC__) || defined(PV_CARRIES)
	if (pv_proc_maps(d->pid, "/ld-musl-"))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs on musl, and the probe was built for glibc: use one that "
			"was built there",
			(long)d->pid);
#endif
	if (!*d->arch || strcmp(d->arch, ours) == 0)
		return true;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"process %ld runs on %s, and this profview's probe is for %s: use one that was "
		"built for it",
		(long)d->pid, d->arch, ours);
}

/* .NET takes one profiler. Without `left_to_us` the runtime's refusal says so. */
static bool may_take(pid_t pid, bool left_to_us, struct pv_error *reterr)
{
	char other[256];
	if (left_to_us && pv_dotnet_other_profiler(pid, other, sizeof other))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld was started with another profiler, %s", (long)pid,
			PV_FIT(other, 100));
	return pv_launch_has_library(PV_CORECLR_LIBRARY) ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "process %ld runs .NET, and " PV_CORECLR_LIBRARY
		       " is neither installed nor built",
		       (long)pid);
}

bool pv_join_copies(const struct pv_dotnet *d)
{
	return d->of.elsewhere || (*pv_carried_hash && d->of.uid != geteuid());
}

/* The process's temporary folder must allow code if the library is copied there. */
static bool may_load(const struct pv_dotnet *d, struct pv_error *reterr)
{
	struct statvfs st;
	int fd = pv_join_copies(d) ? pv_foreign_list(&d->of, d->temporary) : -1;
	bool noexec = fd >= 0 && fstatvfs(fd, &st) == 0 && st.f_flag & ST_NOEXEC;
	if (fd >= 0)
		close(fd);
	return !noexec ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "process %ld may not load code from its %s (mounted noexec), where the probe's "
		       "library would be put",
		       (long)d->pid, PV_FIT(d->temporary, 60));
}

bool pv_join_probe_may(const struct pv_dotnet *d, bool left_to_us, struct pv_error *reterr)
{
	if (pv_dotnet_is_aot(d->pid))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld was compiled ahead of time (NativeAOT), and loads no profiler",
			(long)d->pid);
	/*
	 * Threads and memory for loading by the runtime, with a margin for buffers of busy threads.
	 */
	enum { THREADS = 4, BYTES = 16 << 20 };
	return may_take(d->pid, left_to_us, reterr) && machine_fits(d, reterr) &&
	       may_load(d, reterr) && pv_limits_leave_threads(d->pid, THREADS, reterr) &&
	       pv_limits_leave_memory(d->pid, BYTES, reterr);
}
