/* SPDX-License-Identifier: MIT */
/* Why a process cannot be joined as .NET, in words that say how to go on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/system/proc_file.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/process/program.h"

enum { MAPS = 1 << 20 };

bool pv_proc_maps(pid_t pid, const char *part)
{
	char *maps = malloc(MAPS);
	bool has = maps && pv_proc_read(pid, "maps", maps, MAPS) > 0 && strstr(maps, part);
	free(maps);
	return has;
}

static bool stands_there(const struct pv_foreign *f, const char *exe, const char *ending)
{
	char path[PV_PROGRAM_PATH + 32];
	snprintf(path, sizeof path, "%s%s", exe, ending);
	int fd = pv_foreign_find(f, path);
	bool there = fd >= 0;
	pv_fd_close(&fd);
	return there;
}

bool pv_dotnet_is(pid_t pid)
{
	char link[64], exe[PV_PROGRAM_PATH];
	struct pv_foreign f;
	if (pv_proc_maps(pid, "/libcoreclr.so"))
		return true;
	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	ssize_t n = readlink(link, exe, sizeof exe - 1);
	if (n <= 0 || !pv_foreign_look(&f, pid))
		return false;
	exe[n] = 0;
	int fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is = pv_program_is_dotnet(fd, exe,
		stands_there(&f, exe, ".dll") && stands_there(&f, exe, ".runtimeconfig.json"));
	pv_fd_close(&fd);
	return is;
}

bool pv_dotnet_other_profiler(pid_t pid, char *ret_path, size_t room)
{
	char enabled[16];
	return pv_proc_variable(pid, PV_CORECLR_ENABLE, enabled, sizeof enabled) &&
	       strcmp(enabled, "1") == 0 &&
	       pv_proc_variable(pid, PV_CORECLR_PATH, ret_path, room) && *ret_path &&
	       !strstr(ret_path, PV_CORECLR_LIBRARY);
}

bool pv_dotnet_switched_off(const char *part, const char *(*variable)(const char *name, void *ctx),
	void *ctx, char ret_name[48])
{
	for (int i = 0; i < 4; i++) {
		snprintf(ret_name, 48, "%s_EnableDiagnostics%s%s", i & 2 ? "COMPlus" : "DOTNET",
			i & 1 ? "_" : "", i & 1 ? part : "");
		const char *value = variable(ret_name, ctx);
		if (value && *value && strspn(value, "0x") == strlen(value))
			return true;
	}
	return false;
}

struct asked {
	pid_t pid;
	char value[32];
};

static const char *their_variable(const char *name, void *ctx)
{
	struct asked *a = ctx;
	return pv_proc_variable(a->pid, name, a->value, sizeof a->value) ? a->value : NULL;
}

bool pv_dotnet_may_listen(pid_t pid)
{
	struct asked a = { .pid = pid };
	char name[48];
	return pv_dotnet_is(pid) && !pv_dotnet_switched_off("IPC", their_variable, &a, name);
}

bool pv_dotnet_filtered(pid_t pid, uint32_t why, const char *whose, struct pv_error *reterr)
{
	static const char *const calls[] = {
#define PV_ASKED(name, a, b, c, d) #name,
#include "common/base/asked_calls.def"
#undef PV_ASKED
		"clone3"
	};
	uint32_t call = why & PV_CORECLR_FILTERED_CALL, last = PV_COUNT_OF(calls) - 1;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"process %ld has a filter of system calls (seccomp) that forbids %s, which %s "
		"needs: it is left as it was; allow that call, or start without the filter",
		(long)pid, calls[call < last ? call : last], whose);
}

bool pv_dotnet_why_not(const struct pv_dotnet *d, struct pv_error *reterr)
{
	/* A socket's path has 107; "/dotnet-diagnostic-1-1-socket" is the shortest name. */
	enum { LONGEST = 107 - 29 };
	struct asked a = { .pid = d->pid };
	char name[48], folder[sizeof d->temporary + 40];
	long pid = (long)d->pid;
	if (!pv_dotnet_is(d->pid))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld has no probe of profview's; start it with profview run, or "
			"take its samples from outside: --via outside",
			pid);
	if (pv_dotnet_switched_off("IPC", their_variable, &a, name))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs .NET with its diagnostics off (%s=0): start it again "
			"without that",
			pid, name);
	if (*d->socket)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld: %s is another user's, so it is left alone", pid,
			PV_FIT(d->socket, 100));
	if (strlen(d->temporary) > LONGEST)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs .NET with a TMPDIR of %zu characters, which leaves no room "
			"for the name of its diagnostics socket: start it again with a shorter one",
			pid, strlen(d->temporary));
	pv_foreign_show(&d->of, d->temporary, folder, sizeof folder);
	return pv_fail(reterr, PV_EUSAGE, 0,
		"process %ld runs .NET, but has no diagnostics socket in %s: it is just "
		"starting, "
		"the socket was removed, or its settings switch diagnostics off",
		pid, folder);
}
