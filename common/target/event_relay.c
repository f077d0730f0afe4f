#include "common/target/event_relay.h"

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

#include "common/io/fd.h"
#include "common/target/aot_names.h"
#include "common/target/event_frames.h"
#include "common/target/event_session.h"
#include "common/target/join_ways.h"
#include "common/target/process_limits.h"
#include "common/target/patience.h"
#include "common/target/thread_times.h"

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
	TYPES = 0x80000,
	HEAP_DUMP = 0x100000,
	HEAP_COLLECT = 0x800000,
	HEAP_NAMES = 0x1000000,
	TIME_SERIES = 0x2 /* of the meters: MetricsEventSource.cs */
};
#define ALLOCATION_SAMPLING UINT64_C(0x80000000000)
#define PRECOMPILED         UINT64_C(0x2000000000) /* methods that come with code, at their first use */
#define METHODS             (LOADER | JIT | NGEN | PRECOMPILED)
#define ALWAYS              (EXCEPTION | CONTENTION | THREADING | METHODS)

/*
 * Events of these groups of which nothing is made here: segments, finalizers, pins and marking of a
 * collection, finally and filters of exceptions, locks that are made, memory
 * and look-ups of the compiler, and of the thread pool all but how many workers it wants: when they
 * start, wait and end. Each costs the program a walk of its stack, and a thrown exception has many.
 */
static const uint32_t unread[] = { 5, 6, 13, 14, 29, 33, 35, 39, 44, 45, 46, 47, 50, 51, 52, 53, 54,
	56, 57, 60, 63, 65, 70, 71, 90, 146, 160, 202, 204, 205, 209, 252, 253, 254, 255, 256 };

enum { INFORMATIONAL = 4, VERBOSE = 5 };
enum {
	BYTES = 1 << 20, /* on their way from a session into the pipe */
	MAIN_MB = 64,
	NAMES_MB = 64,
	SHOT_MB = 1024,    /* a shot is written while the program stands: all of it must fit */
	LEAVE_MS = 2000,   /* that the rest of a session may take when the pipe is closed */
	NAMES_MS = 10000,  /* and that all names may take */
	OPEN_MS = 5000,    /* for opening a session, and */
	SHOT_MS = 60000,   /* for one that makes a collection and lists the heap first */
	ANSWER_MS = 20000, /* for all until the first is open */
	FIRST_MS = 5000,   /* until there is more of a session than its head */
	THREADS = 4,       /* that the runtime makes for what is read here, and one if it samples */
	LEAST_BYTES = 10 << 20, /* that it needs for that, with a small buffer */
	SHORTEST_MS = 2000,     /* that a session with meters goes on at least */
	STUCK_MS = 5000         /* a pipe that takes nothing for so long is given up */
};

/* From us to the process: one of these and, for GO, the options. */
enum { GO = 'g', SHOT = 's' };

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
	struct pv_event_session session; /* the one that goes on, */
	int64_t opened_ms;               /* since then */
	struct pv_event_frames frames;   /* of its stream */
	struct pv_thread_times *times;   /* that are put into it; NULL: none */
	uint8_t *bytes;                  /* with room for one reading of those more */
	size_t from, to;                 /* in bytes: what the pipe has not taken yet */
	int64_t took_ms;                 /* when it took something last */
	int64_t shot_ms;                 /* when the next shot is due; INT64_MAX: never */
	bool wants_shot, leaving;
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
		c->wants_shot |= o.what == SHOT;
}

/*
 * After a read from the session that goes on. The runtime writes what happened up to a moment at once:
 * how long threads ran until then was read just before, and goes before it where objects begin.
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
static enum turn turn(struct copy *c, int stream, int64_t end_ms)
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

/* Drops what a stream has until then: it must be read while its end is awaited. */
static void drop(struct copy *c, const struct pv_event_session *s, int64_t end)
{
	while (pv_patience_wait(s->fd, POLLIN, end)) {
		ssize_t n = read(s->fd, c->bytes, BYTES);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
	}
}

/* Ends a session and copies what is left of its stream, within that time; false: the pipe is closed. */
static bool end_session(struct copy *c, struct pv_event_session *s, int ms)
{
	enum turn t = GOES_ON;
	int stop = pv_event_session_stop(s, &c->door);
	for (int64_t end = pv_patience_now_ms() + ms; t == GOES_ON && pv_patience_now_ms() < end;)
		t = turn(c, s->fd, end);
	if (t == PIPE_CLOSED)
		drop(c, s, pv_patience_now_ms() + LEAVE_MS);
	pv_event_session_close(s);
	pv_fd_close(&stop);
	return t != PIPE_CLOSED;
}

/*
 * Ends the session that goes on. .NET's listener of meters makes a thread, and waits for it when it is
 * stopped, under a lock that this thread wants, too, as long as it begins: a session that is ended too
 * soon hangs the diagnostics server for good (seen with 10.0.12, on a machine with much to do). A
 * program that ends by itself in that moment hangs likewise; nothing here can help it.
 */
static bool end_main(struct copy *c, int ms)
{
	int64_t end = c->opened_ms + SHORTEST_MS;
	enum turn t = GOES_ON;
	while (t == GOES_ON && pv_patience_now_ms() < end)
		t = turn(c, c->session.fd, end);
	if (t == PIPE_CLOSED)
		drop(c, &c->session, end);
	return end_session(c, &c->session, ms);
}

/*
 * Meters that the runtime and its libraries have, from .NET 8 and 9 on. Of the runtime's own not those
 * of the thread pool and of timers, which are counters of System.Runtime, too: the first look at the
 * pool makes an event source, which waits for a session that just ends, which waits for the thread of
 * meters, and a program that ended in that moment hung for ever (.NET 10).
 */
#define RUNTIMES(name) "System.Runtime\\dotnet." name ","
#define METERS                                                                                     \
	RUNTIMES("gc.collections")                                                                 \
	RUNTIMES("gc.heap.total_allocated")                                                        \
	RUNTIMES("gc.last_collection.memory.committed_size")                                       \
	RUNTIMES("gc.last_collection.heap.size")                                                   \
	RUNTIMES("gc.last_collection.heap.fragmentation.size")                                     \
	RUNTIMES("gc.pause.time")                                                                  \
	RUNTIMES("jit.compiled_il.size")                                                           \
	RUNTIMES("jit.compiled_methods")                                                           \
	RUNTIMES("jit.compilation.time")                                                           \
	RUNTIMES("monitor.lock_contentions")                                                       \
	RUNTIMES("assembly.count")                                                                 \
	RUNTIMES("exceptions")                                                                     \
	RUNTIMES("process.cpu.count")                                                              \
	RUNTIMES("process.cpu.time")                                                               \
	RUNTIMES("process.memory.working_set")                                                     \
	"Microsoft.AspNetCore.Hosting,Microsoft.AspNetCore.Server.Kestrel,System.Net.Http"
enum { SERIES = 1000, HISTOGRAMS = 100, SOURCES = 8 };
#define COUNTERS "EventCounterIntervalSec=1"

/*
 * Since .NET 8 tools share one session of meters, if they want the same limits. The client's name is
 * another one each time: the end of a session that was known under it may still be on its way.
 */
static void meter_args(char *to, size_t room, const char *more)
{
	static unsigned sessions;
	snprintf(to, room,
		"SessionId=SHARED;Metrics=" METERS "%s%s;RefreshInterval=1;MaxTimeSeries=%d;"
		"MaxHistograms=%d;ClientId=profview-%ld-%u",
		*more ? "," : "", more, SERIES, HISTOGRAMS, (long)getpid(), ++sessions);
}

/* A name that is no pattern may be that of an event source with counters of its own, too. */
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

/* The runtime takes as much as it needs of this: it must not be ended for it. */
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
	char meters[PV_EVENT_METERS + sizeof METERS + 200], sources[PV_EVENT_METERS];
	meter_args(meters, sizeof meters, c->options.meters);
	snprintf(sources, sizeof sources, "%s", c->options.meters);
	struct pv_event_group group[4 + SOURCES] = {
		{ runtime, ALWAYS | GC | ALLOCATION_SAMPLING, VERBOSE, NULL, unread,
			PV_COUNT_OF(unread) },
		{ "System.Runtime", 0, INFORMATIONAL, COUNTERS, NULL, 0 },
		{ "System.Diagnostics.Metrics", TIME_SERIES, INFORMATIONAL, meters, NULL, 0 },
		{ sampler, 0, INFORMATIONAL, NULL, NULL, 0 },
	};
	size_t n = c->options.samples ? 4 : 3;
	n += add_sources(group + n, SOURCES, sources);
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

/* Bytes of our own into the pipe; false: it is closed, or stuck. */
static bool copy_bytes(struct copy *c, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t room = c->to < BYTES ? BYTES - c->to : 0, part = n < room ? n : room;
		memcpy(c->bytes + c->to, bytes, part);
		c->to += part;
		bytes += part;
		n -= part;
		if (c->to >= BYTES && turn(c, -1, pv_patience_now_ms() + STUCK_MS) == PIPE_CLOSED)
			return false;
	}
	return true;
}

/* The sessions are of the number that the process has where it lives. */
static bool copy_aot_names(struct copy *c)
{
	struct pv_aot_names names;
	pid_t pid = c->door.dotnet.pid;
	if (!pv_aot_names(&names, pid, (uint32_t)pv_foreign_inner_pid(pid)))
		return true; /* frames are shown by their addresses then */
	bool ok = copy_bytes(c, names.stream.v, names.stream.n);
	pv_array_finish(&names.stream);
	return ok;
}

/*
 * All methods that have code now. NativeAOT has none, and older runtimes write more. What is
 * compiled meanwhile stands in the main session, which is open already and not read yet.
 */
static bool copy_names(struct copy *c)
{
	if (c->door.listener < 0 && pv_dotnet_is_aot(c->door.dotnet.pid))
		return copy_aot_names(c);
	const struct pv_event_group group[] = { { runtime, 0, 0, NULL, NULL, 0 } };
	const struct pv_event_wish wish = { .group = group,
		.n = 1,
		.buffer_mb = buffer_mb(c, NAMES_MB),
		.wait_ms = OPEN_MS,
		.rundown = LOADER | JIT | NGEN | 0x40 };
	struct pv_event_session names;
	if (!pv_event_session_open(&names, &c->door, &wish, NULL))
		return true; /* frames are shown by their addresses then */
	return end_session(c, &names, NAMES_MS);
}

/*
 * The collection that a shot is taken in is made while the session is opened. Methods that were
 * compiled between the sessions are among all that have code, which are copied once more.
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
			t = turn(c, c->session.fd, c->shot_ms);
	}
	if (c->session.fd >= 0 && t != STREAM_ENDED)
		goes = end_main(c, LEAVE_MS) && goes;
	for (int64_t end = pv_patience_now_ms() + STUCK_MS;
		goes && c->from < c->to && pv_patience_now_ms() < end;)
		goes = turn(c, -1, end) == GOES_ON;
}

/*
 * A program that was waiting to begin goes on. A runtime that could not make the thread which writes a
 * session says nothing of it: the stream's head comes, and nothing after it.
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

static bool begin(struct copy *c, const char *path, struct pv_error *reterr)
{
	c->pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (c->pipe < 0)
		return pv_fail(reterr, PV_EIO, 0, "the pipe: %s", strerror(errno));
	c->bytes = malloc(BYTES + PV_THREAD_TIMES_BYTES);
	c->times = c->options.samples ? malloc(sizeof *c->times) : NULL;
	if (!c->bytes || (c->options.samples && !c->times))
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (c->times && !pv_thread_times_open(c->times, c->door.dotnet.pid)) {
		free(c->times); /* whether threads ran is not known then */
		c->times = NULL;
	}
	int threads = THREADS + c->options.samples;
	return pv_limits_leave_threads(c->door.dotnet.pid, threads, reterr) &&
	       pv_limits_leave_memory(c->door.dotnet.pid, LEAST_BYTES, reterr) &&
	       open_main(c, reterr) && comes(c, reterr);
}

/* In a session of its own, so that signals of the terminal are not for it. */
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

static void run(int control, const struct pv_event_door *d, const char *path)
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
	a.ok = begin(&c, path, &a.error);
	if (send(control, &a, sizeof a, MSG_NOSIGNAL) == (ssize_t)sizeof a && a.ok)
		copy_all(&c);
}

/* --- this side of it */

bool pv_event_relay_start(struct pv_event_relay *ret, const struct pv_event_door *d,
	const char *pipe, struct pv_error *reterr)
{
	int pair[2];
	ret->fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pv_fail(reterr, PV_EIO, 0, "no socket: %s", strerror(errno));
	pair[0] = pv_fd_above_standard(pair[0]);
	pair[1] = pv_fd_above_standard(pair[1]);
	/* Twice, so that it is not our child: its end needs no wait. */
	pid_t pid = pair[0] < 0 || pair[1] < 0 ? -1 : fork();
	if (pid == 0) {
		if (fork() == 0)
			run(pair[1], d, pipe);
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
	const struct order order = { .what = GO, .options = *o };
	struct answer a;
	if (send(r->fd, &order, sizeof order, MSG_NOSIGNAL) != (ssize_t)sizeof order ||
		!pv_patience_wait(r->fd, POLLIN, pv_patience_now_ms() + ANSWER_MS) ||
		recv(r->fd, &a, sizeof a, 0) != (ssize_t)sizeof a)
		return gone(reterr);
	return a.ok || pv_fail(reterr, a.error.code, 0, "%s", a.error.what);
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
