/* SPDX-License-Identifier: MIT */
/*
 * The relay between a started program and the viewer: terminal, output, exit status, and the tree's
 * launcher.
 */
#include "common/target/launch/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/process/inherited.h"
#include "common/target/launch/launch_folder.h"
#include "common/target/launch/launch_serve.h"

enum {
	PENDING = 256 << 10, /* of the program's output, while we take none */
	ROWS = 24,
	COLUMNS = 80,
	TELL_NS = 100000000,
	QUIET_MS = 100, /* wait for bytes in an ended program's terminal */
	LEAVE_S = 1,    /* time for a relay to end */
};

/* Packets on the socket: the kind, then this. */
struct packet {
	uint8_t kind;
	int64_t number;
};

/* ---- The program's side of the fork */

/* Never comes back; `report` takes the errno when the program cannot be run. */
static _Noreturn void become(const struct pv_launch *l, int report)
{
	struct pv_launch own = *l;
	pv_inherited_restore();
	execvpe(l->argv[0], l->argv, pv_launch_is_watched(&own) ? environ : l->env);
	int why = errno;
	if (write(report, &why, sizeof why) < 0)
		why = EIO;
	_exit(why == ENOENT ? 127 : 126);
}

/* ---- The relay */

struct relay {
	const struct pv_launch *launch;
	struct pv_tree *tree; /* NULL: one program is recorded */
	uint64_t said_due;    /* CLOCK_MONOTONIC, ns: of the last word about the tree */
	int socket, master, pidfd;
	pid_t program;
	bool gone;   /* without a listener now */
	bool exited; /* and the exit was reported */
	bool said_cut;
	uint64_t dropped;
	size_t n;
	char *pending;
};

static bool tell_viewer(struct relay *r, enum pv_relay_kind kind, int64_t number)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = (uint8_t)kind;
	p.number = number;
	return send(r->socket, &p, sizeof p, MSG_NOSIGNAL) == (ssize_t)sizeof p;
}

/* Reports the image with most processor time and how many others there are, not too often. */
static void tell_heaviest(struct relay *r)
{
	char packet[1 + PV_RELAY_MESSAGE];
	uint64_t now = pv_tree_now();
	size_t others;
	const struct pv_tree_row *row = pv_tree_heaviest(r->tree, !r->exited, &others);
	const struct pv_tree_row *typed = pv_tree_typed(r->tree);
	if (r->gone || (now < r->said_due && !r->exited))
		return;
	r->said_due = now + TELL_NS;
	packet[0] = PV_RELAY_HEAVIEST;
	const char *exe = row && row->exe ? row->exe : "", *slash = strrchr(exe, '/');
	int n = snprintf(packet + 1, PV_RELAY_MESSAGE, "%zu %llu %s%s%s\n%.255s\n%s%s%s", others,
		(unsigned long long)(row ? row->cpu_ns : 0), row ? r->tree->folder : "",
		row ? "/" : "", row ? row->log : "", slash ? slash + 1 : exe,
		typed ? r->tree->folder : "", typed ? "/" : "", typed ? typed->log : "");
	if (n > 0 && n < PV_RELAY_MESSAGE)
		send(r->socket, packet, 1 + (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reports once that parts of a log are missing, as soon as the message has room. */
static void tell_cut(struct relay *r)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = PV_RELAY_CUT;
	p.number = r->tree->cut;
	if (p.number && !r->said_cut && !r->gone)
		r->said_cut = send(r->socket, &p, sizeof p, MSG_NOSIGNAL | MSG_DONTWAIT) ==
			      (ssize_t)sizeof p;
}

static int open_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };
	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0) {
		pv_fd_close(&fd);
		return -1;
	}
	ioctl(fd, TIOCSWINSZ, &size);
	return fd;
}

static _Noreturn void run_in_terminal(struct relay *r, int report)
{
	int fd = open(ptsname(r->master), O_RDWR | O_NOCTTY);
	setsid();
	if (fd >= 0) {
		ioctl(fd, TIOCSCTTY, 0);
		if (isatty(STDIN_FILENO))
			dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		if (fd > STDERR_FILENO)
			close(fd);
	}
	become(r->launch, report);
}

static bool start_program(struct relay *r)
{
	int report[2], why = 0;
	if (pipe2(report, O_CLOEXEC) < 0)
		return tell_viewer(r, PV_RELAY_FAILED, errno) && false;
	r->program = fork();
	if (r->program == 0 && r->master < 0)
		become(r->launch, report[1]);
	if (r->program == 0)
		run_in_terminal(r, report[1]);
	if (r->program > 0 && r->tree)
		pv_tree_program(r->tree, r->program);
	close(report[1]);
	if (r->program < 0)
		why = errno;
	else if (pv_fd_read(report[0], &why, sizeof why) == (ssize_t)sizeof why)
		waitpid(r->program, NULL, 0);
	close(report[0]);
	if (why)
		return tell_viewer(r, PV_RELAY_FAILED, why) && false;
	r->pidfd = (int)syscall(SYS_pidfd_open, r->program, 0);
	return tell_viewer(r, PV_RELAY_STARTED, r->program);
}

/* Closes everything of the terminal or pipe that profview was started in. */
static void close_terminal(struct relay *r)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	int keep[] = { r->socket, r->master, r->pidfd, r->tree ? r->tree->epoll : -1,
		r->tree ? r->tree->listener : -1, r->launch->locks[0], r->launch->locks[1] };
	pv_fd_close_all_but(keep, PV_COUNT_OF(keep));
}

static void take_output(struct relay *r)
{
	char bytes[PV_RELAY_MESSAGE];
	ssize_t n = read(r->master, bytes, sizeof bytes);
	if (n <= 0) {
		if (n == 0 || (errno != EINTR && errno != EAGAIN))
			pv_fd_close(&r->master); /* the last open end */
		return;
	}
	if (r->gone)
		return;
	if (r->n + (size_t)n > PENDING) {
		r->dropped += (uint64_t)n;
		return;
	}
	memcpy(r->pending + r->n, bytes, (size_t)n);
	r->n += (size_t)n;
}

/* As much as the socket takes. */
static void pass_on(struct relay *r)
{
	char packet[1 + PV_RELAY_MESSAGE];
	while (r->n && !r->gone) {
		size_t n = r->n < PV_RELAY_MESSAGE ? r->n : PV_RELAY_MESSAGE;
		packet[0] = PV_RELAY_OUTPUT;
		memcpy(packet + 1, r->pending, n);
		if (send(r->socket, packet, 1 + n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			r->gone = errno != EAGAIN && errno != EINTR && errno != ENOBUFS;
			return;
		}
		r->n -= n;
		memmove(r->pending, r->pending + n, r->n);
	}
	if (r->dropped && !r->gone && tell_viewer(r, PV_RELAY_DROPPED, (int64_t)r->dropped))
		r->dropped = 0;
}

static void take_order(struct relay *r)
{
	struct packet p;
	struct winsize size = { 0 };
	ssize_t n = recv(r->socket, &p, sizeof p, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != (ssize_t)sizeof p) {
		r->gone = true;
		return;
	}
	if (p.kind == 'k' && !r->exited && r->program > 0)
		kill(r->program, (int)p.number);
	size.ws_col = (unsigned short)(p.number >> 16);
	size.ws_row = (unsigned short)p.number;
	if (p.kind == 'w' && r->master >= 0)
		ioctl(r->master, TIOCSWINSZ, &size);
}

static bool has_exited(const struct relay *r)
{
	siginfo_t info = { .si_pid = 0 };
	return waitid(P_PID, (id_t)r->program, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == r->program;
}

static void take_exit(struct relay *r)
{
	int status;
	struct pollfd p = { .fd = r->master, .events = POLLIN };
	if (r->tree && has_exited(r))
		pv_tree_turn(r->tree); /* while the program still has a clock to read */
	if (waitpid(r->program, &status, WNOHANG) != r->program)
		return;
	if (r->tree)
		pv_tree_program_ended(r->tree, status);
	while (r->master >= 0 &&
		poll(&p, 1, QUIET_MS) > 0) { /* the program's last words come first */
		take_output(r);
		pass_on(r);
		p.fd = r->master;
		if (r->n > PENDING / 2)
			break;
	}
	pv_fd_close(&r->pidfd);
	r->exited = true;
	fcntl(r->socket, F_SETFL, 0);
	if (r->tree) {
		pv_tree_turn(r->tree);
		tell_heaviest(r);
		tell_cut(r);
	}
	if (!r->gone)
		tell_viewer(r, PV_RELAY_EXITED, status);
}

static bool is_over(const struct relay *r)
{
	return r->exited && r->gone && !(r->tree && pv_tree_lives(r->tree));
}

/* The listener has left: it need not wait for the relay. */
static void take_leave(struct relay *r)
{
	if (r->tree)
		pv_tree_turn(r->tree);
	if (is_over(r))
		return; /* the end of the process closes the socket */
	tell_viewer(r, PV_RELAY_STAYS, 0);
	pv_fd_close(&r->socket);
}

/* Until the program has ended and the listener is gone, or the terminal is closed for good. */
static void serve(struct relay *r)
{
	while (!is_over(r)) {
		struct pollfd p[] = {
			{ .fd = r->gone ? -1 : r->socket,
				.events = (short)(POLLIN | (r->n || r->dropped ? POLLOUT : 0)) },
			{ .fd = r->master, .events = POLLIN },
			{ .fd = r->pidfd, .events = POLLIN },
			{ .fd = r->tree ? pv_tree_fd(r->tree) : -1, .events = POLLIN },
		};
		int ms = r->tree ? pv_tree_due_ms(r->tree) : -1;
		if (poll(p, PV_COUNT_OF(p), ms) < 0 && errno != EINTR)
			return;
		if (r->tree) {
			pv_tree_turn(r->tree);
			tell_heaviest(r);
			tell_cut(r);
		}
		if (p[0].revents & (POLLIN | POLLHUP | POLLERR))
			take_order(r);
		if (r->gone && r->socket >= 0)
			take_leave(r);
		if (p[1].revents)
			take_output(r);
		pass_on(r);
		if (p[2].revents)
			take_exit(r);
	}
}

static void default_signals(void)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	sigset_t none;
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &act, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGPIPE,
		SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ };
	default_signals();
	for (size_t i = 0; i < PV_COUNT_OF(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

/* The relay's own parts, without the program; 0 or an errno. */
static int make_ready(struct relay *r, bool terminal)
{
	static struct pv_tree tree;
	const struct pv_launch *l = r->launch;
	r->pending = malloc(PENDING);
	if (!r->pending)
		return ENOMEM;
	if (terminal && (r->master = open_terminal()) < 0)
		return errno;
	if (!*l->records)
		return 0;
	r->tree = &tree;
	if (!pv_tree_open(&tree, l->records, l->socket, l->argv, NULL))
		return errno;
	tree.no_sdk = l->program.kind == PV_PROGRAM_DOTNET && pv_launch_leaves_sdk_out(l);
	tree.room = l->temporary && !l->kept ? (uint64_t)PV_TREE_ROOM_MIB << 20 : 0;
	return 0;
}

static _Noreturn void relay(const struct pv_launch *l, int socket, bool terminal)
{
	struct relay r = { .launch = l, .socket = socket, .master = -1, .pidfd = -1 };
	struct packet p;
	ignore_signals();
	prctl(PR_SET_NAME, "profview-relay");
	int why = make_ready(&r, terminal);
	bool ready = recv(socket, &p, sizeof p, 0) == (ssize_t)sizeof p;
	if (ready && why)
		tell_viewer(&r, PV_RELAY_FAILED, why);
	else if (ready && start_program(&r)) {
		setsid();
		close_terminal(&r);
		serve(&r);
		if (!r.tree && l->folder[0]) {
			unlink(l->pipe);
			unlink(l->door); /* "" is nowhere */
			rmdir(l->folder);
		}
	}
	if (r.tree) {
		pv_tree_close(r.tree);
		rmdir(l->folder);
		if (l->temporary)
			pv_launch_folder_remove(l->records);
	}
	_exit(0);
}

/* ---- Our side */

static bool start_relayed(
	struct pv_relay *r, const struct pv_launch *l, bool terminal, struct pv_error *reterr)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	r->pid = fork();
	if (r->pid == 0) {
		close(ends[0]);
		relay(l, ends[1], terminal);
	}
	close(ends[1]);
	r->fd = r->gate = pv_fd_above_standard(ends[0]);
	r->relayed = true;
	return r->pid > 0 || pv_fail(reterr, PV_EIO, 0, "cannot fork: %s", strerror(errno));
}

/*
 * The child waits at the gate for a byte; afterwards the pipe has the errno of a failure, or
 * nothing.
 */
static bool start_plain(struct pv_relay *r, const struct pv_launch *l, struct pv_error *reterr)
{
	int ends[2];
	char go;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	r->pid = fork();
	if (r->pid == 0) {
		close(ends[0]);
		if (pv_fd_read(ends[1], &go, 1) != 1)
			_exit(125);
		become(l, ends[1]);
	}
	close(ends[1]);
	r->gate = pv_fd_above_standard(ends[0]);
	return r->pid > 0 || pv_fail(reterr, PV_EIO, 0, "cannot fork: %s", strerror(errno));
}

bool pv_relay_start(
	struct pv_relay *ret, const struct pv_launch *l, bool terminal, struct pv_error *reterr)
{
	*ret = (struct pv_relay){ .fd = -1, .gate = -1 };
	return terminal || *l->records ? start_relayed(ret, l, terminal, reterr)
				       : start_plain(ret, l, reterr);
}

static bool order(struct pv_relay *r, uint8_t kind, int64_t number)
{
	struct packet p;
	memset(&p, 0, sizeof p);
	p.kind = kind;
	p.number = number;
	return send(r->gate, &p, sizeof p, MSG_NOSIGNAL) == (ssize_t)sizeof p;
}

bool pv_relay_go(struct pv_relay *r)
{
	return r->relayed ? order(r, 'g', 0) : send(r->gate, "g", 1, MSG_NOSIGNAL) == 1;
}

void pv_relay_read(struct pv_relay *r, struct pv_relay_message *ret)
{
	char bytes[1 + PV_RELAY_MESSAGE];
	struct packet p;
	*ret = (struct pv_relay_message){ .kind = PV_RELAY_NOTHING };
	ssize_t n = recv(r->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	ret->kind = n > 0 ? (enum pv_relay_kind)bytes[0] : PV_RELAY_GONE;
	if (ret->kind == PV_RELAY_OUTPUT || ret->kind == PV_RELAY_HEAVIEST) {
		ret->n = (size_t)n - 1;
		memcpy(ret->bytes, bytes + 1, ret->n);
	} else if (n == (ssize_t)sizeof p) {
		memcpy(&p, bytes, sizeof p);
		ret->number = p.number;
	}
}

void pv_relay_signal(struct pv_relay *r, int sig)
{
	if (r->relayed)
		order(r, 'k', sig);
	else if (r->pid > 0)
		kill(r->pid, sig);
}

void pv_relay_resize(struct pv_relay *r, int w, int h)
{
	if (r->relayed)
		order(r, 'w', (int64_t)w << 16 | h);
}

bool pv_relay_wait(struct pv_relay *r, int *ret_status, int *ret_errno)
{
	*ret_errno = 0;
	while (waitpid(r->pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return false;
	r->pid = 0;
	int why;
	if (recv(r->gate, &why, sizeof why, MSG_DONTWAIT) == (ssize_t)sizeof why)
		*ret_errno = why;
	return true;
}

/* Whether the relay is about to end: its socket closed without the message that the relay stays. */
static bool relay_ends(struct pv_relay *r)
{
	static char bytes[1 + PV_RELAY_MESSAGE];
	const struct timeval most = { .tv_sec = LEAVE_S };
	ssize_t n;
	if (shutdown(r->gate, SHUT_WR) != 0 ||
		setsockopt(r->gate, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) != 0)
		return false;
	fcntl(r->gate, F_SETFL, fcntl(r->gate, F_GETFL) & ~O_NONBLOCK);
	while ((n = recv(r->gate, bytes, sizeof bytes, 0)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && bytes[0] == PV_RELAY_STAYS)
			return false;
	return n == 0;
}

void pv_relay_leave(struct pv_relay *r)
{
	if (r->relayed && r->pid > 0 && relay_ends(r))
		while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
			;
	pv_fd_close(&r->gate);
	r->fd = -1;
	r->pid = 0;
}
