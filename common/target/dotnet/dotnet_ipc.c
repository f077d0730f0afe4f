/* SPDX-License-Identifier: MIT */
/*
 * Commands to the diagnostics server of a .NET process: questions, loading the probe, starting a
 * suspended program.
 */
#include "common/target/dotnet/dotnet_ipc.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/utf8.h"
#include "common/io/process.h"
#include "common/target/dotnet/dotnet_message.h"
#include "common/target/process/patience.h"
#include "common/target/process/proc.h"

enum {
	ANSWER = 64 << 10,
	PATIENCE_MS = 10000,
	ATTACH_MS = 5000, /* the runtime's time limit for loading a profiler, and how long we try */
	LEAVE_MS = 2500,  /* longer than a probe of ours needs for leaving */
	AGAIN_MS = 100,
	YOUNG_MS =
		3000, /* for this long after its start a process may have bound its socket and not listen yet */
	LOOK_MS = 30,
};

static void put_guid(struct pv_dotnet_message *m)
{
	static const uint8_t guid[16] = PV_CORECLR_GUID_BYTES;
	pv_dotnet_put(m, guid, sizeof guid);
}

/* --- a connection */

struct answer {
	uint8_t bytes[ANSWER]; /* with the head */
	size_t n;              /* after the head */
	int command;           /* PV_DOTNET_ANSWER_OK, or anything else */
};

static struct pv_question question(
	const struct pv_dotnet *d, const struct pv_dotnet_message *m, struct answer *a)
{
	return (struct pv_question){ .path = d->socket,
		.in = &d->of,
		.pid = d->pid,
		.uid = d->of.uid,
		.bytes = m->bytes,
		.n = m->n,
		.answer = a->bytes,
		.room = sizeof a->bytes,
		.length = pv_dotnet_answer_length };
}

static bool take_answer(const struct pv_dotnet *d, const struct pv_question *q, struct answer *a,
	struct pv_error *reterr)
{
	if (q->why == EACCES)
		return pv_fail(reterr, PV_EIO, 0, "%s: another user or process has that socket",
			d->socket);
	if (q->why == ECONNREFUSED) { /* the socket of an earlier process with the same number */
		struct pv_dotnet none = *d;
		none.socket[0] = 0;
		return pv_dotnet_why_not(&none, reterr);
	}
	if (q->why)
		return pv_fail(reterr, PV_EIO, 0, "%s: %s", d->socket, strerror(q->why));
	a->command = a->bytes[16] << 8 | a->bytes[17];
	a->n = q->got - PV_DOTNET_HEAD;
	return true;
}

/* Ending processes close their sockets first. */
static bool ends_now(pid_t pid)
{
	enum { SOON_MS = 500 };
	struct timespec t;
	struct pollfd end = { .fd = -1, .events = POLLIN };
	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t now_ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	enum pv_process_state state = pv_process_watch(pid, now_ms, &end.fd);
	if (state != PV_PROCESS_RUNS)
		return state == PV_PROCESS_GONE;
	bool ended = poll(&end, 1, SOON_MS) > 0;
	close(end.fd);
	return ended;
}

static bool hung_up(const struct pv_dotnet *d, const struct pv_question *q, struct pv_error *reterr)
{
	int pid = (int)d->pid;
	if (q->got == 0 && ends_now(d->pid))
		return pv_fail(
			reterr, PV_EIO, 0, "process %d ended before its runtime answered", pid);
	return pv_fail(
		reterr, PV_EIO, 0, "%s: process %d hung up instead of answering", d->socket, pid);
}

/* A starting runtime binds its socket a moment before listening. */
static bool listens_soon(const struct pv_dotnet *d, const struct pv_question *q)
{
	if (q->why != ECONNREFUSED || !pv_process_is_younger(d->pid, YOUNG_MS))
		return false;
	poll(NULL, 0, LOOK_MS);
	return true;
}

static bool ask_runtime(const struct pv_dotnet *d, struct pv_dotnet_message *m, int ms,
	struct answer *a, struct pv_error *reterr)
{
	if (m->full)
		return pv_fail(reterr, PV_EUSAGE, 0, "a path or the options are too long");
	pv_dotnet_finish(m);
	struct pv_question q;
	do {
		q = question(d, m, a);
		pv_ask(&q, 1, pv_patience_now_ms() + ms);
	} while (listens_soon(d, &q));
	if (q.why == ECONNRESET || q.why == EPIPE)
		return hung_up(d, &q, reterr);
	return take_answer(d, &q, a, reterr);
}

/* --- requests */

/* The runtime's reasons for a refusal, those that pass with time or are handled here. */
enum {
	NOT_YET = 0x5b,
	LEAVING = 0x67,
	TAKEN = 0x6a,
	NOT_BEGUN = 0x71,
	NOT_READY = 0x73,
};
#define REASON(code) (0x80131300u | (code))

/*
 * Whether the profiler in the process is ours: a program started with our probe has the variable, a
 * joined one the library in its memory.
 */
static bool has_our_probe(const struct pv_dotnet *d, char *ret_path, size_t room)
{
	pv_proc_variable(d->pid, PV_CORECLR_PATH, ret_path, room);
	return *ret_path ? strstr(ret_path, PV_CORECLR_LIBRARY) != NULL
			 : pv_proc_maps(d->pid, PV_CORECLR_LIBRARY);
}

static bool another_profiler(const struct pv_dotnet *d, struct pv_error *reterr)
{
	char path[512];
	if (has_our_probe(d, path, sizeof path))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"profview's probe is in process %ld already, and somebody follows it or it "
			"is kept there: leave that viewer first",
			(long)d->pid);
	return pv_fail(reterr, PV_EUSAGE, 0,
		"another profiler%s%s is in process %ld already, and .NET takes one: start it "
		"without that one",
		*path ? ", " : "", PV_FIT(path, 100), (long)d->pid);
}

static bool not_loaded(const struct pv_dotnet *d, struct pv_error *reterr)
{
	return pv_fail(reterr, PV_EUSAGE, 0,
		"process %ld cannot load the probe's library: it must be readable there and built "
		"for its C library and architecture",
		(long)d->pid);
}

/* The runtime's reasons, in the words of the person at the keyboard. */
static bool refused(const struct pv_dotnet *d, uint32_t why, struct pv_error *reterr)
{
	switch (why) {
	case REASON(TAKEN):
		return another_profiler(d, reterr);
	case REASON(NOT_YET):
	case REASON(LEAVING):
	case REASON(NOT_BEGUN):
	case REASON(NOT_READY):
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld is not ready for a profiler (0x%08x): try again", (long)d->pid,
			why);
	case 0x8013136f:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"calls, transitions, work on files and every single allocation can be had from a "
			"program's start only; use profview run");
	case 0x80070057:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the probe does not know an option, or it is for Mono alone (callspec, "
			"lines, coverage)");
	case 0x80070008: /* ERROR_NOT_ENOUGH_MEMORY, also of a thread */
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the .NET runtime gets no more threads or memory there (0x%08x)", why);
	case 0x80131375:
		return pv_fail(reterr, PV_EUSAGE, 0, "the probe found that it cannot record there");
	case 0x80070002:
	case 0x8007007e:
	case 0x80131107:
		return not_loaded(d, reterr);
	case PV_DOTNET_UNKNOWN_COMMAND:
	case 0x80131384:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"this .NET does not know that command, or profilers are switched off "
			"there");
	default:
		if ((why & ~PV_CORECLR_FILTERED_CALL) == PV_CORECLR_FILTERED)
			return pv_dotnet_filtered(d->pid, why, "the probe", reterr);
		return pv_fail(reterr, PV_EUSAGE, 0, "the .NET runtime refuses: 0x%08x", why);
	}
}

static uint32_t reason(const struct answer *a)
{
	uint32_t why = 0;
	if (a->n >= sizeof why)
		memcpy(&why, a->bytes + PV_DOTNET_HEAD, sizeof why);
	return why;
}

/* *ret_why: the runtime's reason for a refusal; else 0. */
static bool try(const struct pv_dotnet *d, struct pv_dotnet_message *m, uint32_t *ret_why,
	struct pv_error *reterr)
{
	*ret_why = 0;
	if (!pv_dotnet_is_same(d, PATIENCE_MS, reterr))
		return false;
	struct answer *a = malloc(sizeof *a);
	bool ok = a ? ask_runtime(d, m, PATIENCE_MS, a, reterr)
		    : pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok && a->command != PV_DOTNET_ANSWER_OK) {
		*ret_why = reason(a);
		ok = refused(d, *ret_why, reterr);
	}
	free(a);
	return ok;
}

static bool command(const struct pv_dotnet *d, struct pv_dotnet_message *m, struct pv_error *reterr)
{
	uint32_t why;
	return try(d, m, &why, reterr);
}

/* A probe of ours may be about to leave, or the program to begin. */
static bool refusal_passes(const struct pv_dotnet *d, uint32_t why)
{
	char path[512];
	return why == REASON(NOT_YET) || why == REASON(LEAVING) || why == REASON(NOT_BEGUN) ||
	       why == REASON(NOT_READY) ||
	       (why == REASON(TAKEN) && has_our_probe(d, path, sizeof path));
}

bool pv_dotnet_waits_to_begin(pid_t pid)
{
	static const char *const names[] = { "DOTNET_DefaultDiagnosticPortSuspend",
		"COMPlus_DefaultDiagnosticPortSuspend" };
	char value[32];
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		*value = 0;
		pv_proc_variable(pid, names[i], value, sizeof value);
		if (strtoul(value, NULL, 16) != 0)
			return true;
	}
	return false;
}

static void put_attach(struct pv_dotnet_message *m, const char *library, const char *options)
{
	pv_dotnet_begin(m, PV_DOTNET_ATTACH_PROFILER);
	pv_dotnet_put_u32(m, ATTACH_MS);
	put_guid(m);
	pv_dotnet_put_text(m, library);
	pv_dotnet_put_u32(m, strlen(options));
	pv_dotnet_put(m, options, strlen(options));
}

bool pv_dotnet_may_stream(const struct pv_dotnet *d, const char *library, struct pv_error *reterr)
{
	struct pv_dotnet_message m;
	uint32_t why;
	put_attach(&m, library, PV_CORECLR_ASK);
	(void)try(d, &m, &why, NULL);
	uint32_t call = why & PV_CORECLR_FILTERED_CALL;
	return (why & ~PV_CORECLR_FILTERED_CALL) != PV_CORECLR_FILTERED ||
	       call == PV_CORECLR_FILTERED_CALL ||
	       pv_dotnet_filtered(d->pid, why, "the runtime's stream of events", reterr);
}

bool pv_dotnet_attach(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr)
{
	struct pv_dotnet_message m;
	put_attach(&m, library, options);
	int64_t since = pv_patience_now_ms();
	for (;;) {
		uint32_t why;
		struct pv_error err = { 0 };
		if (try(d, &m, &why, &err))
			return true;
		if (why == REASON(NOT_YET) && pv_dotnet_waits_to_begin(d->pid))
			return pv_dotnet_start(d, library, options, reterr);
		int patience = why == REASON(TAKEN) ? LEAVE_MS : ATTACH_MS;
		if (!refusal_passes(d, why) || pv_patience_now_ms() - since >= patience) {
			if (reterr)
				*reterr = err;
			return false;
		}
		poll(NULL, 0, AGAIN_MS);
	}
}

bool pv_dotnet_start(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr)
{
	struct pv_dotnet_message m;
	pv_dotnet_begin(&m, PV_DOTNET_SET_ENVIRONMENT);
	pv_dotnet_put_text(&m, PV_CORECLR_OPTIONS);
	pv_dotnet_put_text(&m, options);
	if (!command(d, &m, reterr))
		return false;
	pv_dotnet_begin(&m, PV_DOTNET_STARTUP_PROFILER);
	put_guid(&m);
	pv_dotnet_put_text(&m, library);
	if (!command(d, &m, reterr))
		return false;
	pv_dotnet_begin(&m, PV_DOTNET_RESUME_RUNTIME);
	return command(d, &m, reterr);
}

/* The next character of UTF-16; U+FFFD for half a pair. */
static uint32_t next_unit(const uint8_t *units, uint32_t n, uint32_t *i)
{
	uint32_t c = units[2 * *i] | (uint32_t)units[2 * *i + 1] << 8;
	++*i;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	uint32_t low = *i < n ? units[2 * *i] | (uint32_t)units[2 * *i + 1] << 8 : 0;
	if (c > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return PV_UTF8_BAD;
	++*i;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

/* A text at *at as UTF-8, cut to the room; false: the answer ends inside the text. */
static bool take_text(const struct answer *a, size_t *at, char *to, size_t room)
{
	const uint8_t *body = a->bytes + PV_DOTNET_HEAD;
	uint32_t units;
	size_t n = 0;
	if (a->n < sizeof units || *at > a->n - sizeof units)
		return false;
	memcpy(&units, body + *at, sizeof units);
	*at += sizeof units;
	if (units > (a->n - *at) / 2)
		return false;
	for (uint32_t i = 0; room && i < units;) {
		uint32_t code = next_unit(body + *at, units, &i);
		if (!code || n + 4 >= room)
			break;
		n += pv_utf8_put(to + n, code);
	}
	if (room)
		to[n] = 0;
	*at += 2 * (size_t)units;
	return true;
}

static bool out_of_memory(struct pv_error *reterr)
{
	return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

static bool has_cookie(const struct pv_dotnet *d)
{
	static const uint8_t none[sizeof d->cookie] = { 0 };
	return memcmp(d->cookie, none, sizeof none) != 0;
}

/*
 * A process number can be used again, and a socket's path can be another process's in another
 * namespace, between two connections of one visit. Each runtime draws its cookie at its start.
 */
static bool take_cookie(struct pv_dotnet *d, const uint8_t *said, struct pv_error *reterr)
{
	if (has_cookie(d) && memcmp(d->cookie, said, sizeof d->cookie) != 0)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"%s: another process answers there than a moment ago (it was started "
			"anew), and nothing was done to it: attach again",
			d->socket);
	memcpy(d->cookie, said, sizeof d->cookie);
	return true;
}

/* number, cookie, command line, system, architecture, entry assembly, version */
static bool understand(struct pv_dotnet *d, const struct answer *a, struct pv_error *reterr)
{
	struct pv_dotnet got = *d;
	size_t at = 8 + sizeof got.cookie;
	if (a->command != PV_DOTNET_ANSWER_OK && reason(a) == PV_DOTNET_UNKNOWN_COMMAND)
		snprintf(got.version, sizeof got.version,
			"5 or older"); /* no version in the answer */
	else if (a->command != PV_DOTNET_ANSWER_OK)
		return refused(d, reason(a), reterr);
	else if (!(take_text(a, &at, NULL, 0) && take_text(a, &at, NULL, 0) &&
			 take_text(a, &at, got.arch, sizeof got.arch) &&
			 take_text(a, &at, got.entry, sizeof got.entry) &&
			 take_text(a, &at, got.version, sizeof got.version)))
		return pv_fail(reterr, PV_EIO, 0, "%s: an answer that is cut", d->socket);
	else if (!take_cookie(&got, a->bytes + PV_DOTNET_HEAD + 8, reterr))
		return false;
	*d = got;
	return true;
}

bool pv_dotnet_ask(struct pv_dotnet *d, int ms, struct pv_error *reterr)
{
	struct pv_dotnet_message m;
	struct answer *a = malloc(sizeof *a);
	pv_dotnet_begin(&m, PV_DOTNET_PROCESS_INFO_2);
	bool ok = a ? ask_runtime(d, &m, ms, a, reterr) && understand(d, a, reterr)
		    : out_of_memory(reterr);
	free(a);
	return ok;
}

bool pv_dotnet_is_same(const struct pv_dotnet *d, int ms, struct pv_error *reterr)
{
	struct pv_dotnet now = *d;
	return !has_cookie(d) || pv_dotnet_ask(&now, ms, reterr);
}

struct pv_dotnet_asked {
	struct pv_dotnet_message m;
	struct answer a;
};

struct pv_dotnet_asked *pv_dotnet_question(const struct pv_dotnet *d, struct pv_question *ret)
{
	struct pv_dotnet_asked *asked = malloc(sizeof *asked);
	if (!asked)
		return NULL;
	pv_dotnet_begin(&asked->m, PV_DOTNET_PROCESS_INFO_2);
	pv_dotnet_finish(&asked->m);
	*ret = question(d, &asked->m, &asked->a);
	return asked;
}

bool pv_dotnet_answered(
	struct pv_dotnet *d, const struct pv_question *q, struct pv_dotnet_asked *asked)
{
	bool ok = take_answer(d, q, &asked->a, NULL) && understand(d, &asked->a, NULL);
	free(asked);
	return ok;
}
