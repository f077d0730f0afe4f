/* SPDX-License-Identifier: MIT */
/* Sessions of .NET's event stream: opening by the newest known command, and ending. */
#include "common/target/dotnet/event_session.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/dotnet/dotnet_message.h"
#include "common/target/process/patience.h"

enum { ANSWER_MS = 5000, NETTRACE = 1, STREAM = 0 };

static void put_flag(struct pv_dotnet_message *m, bool flag)
{
	uint8_t byte = flag;
	pv_dotnet_put(m, &byte, sizeof byte);
}

static void put_group(struct pv_dotnet_message *m, int command, const struct pv_event_group *g)
{
	pv_dotnet_put(m, &g->keywords, sizeof g->keywords);
	pv_dotnet_put_u32(m, g->level);
	pv_dotnet_put_text(m, g->provider);
	if (g->args)
		pv_dotnet_put_text(m, g->args);
	else
		pv_dotnet_put_u32(m, 0);
	if (command != PV_DOTNET_COLLECT_TRACING_5)
		return;
	put_flag(m, false); /* all but these */
	pv_dotnet_put_u32(m, g->n_without);
	for (size_t i = 0; i < g->n_without; i++)
		pv_dotnet_put_u32(m, g->without[i]);
}

static void put_wish(struct pv_dotnet_message *m, int command, const struct pv_event_wish *w)
{
	bool filters = command == PV_DOTNET_COLLECT_TRACING_5;
	pv_dotnet_begin(m, command);
	if (filters)
		pv_dotnet_put_u32(m, STREAM);
	pv_dotnet_put_u32(m, w->buffer_mb);
	pv_dotnet_put_u32(m, NETTRACE);
	if (filters || command == PV_DOTNET_COLLECT_TRACING_4)
		pv_dotnet_put(m, &w->rundown, sizeof w->rundown);
	else
		put_flag(m, w->rundown != 0);
	if (command != PV_DOTNET_COLLECT_TRACING_2)
		put_flag(m, true); /* stacks */
	pv_dotnet_put_u32(m, w->n);
	for (size_t i = 0; i < w->n; i++)
		put_group(m, command, &w->group[i]);
	pv_dotnet_finish(m);
}

/* All bytes there or back, until then; false with errno. */
static bool transfer(int fd, void *bytes, size_t n, bool out, int64_t end_ms)
{
	for (uint8_t *at = bytes; n;) {
		ssize_t k = out ? write(fd, at, n) : read(fd, at, n);
		if (k > 0) {
			at += k;
			n -= (size_t)k;
			continue;
		}
		if (k == 0 || (k < 0 && errno != EAGAIN && errno != EINTR)) {
			errno = k == 0 ? ECONNRESET : errno;
			return false;
		}
		if (!pv_patience_wait(fd, out ? POLLOUT : POLLIN, end_ms))
			return false;
	}
	return true;
}

static bool silent(const struct pv_event_door *d, struct pv_error *reterr)
{
	return pv_fail(reterr, PV_EIO, 0, "process %ld does not answer: %s", (long)d->dotnet.pid,
		strerror(errno));
}

/* A calling runtime sends its cookie with each connection (event_door.c). */
static bool is_same_runtime(const struct pv_event_door *d, int ms, struct pv_error *reterr)
{
	return d->listener >= 0 || pv_dotnet_is_same(&d->dotnet, ms, reterr);
}

/* *ret_why: the runtime's reason for a refusal; 0: no answer, or the session is open. */
static bool ask_for_session(struct pv_event_session *ret, struct pv_event_door *d,
	struct pv_dotnet_message *m, uint32_t wait_ms, uint32_t *ret_why, struct pv_error *reterr)
{
	uint8_t head[PV_DOTNET_HEAD];
	int64_t end = pv_patience_now_ms() + wait_ms;
	*ret_why = 0;
	ret->fd = pv_event_door_open(d, end);
	if (ret->fd < 0)
		return silent(d, reterr);
	bool ok = transfer(ret->fd, m->bytes, m->n, true, end) &&
		  transfer(ret->fd, head, sizeof head, false, end);
	if (!ok) {
		silent(d, reterr);
		pv_event_session_close(ret);
		return false;
	}
	bool opened = (head[16] << 8 | head[17]) == PV_DOTNET_ANSWER_OK;
	size_t n = pv_dotnet_answer_length(head, sizeof head) - sizeof head;
	void *to = opened ? (void *)&ret->id : (void *)ret_why;
	size_t want = opened ? sizeof ret->id : sizeof *ret_why;
	if (n >= want && transfer(ret->fd, to, want, false, end) && opened)
		return true;
	pv_event_session_close(ret);
	return pv_fail(reterr, *ret_why ? PV_EUSAGE : PV_EIO, 0,
		"process %ld does not open its event stream (0x%08x)", (long)d->dotnet.pid,
		*ret_why);
}

bool pv_event_session_open(struct pv_event_session *ret, struct pv_event_door *d,
	const struct pv_event_wish *wish, struct pv_error *reterr)
{
	static const int command[] = { PV_DOTNET_COLLECT_TRACING_5, PV_DOTNET_COLLECT_TRACING_4,
		PV_DOTNET_COLLECT_TRACING_3, PV_DOTNET_COLLECT_TRACING_2 };
	struct pv_dotnet_message m;
	uint32_t why = PV_DOTNET_UNKNOWN_COMMAND;
	ret->fd = -1;
	if (!is_same_runtime(d, (int)wish->wait_ms, reterr))
		return false;
	for (size_t i = 0; i < PV_COUNT_OF(command) && why == PV_DOTNET_UNKNOWN_COMMAND; i++) {
		put_wish(&m, command[i], wish);
		if (m.full)
			return pv_fail(reterr, PV_EUSAGE, 0, "too many groups of events");
		if (ask_for_session(ret, d, &m, wish->wait_ms, &why, reterr))
			return true;
	}
	return false;
}

/*
 * The session's number means nothing to a process that did not open the session, so no cookie is
 * asked for.
 */
int pv_event_session_stop(const struct pv_event_session *s, struct pv_event_door *d)
{
	enum { ASK_MS = 500 };
	struct pv_dotnet_message m;
	int64_t end = pv_patience_now_ms() + ASK_MS;
	int fd = pv_event_door_open(d, end);
	pv_dotnet_begin(&m, PV_DOTNET_STOP_TRACING);
	pv_dotnet_put(&m, &s->id, sizeof s->id);
	pv_dotnet_finish(&m);
	if (fd >= 0 && !transfer(fd, m.bytes, m.n, true, end)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Sends a command; the answer has nothing of use. */
static void send_command(struct pv_event_door *d, struct pv_dotnet_message *m)
{
	uint8_t head[PV_DOTNET_HEAD];
	int64_t end = pv_patience_now_ms() + ANSWER_MS;
	int fd = is_same_runtime(d, ANSWER_MS, NULL) ? pv_event_door_open(d, end) : -1;
	pv_dotnet_finish(m);
	if (fd >= 0 && transfer(fd, m->bytes, m->n, true, end))
		transfer(fd, head, sizeof head, false, end);
	pv_fd_close(&fd);
}

void pv_event_session_set(struct pv_event_door *d, const char *variable, const char *value)
{
	struct pv_dotnet_message m;
	pv_dotnet_begin(&m, PV_DOTNET_SET_ENVIRONMENT);
	pv_dotnet_put_text(&m, variable);
	pv_dotnet_put_text(&m, value);
	if (!m.full)
		send_command(d, &m);
}

void pv_event_session_resume(struct pv_event_door *d)
{
	struct pv_dotnet_message m;
	pv_dotnet_begin(&m, PV_DOTNET_RESUME_RUNTIME);
	send_command(d, &m);
}

void pv_event_session_close(struct pv_event_session *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
