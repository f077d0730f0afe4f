#include "common/target/join_ways.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/utf8.h"
#include "common/target/carried.h"
#include "common/target/launch.h"
#include "common/target/process_limits.h"
#include "common/target/program.h"

static const struct {
	const char *name, *gives;
} ways[PV_JOIN_WAYS] = {
	[PV_WAY_PROBE] = { "probe",
		"calls, allocations, samples of running code, spans, locks, heap shots" },
	[PV_WAY_EVENTS] = { "events",
		"nothing is loaded: samples at safe points, collections, exceptions, locks, meters, "
		"heap shots" },
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

enum { SECTIONS = 128, NAMES = 4096 };

static bool read_at(int fd, void *to, size_t n, uint64_t at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* Whether an ELF file has a section of that name; what does not fit is no such file. */
static bool has_section(int fd, const char *wanted)
{
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	char names[NAMES];
	if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof *section ||
		head.e_shnum > SECTIONS || head.e_shstrndx >= head.e_shnum ||
		!read_at(fd, section, head.e_shnum * sizeof *section, head.e_shoff))
		return false;
	size_t n = section[head.e_shstrndx].sh_size;
	n = n < sizeof names ? n : sizeof names - 1;
	if (!read_at(fd, names, n, section[head.e_shstrndx].sh_offset))
		return false;
	names[n] = 0;
	for (unsigned i = 0; i < head.e_shnum; i++)
		if (section[i].sh_name < n && strcmp(names + section[i].sh_name, wanted) == 0)
			return true;
	return false;
}

bool pv_dotnet_is_aot(pid_t pid)
{
	char exe[64];
	snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)pid);
	int fd = open(exe, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool is = fd >= 0 && has_section(fd, "__managedcode");
	if (fd >= 0)
		close(fd);
	return is;
}

/* --- the probe */

static bool fits(const struct pv_dotnet *d, struct pv_error *reterr)
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

/* .NET takes one profiler. Without `left_to_us` that is said when it refuses. */
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

/* Code must be allowed in its temporary folder if the library is put there. */
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
	/* With what the runtime makes to load it, and a margin for buffers of busy threads. */
	enum { THREADS = 4, BYTES = 16 << 20 };
	return may_take(d->pid, left_to_us, reterr) && fits(d, reterr) && may_load(d, reterr) &&
	       pv_limits_leave_threads(d->pid, THREADS, reterr) &&
	       pv_limits_leave_memory(d->pid, BYTES, reterr);
}
