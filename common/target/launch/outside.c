/* SPDX-License-Identifier: MIT */
/* Starts profview-outside, the recorder that watches a process from outside, and speaks to it. */
#include "common/target/launch/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/launch/launch.h"
#include "common/target/process/patience.h"
#include "common/target/process/program.h"

enum { ASK_MS = 10000, GO_MS = 20000, END_MS = 10000, LINE = 512, WORDS = 2048 };

/* Makes one end of the pair the recorder's input and output. */
static void become(int lead, const char *path, pid_t pid)
{
	char led[] = "--led", number[24], *words[] = { (char *)(uintptr_t)path, led, number, NULL };
	enum { STANDARD = 3 };
	int keep[STANDARD];
	char line[LINE];
	int n = snprintf(number, sizeof number, "%ld", (long)pid);
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < STANDARD; fd++)
		keep[fd] = dup2(fd > STDOUT_FILENO ? null : lead, fd);
	pv_fd_close_all_but(keep, PV_COUNT_OF(keep));
	execv(path, words);
	n = snprintf(line, sizeof line, "no " PV_OUTSIDE_PROGRAM " cannot be run: %s\n",
		strerror(errno));
	send(STDOUT_FILENO, line, (size_t)n, MSG_NOSIGNAL);
}

/* Two forks: the recorder is no child of ours, so its end needs no wait. */
static bool start_recorder(int pair[2], const char *path, pid_t of)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			become(pair[1], path, of);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return pid > 0;
}

/* A line from the recorder, cut to fit. False: ended, or silent for `ms`. */
static bool hear_recorder(int fd, char line[LINE], int ms)
{
	int64_t end = pv_patience_now_ms() + ms;
	size_t n = 0;
	for (char c = 0; c != '\n'; n += c != '\n' && n + 1 < LINE) {
		if (!pv_patience_wait(fd, POLLIN, end) || pv_fd_read(fd, &c, 1) != 1)
			return false;
		line[n] = c;
	}
	line[n] = 0;
	return true;
}

static bool answered(struct pv_outside *o, int ms, struct pv_error *reterr)
{
	char line[LINE];
	if (!hear_recorder(o->fd, line, ms))
		return pv_fail(reterr, PV_EIO, 0, PV_OUTSIDE_PROGRAM " ended without a word");
	return strcmp(line, "ok") == 0 ||
	       pv_fail(reterr, PV_EUSAGE, 0, "%s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
}

bool pv_outside_start(struct pv_outside *ret, pid_t pid, struct pv_error *reterr)
{
	char path[PV_PROGRAM_PATH];
	int pair[2];
	ret->fd = -1;
	if (!pv_launch_library(PV_OUTSIDE_PROGRAM, path, reterr))
		return false;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	pair[0] = pv_fd_above_standard(pair[0]);
	pair[1] = pv_fd_above_standard(pair[1]);
	bool started = pair[0] >= 0 && pair[1] >= 0 && start_recorder(pair, path, pid);
	int error = errno;
	pv_fd_close(&pair[1]);
	ret->fd = pair[0];
	if (started && answered(ret, ASK_MS, reterr))
		return true;
	pv_outside_leave(ret);
	if (!started)
		pv_fail(reterr, PV_EIO, 0, "no process: %s", strerror(error));
	return false;
}

static bool send_words(
	struct pv_outside *o, const char *sign, const char *words, struct pv_error *reterr)
{
	char line[WORDS];
	int n = snprintf(line, sizeof line, "%s%s\n", sign, words);
	if (n >= (int)sizeof line)
		return pv_fail(reterr, PV_EUSAGE, 0, "these options are too long");
	if (send(o->fd, line, (size_t)n, MSG_NOSIGNAL) != n)
		return pv_fail(reterr, PV_EIO, 0, PV_OUTSIDE_PROGRAM " has ended");
	return answered(o, GO_MS, reterr);
}

bool pv_outside_check(struct pv_outside *o, const char *words, struct pv_error *reterr)
{
	return send_words(o, "?", words, reterr);
}

bool pv_outside_go(struct pv_outside *o, const char *words, struct pv_error *reterr)
{
	return send_words(o, "", words, reterr);
}

bool pv_outside_go_from_exec(
	struct pv_outside *o, pid_t pid, const char *words, struct pv_error *reterr)
{
	char exec[32];
	snprintf(exec, sizeof exec, "exec=%ld,", (long)pid);
	return send_words(o, exec, words, reterr);
}

void pv_outside_await_end(const struct pv_outside *o)
{
	if (o->fd >= 0)
		pv_patience_wait(
			o->fd, 0, pv_patience_now_ms() + END_MS); /* a hang-up is always met */
}

void pv_outside_leave(struct pv_outside *o)
{
	pv_fd_close(&o->fd);
}
