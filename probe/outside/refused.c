/* SPDX-License-Identifier: MIT */
/* Finds out why the kernel refuses perf events on a process, and what the user can do. */
#include "probe/outside/refused.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/outside/rings.h"

/* Up to this level users may watch their own processes: perf_event_open(2). */
enum { PARANOID_USERS = 2 };

static int paranoid(void)
{
	char text[32];
	return pv_text_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof text) > 0
		       ? atoi(text)
		       : PARANOID_USERS;
}

/* False: the process is gone. */
static bool owner(pid_t pid, uid_t *ret)
{
	char path[32];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	/* In /proc a process that is not dumpable has root as owner; status has the user. */
	char text[1024];
	const char *at =
		pv_proc_read(pid, "status", text, sizeof text) > 0 ? strstr(text, "\nUid:") : NULL;
	if (!at || stat(path, &st) != 0)
		return false;
	*ret = (uid_t)strtoul(at + sizeof "\nUid:" - 1, NULL, 10);
	return true;
}

static void not_allowed(pid_t pid, int error, char *to, size_t room)
{
	uid_t of = 0;
	bool there = owner(pid, &of);
	if (!there)
		snprintf(to, room, "there is no process %ld", (long)pid);
	else if (geteuid() && of != geteuid())
		snprintf(to, room,
			"process %ld is user %u's: attach as that user or root, 'sudo profview attach "
			"%ld'",
			(long)pid, (unsigned)of, (long)pid);
	else if (paranoid() > PARANOID_USERS)
		snprintf(to, room,
			"this kernel lets only root watch by events (perf_event_paranoid %d): 'sudo "
			"profview attach %ld', or 'sysctl kernel.perf_event_paranoid=%d' as root",
			paranoid(), (long)pid, PARANOID_USERS);
	else if (error != EACCES && pv_seccomp_filters("thread-self"))
		snprintf(to, room,
			"a filter of system calls refuses perf events here, as those of containers do: "
			"attach from the host, or start the container with --cap-add PERFMON");
	else if (error == EACCES)
		snprintf(to, room,
			"process %ld lets nobody look into it (it is not dumpable, as programs are "
			"that change their user): 'sudo profview attach %ld'",
			(long)pid, (long)pid);
	else
		snprintf(to, room, "the kernel refuses perf events: %s", strerror(error));
}

static void too_few(pid_t pid, size_t threads, char *to, size_t room)
{
	struct rlimit r = { 0, 0 };
	getrlimit(RLIMIT_NOFILE, &r);
	size_t need = (threads + 1) * (size_t)pvo_rings_processors() + 64;
	snprintf(to, room,
		"process %ld has %zu threads, for which %zu descriptors are needed, and %llu are "
		"allowed: 'ulimit -n %zu' as root, then again",
		(long)pid, threads, need, (unsigned long long)r.rlim_cur, need);
}

void pvo_refused(pid_t pid, int error, bool killed, size_t threads, char *to, size_t room)
{
	if (killed)
		snprintf(to, room,
			"a filter of system calls kills here who asks for perf events: attach from "
			"outside of this container or service");
	else if (error == ESRCH)
		snprintf(to, room, "there is no process %ld", (long)pid);
	else if (error == ENOSYS && !pv_seccomp_filters("thread-self"))
		snprintf(to, room, "this kernel has no perf events");
	else if (error == EMFILE || error == ENFILE)
		too_few(pid, threads, to, room);
	else if (error == ENOMEM)
		snprintf(to, room,
			"no memory may be locked for what the kernel writes: another recording has it, "
			"or 'ulimit -l' is too small");
	else
		not_allowed(pid, error, to, room);
}
