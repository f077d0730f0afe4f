/* SPDX-License-Identifier: MIT */
/* The thread of the control socket: accepts peers, reads their lines and sends answers. */
#include "probe/control/probe_control.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "probe/control/control_socket.h"
#include "probe/control/control_commands.h"
#include "probe/core/thread_buf.h"
#include "probe/core/worker.h"

enum {
	PEERS = 8,
	LINE = 1280,    /* the longest command, with a path */
	LOOK_MS = 1000, /* ms between checks of the socket */
	IDLE_MS = 200,  /* ms: a peer quiet for so long gives way to a waiting peer */
	STACK = 128 << 10,
};

struct peer {
	struct pvp_fd fd;
	size_t n;
	bool skipping; /* the rest of a line too long */
	uint64_t heard_ms;
	char line[LINE];
};

static struct {
	struct pvp_listener listener;
	const struct pvp_host *host;
	struct pvp_worker worker;
	bool serving, ending; /* the latter: still to be joined */
	_Atomic bool quit;
	struct peer peers[PEERS];
} control = { .listener = { .socket = { .fd = -1 } } };

static uint64_t monotonic_ms(void)
{
	return pvp_monotonic() / 1000000;
}

/* Does not wait for a client that does not read. */
static void answer_peer(struct peer *p, enum pvp_reply reply, const char *say)
{
	char text[PVP_SAY + 16];
	int n = snprintf(text, sizeof text, "%s%s%s\n", reply == PVP_REPLY_OK ? "ok" : "error",
		*say ? " " : "", say);
	if (send(p->fd.fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) != n)
		pvp_fd_close(&p->fd);
}

static void obey(struct peer *p, char *line, size_t len)
{
	char say[PVP_SAY] = "";
	enum pvp_reply reply = PVP_REPLY_ERROR;
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = 0;
	if (strlen(line) != len)
		snprintf(say, sizeof say, "the line holds a NUL");
	else
		reply = pvp_control_command(control.host, line, say, sizeof say);
	answer_peer(p, reply, say);
}

static void take_lines(struct peer *p)
{
	char *at = p->line, *end = p->line + p->n, *newline;
	while (p->fd.fd >= 0 && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (!p->skipping)
			obey(p, at, (size_t)(newline - at));
		p->skipping = false;
		at = newline + 1;
	}
	p->n = (size_t)(end - at);
	memmove(p->line, at, p->n);
	if (p->n < sizeof p->line)
		return;
	if (!p->skipping)
		answer_peer(p, PVP_REPLY_ERROR, "the line is too long");
	p->skipping = true;
	p->n = 0;
}

static void hear_peer(struct peer *p)
{
	if (!pvp_fd_ours(&p->fd)) {
		p->fd.fd = -1;
		return;
	}
	ssize_t n = recv(p->fd.fd, p->line + p->n, sizeof p->line - p->n, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		pvp_fd_close(&p->fd);
		return;
	}
	p->heard_ms = monotonic_ms();
	p->n += (size_t)n;
	take_lines(p);
}

/* A free place, or the place of the longest quiet peer. NULL: all have just spoken. */
static struct peer *peer_place(void)
{
	struct peer *oldest = &control.peers[0];
	for (size_t i = 0; i < PEERS; i++) {
		struct peer *p = &control.peers[i];
		if (p->fd.fd < 0)
			return p;
		if (p->heard_ms < oldest->heard_ms)
			oldest = p;
	}
	return monotonic_ms() - oldest->heard_ms >= IDLE_MS ? oldest : NULL;
}

static void welcome(void)
{
	struct peer *p = peer_place();
	if (!p)
		return;
	struct pvp_fd fd = pvp_listener_accept(&control.listener);
	if (fd.fd < 0)
		return;
	pvp_fd_close(&p->fd);
	p->fd = fd;
	p->n = 0;
	p->skipping = false;
	p->heard_ms = monotonic_ms();
}

/* Waits for a peer, and reads. False: the socket is no longer ours. */
static bool serve_peers(void)
{
	struct pollfd fds[PEERS + 1];
	if (!pvp_fd_ours(&control.listener.socket))
		return false;
	bool full = !peer_place();
	fds[PEERS] = (struct pollfd){ control.listener.socket.fd, full ? 0 : POLLIN, 0 };
	for (size_t i = 0; i < PEERS; i++)
		fds[i] = (struct pollfd){ control.peers[i].fd.fd, POLLIN, 0 };
	if (poll(fds, PEERS + 1, full ? IDLE_MS / 4 : LOOK_MS) <= 0)
		return true;
	for (size_t i = 0; i < PEERS; i++)
		if (fds[i].revents && !atomic_load(&control.quit))
			hear_peer(&control.peers[i]);
	if (fds[PEERS].revents & POLLIN && !atomic_load(&control.quit))
		welcome();
	return true;
}

static void *run_control(void *unused)
{
	(void)unused;
	pvp_guard_on(); /* forever: nothing on this thread is an event */
	pvp_tls.muted = true;
	prctl(PR_SET_NAME, "profview ctl");
	while (!atomic_load(&control.quit) && serve_peers())
		;
	for (size_t i = 0; i < PEERS; i++)
		pvp_fd_close(&control.peers[i].fd);
	return NULL;
}

void pvp_control_open(const char *want, char ret_path[PVP_CONTROL_PATH])
{
	if (control.ending)
		pthread_join(control.worker.thread, NULL);
	control.ending = false;
	bool ok = pvp_listener_open(&control.listener, want);
	memcpy(ret_path, ok ? control.listener.path : "",
		ok ? strlen(control.listener.path) + 1 : 1);
}

void pvp_control_serve(const struct pvp_host *host)
{
	if (control.listener.socket.fd < 0)
		return;
	control.host = host;
	atomic_store(&control.quit, false);
	for (size_t i = 0; i < PEERS; i++)
		control.peers[i].fd.fd = -1;
	control.serving = pvp_worker_start(&control.worker, STACK, run_control, NULL) == 0;
	if (!control.serving)
		pvp_listener_close(&control.listener, true);
}

void pvp_control_close(void)
{
	atomic_store(&control.quit, true);
	if (pvp_fd_ours(&control.listener.socket))
		shutdown(control.listener.socket.fd, SHUT_RDWR); /* ends poll() */
	if (control.serving && pthread_equal(pthread_self(), control.worker.thread))
		control.ending = true; /* "stop": the thread ends after the answer */
	else if (control.serving)
		pvp_worker_join(&control.worker);
	control.serving = false;
	pvp_listener_close(&control.listener, true);
}

void pvp_control_forget(void)
{
	for (size_t i = 0; control.serving && i < PEERS; i++)
		pvp_fd_close(&control.peers[i].fd);
	pvp_listener_close(&control.listener, false);
	control.serving = control.ending = false;
}
