/* SPDX-License-Identifier: MIT */
/* Many exchanges at once, with one deadline. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/target/foreign/foreign.h"
#include "common/target/control/local_socket.h"
#include "common/target/process/patience.h"

/* Connections open at one time; ms between two tries at a full queue. */
enum { AT_ONCE = 512, AGAIN_MS = 10 };

static void end_question(struct pv_question *q, int why)
{
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
	q->why = why;
	q->done = true;
}

static bool must_wait(int why)
{
	return why == EAGAIN || why == EINTR || why == EMFILE || why == ENFILE;
}

static void dial(struct pv_question *q)
{
	q->fd = q->in ? pv_foreign_dial(q->in, q->path) : pv_local_dial(q->path, q->pid, q->uid);
	if (q->fd < 0 && !must_wait(errno))
		end_question(q, errno);
}

static void send_question(struct pv_question *q)
{
	ssize_t n = send(q->fd, (const char *)q->bytes + q->sent, q->n - q->sent, MSG_NOSIGNAL);
	if (n >= 0)
		q->sent += (size_t)n;
	else if (!must_wait(errno))
		end_question(q, errno);
}

/* Takes a piece at a time: a flooding peer does not hold up the others. */
static void hear_answer(struct pv_question *q)
{
	ssize_t n = recv(q->fd, q->answer + q->got, q->room - q->got, 0);
	if (n < 0 && must_wait(errno))
		return;
	if (n <= 0) {
		end_question(q, n < 0 ? errno : ECONNRESET);
		return;
	}
	q->got += (size_t)n;
	size_t whole = q->length(q->answer, q->got);
	if (whole == SIZE_MAX)
		end_question(q, EPROTO);
	else if (whole > q->room)
		end_question(q, EMSGSIZE);
	else if (whole <= q->got) {
		q->got = whole;
		end_question(q, 0);
	}
}

/* Dials as many as may be open; true while some are still to be dialled. */
static bool dial_some(struct pv_question *q, size_t n)
{
	size_t open = 0;
	bool left = false;
	for (size_t i = 0; i < n; i++)
		open += q[i].fd >= 0;
	for (size_t i = 0; i < n; i++) {
		if (q[i].done || q[i].fd >= 0)
			continue;
		if (open < AT_ONCE)
			dial(&q[i]);
		open += q[i].fd >= 0;
		left |= q[i].fd < 0 && !q[i].done;
	}
	return left;
}

static size_t those_open(struct pv_question *q, size_t n, struct pollfd *p, struct pv_question **at)
{
	size_t k = 0;
	for (size_t i = 0; i < n && k < AT_ONCE; i++) {
		if (q[i].fd < 0)
			continue;
		short events = q[i].sent < q[i].n ? POLLOUT : POLLIN;
		p[k] = (struct pollfd){ .fd = q[i].fd, .events = events };
		at[k++] = &q[i];
	}
	return k;
}

/* False when there is nothing left to wait for. */
static bool turn_questions(struct pv_question *q, size_t n, int64_t left)
{
	struct pollfd p[AT_ONCE];
	struct pv_question *at[AT_ONCE];
	bool again = dial_some(q, n);
	size_t k = those_open(q, n, p, at);
	if (!k && !again)
		return false;
	poll(p, k, again && left > AGAIN_MS ? AGAIN_MS : (int)left);
	for (size_t i = 0; i < k; i++) {
		if (!p[i].revents)
			continue;
		if (at[i]->sent < at[i]->n)
			send_question(at[i]);
		else
			hear_answer(at[i]);
	}
	return true;
}

void pv_ask(struct pv_question *q, size_t n, int64_t end_ms)
{
	for (size_t i = 0; i < n; i++) {
		q[i].fd = -1;
		q[i].sent = q[i].got = 0;
		q[i].why = 0;
		q[i].done = false;
	}
	int64_t left;
	do
		left = end_ms - pv_patience_now_ms();
	while (turn_questions(q, n, left > 0 ? left : 0) && left > 0);
	for (size_t i = 0; i < n; i++)
		if (!q[i].done)
			end_question(&q[i], ETIMEDOUT);
}
