#include "common/target/join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/target/joinable.h"
#include "common/target/launch.h"

enum { ASK_MS = 5000 };

/* What to say of a process without a probe. */
static bool refuse(pid_t pid, struct pv_error *reterr)
{
	struct pv_joinables all;
	enum pv_join how = PV_JOIN_PROBE;
	if (pv_joinables_find(&all, NULL))
		for (size_t i = 0; i < all.list.n; i++)
			if (all.list.v[i].pid == pid)
				how = all.list.v[i].how;
	pv_joinables_finish(&all);
	if (how == PV_JOIN_MONO)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs Mono without a probe, and Mono takes none in safely "
			"while it"
			" runs; start it with profview run",
			(long)pid);
	return pv_fail(reterr, PV_EUSAGE, 0,
		"process %ld has no probe of profview's; start it with profview run", (long)pid);
}

/* Where the probe writes, as we can open it: its folder may be another than ours. */
static bool present_place(struct pv_join_place *j, const char *stats, bool *ret_file)
{
	struct stat st;
	char kind[16] = "", reader[16] = "";
	const char *at = strstr(stats, " output=");
	pv_probe_word(stats, "sink", kind, sizeof kind);
	pv_probe_word(stats, "reader", reader, sizeof reader);
	if (!at || !strcmp(kind, "other"))
		return false;
	at += strlen(" output=");
	int n = *at == '/'
			? snprintf(j->path, sizeof j->path, "/proc/%ld/root%s", (long)j->pid, at)
			: snprintf(j->path, sizeof j->path, "/proc/%ld/cwd/%s", (long)j->pid, at);
	if (n >= (int)sizeof j->path)
		return false;
	/* The plain name is good for longer than the process, where it is the same file. */
	struct stat plain;
	bool there = stat(j->path, &st) == 0;
	if (*at == '/' && there && stat(at, &plain) == 0 && plain.st_ino == st.st_ino &&
		plain.st_dev == st.st_dev)
		memmove(j->path, at, strlen(at) + 1);
	*ret_file = strcmp(kind, "file") == 0;
	if (*ret_file)
		return there && S_ISREG(st.st_mode);
	return there && S_ISFIFO(st.st_mode);
}

static bool make_pipe(struct pv_join_place *j, struct pv_error *reterr)
{
	snprintf(j->folder, sizeof j->folder, "/tmp/profview-join-XXXXXX");
	if (!mkdtemp(j->folder)) {
		j->folder[0] = 0;
		return pv_fail(reterr, PV_EIO, 0, "no folder for a pipe: %s", strerror(errno));
	}
	snprintf(j->path, sizeof j->path, "%s/log", j->folder);
	if (mkfifo(j->path, 0600) == 0)
		return true;
	pv_fail(reterr, PV_EIO, 0, "no pipe: %s", strerror(errno));
	pv_join_leave(j);
	return false;
}

/* .NET takes the probe in while it runs, and then writes into our pipe. */
static bool find_dotnet(struct pv_join_place *ret, pid_t pid, bool silent, struct pv_error *reterr)
{
	struct pv_dotnet d;
	char library[PV_PROGRAM_PATH];
	if (!pv_dotnet_find(&d, pid, NULL))
		return refuse(pid, reterr);
	if (silent)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs .NET without a probe, and --readonly puts none in",
			(long)pid);
	if (!pv_launch_library(PV_CORECLR_LIBRARY, library))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld runs .NET, and " PV_CORECLR_LIBRARY " is not there",
			(long)pid);
	if (!pv_dotnet_ask(&d, reterr) || !make_pipe(ret, reterr))
		return false;
	ret->dotnet = d;
	return true;
}

static bool attach_dotnet(const struct pv_join_place *j, struct pv_error *reterr)
{
	char library[PV_PROGRAM_PATH], options[sizeof j->path + 128];
	snprintf(options, sizeof options,
		"nodefaults,sample=100,gc,exception,monitor,alloc=512k,"
		"counter,output=%s",
		j->path);
	return pv_launch_library(PV_CORECLR_LIBRARY, library) &&
	       pv_dotnet_attach(&j->dotnet, library, options, reterr);
}

bool pv_join_find(struct pv_join_place *ret, pid_t pid, bool silent, struct pv_error *reterr)
{
	char stats[PV_PROBE_ANSWER];
	bool file;
	*ret = (struct pv_join_place){ .pid = pid };
	if (!pv_probe_find(pid, ret->control, reterr)) {
		struct stat st;
		char proc[32];
		snprintf(proc, sizeof proc, "/proc/%ld", (long)pid);
		return stat(proc, &st) == 0 ? find_dotnet(ret, pid, silent, reterr) : false;
	}
	if (!pv_probe_ask(ret->control, pid, "stats", ASK_MS, stats, reterr))
		return false;
	if (present_place(ret, stats, &file))
		return true;
	if (silent)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"its log goes nowhere that can be read, and --readonly asks for nothing "
			"else");
	return make_pipe(ret, reterr);
}

bool pv_join_go(struct pv_join_place *j, struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER], answer[PV_PROBE_ANSWER];
	if (!*j->folder)
		return true;
	if (j->dotnet.pid)
		return attach_dotnet(j, reterr);
	snprintf(line, sizeof line, "attach %.1000s", j->path);
	return pv_probe_ask(j->control, j->pid, line, ASK_MS, answer, reterr);
}

void pv_join_leave(struct pv_join_place *j)
{
	if (!*j->folder)
		return;
	unlink(j->path);
	rmdir(j->folder);
	j->folder[0] = 0;
}
