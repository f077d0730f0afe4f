/* SPDX-License-Identifier: MIT */
/*
 * The commands of the control socket: flush, stop, hello, attach, heapshot, pause, resume, set,
 * stats.
 */
#include "probe/control/control_commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/core/emit.h"
#include "probe/core/scan.h"
#include "probe/control/session.h"
#include "probe/core/writer.h"

static const char *const groups[PVP_GROUPS] = {
	[PVP_GROUP_CALLS] = "calls",
	[PVP_GROUP_ALLOCATIONS] = "alloc",
	[PVP_GROUP_GC] = "gc",
	[PVP_GROUP_EXCEPTIONS] = "exception",
	[PVP_GROUP_LOCKS] = "monitor",
	[PVP_GROUP_SAMPLES] = "sample",
	[PVP_GROUP_HEAP] = "heapshot",
	[PVP_GROUP_COUNTERS] = "counter",
	[PVP_GROUP_NAMES] = "names",
	[PVP_GROUP_OTHER] = "other",
};

struct say {
	char *at;
	size_t room, n;
};

/* Appends a word to the answer; left out if there is no room. */
__attribute__((format(printf, 2, 3))) static void add(struct say *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(s->at + s->n, s->room - s->n, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < s->room - s->n)
		s->n += (size_t)n;
	else
		s->at[s->n] = 0;
}

static enum pvp_reply result(struct say *s, int error)
{
	if (error == EALREADY)
		add(s, "nothing is recorded");
	else if (error == ETIMEDOUT)
		add(s, "the reader takes nothing");
	else if (error)
		add(s, "%s", strerror(error));
	return error ? PVP_REPLY_ERROR : PVP_REPLY_OK;
}

/* Both take the core's lock, as on a thread of the program. */
static int flush_session(void)
{
	pvp_guard_off();
	int error = pvp_session_flush();
	pvp_guard_on();
	return error;
}

static int stop_session(void)
{
	pvp_guard_off();
	int error = pvp_session_try_stop();
	pvp_guard_on();
	return error == EBUSY ? 0 : error; /* another stop is under way */
}

static enum pvp_reply do_flush(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)h, (void)rest;
	return result(s, flush_session());
}

static enum pvp_reply do_stop(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)h, (void)rest;
	return result(s, stop_session());
}

/* Waits until the writer has done the work; says "queued" if this takes too long. */
static enum pvp_reply soon(struct say *s)
{
	int error = flush_session();
	if (error != ETIMEDOUT)
		return result(s, error);
	add(s, "queued");
	return PVP_REPLY_OK;
}

static enum pvp_reply do_hello(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)h, (void)rest;
	struct pvp_stats t;
	int error = pvp_writer_hello();
	error = error ? error : pvp_writer_stats(&t);
	enum pvp_reply reply = error ? result(s, error) : soon(s);
	if (reply == PVP_REPLY_OK)
		add(s, "%sid=%s", s->n ? " " : "", t.id);
	return reply;
}

static enum pvp_reply do_attach(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)h;
	if (*rest != '/') {
		add(s, "attach needs the absolute path of a pipe or file");
		return PVP_REPLY_ERROR;
	}
	int error = pvp_writer_move(rest);
	return error ? result(s, error) : soon(s);
}

static enum pvp_reply do_heapshot(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)rest;
	enum pvp_reply reply = h->heapshot ? h->heapshot(s->at, s->room) : PVP_REPLY_UNKNOWN;
	if (reply != PVP_REPLY_UNKNOWN)
		return reply;
	add(s, "there are no heap shots of %s programs", h->name);
	return PVP_REPLY_ERROR;
}

static void turn_switch(_Atomic bool *which, bool on)
{
	pthread_mutex_lock(&pvp_core.lock);
	pvp_switch(which, on);
	pthread_mutex_unlock(&pvp_core.lock);
}

static enum pvp_reply do_pause(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)rest, (void)s;
	turn_switch(&pvp_core.paused, true);
	if (h->pause)
		h->pause(true);
	return PVP_REPLY_OK;
}

static enum pvp_reply do_resume(const struct pvp_host *h, const char *rest, struct say *s)
{
	(void)rest, (void)s;
	if (h->pause)
		h->pause(false);
	turn_switch(&pvp_core.paused, false);
	return PVP_REPLY_OK;
}

/* No thread has a limit for these groups: makers of events check. Collections stay whole. */
static unsigned gate_of(const char *key)
{
	static const enum pvp_group gated[] = { PVP_GROUP_ALLOCATIONS, PVP_GROUP_EXCEPTIONS,
		PVP_GROUP_LOCKS };
	for (size_t i = 0; i < PV_COUNT_OF(gated); i++)
		if (strcmp(key, groups[gated[i]]) == 0)
			return 1u << gated[i];
	return 0;
}

/* False: no change. */
static bool turn_gate(unsigned bit, bool on)
{
	unsigned before = on ? atomic_fetch_and(&pvp_groups_off, ~bit)
			     : atomic_fetch_or(&pvp_groups_off, bit);
	return on == !!(before & bit);
}

static _Atomic bool *switch_of(const char *key)
{
	return strcmp(key, "calls") == 0   ? &pvp_core.calls
	       : strcmp(key, "alloc") == 0 ? &pvp_core.alloc
	       : strcmp(key, "marks") == 0 ? &pvp_core.marks
					   : NULL;
}

static enum pvp_reply set_switch(const char *key, const char *value, struct say *s)
{
	_Atomic bool *which = switch_of(key);
	bool on = strcmp(value, "on") == 0;
	unsigned bit = gate_of(key);
	if (!which && !bit) {
		add(s, "\"%.40s\" cannot be set here", key);
		return PVP_REPLY_ERROR;
	}
	if (!on && strcmp(value, "off") != 0) {
		add(s, "%s is on or off", key);
		return PVP_REPLY_ERROR;
	}
	bool turned = turn_gate(bit, on);
	if (which)
		turn_switch(which, on);
	else if (turned && !on)
		atomic_fetch_add(&pvp_core.pauses, 1);
	return PVP_REPLY_OK;
}

/* The host starts and ends samples; the log notes a time without. */
static void note_samples(const char *value)
{
	bool off = strcmp(value, "off") == 0 || strtoul(value, NULL, 10) == 0;
	off = off && strcmp(value, "on") != 0;
	if (turn_gate(1u << PVP_GROUP_SAMPLES, !off) && off)
		atomic_fetch_add(&pvp_core.pauses, 1);
}

static enum pvp_reply do_set(const struct pvp_host *h, const char *rest, struct say *s)
{
	char key[32];
	size_t n = strcspn(rest, "=");
	if (n == 0 || n >= sizeof key || !rest[n]) {
		add(s, "set needs KEY=VALUE");
		return PVP_REPLY_ERROR;
	}
	memcpy(key, rest, n);
	key[n] = 0;
	enum pvp_reply reply = PVP_REPLY_UNKNOWN;
	if (h->set)
		reply = h->set(key, rest + n + 1, s->at, s->room);
	if (reply == PVP_REPLY_OK && strncmp(key, "sample", 6) == 0)
		note_samples(rest + n + 1);
	return reply == PVP_REPLY_UNKNOWN ? set_switch(key, rest + n + 1, s) : reply;
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static enum pvp_reply do_stats(const struct pvp_host *h, const char *rest, struct say *s)
{
	struct pvp_stats t;
	(void)rest;
	int error = pvp_writer_stats(&t);
	if (error)
		return result(s, error);
	uint64_t now = pvp_monotonic();
	add(s, "pid=%ld host=%s version=%s id=%s ms=%" PRIu64, (long)getpid(), h->name, PV_VERSION,
		t.id, (now - t.start_ns) / 1000000);
	add(s, " paused=%s calls=%s alloc=%s", on_off(atomic_load(&pvp_core.paused)),
		on_off(atomic_load(&pvp_core.calls)), on_off(atomic_load(&pvp_core.alloc)));
	for (size_t i = PVP_GROUP_GC; i < PVP_GROUPS; i++)
		if (atomic_load(&pvp_groups_off) >> i & 1)
			add(s, " %s=off", groups[i]);
	add(s, " lag_ms=%" PRIu64 " lost=%" PRIu64 " written=%" PRIu64 " streams=%" PRIu64,
		(now - t.round_ns) / 1000000, t.lost, t.written, t.streams);
	add(s, " chunks=%zu free=%zu call_ns=%u writer_cpu_us=%" PRIu64 " cpu_us=%" PRIu64,
		t.chunks, t.chunks_free, t.call_ns, t.cpu_ns / 1000, t.process_cpu_ns / 1000);
	for (size_t i = 0; i < PVP_GROUPS; i++)
		if (t.tally.events[i])
			add(s, " events.%s=%" PRIu64 " bytes.%s=%" PRIu64, groups[i],
				t.tally.events[i], groups[i], t.tally.bytes[i]);
	add(s, " control=%s sink=%s reader=%s output=%s", t.control,
		!t.plain ? "other"
		: t.pipe ? "pipe"
			 : "file",
		t.reader ? "yes" : "no", t.output); /* last, as blanks are allowed */
	return PVP_REPLY_OK;
}

static const struct {
	const char *word;
	enum pvp_reply (*run)(const struct pvp_host *h, const char *rest, struct say *s);
	bool takes; /* something after the word */
} commands[] = {
	{ "hello", do_hello, false },
	{ "heapshot", do_heapshot, false },
	{ "pause", do_pause, false },
	{ "resume", do_resume, false },
	{ "flush", do_flush, false },
	{ "set", do_set, true },
	{ "stats", do_stats, false },
	{ "attach", do_attach, true },
	{ "stop", do_stop, false },
};

enum pvp_reply pvp_control_command(
	const struct pvp_host *host, const char *line, char *say, size_t room)
{
	struct say s = { say, room, 0 };
	size_t n = strcspn(line, " ");
	const char *rest = line + n + (line[n] == ' ');
	*say = 0;
	for (size_t i = 0; i < PV_COUNT_OF(commands); i++) {
		if (strlen(commands[i].word) != n || memcmp(commands[i].word, line, n) != 0)
			continue;
		if (*rest && !commands[i].takes)
			break;
		return commands[i].run(host, rest, &s);
	}
	add(&s, "not understood; there are hello, heapshot, pause, resume, flush, set KEY=VALUE, "
		"stats, attach PATH and stop");
	return PVP_REPLY_ERROR;
}
