/* SPDX-License-Identifier: MIT */
/* The writer's thread: its start and end, waiting for work, and sending to the sink. */
#include "probe/core/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/core/backpressure.h"
#include "probe/core/emit.h"
#include "probe/core/writer_park.h"
#include "probe/core/writer_rest.h"

enum {
	SOON_MS = 10,     /* until the counter is calibrated, and where new code is to be known */
	ROUND_MS = 80,    /* between two rounds: a kill loses less than a tick */
	WAKE_CHUNKS = 16, /* before the hot memory has left the caches */
	STOP_POLL_MS = 20,
	UNREAD_MS = 1000,
	LONGEST_STOP_MS = 10000, /* and linger, however slowly the reader takes */
	STACK = 256 << 10,
	OVERHEAD_RUNS = 20,
	OVERHEAD_PAIRS = 100,
	MS = 1000000, /* ns */
	SECOND = 1000 * MS,
	CALIBRATE_NS = 50 * MS,
};

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

/* The session's writer; under the core's lock. Kept after the end for waiters in flush. */
static struct pvp_writer *current;
static pthread_cond_t flushed = PTHREAD_COND_INITIALIZER;
static uint32_t sessions;

static uint64_t ms_ago(uint64_t since)
{
	return (pvp_monotonic() - since) / MS;
}

/* So many ms after a time of pvp_monotonic(). */
static void deadline(struct timespec *t, uint64_t since, uint64_t ms)
{
	uint64_t ns = since + ms * MS;
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
}

/* ---- the sink's questions */

static bool stopping(struct pvp_writer *w)
{
	pthread_mutex_lock(&pvp_core.lock);
	bool stop = w->stopping;
	pthread_mutex_unlock(&pvp_core.lock);
	return stop;
}

/* The sink calls this while nothing can be written. */
static int patience(void *ctx, bool moved)
{
	struct pvp_writer *w = ctx;
	pvp_writer_outlived(w);
	if (moved)
		w->stuck_since = 0;
	pvp_backpressure_sink(true, 0);
	pthread_mutex_lock(&pvp_core.lock);
	bool moving = w->moving;
	pthread_mutex_unlock(&pvp_core.lock);
	w->sink.leaving = moving;
	if (moving)
		return -1;
	if (!stopping(w))
		return PVP_TICK_MS;
	if (!w->stuck_since)
		w->stuck_since = pvp_monotonic();
	bool enough = ms_ago(w->stuck_since) >= w->config.linger_ms ||
		      ms_ago(w->stop_since) >= LONGEST_STOP_MS + w->config.linger_ms;
	return enough ? -1 : STOP_POLL_MS;
}

static void rest(void *ctx, int ms)
{
	(void)ctx;
	struct timespec t;
	/* A full disk or no reader may last forever. */
	atomic_store(&pvp_core.block, false);
	deadline(&t, pvp_monotonic(), (uint64_t)ms);
	pthread_mutex_lock(&pvp_core.lock);
	pthread_cond_timedwait(&pvp_core.wake, &pvp_core.lock, &t);
	pthread_mutex_unlock(&pvp_core.lock);
}

/* ---- sending */

static void use_sink(struct pvp_writer *w, const struct pvp_sink *s)
{
	uint64_t written = w->sink.written;
	w->sink = *s;
	w->sink.path = w->config.output;
	w->sink.patience = patience;
	w->sink.rest = rest;
	w->sink.ctx = w;
	w->sink.written = written;
}

/* Changes to the requested sink, if any. */
static bool move(struct pvp_writer *w)
{
	pthread_mutex_lock(&pvp_core.lock);
	bool wanted = w->moving;
	struct pvp_sink next = w->next, before = w->sink;
	if (wanted) {
		w->header.args.len =
			pvp_args_turn(w->args, sizeof w->args, w->config.output, w->next_path);
		memcpy(w->config.output, w->next_path, sizeof w->next_path);
		use_sink(w, &next);
		w->moving = false;
	}
	pthread_mutex_unlock(&pvp_core.lock);
	if (wanted)
		pvp_sink_close(&before, false);
	return wanted;
}

static void take_commands(struct pvp_writer *w)
{
	pthread_mutex_lock(&pvp_core.lock);
	bool hello = w->hello_wanted;
	w->hello_wanted = false;
	pthread_mutex_unlock(&pvp_core.lock);
	if (move(w) || hello)
		w->began = false;
}

/* Tells the host, which may save work, whether there is a reader. */
static void note_unread(struct pvp_writer *w, bool unread)
{
	if (!unread || !w->unread_since)
		w->unread_since = unread ? pvp_monotonic() : 0;
	bool long_since = unread && ms_ago(w->unread_since) >= UNREAD_MS;
	/*
	 * A writer that waits here ends no round, but the host and others ask whether there is a
	 * reader.
	 */
	pthread_mutex_lock(&pvp_core.lock);
	pvp_writer_note(w);
	pthread_mutex_unlock(&pvp_core.lock);
	if (long_since == w->unread_reported || !w->host->on_reader_lost || (unread && !long_since))
		return;
	w->unread_reported = long_since;
	w->host->on_reader_lost(long_since);
}

/* Writes header and names for a new reader. */
static void begin_stream(struct pvp_writer *w)
{
	move(w);
	w->sink.leaving = false;
	bool there = pvp_sink_reopen(&w->sink);
	note_unread(w, !there && !w->sink.dead);
	if (!there) {
		int ms = w->sink.dead ? -1 : patience(w, false);
		w->failed = ms < 0 && !w->sink.leaving;
		if (ms >= 0)
			rest(w, ms);
		return;
	}
	if (w->streams) /* the time of this reader's log begins here */
		pvp_args_joined(w->args, sizeof w->args, &w->header.args.len, w->start_ns);
	struct iovec part = { w->head, mlpd_put_header(w->head, sizeof w->head, &w->header) };
	w->began = w->greeting = true;
	w->streams++;
	if (pvp_writer_send(w, &part, 1))
		pvp_tell_again(w);
	pvp_sink_head_ends(&w->sink);
	w->greeting = false;
}

static size_t bytes_of(const struct iovec *parts, int n)
{
	size_t bytes = 0;
	for (int i = 0; i < n; i++)
		bytes += parts[i].iov_len;
	return bytes;
}

static bool send_parts(struct pvp_writer *w, const struct iovec *parts, int n)
{
	while (!w->failed) {
		if (!w->began) {
			if (w->greeting || w->amid)
				return false;
			begin_stream(w);
			continue;
		}
		w->sink.amid = w->greeting || w->amid;
		switch (pvp_sink_send(&w->sink, parts, n)) {
		case PVP_SENT:
			atomic_store(&pvp_core.block, w->config.block);
			pvp_backpressure_sink(false, bytes_of(parts, n));
			return true;
		case PVP_READER_GONE:
			w->began = false;
			break;
		case PVP_FULL:
			w->full = true;
			/* fall through */
		case PVP_GAVE_UP:
			w->failed = true;
			break;
		}
	}
	return false;
}

bool pvp_writer_send(struct pvp_writer *w, const struct iovec *parts, int n)
{
	bool already = atomic_exchange(&pvp_core.sending, true); /* true while greeting */
	bool ok = send_parts(w, parts, n);
	if (!ok)
		atomic_store(&pvp_core.block, false);
	atomic_store(&pvp_core.sending, already);
	return ok;
}

/* ---- the thread */

/* Waits for the next round's reason. True: the session shall end. */
static bool wait_for_work(struct pvp_writer *w, uint64_t *ret_wanted)
{
	bool calibrates = w->calibrator.usable && !pvp_core.clock.mult;
	bool soon = calibrates || w->round_ns < w->soon_until_ns;
	struct timespec t;
	deadline(&t, w->round_ns, soon ? SOON_MS : ROUND_MS);
	pthread_mutex_lock(&pvp_core.lock);
	while (!w->stopping && !pvp_writer_parking() && w->flush_wanted == w->flush_done &&
		pvp_core.queued < pvp_core.wake_at && !atomic_load(&pvp_backpressure.wanted) &&
		!atomic_load(&pvp_core.hurry))
		if (pthread_cond_timedwait(&pvp_core.wake, &pvp_core.lock, &t) == ETIMEDOUT)
			break;
	if (atomic_exchange(&pvp_core.hurry, false)) /* for the events directly after, too */
		w->soon_until_ns = w->round_ns + 2 * ROUND_MS * MS;
	*ret_wanted = w->flush_wanted;
	bool stop = w->stopping;
	pthread_mutex_unlock(&pvp_core.lock);
	return stop;
}

static void keep_time(struct pvp_writer *w)
{
	struct pvp_calibration c;
	if (pvp_core.clock.mult && pvp_monotonic() - pvp_core.clock.base < CALIBRATE_NS)
		return;
	if (!pvp_calibrate(&w->calibrator, &c))
		return;
	if (w->host->speed) {
		c.base = w->start_ns + (c.base - w->start_ns) * w->host->speed();
		c.mult *= w->host->speed();
	}
	pthread_mutex_lock(&pvp_core.lock);
	pvp_core.clock = c;
	pvp_poke_all();
	pthread_mutex_unlock(&pvp_core.lock);
}

static void say_flushed(struct pvp_writer *w, uint64_t wanted)
{
	pthread_mutex_lock(&pvp_core.lock);
	pvp_writer_note(w);
	w->flush_done = wanted;
	pthread_cond_broadcast(&flushed);
	pthread_mutex_unlock(&pvp_core.lock);
}

/* Whether there is somebody to write for; the last round waits for him. */
static bool ready(struct pvp_writer *w, bool last)
{
	w->began = w->began && !pvp_sink_is_unread(&w->sink);
	if (!w->began)
		atomic_store(&pvp_core.block, false);
	if (w->began || w->failed)
		return true;
	if (!last && !pvp_sink_reopen(&w->sink) && !w->sink.dead) {
		pvp_backpressure_sink(true, 0);
		note_unread(w, true);
		return false;
	}
	while (!w->began && !w->failed)
		begin_stream(w);
	return true;
}

void *pvp_writer_run(void *arg)
{
	struct pvp_writer *w = arg;
	pvp_guard_on(); /* forever: nothing on this thread is an event */
	pvp_tls.muted = true;
	w->tid = (uint64_t)syscall(SYS_gettid);
	atomic_store(&pvp_backpressure.writer, w->tid);
	prctl(PR_SET_NAME, "profview");
	if (w->host->start)
		w->host->start();
	pvp_writer_work(w);
	if (pvp_writer_outlived(w))
		pvp_worker_is_last();
	return NULL;
}

void pvp_writer_work(struct pvp_writer *w)
{
	uint64_t wanted = 0;
	w->round_ns = pvp_monotonic();
	say_flushed(w, w->flush_done);
	ready(w, false);
	for (bool last = false; !last;) {
		pvp_writer_outlived(w);
		last = wait_for_work(w, &wanted);
		keep_time(w);
		take_commands(w);
		if (!ready(w, last)) {
			say_flushed(w, w->flush_done);
			if (pvp_writer_parks(w))
				return;
			rest(w, PVP_TICK_MS);
			continue;
		}
		if (atomic_load(&pvp_backpressure.wanted))
			pvp_take_back();
		w->asked = wanted != w->flush_done;
		pvp_round(w, last);
		say_flushed(w, wanted);
		if (!last && pvp_writer_parks(w))
			return;
	}
	if (w->host->stop)
		w->host->stop();
	pvp_sink_close(&w->sink, true);
}

/* ---- lifecycle */

/* The runtime's own part of the cost of an enter and a leave, ns. */
static uint64_t measure_way(const struct pvp_writer *w)
{
	uint64_t least = UINT64_MAX;
	for (int run = 0; w->host->calibrate && run < OVERHEAD_RUNS; run++) {
		uint64_t before = pvp_monotonic();
		w->host->calibrate(OVERHEAD_PAIRS);
		uint64_t took = (pvp_monotonic() - before) / OVERHEAD_PAIRS;
		least = took < least ? took : least;
	}
	return w->host->calibrate ? least : 0;
}

/* Cost of an enter and a leave, in ns: the least of several runs. */
static uint32_t measure_overhead(const struct pvp_writer *w)
{
	uint8_t room[2 * PVP_HOT_MAX];
	struct pvp_thread t = { .time = 0 };
	uint64_t least = UINT32_MAX;
	if (w->calibrator.usable)
		t.clock = (struct pvp_calibration){ w->calibrator.tsc, w->calibrator.ns,
			UINT64_C(1) << 31 };
	for (int run = 0; run < OVERHEAD_RUNS; run++) {
		uint64_t before = pvp_monotonic();
		for (uint64_t i = 0; i < OVERHEAD_PAIRS; i++) {
			uint8_t *p = pvp_put_call(&t, room, PVP_ENTER, i << 8, pvp_now(&t.clock));
			pvp_publish(&t, p);
			p = pvp_put_call(&t, p, PVP_LEAVE, i << 8, pvp_now(&t.clock));
			pvp_publish(&t, p);
		}
		uint64_t took = (pvp_monotonic() - before) / OVERHEAD_PAIRS;
		least = took < least ? took : least;
	}
	return (uint32_t)(least + measure_way(w));
}

/* Reads the name of the first thread: the thread that begins a recording may have another name. */
static void name_process(char to[16], pid_t process)
{
	if (pv_proc_read(process, "comm", to, 16) <= 0)
		prctl(PR_GET_NAME, to);
	to[strcspn(to, "\n")] = 0;
}

static void fill_header(struct pvp_writer *w)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t now = pvp_monotonic();
	uint64_t real = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
	w->start_ns = w->host->began ? w->host->began : now;
	const char *words = w->host->enabled_events ? w->host->enabled_events() : NULL;
	pvp_args_draw_id(&w->config);
	pvp_args_find_command(&w->config, w->host->process);
	size_t n = pvp_args_describe(&w->config, w->host->name, words, w->args, sizeof w->args);
	w->header = (struct mlpd_header){
		.format = format,
		.start_time_ms = (real - (now - w->start_ns)) / SECOND * 1000,
		.startup_ns = w->start_ns,
		.timer_overhead_ns = measure_overhead(w),
		.pid = (uint32_t)(w->host->process ? w->host->process : getpid()),
		.args = { w->args, n },
#if defined(__x86_64__)
		.arch = { "x86-64", 6 },
#elif defined(__aarch64__)
		.arch = { "armv8", 5 },
#else
		.arch = { "unknown", 7 },
#endif
		.os = { "linux", 5 },
	};
	name_process(w->comm, w->host->process);
	pvp_children_look_first(&w->children, w->host);
}

static void free_writer(struct pvp_writer *w)
{
	if (w->moving)
		pvp_sink_forget(&w->next);
	pv_map_finish(&w->described);
	free(w->tree);
	pv_array_finish(&w->scratch.pool);
	pv_array_finish(&w->scratch.descs);
	pv_array_finish(&w->scratch.values);
	free(w);
}

/* Under the lock: from here on events are taken. */
static void open_session(struct pvp_writer *w)
{
	size_t chunks = pvp_pool_chunks(pvp_core.pool);
	pvp_core.wake_at = chunks / 8 < WAKE_CHUNKS ? chunks / 8 : WAKE_CHUNKS;
	pvp_core.queued = 0;
	pvp_backpressure_reset();
	pvp_core.clock = (struct pvp_calibration){ 0 };
	atomic_store(&pvp_core.calls, w->config.calls);
	atomic_store(&pvp_core.alloc, w->config.alloc);
	atomic_store(&pvp_core.marks, w->config.marks);
	atomic_store(&pvp_core.paused, false);
	atomic_store(&pvp_core.block, false);
	atomic_store(&pvp_core.pauses, 0);
	atomic_store(&pvp_groups_off, 0);
	atomic_store(&pvp_core.orphans, 0);
	if (++sessions == 0)
		sessions = 1;
	pvp_core.writing = sessions;
	current = w;
	atomic_store_explicit(&pvp_core.session, sessions, memory_order_release);
}

/* Under the lock: no thread writes any more. */
static void close_session(void)
{
	atomic_store_explicit(&pvp_core.session, 0, memory_order_release);
	pvp_core.writing = 0;
	current = NULL;
	if (pvp_core.pool)
		pvp_pool_retire(pvp_core.pool);
	pvp_core.pool = NULL;
	for (struct pvp_thread *t = pvp_core.threads, *next; t; t = next) {
		next = t->next;
		if (t->exited)
			pvp_thread_remove(t);
	}
	pthread_cond_broadcast(&flushed);
}

static int init_conditions(void)
{
	pthread_condattr_t attr;
	int error = pthread_condattr_init(&attr);
	if (error)
		return error;
	error = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (!error)
		error = pthread_cond_init(&pvp_core.wake, &attr);
	if (!error)
		error = pthread_cond_init(&flushed, &attr);
	pthread_condattr_destroy(&attr);
	return error;
}

int pvp_writer_start(const struct pvp_config *config, const struct pvp_host *host)
{
	static bool ready_once;
	int error = pvp_threads_init();
	if (!error && !ready_once)
		error = init_conditions();
	if (error)
		return error;
	ready_once = true;
	struct pvp_writer *w = calloc(1, sizeof *w);
	if (!w)
		return ENOMEM;
	w->config = *config;
	w->host = host;
	pvp_calibrator_init(&w->calibrator);
	fill_header(w);
	struct pvp_sink sink;
	error = pvp_sink_open(&sink, w->config.output, &w->config);
	if (error)
		goto fail;
	use_sink(w, &sink);
	error = ENOMEM;
	if (!pvp_lock())
		goto fail_sink;
	pvp_core.pool = pvp_pool_create(config->buffer);
	bool opened = pvp_core.pool;
	if (opened)
		open_session(w);
	pvp_unlock();
	if (opened)
		error = pvp_worker_start(&w->worker, STACK, pvp_writer_run, w);
	if (!error)
		return 0;
	if (opened && pvp_lock()) {
		close_session();
		pvp_unlock();
	}
fail_sink:
	pvp_sink_forget(&w->sink);
fail:
	free_writer(w);
	return error;
}

void pvp_writer_end(struct pvp_writer *w)
{
	if (pvp_lock()) {
		close_session();
		pvp_unlock();
	}
	pvp_sink_forget(&w->sink);
	free_writer(w);
}

int pvp_writer_stop(void)
{
	if (!pvp_lock())
		return EALREADY;
	struct pvp_writer *w = current;
	if (w) {
		w->stopping = true;
		w->stop_since = pvp_monotonic();
		pthread_cond_signal(&pvp_core.wake);
	}
	pvp_unlock();
	if (!w)
		return EALREADY;
	pthread_join(w->worker.thread, NULL);
	int result = w->failed ? ETIMEDOUT : 0;
	pvp_writer_end(w);
	return result;
}

int pvp_writer_flush(void)
{
	struct timespec t;
	if (!pvp_lock())
		return EALREADY;
	struct pvp_writer *w = current;
	int error = w ? 0 : EALREADY;
	uint64_t mine = w ? ++w->flush_wanted : 0;
	if (w) {
		deadline(&t, pvp_monotonic(), w->config.linger_ms);
		pthread_cond_signal(&pvp_core.wake);
	}
	while (!error && current == w && w->flush_done < mine)
		error = pthread_cond_timedwait(&flushed, &pvp_core.lock, &t);
	pvp_unlock();
	return error;
}

struct pvp_writer *pvp_writer_now(void)
{
	return current;
}

void pvp_writer_forget(void)
{
	struct pvp_writer *w = current;
	init_conditions();
	atomic_store(&pvp_core.session, 0);
	atomic_store(&pvp_core.block, false);
	atomic_store(&pvp_core.sending, false);
	pvp_core.writing = 0;
	pvp_core.pool = NULL;
	current = NULL;
	if (!w)
		return;
	pvp_sink_forget(&w->sink);
	free_writer(w);
}
