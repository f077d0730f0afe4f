/* SPDX-License-Identifier: MIT */
/* The child with another user's rights. */
#include "common/target/foreign/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/io/fd.h"

enum { WAIT_MS = 5000, KILLED_MS = 200, GROUPS = 64, BYTES = 2304 };

struct rights {
	uid_t uid;
	gid_t gid;
	gid_t group[GROUPS]; /* further groups are rights that go unused */
	size_t groups;
	uint64_t capabilities; /* of a process of root's; 0 in a user namespace of its own */
};

static bool shares_users(pid_t pid)
{
	char path[64];
	struct stat theirs, ours;
	snprintf(path, sizeof path, "/proc/%ld/ns/user", (long)pid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

static bool read_rights(struct rights *ret, const struct pv_foreign *f)
{
	char status[8192];
	unsigned long real, uid, gid;
	*ret = (struct rights){ .uid = f->uid, .gid = f->gid };
	if (!f->pid)
		return true;
	if (pv_proc_read(f->pid, "status", status, sizeof status) <= 0)
		return false;
	const char *at = strstr(status, "\nUid:"), *group = strstr(status, "\nGid:"),
		   *groups = strstr(status, "\nGroups:"), *caps = strstr(status, "\nCapEff:");
	if (!at || !group || !groups || !caps || sscanf(at, "\nUid: %lu %lu", &real, &uid) != 2 ||
		sscanf(group, "\nGid: %lu %lu", &real, &gid) != 2)
		return false;
	*ret = (struct rights){ .uid = (uid_t)uid, .gid = (gid_t)gid };
	if (uid == 0 && shares_users(f->pid))
		ret->capabilities = strtoull(caps + sizeof "\nCapEff:" - 1, NULL, 16);
	char *end = NULL;
	for (groups += sizeof "\nGroups:" - 1; ret->groups < GROUPS; groups = end) {
		while (*groups == ' ' || *groups == '\t')
			groups++;
		unsigned long n = strtoul(groups, &end, 10);
		if (end == groups || *groups == '\n')
			break;
		ret->group[ret->groups++] = (gid_t)n;
	}
	return true;
}

/* Only system calls: of all threads only this one is left after the fork. */
static bool take_rights(const struct rights *r)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct have[2], want[2];
	memset(want, 0, sizeof want);
	if (prctl(PR_SET_DUMPABLE, 0) != 0 || setgroups(r->groups, r->group) != 0 ||
		setresgid(r->gid, r->gid, r->gid) != 0 || setresuid(r->uid, r->uid, r->uid) != 0 ||
		syscall(SYS_capget, &head, have) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		want[i].effective = want[i].permitted =
			have[i].permitted & (uint32_t)(r->capabilities >> 32 * i);
	return syscall(SYS_capset, &head, want) == 0;
}

int pv_rights_open(const struct pv_tree_of *t, const char *path, int flags)
{
	bool outside = *path != '/';
	flags |= O_CLOEXEC;
	if (t->root < 0 && t->self < 0)
		return openat(outside ? t->working : AT_FDCWD, path, flags);
	struct open_how how = { .flags = (unsigned)flags, .resolve = RESOLVE_NO_MAGICLINKS };
	if (outside) /* the working folder may lie in a tree of neither process */
		how.resolve |= RESOLVE_BENEATH;
	else if (t->root >= 0)
		how.resolve |= RESOLVE_IN_ROOT;
	int from = outside ? t->working : t->root >= 0 ? t->root : AT_FDCWD;
	return (int)syscall(SYS_openat2, from, path, &how, sizeof how);
}

/* ---- between the two */

struct packet {
	int why;
	uint32_t has; /* bits of the descriptors sent along, in their order */
	uint8_t what[BYTES];
};

union room_for_fds {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int[PV_RIGHTS_FDS]))];
};

static struct msghdr message(struct iovec *part, union room_for_fds *room)
{
	return (struct msghdr){ .msg_iov = part,
		.msg_iovlen = 1,
		.msg_control = room->bytes,
		.msg_controllen = sizeof room->bytes };
}

static void send_packet(int socket, struct packet *p, const int fds[PV_RIGHTS_FDS])
{
	union room_for_fds room;
	struct iovec part = { p, sizeof *p };
	struct msghdr m = message(&part, &room);
	int sent[PV_RIGHTS_FDS];
	size_t n = 0;
	for (int i = 0; i < PV_RIGHTS_FDS; i++)
		if (fds[i] >= 0 && p->why == 0) {
			p->has |= 1u << i;
			sent[n++] = fds[i];
		}
	if (n) {
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = (socklen_t)CMSG_LEN(n * sizeof *sent);
		memcpy(CMSG_DATA(c), sent, n * sizeof *sent);
		m.msg_controllen = (socklen_t)CMSG_SPACE(n * sizeof *sent);
	} else {
		m.msg_control = NULL;
		m.msg_controllen = 0;
	}
	sendmsg(socket, &m, MSG_NOSIGNAL);
}

/* Gives 0, or an errno. */
static int hear_packet(int socket, struct packet *p, int ret_fds[PV_RIGHTS_FDS])
{
	union room_for_fds room;
	struct iovec part = { p, sizeof *p };
	struct msghdr m = message(&part, &room);
	struct pollfd there = { .fd = socket, .events = POLLIN };
	int n, came[PV_RIGHTS_FDS];
	while ((n = poll(&there, 1, WAIT_MS)) < 0 && errno == EINTR)
		;
	if (n <= 0)
		return ETIMEDOUT;
	if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *p)
		return EIO;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	size_t k = c && c->cmsg_type == SCM_RIGHTS ? (c->cmsg_len - CMSG_LEN(0)) / sizeof *came : 0;
	if (k)
		memcpy(came, CMSG_DATA(c), k * sizeof *came);
	size_t at = 0;
	for (int i = 0; i < PV_RIGHTS_FDS; i++)
		if (p->has & 1u << i && at < k)
			ret_fds[i] = pv_fd_above_standard(came[at++]);
	return p->why;
}

static _Noreturn void work_apart(int socket, const struct rights *r, struct pv_tree_of *t,
	pv_rights_work *work, const void *what, size_t size, int fds[PV_RIGHTS_FDS])
{
	struct packet p;
	memset(&p, 0, sizeof p);
	memcpy(p.what, what, size);
	t->self = pv_fd_above_standard(open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
	int keep[] = { socket, t->root, t->working, t->self, fds[0], fds[1], fds[2] };
	pv_fd_close_all_but(keep, PV_COUNT_OF(keep));
	p.why = t->self < 0 || !take_rights(r) ? errno : work(t, p.what, fds);
	send_packet(socket, &p, fds);
	_exit(0);
}

/*
 * A child that hangs in a file system of the user's cannot even be killed: then it is left as it
 * is.
 */
static void reap(pid_t pid, bool hangs)
{
	if (hangs)
		kill(pid, SIGKILL);
	for (int ms = 0; waitpid(pid, NULL, hangs ? WNOHANG : 0) <= 0 && ms < KILLED_MS; ms += 10)
		poll(NULL, 0, 10);
}

static int run_in_child(const struct rights *r, struct pv_tree_of *t, pv_rights_work *work,
	void *what, size_t size, int fds[PV_RIGHTS_FDS], int ret_fds[PV_RIGHTS_FDS])
{
	struct packet p;
	int pair[2];
	sigset_t all, before;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return errno;
	pair[0] = pv_fd_above_standard(pair[0]);
	pair[1] = pv_fd_above_standard(pair[1]);
	sigfillset(&all); /* none of our handlers runs there */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid_t pid = pair[0] < 0 || pair[1] < 0 ? -1 : fork();
	if (pid == 0)
		work_apart(pair[1], r, t, work, what, size, fds);
	int why = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pv_fd_close(&pair[1]);
	if (pid > 0) {
		why = hear_packet(pair[0], &p, ret_fds);
		reap(pid, why == ETIMEDOUT);
		if (!why)
			memcpy(what, p.what, size);
	}
	pv_fd_close(&pair[0]);
	return why;
}

static int open_link(pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	return pv_fd_above_standard(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool pv_rights_do(const struct pv_foreign *f, pv_rights_work *work, void *what, size_t size,
	const int fds[PV_RIGHTS_FDS], int ret_fds[PV_RIGHTS_FDS])
{
	struct rights r;
	int given[PV_RIGHTS_FDS] = { fds[0], fds[1], fds[2] }, why = 0;
	struct pv_tree_of t = { .root = -1, .working = -1, .self = -1 };
	if (f->pid)
		t.working = open_link(f->pid, "cwd");
	for (int i = 0; i < PV_RIGHTS_FDS; i++)
		ret_fds[i] = -1;
	if (f->pid && f->elsewhere && (t.root = open_link(f->pid, "root")) < 0)
		why = errno;
	else if (f->uid == geteuid() && (f->uid || !f->elsewhere)) {
		why = work(&t, what, given);
		memcpy(ret_fds, given, why ? 0 : sizeof given);
	} else if (size > BYTES || !read_rights(&r, f) || r.uid != f->uid)
		why = EPERM;
	else
		why = run_in_child(&r, &t, work, what, size, given, ret_fds);
	pv_fd_close(&t.root);
	pv_fd_close(&t.working);
	errno = why;
	return why == 0;
}
