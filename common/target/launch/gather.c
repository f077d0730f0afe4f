/* SPDX-License-Identifier: MIT */
/* The process that reads the logs of several joined programs into one folder. */
#include "common/target/launch/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/io/fd.h"
#include "common/io/pipe_lock.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/launch/launch_exit.h"
#include "common/target/launch/launch_folder.h"
#include "common/target/launch/launch_serve.h"
#include "common/target/process/patience.h"
#include "common/target/process/proc.h"

enum {
	LOOK_MS = 100,
	INDEX_MS = 250,
	DRAIN_MS = 5000, /* for the rest of a stream whose end was asked for */
	CHUNK = 256 << 10,
	PIPE_BYTES = 1 << 20,
	WORDS = 4096,
};

/* ---- between the two processes */

enum order { REFUSE = 'r', FINISH = 'f' };
enum answer { READY = 'y', ALL_ENDED = 'e', FINISHED = 'f' };

struct packet {
	uint8_t kind;
	uint32_t at; /* of an answer: errno of the first log that was cut short, or 0 */
	char why[PV_GATHER_WHY];
};

/* ---- the other process */

struct log {
	int in, out;   /* -1: nothing is taken any more */
	bool pipe;     /* else a growing file */
	bool trails;   /* the log's end may come after the program's */
	bool hung_up;  /* a pipe without a writer: only looked at now and then */
	uint64_t size; /* written so far */
};

struct gather {
	struct pv_tree tree;
	struct log log[PV_GATHER_MOST];
	char why[PV_GATHER_MOST][PV_GATHER_WHY];
	size_t n;
	uint64_t most; /* bytes of a log; 0: no bound */
	bool temporary, finishing, finished, said;
	int64_t until_ms; /* finishing */
	int socket;
	char *chunk;
};

static bool tell_parent(const struct gather *g, enum answer what)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = (uint8_t)what;
	p.at = (uint32_t)g->tree.cut;
	return send(g->socket, &p, sizeof p, MSG_NOSIGNAL) == (ssize_t)sizeof p;
}

static void stop_log(struct log *l)
{
	pv_fd_close(&l->in);
	pv_fd_close(&l->out);
}

/* As much as there is now; false when the other end has gone, for now. */
static bool take_log_bytes(struct gather *g, struct log *l)
{
	enum { ROUNDS = 64 }; /* the other programs have their turn */
	for (int i = 0; i < ROUNDS && l->in >= 0; i++) {
		ssize_t n = pv_fd_read(l->in, g->chunk, CHUNK);
		if (n < 0)
			return true; /* nothing now */
		if (n == 0)
			return !l->pipe;
		bool full = g->most && l->size + (uint64_t)n > g->most;
		bool kept = !full && pv_fd_pwrite(l->out, g->chunk, (size_t)n, l->size);
		if (!kept && !full)
			pv_tree_cut(&g->tree, &g->tree.rows.v[l - g->log], errno);
		if (!kept)
			stop_log(l);
		l->size += (uint64_t)n;
	}
	return true;
}

static struct pv_tree_process *process_at(struct gather *g, size_t at)
{
	struct pv_tree_process *p = at < g->tree.processes.n ? &g->tree.processes.v[at] : NULL;
	return p && p->pid ? p : NULL;
}

/* Ends the log first: the row's end depends on the log's. */
static void end_process(struct gather *g, size_t at)
{
	struct pv_tree_process *p = process_at(g, at);
	struct log *l = &g->log[at];
	int status;
	if (!p)
		return;
	while (l->in >= 0) {
		uint64_t before = l->size;
		if (!take_log_bytes(g, l) || l->size == before)
			break;
	}
	/* The rest of a stream is on its way through another process. */
	if (!l->trails || l->hung_up)
		stop_log(l);
	bool known = pv_exit_status(p->pidfd, p->pid, &status);
	pv_tree_ended(&g->tree, p);
	if (known)
		pv_tree_status(&g->tree, p, status);
	pv_tree_drop(&g->tree, p);
}

static void take_ends(struct gather *g)
{
	struct epoll_event e[8];
	int n = epoll_wait(g->tree.epoll, e, (int)PV_COUNT_OF(e), 0);
	for (int i = 0; i < n; i++)
		end_process(g, (uint32_t)e[i].data.u64);
}

static bool all_ended(const struct gather *g)
{
	for (size_t i = 0; i < g->n; i++)
		if ((i < g->tree.processes.n && g->tree.processes.v[i].pid &&
			    *g->tree.rows.v[i].log) ||
			(g->log[i].in >= 0 && !g->log[i].hung_up))
			return false;
	return true;
}

static bool streams_left(const struct gather *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->log[i].trails && g->log[i].in >= 0 && !g->log[i].hung_up)
			return true;
	return false;
}

static void refuse_log(struct gather *g, size_t at, const char *why)
{
	struct pv_tree_row *r = &g->tree.rows.v[at];
	char path[1100];
	stop_log(&g->log[at]);
	snprintf(g->why[at], sizeof g->why[at], "%s", why);
	snprintf(path, sizeof path, "%s/%s", g->tree.folder, r->log);
	if (*r->log)
		unlink(path);
	*r->log = 0;
	r->reason = g->why[at];
	g->tree.changed = true;
}

/* False: the other process is gone. */
static bool take_order(struct gather *g)
{
	struct packet p;
	ssize_t n = recv(g->socket, &p, sizeof p, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n != (ssize_t)sizeof p)
		return false;
	p.why[sizeof p.why - 1] = 0;
	if (p.kind == REFUSE && p.at < g->n)
		refuse_log(g, p.at, p.why);
	if (p.kind == FINISH) {
		g->finishing = true;
		g->until_ms = pv_patience_now_ms() + DRAIN_MS;
	}
	return true;
}

static void look_at_processes(struct gather *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct pv_tree_process *p = process_at(g, i);
		if (p)
			pv_tree_clock(&g->tree, p);
		if (p && p->pidfd < 0 && kill(p->pid, 0) < 0 && errno == ESRCH)
			end_process(g, i); /* no pidfd can be had */
		if (g->log[i].in >= 0)
			g->log[i].hung_up = !take_log_bytes(g, &g->log[i]);
	}
	take_ends(g);
	uint64_t now = pv_tree_now();
	if (g->tree.changed && now >= g->tree.index_due) {
		pv_tree_write_index(&g->tree);
		g->tree.index_due = now + (uint64_t)INDEX_MS * 1000000;
	}
}

/* Takes the rest of all logs; after this no pipe has a reader. */
static void finish_gathering(struct gather *g)
{
	look_at_processes(g);
	for (size_t i = 0; i < g->n; i++)
		stop_log(&g->log[i]);
	pv_tree_finish_index(&g->tree);
	g->finished = true;
	tell_parent(g, FINISHED);
}

static void serve(struct gather *g)
{
	int64_t due = 0;
	for (bool there = true; there;) {
		struct pollfd p[PV_GATHER_MOST + 2];
		p[0] = (struct pollfd){ .fd = g->socket, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = g->tree.epoll, .events = POLLIN };
		for (size_t i = 0; i < g->n; i++) {
			const struct log *l = &g->log[i];
			p[i + 2] = (struct pollfd){ .fd = l->pipe && !l->hung_up ? l->in : -1,
				.events = POLLIN };
		}
		int64_t now = pv_patience_now_ms();
		nfds_t n = g->finished ? 1 : (nfds_t)g->n + 2;
		poll(p, n, g->finished ? -1 : due > now ? (int)(due - now) : 0);
		there = !p[0].revents || take_order(g);
		if (g->finished)
			continue;
		for (size_t i = 0; i < g->n; i++)
			if (p[i + 2].revents && g->log[i].in >= 0)
				g->log[i].hung_up = !take_log_bytes(g, &g->log[i]);
		if (p[1].revents)
			take_ends(g);
		now = pv_patience_now_ms();
		if (now >= due) {
			look_at_processes(g);
			due = now + LOOK_MS;
		}
		if (!g->said && all_ended(g))
			g->said = tell_parent(g, ALL_ENDED);
		if (g->finishing && (!streams_left(g) || now >= g->until_ms)) {
			finish_gathering(g);
			g->finishing = false;
		}
	}
}

/* ---- start */

static size_t read_words(pid_t pid, char *to, size_t room)
{
	ssize_t n = pv_proc_read(pid, "cmdline", to, room);
	return n > 0 ? (size_t)n : 0;
}

static pid_t parent_of(pid_t pid)
{
	char text[1024];
	pv_proc_read(pid, "stat", text, sizeof text);
	return (pid_t)pv_stat_number(text, PV_STAT_PARENT);
}

static enum pv_ask_host host_of(pid_t pid)
{
	return pv_process_is_mono(pid) ? PV_ASK_MONO
	       : pv_dotnet_is(pid)     ? PV_ASK_CORECLR
				       : PV_ASK_NATIVE;
}

static bool add_process_row(struct gather *g, const struct pv_gather_input *in)
{
	char path[64], exe[1024], words[WORDS];
	struct pv_tree_process *p =
		pv_tree_add(&g->tree, in->pid, parent_of(in->pid), pv_exit_watch(-1, in->pid));
	if (!p)
		return false;
	struct pv_tree_row *r = pv_tree_row_of(&g->tree, p);
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)in->pid);
	ssize_t n = readlink(path, exe, sizeof exe);
	pv_tree_name(
		r, exe, n > 0 ? (size_t)n : 0, words, read_words(in->pid, words, sizeof words));
	r->host = n > 0 || p->pidfd >= 0 ? (int)host_of(in->pid) : -1;
	pv_tree_clock(&g->tree, p);
	return true;
}

static int make_file(const struct gather *g, const char *name)
{
	char path[1100];
	snprintf(path, sizeof path, "%s/%s", g->tree.folder, name);
	return pv_fd_create(AT_FDCWD, path, O_WRONLY | O_EXCL);
}

/*
 * Gives a file a second name in the folder where possible: no copy then. The file keeps growing
 * after the visit, so a recording that stays has a copy.
 */
static bool share_file(const struct gather *g, const char *from, const char *name)
{
	char path[1100];
	snprintf(path, sizeof path, "%s/%s", g->tree.folder, name);
	return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

static bool open_log(struct gather *g, size_t at, const char *from, struct pv_error *reterr)
{
	struct log *l = &g->log[at];
	const char *name = g->tree.rows.v[at].log;
	struct stat st;
	l->in = pv_fd_above_standard(open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	if (l->in < 0 || fstat(l->in, &st) != 0)
		return pv_fail(reterr, PV_EIO, 0, "its log cannot be read: %s", strerror(errno));
	l->pipe = S_ISFIFO(st.st_mode);
	l->trails &= l->pipe;
	if (!l->pipe && !S_ISREG(st.st_mode))
		return pv_fail(reterr, PV_EIO, 0, "its log is neither a file nor a pipe");
	if (!l->pipe && g->temporary && share_file(g, from, name)) {
		stop_log(l);
		return true;
	}
	if (l->pipe && !pv_pipe_lock(l->in, reterr))
		return false;
	if (l->pipe)
		fcntl(l->in, F_SETPIPE_SZ, PIPE_BYTES);
	l->out = make_file(g, name);
	return l->out >= 0 ||
	       pv_fail(reterr, PV_EIO, 0, "its log cannot be written: %s", strerror(errno));
}

static bool add_input(struct gather *g, const struct pv_gather_input *in)
{
	struct pv_error err = { 0 };
	size_t at = g->n;
	g->log[at] = (struct log){ .in = -1, .out = -1, .trails = in->stream || in->trails };
	if (!add_process_row(g, in))
		return false;
	g->n++;
	if (!in->path) {
		refuse_log(g, at, in->why);
		return true;
	}
	struct pv_tree_row *r = &g->tree.rows.v[at];
	snprintf(
		r->log, sizeof r->log, "%ld-0.%s", (long)in->pid, in->stream ? "nettrace" : "mlpd");
	g->tree.recording++;
	if (!open_log(g, at, in->path, &err))
		refuse_log(g, at, err.what);
	return true;
}

/* One packet for each readable log; then a last one: all is ready. */
static bool answer_ready(struct gather *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct packet p;
		memset(&p, 0, sizeof p);
		p.kind = REFUSE;
		p.at = (uint32_t)i;
		memcpy(p.why, g->why[i], sizeof p.why);
		if (*g->why[i] && send(g->socket, &p, sizeof p, MSG_NOSIGNAL) != (ssize_t)sizeof p)
			return false;
	}
	return tell_parent(g, READY);
}

static void stand_apart(int socket, const struct pv_gather_input *input, size_t n)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGPIPE,
		SIGTERM, SIGXFSZ };
	int keep[PV_GATHER_MOST + 1] = { socket }, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	setsid();
	prctl(PR_SET_NAME, "profview-gather");
	for (size_t i = 0; i < PV_COUNT_OF(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	for (size_t i = 0; i < n; i++)
		keep[i + 1] = input[i].fd;
	pv_fd_close_all_but(keep, n + 1);
}

static _Noreturn void gather_logs(int socket, const char *folder, bool temporary,
	const struct pv_gather_input *input, size_t n)
{
	static struct gather g;
	static char command[] = "attach";
	static char *words[] = { command, NULL };
	g = (struct gather){ .socket = socket,
		.temporary = temporary,
		.most = temporary ? (uint64_t)PV_TREE_LOG_MIB << 20 : 0,
		.tree = { .epoll = -1, .listener = -1, .command = words } };
	stand_apart(socket, input, n);
	snprintf(g.tree.folder, sizeof g.tree.folder, "%s", folder);
	g.tree.epoll = epoll_create1(EPOLL_CLOEXEC);
	g.chunk = malloc(CHUNK);
	bool ok = g.tree.epoll >= 0 && g.chunk;
	for (size_t i = 0; ok && i < n; i++)
		ok = add_input(&g, &input[i]);
	if (ok && pv_tree_write_index(&g.tree) && answer_ready(&g))
		serve(&g);
	for (size_t i = 0; i < g.n; i++)
		stop_log(&g.log[i]);
	if (temporary)
		pv_launch_folder_remove(folder);
	else if (!g.finished)
		pv_tree_finish_index(&g.tree);
	_exit(0);
}

/* ---- this process */

static bool hear_ready(struct pv_gather *g, struct pv_gather_input *input, size_t n)
{
	struct packet p;
	while (recv(g->fd, &p, sizeof p, 0) == (ssize_t)sizeof p) {
		if (p.kind == READY)
			return true;
		if (p.kind != REFUSE || p.at >= n)
			continue;
		input[p.at].path = NULL;
		memcpy(input[p.at].why, p.why, sizeof p.why);
	}
	return false;
}

bool pv_gather_start(struct pv_gather *ret, const char *folder, bool temporary,
	struct pv_gather_input *input, size_t n, struct pv_error *reterr)
{
	int pair[2];
	*ret = (struct pv_gather){ .fd = -1 };
	if (n > PV_GATHER_MOST)
		return pv_fail(reterr, PV_EUSAGE, 0, "%d processes at most", PV_GATHER_MOST);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	pair[0] = pv_fd_above_standard(pair[0]);
	pair[1] = pv_fd_above_standard(pair[1]);
	pid_t pid = pair[0] < 0 || pair[1] < 0 ? -1 : fork();
	if (pid == 0)
		gather_logs(pair[1], folder, temporary, input, n);
	pv_fd_close(&pair[1]);
	*ret = (struct pv_gather){ .fd = pair[0], .pid = pid };
	if (pid > 0 && hear_ready(ret, input, n))
		return true;
	pv_gather_leave(ret);
	return pv_fail(reterr, PV_EIO, 0, "the process that takes the logs has not begun");
}

void pv_gather_refuse(struct pv_gather *g, size_t at, const char *why)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = REFUSE;
	p.at = (uint32_t)at;
	snprintf(p.why, sizeof p.why, "%s", why);
	send(g->fd, &p, sizeof p, MSG_NOSIGNAL);
}

bool pv_gather_wait(struct pv_gather *g, const volatile int *stop)
{
	struct packet p;
	while (!*stop) {
		struct pollfd f = { .fd = g->fd, .events = POLLIN };
		if (poll(&f, 1, LOOK_MS) <= 0)
			continue;
		ssize_t n = recv(g->fd, &p, sizeof p, MSG_DONTWAIT);
		if (n == 0 || (n == (ssize_t)sizeof p && p.kind == ALL_ENDED))
			return true;
	}
	return false;
}

void pv_gather_finish(struct pv_gather *g)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = FINISH;
	if (g->fd < 0 || send(g->fd, &p, sizeof p, MSG_NOSIGNAL) != (ssize_t)sizeof p)
		return;
	while (recv(g->fd, &p, sizeof p, 0) == (ssize_t)sizeof p && p.kind != FINISHED)
		;
	if (p.kind == FINISHED)
		g->cut = (int)p.at;
}

void pv_gather_leave(struct pv_gather *g)
{
	pv_fd_close(&g->fd);
	if (g->pid > 0)
		waitpid(g->pid, NULL, 0);
	g->pid = 0;
}
