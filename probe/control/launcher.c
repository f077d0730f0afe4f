/* SPDX-License-Identifier: MIT */
/* Asks the launcher over a socket whether and where to record, and reads the answers. */
#include "probe/control/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "probe/control/control_socket.h"

enum { PATIENCE_MS = 2000, LOOK_MS = 100 };

static struct pvp_fd line = { .fd = -1 };
static char place[PV_ANSWER_PATH + 1]; /* of the file given out last */
static pid_t self;                     /* asked last; in a child of fork the parent's pid */

bool pvp_launcher_of(const char *options, char to[PV_ASK_PATH], const char **ret_rest)
{
	static const char word[] = "launch=";
	if (!options || strncmp(options, word, sizeof word - 1) != 0)
		return false;
	const char *path = options + sizeof word - 1;
	size_t n = strcspn(path, ",");
	if (*path != '/' || n >= PV_ASK_PATH)
		return false;
	memcpy(to, path, n);
	to[n] = 0;
	*ret_rest = path + n + (path[n] == ',');
	return true;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;
	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0
		       ? 0
		       : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t memory_bytes(void)
{
	struct rusage u;
	return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss << 10 : 0;
}

static bool dial(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	if (n >= sizeof at.sun_path)
		return false;
	memcpy(at.sun_path, path, n + 1);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) != 0) {
		close(fd);
		fd = -1;
	}
	line = fd < 0 ? (struct pvp_fd){ .fd = -1 } : pvp_fd_own(fd);
	return line.fd >= 0;
}

/* Whether the launcher started this process, or a command that became this image by exec. */
static bool is_launchers_own(void)
{
	struct ucred who;
	socklen_t size = sizeof who;
	return getsockopt(line.fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
	       who.pid == getppid();
}

static uint16_t read_args(char *to, size_t room)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, room);
	if (fd >= 0)
		close(fd);
	return n > 0 ? (uint16_t)n : 0;
}

static bool send_ask(struct pv_ask *ask, enum pv_ask_kind kind)
{
	ask->magic = PV_ASK_MAGIC;
	ask->kind = (uint8_t)kind;
	ask->cpu_ns = cpu_ns();
	ask->memory_bytes = memory_bytes();
	ask->ppid = kind == PV_ASK_FORKED ? self : getppid();
	size_t n = PV_ASK_HEAD + (size_t)ask->exe_len + ask->args_len;
	return pvp_fd_ours(&line) &&
	       send(line.fd, ask, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

/* Whether the path leads to the file, and passes the options' parser unchanged. */
static bool leads_to(const char *path, int sink)
{
	struct stat there, given;
	return *path == '/' && !strpbrk(path, ",%+") && stat(path, &there) == 0 &&
	       fstat(sink, &given) == 0 && there.st_dev == given.st_dev &&
	       there.st_ino == given.st_ino;
}

void pvp_launcher_output(int sink, char to[PVP_PATH_MAX])
{
	if (leads_to(place, sink))
		snprintf(to, PVP_PATH_MAX, "%s", place);
	else
		snprintf(to, PVP_PATH_MAX, "#%d", sink);
}

/* A message without text: only the head is sent. */
static bool say_word(enum pv_ask_kind kind)
{
	struct pv_ask ask;
	memset(&ask, 0, PV_ASK_HEAD);
	return send_ask(&ask, kind);
}

/* Reads an answer, if any. PV_ANSWER_LATER: none yet. */
static enum pv_answer hear_answer(int *ret_sink)
{
	char text[1 + PV_ANSWER_PATH + 1];
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} with;
	struct iovec part = { text, sizeof text - 1 };
	struct msghdr m = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = sizeof with };
	*ret_sink = -1;
	if (!pvp_fd_ours(&line))
		return PV_ANSWER_NO;
	ssize_t n = recvmsg(line.fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return PV_ANSWER_LATER;
	text[n > 0 ? n : 0] = 0;
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_sink, CMSG_DATA(c), sizeof(int));
	bool yes = *text == PV_ANSWER_YES && *ret_sink >= 0;
	if (yes)
		memcpy(place, text + 1, strlen(text));
	return yes ? PV_ANSWER_YES : *text == PV_ANSWER_LATER ? PV_ANSWER_LATER : PV_ANSWER_NO;
}

static enum pv_answer await(int ms, int *ret_sink)
{
	struct pollfd p = { .fd = line.fd, .events = POLLIN };
	int n;
	while ((n = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	return n == 1 ? hear_answer(ret_sink) : n == 0 ? PV_ANSWER_LATER : PV_ANSWER_NO;
}

enum pv_answer pvp_launcher_ask(
	const char *path, enum pv_ask_host host, enum pv_ask_kind kind, bool always, int *ret_sink)
{
	struct pv_ask ask;
	*ret_sink = -1;
	memset(&ask, 0, PV_ASK_HEAD);
	if (!dial(path))
		return PV_ANSWER_NO;
	bool waits = always || (kind == PV_ASK_BEGUN && is_launchers_own());
	ask.host = (uint8_t)host;
	ask.waits = always ? 2 : waits;
	if (kind == PV_ASK_BEGUN) {
		ssize_t n = readlink("/proc/self/exe", ask.text, PV_ASK_EXE);
		ask.exe_len = n > 0 ? (uint16_t)n : 0;
		ask.args_len = read_args(ask.text + ask.exe_len, PV_ASK_ARGS);
	}
	bool said = send_ask(&ask, kind);
	self = getpid();
	if (!said) {
		pvp_fd_close(&line);
		return PV_ANSWER_NO;
	}
	if (!waits)
		return PV_ANSWER_LATER;
	return await(PATIENCE_MS, ret_sink) == PV_ANSWER_YES ? PV_ANSWER_YES : PV_ANSWER_NO;
}

enum pv_answer pvp_launcher_heard(void)
{
	int sink;
	enum pv_answer said = hear_answer(&sink);
	if (sink >= 0)
		close(sink);
	return said;
}

int pvp_launcher_wait(bool (*given_up)(void))
{
	int sink = -1;
	if (!say_word(PV_ASK_READY))
		return -1;
	while (!given_up() && await(LOOK_MS, &sink) == PV_ANSWER_LATER)
		;
	return sink;
}

void pvp_launcher_ends(void)
{
	if (line.fd >= 0)
		say_word(PV_ASK_ENDS);
}

void pvp_launcher_forget(void)
{
	pvp_fd_close(&line);
}

void pvp_launcher_leave(void)
{
	pvp_launcher_ends();
	if (pvp_fd_ours(&line))
		shutdown(line.fd, SHUT_RDWR);
	pvp_fd_close(&line);
}
