/* SPDX-License-Identifier: MIT */
/* Loads the probe into a running Mono by its attach agent. */
#include "common/target/join/mono_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/join/joinable.h"
#include "common/target/launch/launch.h"
#include "common/target/process/patience.h"
#include "common/target/control/probe_socket.h"

#define AGENT "profview-attach.exe"

enum { TRY_MS = 20000, WAIT_MS = 10000, LOOK_MS = 10, WORD = 127, PROC = 64 << 10 };
enum { WRONG_VERSION = 3 }; /* exit code of the agent's own check */

/* ---- facts visible from outside */

static uint64_t mask_of(const char *status, const char *name)
{
	const char *at = strstr(status, name);
	return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

/* In the same view of files and processes as we are. */
static bool is_sibling(pid_t pid)
{
	static const char *const kinds[] = { "ns/mnt", "ns/pid" };
	for (size_t i = 0; i < PV_COUNT_OF(kinds); i++) {
		struct stat theirs, ours;
		char path[64];
		snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, kinds[i]);
		if (stat(path, &theirs) < 0)
			return false;
		snprintf(path, sizeof path, "/proc/self/%s", kinds[i]);
		if (stat(path, &ours) < 0 || ours.st_ino != theirs.st_ino)
			return false;
	}
	return true;
}

/*
 * NULL: the process is ours. Files of a process that is not dumpable (proc(5)) belong to root; its
 * status has the user.
 */
static const char *why_not_ours(pid_t pid, const char *status)
{
	struct stat st;
	char path[32];
	unsigned long real, effective;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	if (stat(path, &st) != 0)
		return errno == ENOENT ? "it has ended" : "it cannot be looked at";
	if (st.st_uid == geteuid())
		return NULL;
	const char *at = status ? strstr(status, "\nUid:") : NULL;
	if (at && sscanf(at, " Uid: %lu %lu", &real, &effective) == 2 && effective == geteuid())
		return "it lets nobody look at it (PR_SET_DUMPABLE, or a program with rights of its own)";
	return "it is another user's";
}

/* The path of the agent's socket, if the agent was started; false: none. */
static bool find_socket(pid_t pid, char to[108])
{
	char pattern[64];
	struct stat st;
	glob_t all;
	bool found = false;
	snprintf(pattern, sizeof pattern, "/tmp/mono-*/.mono-%ld", (long)pid);
	if (glob(pattern, 0, NULL, &all) != 0)
		return false;
	for (size_t i = 0; i < all.gl_pathc && !found; i++)
		found = strlen(all.gl_pathv[i]) < 108 && lstat(all.gl_pathv[i], &st) == 0 &&
			S_ISSOCK(st.st_mode) && st.st_uid == geteuid() &&
			strcpy(to, all.gl_pathv[i]);
	globfree(&all);
	return found;
}

/* Whether the words or variables of the process hold this; words end with NULs. */
static bool process_holds(pid_t pid, const char *what, const char *text)
{
	char *all = malloc(PROC);
	ssize_t n = all ? pv_proc_read(pid, what, all, PROC) : -1;
	bool found = n > 0 && memmem(all, (size_t)n, text, strlen(text));
	free(all);
	return found;
}

/* Tries the agent in a fresh process of the same runtime; its exit code, or -1: none. */
static int try_agent(pid_t pid, const char *agent)
{
	char program[32], name[] = "mono", check[] = "check", path[] = "PATH=/usr/bin:/bin";
	char home[] = "HOME=/", *file = strdup(agent);
	char *argv[] = { name, file, check, NULL }, *env[] = { path, home, NULL };
	posix_spawn_file_actions_t quiet;
	pid_t child = 0;
	int status = -1;
	snprintf(program, sizeof program, "/proc/%ld/exe", (long)pid);
	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
	bool ok = file && posix_spawn(&child, program, &quiet, NULL, argv, env) == 0;
	posix_spawn_file_actions_destroy(&quiet);
	free(file);
	if (!ok)
		return -1;
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	if (pidfd < 0 || !pv_patience_wait(pidfd, POLLIN, pv_patience_now_ms() + TRY_MS))
		kill(child, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *why_not(pid_t pid)
{
	char *status = calloc(1, PROC), socket[108];
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);
	bool catches = status && pv_proc_read(pid, "status", status, PROC) > 0 &&
		       mask_of(status, "\nSigCgt:") & quit;
	const char *not_ours = why_not_ours(pid, status);
	free(status);
	if (not_ours)
		return not_ours;
	if (!is_sibling(pid))
		return "it runs in a container";
	if (process_holds(pid, "cmdline", "--attach=disable") ||
		process_holds(pid, "environ", "--attach=disable"))
		return "its attach agent is switched off (--attach=disable)";
	if (!catches)
		return "it does not listen to SIGQUIT, which would end it";
	if (find_socket(pid, socket))
		return "its attach agent was started before, which Mono does once";
	if (process_holds(pid, "maps", "libmono-profiler-profview.so"))
		return "it has a probe that was stopped, and Mono starts none twice";
	return NULL;
}

/* The agent's path, short enough for Mono's message. */
static bool find_agent(char to[PV_PROGRAM_PATH], const char **ret_why)
{
	if (!pv_launch_library(AGENT, to, NULL) || strlen(to) >= WORD)
		*ret_why = strlen(to) >= WORD             ? "the path of " AGENT " is too long"
			   : pv_launch_has_library(AGENT) ? AGENT " cannot be written"
							  : AGENT " is neither installed nor built";
	return !*ret_why;
}

bool pv_mono_attach_check(pid_t pid, struct pv_error *reterr)
{
	char agent[PV_PROGRAM_PATH] = "";
	const char *why = why_not(pid);
	int tried = !why && find_agent(agent, &why) ? try_agent(pid, agent) : 0;
	if (tried == WRONG_VERSION)
		why = "only Mono 6 is known to stand it";
	else if (tried)
		why = "its runtime cannot load the probe";
	return !why || pv_fail(reterr, PV_EUSAGE, 0,
			       "no probe is put into process %ld: %s; start it with profview run",
			       (long)pid, why);
}

/* ---- attaching */

static bool ask_for_agent(pid_t pid, char socket[108], struct pv_error *reterr)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/.mono_attach_pid%ld", (long)pid);
	unlink(path);
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pv_fail(reterr, PV_EIO, 0, "%s: %s", path, strerror(errno));
	close(fd);
	bool found = false;
	if (kill(pid, SIGQUIT) == 0)
		for (int64_t end = pv_patience_now_ms() + WAIT_MS;
			!found && pv_patience_now_ms() < end; poll(NULL, 0, LOOK_MS))
			found = find_socket(pid, socket);
	unlink(path);
	return found || pv_fail(reterr, PV_EIO, 0,
				"process %ld did not start its attach agent; it may have printed "
				"its threads",
				(long)pid);
}

static size_t put_word(char *to, const char *word)
{
	enum { STRING = 18 };
	size_t n = strlen(word);
	to[0] = STRING;
	to[1] = (char)n;
	memcpy(to + 2, word, n + 1);
	return n + 3;
}

/* "attach", the agent and its words, in one write: collections wait until the agent runs. */
static size_t make_message(const char *agent, const char *options, char to[512])
{
	size_t n = 10;
	n += put_word(to + n, "attach");
	n += put_word(to + n, agent);
	n += put_word(to + n, options);
	memcpy(to, "MONO\1\0", 6);
	for (int i = 0; i < 4; i++)
		to[6 + i] = (char)((n - 10) >> 8 * i);
	return n;
}

static bool send_message(
	pid_t pid, const char *path, const char *text, size_t n, struct pv_error *reterr)
{
	char byte;
	int fd = pv_local_dial(path, pid, geteuid());
	bool ok = fd >= 0 && send(fd, text, n, MSG_NOSIGNAL) == (ssize_t)n;
	if (!ok)
		pv_fail(reterr, PV_EIO, 0, "the attach agent cannot be spoken to: %s",
			strerror(errno));
	else if (pv_patience_wait(fd, POLLIN, pv_patience_now_ms() + WAIT_MS))
		recv(fd, &byte, 1, MSG_DONTWAIT); /* a hang-up: done */
	if (fd >= 0)
		close(fd);
	return ok;
}

bool pv_mono_attach(pid_t pid, const char *options, struct pv_error *reterr)
{
	char agent[PV_PROGRAM_PATH] = "", socket[108], message[512], probe[PV_PROBE_PATH];
	const char *why = NULL;
	if (!find_agent(agent, &why) || strlen(options) >= WORD)
		return pv_fail(reterr, PV_EUSAGE, 0, "%s", why ? why : "the options are too long");
	if (!pv_process_is_mono(pid) || !ask_for_agent(pid, socket, reterr))
		return reterr && reterr->code ? false
					      : pv_fail(reterr, PV_EIO, 0, "the process has ended");
	if (!send_message(pid, socket, message, make_message(agent, options, message), reterr))
		return false;
	unlink(socket); /* no listener there any more */
	for (int64_t end = pv_patience_now_ms() + WAIT_MS; pv_patience_now_ms() < end;
		poll(NULL, 0, LOOK_MS))
		if (pv_probe_find(pid, probe, NULL))
			return true;
	return pv_fail(reterr, PV_EIO, 0,
		"process %ld has loaded the probe, which has not begun to record; see what it "
		"printed",
		(long)pid);
}
