/* SPDX-License-Identifier: MIT */
/* The process that holds .NET's event sessions and copies their streams into a pipe. */
#include "common/target/launch/event_relay.h"

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
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/text/span_source.h"
#include "common/io/fd.h"
#include "common/target/dotnet/aot_names.h"
#include "common/target/dotnet/event_frames.h"
#include "common/target/dotnet/event_meters.h"
#include "common/target/dotnet/event_session.h"
#include "common/target/launch/join_ways.h"
#include "common/target/process/process_limits.h"
#include "common/target/process/patience.h"
#include "common/target/dotnet/thread_times.h"

static const char runtime[] = "Microsoft-Windows-DotNETRuntime";
static const char sampler[] = "Microsoft-DotNETCore-SampleProfiler";

/* Groups of the runtime's events: ClrEtwAll.man of dotnet/runtime. */
enum {
	GC = 0x1,
	LOADER = 0x8,
	JIT = 0x10,
	NGEN = 0x20,
	CONTENTION = 0x4000,
	EXCEPTION = 0x8000,
	THREADING = 0x10000,
	IL_MAPS = 0x20000,
	TYPES = 0x80000,
	HEAP_DUMP = 0x100000,
	HEAP_COLLECT = 0x800000,
	HEAP_NAMES = 0x1000000,
	TIME_SERIES = 0x2 /* of the meters: MetricsEventSource.cs */
};
#define ALLOCATION_SAMPLING UINT64_C(0x80000000000)
#define PRECOMPILED         UINT64_C(0x2000000000) /* precompiled methods, at their first use */
#define METHODS             (LOADER | JIT | NGEN | PRECOMPILED)
#define ALWAYS              (EXCEPTION | CONTENTION | THREADING | METHODS)

/*
 * Events of these groups that no store here takes: segments, finalizers, pins and marking of a
 * collection, finally and filters of exceptions, new locks, memory and look-ups of the compiler,
 * starts, waits and ends of pool workers (their wanted number is kept). Each event costs the
 * program a stack walk, and a thrown exception has many.
 */
static const uint32_t unread[] = { 5, 6, 13, 14, 29, 33, 35, 39, 44, 45, 46, 47, 50, 51, 52, 53, 54,
	56, 57, 60, 63, 65, 70, 71, 90, 146, 160, 202, 204, 205, 209, 252, 253, 254, 255, 256 };

enum { INFORMATIONAL = 4, VERBOSE = 5 };
enum {
	BYTES = 1 << 20, /* on their way from a session into the pipe */
	MAIN_MB = 64,
	NAMES_MB = 64,
	SHOT_MB = 1024,    /* all of a shot must fit: the runtime writes while the program stands */
	LEAVE_MS = 2000,   /* limit for the rest of a session when the pipe is closed */
	NAMES_MS = 10000,  /* limit for all names */
	OPEN_MS = 5000,    /* for opening a session, and */
	SHOT_MS = 60000,   /* limit for opening with a collection and the heap's listing */
	ANSWER_MS = 20000, /* for all until the first is open */
	FIRST_MS = 5000,   /* limit for the first bytes after a session's head */
	THREADS = 4, /* threads that the runtime makes for our sessions, one more if it samples */
	LEAST_BYTES =
		10 << 20, /* memory that the runtime needs for our sessions, with a small buffer */
	SHORTEST_MS = 2000, /* least length of a session with meters */
	STUCK_MS = 5000     /* a pipe that takes nothing for so long is given up */
};

/* Commands from us to the relay: one of these letters and, for GO, the options. */
enum { GO = 'g', SHOT = 's', ENDED = 'e' };

struct order {
	int what;
	struct pv_event_options options;
};

struct answer {
	bool ok;
	struct pv_error error;
};

/* --- the process */

struct copy {
	struct pv_event_door door;
	struct pv_event_options options;
	int control, pipe;
	struct pv_event_session session; /* the main session, */
	int64_t opened_ms;               /* since then */
	struct pv_event_frames frames;   /* of the main session's stream */
	struct pv_thread_times *times;   /* written into the stream; NULL: none */
	uint8_t *bytes;                  /* of one read, with room for one reading of `times` */
	size_t from, to;                 /* in bytes: what the pipe has not taken yet */
	int64_t took_ms;                 /* time of the last successful write */
	int64_t shot_ms;                 /* when the next shot is due; INT64_MAX: never */
	struct pv_aot_names names;       /* of a program compiled ahead of time; else empty */
	bool is_aot;
	bool wants_shot, leaving, ended;
};

enum turn { GOES_ON, STREAM_ENDED, PIPE_CLOSED };

static bool put_into_pipe(struct copy *c)
{
	while (c->from < c->to) {
		ssize_t n = write(c->pipe, c->bytes + c->from, c->to - c->from);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		c->from += (size_t)n;
		c->took_ms = pv_patience_now_ms();
	}
	c->from = c->to = 0;
	return true;
}

static void take_order(struct copy *c)
{
	struct order o;
	ssize_t n = recv(c->control, &o, sizeof o, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		c->leaving = true;
	else if (n == (ssize_t)sizeof o)
		c->wants_shot |= o.what == SHOT, c->ended |= o.what == ENDED;
}

/*
 * After a read from the main session. The runtime writes all that happened up to a moment at once:
 * processor times of threads were read just before, and go in front where objects begin.
 */
static void put_times(struct copy *c, size_t n)
{
	static uint8_t block[PV_THREAD_TIMES_BYTES];
	uint8_t *came = c->bytes + c->to;
	size_t before;
	uint64_t offset;
	if (!c->times || !pv_event_frames_pass(&c->frames, came, n, &before, &offset))
		return;
	size_t more = pv_thread_times_put(c->times, block, offset);
	memmove(came + before + more, came + before, n - before);
	memcpy(came + before, block, more);
	c->to += more;
}

static enum turn take_bytes(struct copy *c, int stream)
{
	bool main = stream == c->session.fd;
	if (main && c->times)
		pv_thread_times_read(c->times);
	ssize_t n = read(stream, c->bytes + c->to, BYTES - c->to);
	if (n > 0 && main)
		put_times(c, (size_t)n);
	if (n > 0)
		c->to += (size_t)n;
	bool ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	return ended ? STREAM_ENDED : GOES_ON;
}

/* Waits for what comes or goes, at most until then. */
static enum turn take_relay_turn(struct copy *c, int stream, int64_t end_ms)
{
	bool room = c->to < BYTES;
	int64_t wait = end_ms - pv_patience_now_ms();
	wait = wait < 0 ? 0 : wait < STUCK_MS ? wait : STUCK_MS;
	struct pollfd p[] = { { .fd = room ? stream : -1, .events = POLLIN },
		{ .fd = c->pipe, .events = c->from < c->to ? POLLOUT : 0 },
		{ .fd = c->leaving ? -1 : c->control, .events = POLLIN } };
	if (poll(p, PV_COUNT_OF(p), (int)wait) < 0)
		return errno == EINTR ? GOES_ON : PIPE_CLOSED;
	if (p[1].revents & (POLLERR | POLLNVAL) || !put_into_pipe(c))
		return PIPE_CLOSED;
	if (!room && pv_patience_now_ms() - c->took_ms > STUCK_MS)
		return PIPE_CLOSED;
	if (p[2].revents)
		take_order(c);
	return p[0].revents && c->to < BYTES ? take_bytes(c, stream) : GOES_ON;
}

/* Drops the stream's bytes until `end`: a session must be read while its end is awaited. */
static void drop_stream_bytes(struct copy *c, const struct pv_event_session *s, int64_t end)
{
	while (pv_patience_wait(s->fd, POLLIN, end)) {
		ssize_t n = read(s->fd, c->bytes, BYTES);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
	}
}

/* Ends a session and copies the rest of its stream, for at most `ms`; false: the pipe is closed. */
static bool end_session(struct copy *c, struct pv_event_session *s, int ms)
{
	enum turn t = GOES_ON;
	int stop = pv_event_session_stop(s, &c->door);
	for (int64_t end = pv_patience_now_ms() + ms; t == GOES_ON && pv_patience_now_ms() < end;)
		t = take_relay_turn(c, s->fd, end);
	if (t == PIPE_CLOSED)
		drop_stream_bytes(c, s, pv_patience_now_ms() + LEAVE_MS);
	pv_event_session_close(s);
	pv_fd_close(&stop);
	return t != PIPE_CLOSED;
}

/*
 * Ends the main session. .NET's listener of meters makes a thread, and a stop waits for that thread
 * under a lock which the thread takes as it begins: a session ended too soon hangs the diagnostics
 * server for good (seen with 10.0.12, on a busy machine). A program that ends by itself in that
 * moment hangs likewise; nothing here can help.
 */
static bool end_main(struct copy *c, int ms)
{
	int64_t end = c->opened_ms + SHORTEST_MS;
	enum turn t = GOES_ON;
	while (t == GOES_ON && pv_patience_now_ms() < end)
		t = take_relay_turn(c, c->session.fd, end);
	if (t == PIPE_CLOSED)
		drop_stream_bytes(c, &c->session, end);
	return end_session(c, &c->session, ms);
}

enum { SOURCES = 8 };
#define COUNTERS "EventCounterIntervalSec=1"

/* A name that is no pattern may also name an event source with counters. */
static size_t add_sources(struct pv_event_group *to, size_t room, char *names)
{
	size_t n = 0;
	char *rest = names;
	for (char *name = strtok_r(rest, ",", &rest); name && n < room;
		name = strtok_r(rest, ",", &rest))
		if (!strpbrk(name, "*\\"))
			to[n++] = (struct pv_event_group){ name, 0, INFORMATIONAL, COUNTERS, NULL,
				0 };
	return n;
}

/*
 * The runtime takes of this only as much as it needs, and no program may be killed for the buffer.
 */
static uint32_t buffer_mb(const struct copy *c, uint32_t most)
{
	enum { SHARE = 4 };
	struct pv_limit l;
	pv_limit_memory(c->door.dotnet.pid, &l);
	int64_t mb = (l.left >> 20) / SHARE;
	return mb >= most ? most : mb > 1 ? (uint32_t)mb : 1;
}

static bool open_main(struct copy *c, struct pv_error *reterr)
{
	char meters[PV_EVENT_METERS + PV_EVENT_METER_ARGS], sources[PV_EVENT_METERS];
	pv_event_meter_args(meters, sizeof meters, c->options.meters);
	snprintf(sources, sizeof sources, "%s", c->options.meters);
	struct pv_event_group group[4 + PV_SPAN_SOURCES + SOURCES] = {
		{ runtime, ALWAYS | GC | ALLOCATION_SAMPLING | (c->options.samples ? IL_MAPS : 0),
			VERBOSE, NULL, unread, PV_COUNT_OF(unread) },
		{ "System.Runtime", 0, INFORMATIONAL, COUNTERS, NULL, 0 },
	};
	size_t n = 2;
	if (c->options.samples)
		group[n++] = (struct pv_event_group){ sampler, 0, INFORMATIONAL, NULL, NULL, 0 };
	/* Only on request: a program that ends in the first second may hang. */
	if (*c->options.meters)
		group[n++] = (struct pv_event_group){ "System.Diagnostics.Metrics", TIME_SERIES,
			INFORMATIONAL, meters, NULL, 0 };
	n += add_sources(group + n, SOURCES, sources);
	const struct pv_span_source *spans = NULL;
	for (size_t i = 0; c->options.spans && (spans = pv_span_source(i)); i++)
		group[n++] = (struct pv_event_group){ spans->provider, spans->keywords,
			INFORMATIONAL, NULL, NULL, 0 };
	pv_event_frames_begin(&c->frames);
	if (c->times)
		pv_thread_times_begin(c->times);
	const struct pv_event_wish wish = {
		.group = group, .n = n, .buffer_mb = buffer_mb(c, MAIN_MB), .wait_ms = OPEN_MS
	};
	bool ok = pv_event_session_open(&c->session, &c->door, &wish, reterr);
	c->opened_ms = pv_patience_now_ms();
	return ok;
}

/* Our own bytes into the pipe; false: the pipe is closed, or stuck. */
static bool copy_bytes(struct copy *c, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t room = c->to < BYTES ? BYTES - c->to : 0, part = n < room ? n : room;
		memcpy(c->bytes + c->to, bytes, part);
		c->to += part;
		bytes += part;
		n -= part;
		if (c->to >= BYTES &&
			take_relay_turn(c, -1, pv_patience_now_ms() + STUCK_MS) == PIPE_CLOSED)
			return false;
	}
	return true;
}

/* Sessions name the process by its number in its own namespace. */
static void read_aot_names(struct copy *c)
{
	pid_t pid = c->door.dotnet.pid;
	c->is_aot = pid > 0 && pv_dotnet_is_aot(pid);
	if (c->is_aot)
		(void)pv_aot_names(&c->names, pid, (uint32_t)pv_foreign_inner_pid(pid));
}

/*
 * All methods with code, and the collector's settings. NativeAOT has none, and older runtimes write
 * more. Methods compiled meanwhile are in the main session, already open but not yet read.
 */
static bool copy_names(struct copy *c)
{
	if (c->is_aot) /* frames are shown by their addresses where there are none */
		return copy_bytes(c, c->names.stream.v, c->names.stream.n);
	const struct pv_event_group group[] = { { runtime, 0, 0, NULL, NULL, 0 } };
	const struct pv_event_wish wish = { .group = group,
		.n = 1,
		.buffer_mb = buffer_mb(c, NAMES_MB),
		.wait_ms = OPEN_MS,
		.rundown = GC | LOADER | JIT | NGEN | 0x40 | (c->options.samples ? IL_MAPS : 0) };
	struct pv_event_session names;
	if (!pv_event_session_open(&names, &c->door, &wish, NULL))
		return true; /* frames are shown by their addresses then */
	return end_session(c, &names, NAMES_MS);
}

/*
 * The collection for a shot is made while the session is opened. Methods that were compiled between
 * the sessions are in the list of all methods, copied once more.
 */
static bool copy_shot(struct copy *c)
{
	const struct pv_event_group group[] = { { runtime,
		ALWAYS | GC | TYPES | HEAP_DUMP | HEAP_COLLECT | HEAP_NAMES, VERBOSE, NULL, unread,
		PV_COUNT_OF(unread) } };
	const struct pv_event_wish wish = {
		.group = group, .n = 1, .buffer_mb = buffer_mb(c, SHOT_MB), .wait_ms = SHOT_MS
	};
	struct pv_event_session shot;
	c->wants_shot = false;
	c->shot_ms = c->options.shot_ms ? pv_patience_now_ms() + c->options.shot_ms : INT64_MAX;
	if (!end_main(c, NAMES_MS))
		return false;
	bool ok = !pv_event_session_open(&shot, &c->door, &wish, NULL) ||
		  end_session(c, &shot, INT32_MAX);
	return open_main(c, NULL) && ok && copy_names(c);
}

static void copy_all(struct copy *c)
{
	enum turn t = GOES_ON;
	c->took_ms = pv_patience_now_ms();
	bool goes = copy_names(c);
	while (goes && t == GOES_ON && !c->leaving) {
		if (c->wants_shot || pv_patience_now_ms() >= c->shot_ms)
			goes = copy_shot(c);
		else
			t = take_relay_turn(c, c->session.fd, c->shot_ms);
	}
	if (c->session.fd >= 0 && t != STREAM_ENDED)
		goes = end_main(c, LEAVE_MS) && goes;
	for (int64_t end = pv_patience_now_ms() + STUCK_MS;
		goes && c->from < c->to && pv_patience_now_ms() < end;)
		goes = take_relay_turn(c, -1, end) == GOES_ON;
}

/*
 * Resumes a suspended program. A runtime that could not make its session's writer thread reports no
 * error: the stream's head comes, and nothing more.
 */
static bool comes(struct copy *c, struct pv_error *reterr)
{
	enum { HEAD_BYTES = 256, LOOK_MS = 20 };
	int n = 0;
	pv_event_session_resume(&c->door);
	for (int64_t end = pv_patience_now_ms() + FIRST_MS; pv_patience_now_ms() < end;) {
		struct pollfd p = { .fd = c->session.fd, .events = POLLIN };
		if (ioctl(p.fd, FIONREAD, &n) < 0 || n > HEAD_BYTES ||
			(poll(&p, 1, 0) > 0 && p.revents & POLLHUP))
			return true;
		poll(NULL, 0, LOOK_MS);
	}
	return pv_fail(reterr, PV_EIO, 0,
		"process %ld opened its event stream and writes nothing into it, as when it gets no more "
		"threads or memory: .NET may then wait for ever when it is to end",
		(long)c->door.dotnet.pid);
}

/*
 * A program started with our door in its environment calls as soon as its runtime begins, and waits
 * then, whether a viewer is still there or not.
 */
static bool await_call(struct copy *c, struct pv_error *reterr)
{
	enum { LOOK_MS = 100, GRACE_MS = 5000 };
	bool last = false;
	for (int64_t end = INT64_MAX; c->door.waiting < 0 && !last;) {
		struct pollfd p[] = { { .fd = c->door.listener, .events = POLLIN },
			{ .fd = c->leaving ? -1 : c->control, .events = POLLIN } };
		last = c->ended || pv_patience_now_ms() > end;
		if (poll(p, PV_COUNT_OF(p), last ? 0 : LOOK_MS) <= 0)
			continue;
		if (p[0].revents)
			pv_event_door_take(&c->door);
		if (p[1].revents)
			take_order(c);
		if (c->leaving && end == INT64_MAX)
			end = pv_patience_now_ms() + GRACE_MS;
	}
	return c->door.waiting >= 0 ||
	       pv_fail(reterr, PV_EIO, 0,
		       "the program did not call for its event stream: is it switched off "
		       "(DOTNET_EnableDiagnostics)?");
}

/* Children of the program would call, too, and wait for an answer. */
static void close_door(struct copy *c)
{
	const char *given = getenv(PV_EVENT_PORTS);
	pv_event_session_set(&c->door, PV_EVENT_PORTS, given ? given : "");
}

static bool begin_copying(struct copy *c, struct pv_error *reterr)
{
	c->bytes = malloc(BYTES + PV_THREAD_TIMES_BYTES);
	c->times = c->options.samples ? malloc(sizeof *c->times) : NULL;
	if (!c->bytes || (c->options.samples && !c->times))
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (c->times && !pv_thread_times_open(c->times, c->door.dotnet.pid)) {
		free(c->times); /* whether threads ran is not known then */
		c->times = NULL;
	}
	read_aot_names(c);
	int threads = THREADS + c->options.samples;
	return pv_limits_leave_threads(c->door.dotnet.pid, threads, reterr) &&
	       pv_limits_leave_memory(c->door.dotnet.pid, LEAST_BYTES, reterr) &&
	       open_main(c, reterr) && comes(c, reterr);
}

/* A session (setsid) of its own keeps signals of the terminal away. */
static void stand_apart(int control, const struct pv_event_door *d)
{
	int keep[] = { control, d->listener, d->waiting };
	setsid();
	prctl(PR_SET_NAME, "profview-events");
	signal(SIGPIPE, SIG_IGN);
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	pv_fd_close_all_but(keep, PV_COUNT_OF(keep));
}

static bool open_pipe(struct copy *c, const char *path, struct pv_error *reterr)
{
	c->pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return c->pipe >= 0 || pv_fail(reterr, PV_EIO, 0, "the pipe: %s", strerror(errno));
}

/* A suspended program is resumed in any case. */
static bool begin_at_door(struct copy *c, const char *path, struct pv_error *reterr)
{
	bool expected = c->door.listener >= 0 && c->door.waiting < 0;
	bool piped = open_pipe(c, path, reterr);
	if (expected && !await_call(c, piped ? reterr : NULL))
		return false;
	if (expected)
		close_door(c);
	if (piped && begin_copying(c, reterr))
		return true;
	if (c->door.listener >= 0)
		pv_event_session_resume(&c->door);
	return false;
}

static void run_relay(int control, const struct pv_event_door *d, const char *path)
{
	struct copy c = { .door = *d, .control = control, .pipe = -1, .session = { .fd = -1 } };
	struct order o;
	struct answer a = { 0 };
	stand_apart(control, d);
	if (recv(control, &o, sizeof o, 0) != (ssize_t)sizeof o || o.what != GO)
		return;
	c.options = o.options;
	c.wants_shot = o.options.shot;
	c.shot_ms = INT64_MAX;
	if (o.options.shot_ms)
		c.shot_ms = pv_patience_now_ms() + o.options.shot_ms;
	a.ok = begin_at_door(&c, path, &a.error);
	send(control, &a, sizeof a, MSG_NOSIGNAL);
	if (a.ok) /* also where the other end is closed: the session ends */
		copy_all(&c);
}

/* --- our side */

bool pv_event_relay_start(struct pv_event_relay *ret, const struct pv_event_door *d,
	const char *pipe, struct pv_error *reterr)
{
	int pair[2];
	ret->fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	pair[0] = pv_fd_above_standard(pair[0]);
	pair[1] = pv_fd_above_standard(pair[1]);
	/* Two forks: the relay is no child of ours, so its end needs no wait. */
	pid_t pid = pair[0] < 0 || pair[1] < 0 ? -1 : fork();
	if (pid == 0) {
		if (fork() == 0)
			run_relay(pair[1], d, pipe);
		_exit(0);
	}
	pv_fd_close(&pair[1]);
	if (pid < 0) {
		pv_fd_close(&pair[0]);
		return pv_fail(reterr, PV_EIO, 0, "no process: %s", strerror(errno));
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	ret->fd = pair[0];
	return true;
}

static bool gone(struct pv_error *reterr)
{
	return pv_fail(reterr, PV_EIO, 0, "the process that reads the event stream has ended");
}

bool pv_event_relay_go(
	struct pv_event_relay *r, const struct pv_event_options *o, struct pv_error *reterr)
{
	struct answer a;
	if (!pv_event_relay_expect(r, o, NULL) ||
		!pv_patience_wait(r->fd, POLLIN, pv_patience_now_ms() + ANSWER_MS) ||
		recv(r->fd, &a, sizeof a, 0) != (ssize_t)sizeof a)
		return gone(reterr);
	return a.ok || pv_fail(reterr, a.error.code, 0, "%s", a.error.what);
}

bool pv_event_relay_expect(
	struct pv_event_relay *r, const struct pv_event_options *o, struct pv_error *reterr)
{
	const struct order order = { .what = GO, .options = *o };
	return send(r->fd, &order, sizeof order, MSG_NOSIGNAL) == (ssize_t)sizeof order ||
	       gone(reterr);
}

void pv_event_relay_ended(struct pv_event_relay *r)
{
	const struct order order = { .what = ENDED };
	if (r->fd >= 0)
		send(r->fd, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool pv_event_relay_goes(struct pv_event_relay *r, struct pv_error *reterr)
{
	struct answer a;
	return recv(r->fd, &a, sizeof a, MSG_DONTWAIT) != (ssize_t)sizeof a || a.ok ||
	       pv_fail(reterr, a.error.code, 0, "%s", a.error.what);
}

bool pv_event_relay_shot(struct pv_event_relay *r, struct pv_error *reterr)
{
	const struct order order = { .what = SHOT };
	return send(r->fd, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		       (ssize_t)sizeof order ||
	       gone(reterr);
}

void pv_event_relay_leave(struct pv_event_relay *r)
{
	pv_fd_close(&r->fd);
}
