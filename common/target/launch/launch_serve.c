/* SPDX-License-Identifier: MIT */
/*
 * The launcher's service: answers probes of a tree, decides which processes are recorded, and
 * watches their ends.
 */
#include "common/target/launch/launch_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/launch/launch_exit.h"
#include "common/target/process/program.h"

#define MS UINT64_C(1000000)

enum {
	BACKLOG = 4096,
	EVENTS = 64,
	AT_ONCE = 256,  /* messages, before clocks are looked at */
	CLOCKS_MS = 20, /* ms between two readings of clocks, at least */
	CLOCKS_MOST = 250,
	SCAN_MS = 40, /* ms between two searches of /proc, at least */
	SCAN_MOST = 250,
	INDEX_MS = 250,
	ALLOWED = 20000000, /* ns of work at any time, before it has to be earned */
	WAITING_MS = 5,
};

/* ---- beginning */

static bool listen_at(struct pv_tree *t)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	if (strlen(t->socket) >= sizeof at.sun_path) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(at.sun_path, t->socket);
	t->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return t->listener >= 0 &&
	       bind(t->listener, (const struct sockaddr *)&at, sizeof at) == 0 &&
	       listen(t->listener, BACKLOG) == 0;
}

/* A descriptor for each process and each connection. */
static void allow_descriptors(void)
{
	struct rlimit most;
	if (getrlimit(RLIMIT_NOFILE, &most) != 0)
		return;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

bool pv_tree_open(struct pv_tree *t, const char *folder, const char *socket, char **command,
	struct pv_error *reterr)
{
	*t = (struct pv_tree){ .listener = -1, .command = command, .uid = geteuid() };
	char *real = realpath(folder, NULL);
	snprintf(t->folder, sizeof t->folder, "%s", real ? real : folder);
	free(real);
	snprintf(t->socket, sizeof t->socket, "%s", socket);
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	t->clocks_each = CLOCKS_MS * MS;
	if (t->epoll < 0 || !listen_at(t) ||
		!pv_tree_watch(t, t->listener, PV_TREE_TOKEN(PV_TREE_LISTENER, 0)))
		return pv_fail(
			reterr, PV_EIO, 0, "no socket for the launcher: %s", strerror(errno));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return true;
}

/* In the launcher's process; children keep their limit. */
void pv_tree_program(struct pv_tree *t, pid_t pid)
{
	t->program = pid;
	allow_descriptors();
	t->scan_due = pv_tree_now() + SCAN_MS * MS;
}

/* ---- answers */

static bool answer_probe(const struct pv_tree_line *l, char what, int sink, const char *path)
{
	char text[1 + PV_ANSWER_PATH];
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} with;
	size_t n = strnlen(path, PV_ANSWER_PATH);
	struct iovec part = { text, 1 + n };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	text[0] = what;
	memcpy(text + 1, path, n);
	if (sink >= 0) {
		memset(&with, 0, sizeof with);
		with.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&with.head), &sink, sizeof sink);
		m.msg_control = &with;
		m.msg_controllen = sizeof with;
	}
	return sendmsg(l->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

static void refuse_probe(struct pv_tree *t, struct pv_tree_line *l)
{
	t->waiting -= l->ready;
	l->ready = false;
	answer_probe(l, PV_ANSWER_NO, -1, "");
}

/* Whether one more log fits, with those being written. */
static bool has_room(const struct pv_tree *t)
{
	const uint64_t log = (uint64_t)PV_TREE_LOG_MIB << 20;
	return !t->room || t->kept_bytes + (t->recording + 1) * log <= t->room;
}

static void grant(struct pv_tree *t, struct pv_tree_line *l)
{
	struct pv_tree_row *r = &t->rows.v[t->processes.v[l->process].row];
	char name[PV_TREE_LOG], path[1100];
	if (!has_room(t)) {
		r->reason = "no room: a recording that is not kept has 16 GiB, 1 GiB a process";
		refuse_probe(t, l);
		return;
	}
	snprintf(name, sizeof name, "%ld-%u.mlpd", (long)r->pid, r->image);
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	int fd = pv_fd_create(AT_FDCWD, path, O_RDWR | O_TRUNC);
	if (fd < 0) {
		r->reason = "its log could not be made";
		refuse_probe(t, l);
		return;
	}
	t->waiting -= l->ready;
	l->ready = false;
	t->changed = true;
	if (answer_probe(l, PV_ANSWER_YES, fd, path)) {
		memcpy(r->log, name, sizeof r->log);
		t->recording++;
		r->host = l->host;
		r->reason = NULL;
	} else {
		unlink(path);
	}
	close(fd);
}

/* Whether a managed runtime runs in the process, or will: its own probe records it. */
static bool is_managed(const struct pv_tree_row *r)
{
	struct pv_program *p = r->exe ? malloc(sizeof *p) : NULL;
	bool missing;
	bool is = p && pv_program_look(r->exe, p, &missing, NULL) &&
		  (p->kind == PV_PROGRAM_MONO || p->kind == PV_PROGRAM_DOTNET);
	free(p);
	return is || r->host > PV_ASK_NATIVE;
}

/* One probe records a process; of two the runtime's own. */
static void decide(struct pv_tree *t, struct pv_tree_line *l)
{
	const struct pv_tree_row *r = &t->rows.v[t->processes.v[l->process].row];
	if (*r->log || r->ended || (l->host == PV_ASK_NATIVE && is_managed(r)))
		refuse_probe(t, l);
	else
		grant(t, l);
}

/* The process on this line; NULL: it has not introduced itself, or was dropped since. */
static struct pv_tree_process *process_of(struct pv_tree *t, const struct pv_tree_line *l)
{
	struct pv_tree_process *p = l->process == PV_TREE_NONE ? NULL : &t->processes.v[l->process];
	return p && p->pid == l->pid ? p : NULL;
}

/* Starts recording of the waiting processes that have proved worth it. */
static void decide_all(struct pv_tree *t)
{
	for (size_t i = 0; t->waiting && i < t->lines.n; i++) {
		struct pv_tree_line *l = &t->lines.v[i];
		if (l->fd < 0 || !l->ready)
			continue;
		struct pv_tree_process *p = process_of(t, l);
		if (!p) {
			refuse_probe(t, l);
			continue;
		}
		pv_tree_clock(t, p);
		if (t->rows.v[p->row].cpu_ns >= PV_TREE_WORTH_NS)
			decide(t, l);
	}
}

/* ---- lines */

static uint32_t new_line(struct pv_tree *t, int fd)
{
	for (size_t i = 0; i < t->lines.n; i++)
		if (t->lines.v[i].fd < 0) {
			t->lines.v[i] = (struct pv_tree_line){ .fd = fd, .process = PV_TREE_NONE };
			return (uint32_t)i;
		}
	if (!pv_reserve(&t->lines, 1))
		return PV_TREE_NONE;
	t->lines.v[t->lines.n] = (struct pv_tree_line){ .fd = fd, .process = PV_TREE_NONE };
	return (uint32_t)t->lines.n++;
}

static bool has_ended(const struct pv_tree_line *l)
{
	char byte;
	return recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Whether the process's earlier probe still speaks; else the process runs another image by now. */
static bool speaks(
	const struct pv_tree *t, const struct pv_tree_process *p, const struct pv_tree_line *but)
{
	uint32_t process = (uint32_t)(p - t->processes.v);
	for (size_t i = 0; i < t->lines.n; i++) {
		const struct pv_tree_line *l = &t->lines.v[i];
		if (l != but && l->fd >= 0 && l->process == process && !has_ended(l))
			return true;
	}
	return false;
}

/* Also the process's end, where no pidfd watches it. */
static void close_line(struct pv_tree *t, struct pv_tree_line *l)
{
	t->waiting -= l->ready;
	l->ready = false;
	pv_fd_close(&l->fd);
	struct pv_tree_process *p = process_of(t, l);
	if (!p)
		return;
	if (p->pidfd < 0 && kill(p->pid, 0) != 0) {
		pv_tree_drop(t, p);
	} else if (!p->ended && !speaks(t, p, l)) {
		pv_tree_clock(t, p);
		p->hung_up = true;
		p->seen = 0;
	}
}

/* ---- messages of probes */

static struct pv_tree_process *meet_process(
	struct pv_tree *t, const struct pv_tree_line *l, const struct pv_ask *ask)
{
	struct pv_tree_process *p = pv_tree_find(t, l->pid);
	if (p)
		return p;
	return pv_tree_add(t, l->pid, ask->ppid, pv_exit_watch(l->fd, l->pid));
}

/* The image that begins now, in a new row where the process had an image before. */
static struct pv_tree_row *row_of_image(struct pv_tree *t, struct pv_tree_process *p,
	const struct pv_tree_line *l, const struct pv_ask *ask)
{
	struct pv_tree_row *r = pv_tree_row_of(t, p);
	bool first = r->host < 0 || (r->forked && !*r->log);
	if (first || speaks(t, p, l))
		return r;
	return pv_tree_exec(t, p, ask->cpu_ns);
}

static void process_begins(struct pv_tree *t, struct pv_tree_line *l, const struct pv_ask *ask)
{
	struct pv_tree_process *p = meet_process(t, l, ask);
	uint32_t at = p ? (uint32_t)(p - t->processes.v) : PV_TREE_NONE;
	struct pv_tree_row *r = p ? row_of_image(t, p, l, ask) : NULL;
	if (!r) {
		refuse_probe(t, l);
		return;
	}
	p = &t->processes.v[at];
	l->process = at;
	p->silent = p->hung_up = false;
	r->forked = false;
	r->reason = NULL;
	r->host = ask->host > r->host ? ask->host : r->host;
	pv_tree_name(r, ask->text, ask->exe_len, ask->text + ask->exe_len, ask->args_len);
	pv_tree_used(t, p, ask->cpu_ns);
	r->from_bytes = ask->memory_bytes;
	if (!ask->waits)
		return;
	if (l->pid == t->program || ask->host != PV_ASK_NATIVE || ask->waits > 1)
		decide(t, l);
	else
		answer_probe(l, PV_ANSWER_LATER, -1, "");
}

/* The newest row of a process that may have ended by now. */
static const struct pv_tree_row *newest_of(const struct pv_tree *t, pid_t pid)
{
	for (size_t i = t->rows.n; i-- > 0;)
		if (t->rows.v[i].pid == pid)
			return &t->rows.v[i];
	return NULL;
}

static void forked(struct pv_tree *t, struct pv_tree_line *l, const struct pv_ask *ask)
{
	struct pv_tree_process *p = meet_process(t, l, ask);
	if (!p)
		return;
	struct pv_tree_row *r = pv_tree_row_of(t, p);
	const struct pv_tree_row *from = newest_of(t, ask->ppid);
	l->process = (uint32_t)(p - t->processes.v);
	p->silent = false;
	r->forked = true;
	r->host = PV_ASK_NATIVE;
	r->ppid = ask->ppid;
	if (from && from->exe && from->args)
		pv_tree_name(r, from->exe, strlen(from->exe), from->args, from->args_len);
	pv_tree_used(t, p, ask->cpu_ns);
}

static bool is_sound(const struct pv_ask *ask, ssize_t n)
{
	return n >= PV_ASK_HEAD && ask->magic == PV_ASK_MAGIC && ask->exe_len <= PV_ASK_EXE &&
	       ask->args_len <= PV_ASK_ARGS && ask->host <= PV_ASK_CORECLR &&
	       n == PV_ASK_HEAD + ask->exe_len + ask->args_len;
}

static void obey(struct pv_tree *t, struct pv_tree_line *l, const struct pv_ask *ask)
{
	bool known = l->process != PV_TREE_NONE;
	if (!known) {
		l->host = ask->host;
		if (ask->kind == PV_ASK_BEGUN)
			process_begins(t, l, ask);
		else if (ask->kind == PV_ASK_FORKED)
			forked(t, l, ask);
		return;
	}
	struct pv_tree_process *p = process_of(t, l);
	if (p) {
		pv_tree_used(t, p, ask->cpu_ns);
		pv_tree_held(t, p, ask->memory_bytes, false);
		struct pv_tree_row *r = pv_tree_row_of(t, p);
		pv_tree_cut(t, r, pv_tree_refused(t, r, pv_tree_disk(t)));
	}
	if (ask->kind == PV_ASK_READY && !l->ready) {
		l->ready = true;
		t->waiting++;
	}
}

/* Reads one message. False: the line has ended, or nothing has come. */
static bool hear_line(struct pv_tree *t, uint32_t at)
{
	struct pv_ask ask;
	struct pv_tree_line *l = &t->lines.v[at];
	if (l->fd < 0)
		return false;
	ssize_t n = recv(l->fd, &ask, sizeof ask, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0 || !is_sound(&ask, n)) {
		close_line(t, l);
		return false;
	}
	obey(t, l, &ask);
	return true;
}

static bool welcome(struct pv_tree *t)
{
	struct ucred who;
	socklen_t size = sizeof who;
	int fd = accept4(t->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return false;
	bool ours = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
		    (who.uid == t->uid || who.uid == 0);
	uint32_t at = ours ? new_line(t, fd) : PV_TREE_NONE;
	if (at == PV_TREE_NONE || !pv_tree_watch(t, fd, PV_TREE_TOKEN(PV_TREE_LINE, at))) {
		if (at == PV_TREE_NONE)
			close(fd);
		else
			close_line(t, &t->lines.v[at]);
		return true;
	}
	t->lines.v[at].pid = who.pid;
	while (hear_line(t, at)) /* the first message follows at once */
		;
	return true;
}

/* ---- ends */

/* Takes all messages sent before now. */
static void hear_all(struct pv_tree *t, uint32_t process)
{
	while (welcome(t))
		;
	for (size_t i = 0; i < t->lines.n; i++)
		while (t->lines.v[i].process == process && hear_line(t, (uint32_t)i))
			;
}

/*
 * A process number can be reused once the process was waited for: only now is the clock certainly
 * this process's.
 */
static void process_event(struct pv_tree *t, uint32_t at, uint32_t what)
{
	struct epoll_event rest = { .events = 0, .data.u64 = PV_TREE_TOKEN(PV_TREE_PROCESS, at) };
	int status;
	if (!t->processes.v[at].pid)
		return;
	if (!t->processes.v[at].ended) {
		pv_tree_clock(t, &t->processes.v[at]);
		hear_all(t, at);
	}
	struct pv_tree_process *p = &t->processes.v[at];
	if (!p->pid)
		return;
	pv_tree_ended(t, p);
	bool own = p->pid != t->program && waitpid(p->pid, &status, WNOHANG) == p->pid;
	bool known = own || pv_exit_status(p->pidfd, p->pid, &status);
	if (known)
		pv_tree_status(t, p, status);
	if (p->pid == t->program)
		epoll_ctl(t->epoll, EPOLL_CTL_MOD, p->pidfd, &rest);
	else if (known || what & EPOLLHUP)
		pv_tree_drop(t, p);
	else
		epoll_ctl(t->epoll, EPOLL_CTL_MOD, p->pidfd, &rest);
}

void pv_tree_program_ended(struct pv_tree *t, int status)
{
	for (size_t i = 0; i < t->processes.n; i++) {
		struct pv_tree_process *p = &t->processes.v[i];
		if (!p->pid || p->pid != t->program)
			continue;
		pv_tree_ended(t, p);
		pv_tree_status(t, p, status);
		pv_tree_drop(t, p);
	}
	t->program = 0;
	t->index_due = 0;
}

bool pv_tree_lives(const struct pv_tree *t)
{
	siginfo_t info;
	return t->living.n > 0 || waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* ---- the loop */

int pv_tree_fd(const struct pv_tree *t)
{
	return t->epoll;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int pv_tree_due_ms(const struct pv_tree *t)
{
	uint64_t now = pv_tree_now(), due = t->scan_due;
	due = earlier(due, t->clocks_due);
	if (t->changed)
		due = earlier(due, t->index_due);
	return due <= now ? 0 : (int)((due - now) / MS) + 1;
}

static void look_at_clocks(struct pv_tree *t)
{
	uint64_t used = 0, now = pv_tree_now();
	int disk = pv_tree_disk(t);
	for (size_t i = 0; i < t->processes.n; i++) {
		struct pv_tree_process *p = &t->processes.v[i];
		if (!p->pid || p->ended)
			continue;
		pv_tree_clock(t, p);
		struct pv_tree_row *r = &t->rows.v[p->row];
		used += r->cpu_ns;
		pv_tree_cut(t, r, pv_tree_refused(t, r, disk));
	}
	bool busy = used > t->used_ns + MS;
	t->used_ns = used;
	t->clocks_each = busy ? (t->waiting ? WAITING_MS : CLOCKS_MS) * MS
			      : earlier(2 * t->clocks_each, CLOCKS_MOST * MS);
	t->clocks_due = now + t->clocks_each;
	decide_all(t);
}

/* Work takes a hundredth of a processor's time, after ALLOWED: what others took does not count. */
static uint64_t next_due(struct pv_tree *t, uint64_t worked, uint64_t each)
{
	const uint64_t now = pv_tree_now(), earned = (now - t->owed_at) / 100;
	t->owed_ns = (t->owed_ns > earned ? t->owed_ns - earned : 0) + pv_tree_worked() - worked;
	t->owed_at = now;
	uint64_t rest = t->owed_ns > ALLOWED ? 100 * (t->owed_ns - ALLOWED) : 0;
	return now + (each > rest ? each : rest);
}

/* Orphans adopted after their end had been seen: nothing else would wait for them. */
static void reap(struct pv_tree *t)
{
	enum { MOST = 64 };
	for (int i = 0; i < MOST; i++) {
		siginfo_t info = { .si_pid = 0 };
		int status;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || !info.si_pid ||
			info.si_pid == t->program ||
			waitpid(info.si_pid, &status, WNOHANG) != info.si_pid)
			return;
		for (size_t k = 0; k < t->processes.n; k++) {
			struct pv_tree_process *p = &t->processes.v[k];
			if (p->pid != info.si_pid)
				continue;
			pv_tree_ended(t, p);
			pv_tree_status(t, p, status);
			pv_tree_drop(t, p);
		}
	}
}

static void work_that_is_due(struct pv_tree *t)
{
	uint64_t now = pv_tree_now(), worked = pv_tree_worked();
	if (now >= t->clocks_due)
		look_at_clocks(t);
	if (now >= t->scan_due) {
		reap(t);
		pv_tree_scan(t);
		bool idle = t->clocks_each >= CLOCKS_MOST * MS;
		t->scan_due = next_due(t, worked, (idle ? SCAN_MOST : SCAN_MS) * MS);
	}
	if (t->changed && now >= t->index_due) {
		worked = pv_tree_worked();
		pv_tree_write_index(t);
		t->index_due = next_due(t, worked, INDEX_MS * MS);
	}
}

static void take_event(struct pv_tree *t, const struct epoll_event *e)
{
	uint32_t at = (uint32_t)e->data.u64;
	switch (e->data.u64 >> 32) {
	case PV_TREE_LISTENER:
		for (int i = 0; i < AT_ONCE && welcome(t); i++)
			;
		break;
	case PV_TREE_LINE:
		hear_line(t, at);
		break;
	default:
		process_event(t, at, e->events);
	}
}

void pv_tree_turn(struct pv_tree *t)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(t->epoll, events, EVENTS, 0);
	for (int i = 0; i < n; i++)
		take_event(t, &events[i]);
	if (t->waiting)
		decide_all(t);
	work_that_is_due(t);
}

void pv_tree_close(struct pv_tree *t)
{
	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.v[i].pid)
			pv_tree_clock(t, &t->processes.v[i]);
	pv_tree_finish_index(t);
	unlink(t->socket);
	pv_tree_finish(t);
}
