/* SPDX-License-Identifier: MIT */
/*
 * The drainer: the forked process that empties a pipe into a spool, and the viewer's handle on it.
 */
#include "common/io/drainer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/io/spool.h"

enum { STOP_MS = 2000, FULL_MS = 5 /* between checks for free room */ };

struct pv_drainer {
	pid_t pid; /* 0 once reaped */
	int socket, pidfd;
};

/* ---- The child: from here on only async-signal-safe functions ---- */

struct drain {
	struct pv_spool *spool;
	struct pv_drainer_input in;
	int socket;
	uint8_t *chunk;
	size_t chunk_size;
	bool nonblocking;
	bool wrote; /* there was a writer since the last end */
};

static void wake_viewer(struct drain *d)
{
	if (pv_spool_wake(d->spool))
		send(d->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void writers_left(struct drain *d, bool hung_up)
{
	if (d->wrote || hung_up) {
		d->wrote = false;
		pv_spool_put_end(d->spool);
		wake_viewer(d);
	}
	if (d->in.named_pipe && !hung_up)
		return;
	/* A hung up end is always ready, a fresh one only after the next writer came. */
	int fresh = d->in.named_pipe ? pv_fd_reopen(d->in.read_fd) : -1;
	pv_fd_close(&d->in.read_fd);
	d->in.read_fd = fresh;
}

/* Reads a chunk. True when there may be more although poll(2) will not say so. */
static bool drain_some(struct drain *d, bool hung_up)
{
	ssize_t n = pv_fd_read(d->in.read_fd, d->chunk, d->chunk_size);
	if (n > 0) {
		d->wrote = true;
		pv_spool_put(d->spool, d->chunk, (size_t)n);
		wake_viewer(d);
		return d->nonblocking;
	}
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n < 0)
		d->in.named_pipe = false;
	writers_left(d, hung_up || n < 0);
	return false;
}

static bool viewer_lives(int socket)
{
	char nudges[64];
	ssize_t n = recv(socket, nudges, sizeof nudges, MSG_DONTWAIT);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void drain(struct drain *d)
{
	/* A fresh end does not show a writer that has left already: the first read does. */
	bool more = d->nonblocking;
	for (;;) {
		bool busy = pv_spool_record_step(d->spool);
		bool full = d->in.patient && !pv_spool_has_room(d->spool);
		struct pollfd p[] = {
			{ .fd = d->socket, .events = POLLIN },
			{ .fd = full ? -1 : d->in.read_fd, .events = POLLIN },
		};
		int n = poll(p, PV_COUNT_OF(p), full ? FULL_MS : busy || more ? 0 : -1);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0 && p[0].revents && !viewer_lives(d->socket))
			return;
		bool ready = n > 0 && p[1].revents;
		bool hung_up = ready && !(p[1].revents & POLLIN);
		if (full)
			continue;
		if (d->in.read_fd >= 0 && (ready || more))
			more = drain_some(d, hung_up);
		else
			more = false;
	}
}

static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGPIPE,
		SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF };
	struct sigaction act = { .sa_handler = SIG_DFL };
	sigset_t none;
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &act, NULL);
	act.sa_handler = SIG_IGN;
	for (size_t i = 0; i < PV_COUNT_OF(ignored); i++)
		sigaction(ignored[i], &act, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void let_go_of_everything_else(struct drain *d)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	int keep[5] = { d->socket, d->in.read_fd, d->in.hold_fd };
	pv_spool_fds(d->spool, keep + 3);
	pv_fd_close_all_but(keep, PV_COUNT_OF(keep));
	if (chdir("/") < 0)
		return; /* then the start folder stays in use, no more */
}

static _Noreturn void child(struct drain *d)
{
	set_signals();
	setsid();
	let_go_of_everything_else(d);
	prctl(PR_SET_NAME, "profview-drain");
	int flags = fcntl(d->in.read_fd, F_GETFL);
	d->nonblocking = flags >= 0 && (flags & O_NONBLOCK);
	drain(d);
	_exit(0);
}

/* ---- The viewer's side ---- */

/* Blocks signals meanwhile, lest the child run the viewer's handlers. */
static pid_t fork_quietly(struct drain *d)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	if (pid == 0)
		child(d);
	int why = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return pid;
}

static bool open_sockets(int ret[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ret) < 0) {
		ret[0] = ret[1] = -1;
		return false;
	}
	ret[0] = pv_fd_above_standard(ret[0]);
	ret[1] = pv_fd_above_standard(ret[1]);
	return ret[0] >= 0 && ret[1] >= 0;
}

struct pv_drainer *pv_drainer_start(
	struct pv_spool *spool, struct pv_drainer_input *input, struct pv_error *reterr)
{
	int ends[2];
	bool open = open_sockets(ends);
	struct pv_drainer *v = malloc(sizeof *v);
	struct drain d = { .spool = spool,
		.in = *input,
		.socket = ends[1],
		.wrote = input->had_writer,
		.chunk_size = pv_spool_chunk(spool) };
	d.chunk = malloc(d.chunk_size);
	pid_t pid = open && v && d.chunk ? fork_quietly(&d) : -1;
	int why = errno;
	free(d.chunk);
	pv_fd_close(&ends[1]);
	pv_fd_close(&input->read_fd);
	pv_fd_close(&input->hold_fd);
	if (pid < 0) {
		pv_fail(reterr, PV_EIO, 0, "cannot start the process that empties the pipe: %s",
			strerror(why));
		pv_fd_close(&ends[0]);
		free(v);
		return NULL;
	}
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	*v = (struct pv_drainer){ .pid = pid, .socket = ends[0], .pidfd = pidfd };
	return v;
}

/* The child leaves by itself, unless a disk holds it up. */
static bool leaves_soon(const struct pv_drainer *d)
{
	struct pollfd exited = { .fd = d->pidfd, .events = POLLIN };
	int n;
	do
		n = poll(&exited, 1, STOP_MS);
	while (n < 0 && errno == EINTR);
	return d->pidfd >= 0 && n == 1;
}

void pv_drainer_stop(struct pv_drainer *d)
{
	if (!d)
		return;
	pv_fd_close(&d->socket);
	if (d->pid > 0) {
		if (!leaves_soon(d))
			kill(d->pid, SIGKILL);
		while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	pv_fd_close(&d->pidfd);
	free(d);
}

int pv_drainer_socket(const struct pv_drainer *d)
{
	return d->socket;
}

void pv_drainer_socket_clear(int socket, bool *ret_died)
{
	char wakes[64];
	ssize_t n;
	do
		n = recv(socket, wakes, sizeof wakes, MSG_DONTWAIT);
	while (n > 0 || (n < 0 && errno == EINTR));
	*ret_died = n == 0 || errno != EAGAIN;
}

bool pv_drainer_gone(const struct pv_drainer *d)
{
	struct pollfd exited = { .fd = d->pidfd, .events = POLLIN };
	return d->pid == 0 || (d->pidfd >= 0 && poll(&exited, 1, 0) == 1);
}

void pv_drainer_nudge(struct pv_drainer *d)
{
	send(d->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool pv_drainer_died(struct pv_drainer *d)
{
	pid_t got = d->pid > 0 ? waitpid(d->pid, NULL, WNOHANG) : -1;
	if (got == d->pid || (got < 0 && errno == ECHILD))
		d->pid = 0;
	return d->pid == 0;
}
