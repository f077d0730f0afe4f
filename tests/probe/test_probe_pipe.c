/* SPDX-License-Identifier: MIT */
/* Readers that are slow, delayed, gone or back again: the program never waits, losses are exact. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

static char path[PROBE_PATH];

static void make_pipe(void)
{
	ck_assert_int_eq(mkfifo(probe_path(path, "pipe"), 0600), 0);
}

static void start(const char *more)
{
	char options[PROBE_PATH + 64];
	/* A busy machine may keep a reader from reading for long. */
	snprintf(options, sizeof options, "output=%s,linger=20000%s", path, more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

/*
 * A reader of its own thread; takes `step` bytes at a time once it may. Before the probe has
 * opened the pipe it may not: a pipe without a writer reads as ended.
 */
struct reader {
	pthread_t thread;
	struct probe_log log;
	int fd;
	size_t step;
	atomic_bool go, slow; /* slow: it naps after each step */
	atomic_size_t taken;
};

static void *read_all(void *arg)
{
	struct reader *r = arg;
	static _Thread_local char bytes[1 << 16];
	while (!atomic_load(&r->go))
		probe_nap();
	for (;;) {
		ssize_t n = read(r->fd, bytes, r->step);
		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = r->fd, .events = POLLIN };
			poll(&p, 1, 1000);
			continue;
		}
		if (n <= 0)
			break;
		if (atomic_load(&r->slow))
			probe_nap();
		atomic_fetch_add(&r->taken, (size_t)n);
		probe_log_feed(&r->log, bytes, (size_t)n);
	}
	probe_log_end(&r->log);
	return NULL;
}

static void reader_start(struct reader *r, size_t step)
{
	*r = (struct reader){ .step = step };
	probe_log_init(&r->log);
	r->fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(r->fd, 0);
	ck_assert_int_eq(pthread_create(&r->thread, NULL, read_all, r), 0);
}

static void reader_join(struct reader *r)
{
	pthread_join(r->thread, NULL);
	close(r->fd);
}

START_TEST(one_byte_at_a_time)
{
	struct reader r;
	make_pipe();
	reader_start(&r, 1);
	start("");
	session_emit(30000, 0, 300);
	atomic_store(&r.go, true);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	ck_assert_uint_eq(probe_log_events(&r.log), 60000);
	ck_assert_uint_eq(r.log.lost, 0);
	probe_log_finish(&r.log);
}
END_TEST

/* The reader sleeps until far more was emitted than the buffers hold; then it takes all. */
START_TEST(losses_are_counted_exactly)
{
	enum { PAIRS = 2000000 };
	struct reader r;
	make_pipe();
	reader_start(&r, 1 << 16);
	start(",buffer=256k");
	int64_t before = probe_now_ms();
	session_emit(PAIRS, 0, 300);
	ck_assert_int_lt(probe_now_ms() - before, PROBE_DEADLINE_MS);
	atomic_store(&r.go, true);
	size_t taken = 0;
	PROBE_WAIT((taken = atomic_load(&r.taken)) > 100000);
	session_emit(1000, 0, 300); /* the gap is over, or these are lost too */
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	ck_assert_uint_gt(r.log.lost, PAIRS);
	ck_assert_uint_eq(probe_log_events(&r.log) + r.log.lost, 2 * (PAIRS + 1000));
	probe_log_finish(&r.log);
}
END_TEST

/* All that is there now. */
static void take(int fd, struct probe_log *log)
{
	static char bytes[1 << 16];
	ssize_t n;
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		probe_log_feed(log, bytes, (size_t)n);
}

/* A reader goes and another comes, before the writer's next check: the stream begins anew for him.
 */
START_TEST(a_reader_takes_the_place_of_another)
{
	enum { READERS = 20 };
	make_pipe();
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	start("");
	for (int i = 0; i < READERS; i++) {
		struct probe_log log;
		probe_log_init(&log);
		session_emit(400, 0, 300);
		ck_assert_int_eq(pvp_session_flush(), 0);
		take(fd, &log);
		/* A reader that opens it and goes again changes nothing. */
		close(open(path, O_RDONLY | O_NONBLOCK));
		session_emit(400, 0, 300);
		ck_assert_int_eq(pvp_session_flush(), 0);
		take(fd, &log);
		close(fd);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		ck_assert_int_ge(fd, 0);
		probe_log_end(&log);
		probe_log_check(&log);
		ck_assert_uint_eq(probe_log_events(&log), 1600);
		probe_log_finish(&log);
	}
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(fd);
}
END_TEST

static void *emit_many(void *pairs)
{
	session_emit(*(const uint64_t *)pairs, 0, 300);
	return NULL;
}

START_TEST(losses_of_many_threads_add_up)
{
	enum { THREADS = 6 };
	static const uint64_t pairs = 200000;
	struct reader r;
	pthread_t t[THREADS];
	make_pipe();
	reader_start(&r, 512);
	start(",buffer=256k");
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&t[i], NULL, emit_many, (void *)(uintptr_t)&pairs), 0);
	atomic_store(&r.go, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	uint64_t starts = 0, ends = 0;
	for (size_t i = 0; i < r.log.threads.n; i++) {
		const struct probe_thread *one = &r.log.threads.v[i];
		starts += one->starts;
		ends += one->ends;
		if (one->enters || one->lost)
			ck_assert_uint_eq(one->enters + one->leaves + one->lost, 2 * pairs);
	}
	ck_assert_uint_eq(probe_log_events(&r.log) + r.log.lost, THREADS * 2 * pairs);
	ck_assert_uint_eq(starts, THREADS + 1);
	ck_assert_uint_eq(ends, THREADS);
	probe_log_finish(&r.log);
}
END_TEST

static void *count_up(void *arg)
{
	profview_class_id type = profview_class("numbered");
	for (uint64_t i = 0; i < *(const uint64_t *)arg; i++)
		profview_alloc(type, NULL, i);
	return NULL;
}

/* Numbered events: every hole in the numbers is exactly what the loss standing there says. */
START_TEST(losses_stand_where_they_happened)
{
	enum { THREADS = 3 };
	static const uint64_t n = 400000;
	struct reader r;
	pthread_t t[THREADS];
	make_pipe();
	reader_start(&r, 4096);
	start(",buffer=256k");
	atomic_store(&r.slow, true);
	atomic_store(&r.go, true);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, count_up, (void *)(uintptr_t)&n), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	atomic_store(&r.slow, false);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	ck_assert_uint_eq(r.log.misnumbered, 0);
	ck_assert_uint_eq(r.log.n[PV_KIND_ALLOC] + r.log.lost, THREADS * n);
	ck_assert_uint_gt(r.log.lost, 0);
	ck_assert_uint_gt(r.log.n[PV_KIND_COUNTERS_SAMPLE], 0); /* gaps */
	probe_log_finish(&r.log);
}
END_TEST

START_TEST(names_are_never_lost)
{
	enum { METHODS = 3000 };
	struct reader r;
	make_pipe();
	reader_start(&r, 1 << 16);
	start(",buffer=256k");
	for (unsigned i = 0; i < 40 * METHODS; i++) {
		pvp_call(PVP_ENTER, pvp_fake_key(i % METHODS));
		pvp_call(PVP_LEAVE, pvp_fake_key(i % METHODS));
	}
	atomic_store(&r.go, true);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log); /* each method that occurs has its name before */
	ck_assert_uint_gt(r.log.n[PV_KIND_METHOD_JIT], 0);
	probe_log_finish(&r.log);
}
END_TEST

START_TEST(a_stalled_reader_delays_the_end_by_linger_only)
{
	struct reader r;
	make_pipe();
	reader_start(&r, 1 << 16);
	start(",buffer=4m,linger=100");
	session_emit(1000000, 0, 300);
	ck_assert_int_eq(pvp_session_flush(), ETIMEDOUT);
	int64_t before = probe_now_ms();
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	int64_t took = probe_now_ms() - before;
	ck_assert_int_ge(took, 100);
	ck_assert_int_lt(took, 10000);
	atomic_store(&r.go, true);
	reader_join(&r);
	ck_assert_uint_eq(r.log.headers, 1);
	ck_assert_uint_eq(r.log.unnamed, 0);
	ck_assert_uint_gt(probe_log_events(&r.log), 10000); /* as much as fitted into the pipe */
	probe_log_finish(&r.log);
}
END_TEST

START_TEST(there_is_never_a_reader)
{
	make_pipe();
	start(",buffer=256k,linger=50");
	session_emit(300000, 0, 300);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	ck_assert_int_eq(pvp_session_stop(), EALREADY);
}
END_TEST

START_TEST(a_reader_may_come_after_their_use)
{
	struct reader r;
	make_pipe();
	start("");
	session_emit(20000, 0, 300);
	reader_start(&r, 4096);
	session_emit(20000, 0, 300);
	ck_assert_int_eq(pvp_session_flush(), 0); /* the probe has found the reader */
	atomic_store(&r.go, true);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	ck_assert_uint_eq(probe_log_events(&r.log) + r.log.lost, 80000);
	ck_assert_uint_eq(r.log.lost, 0);
	probe_log_finish(&r.log);
}
END_TEST

static atomic_int broken_pipes;

static void on_broken_pipe(int number)
{
	(void)number;
	atomic_fetch_add(&broken_pipes, 1);
}

/* The next reader gets a stream of its own: header, all names, and what happens from then on. */
START_TEST(a_reader_leaves_and_another_comes)
{
	enum { SECOND = 5000 };
	static char bytes[4096];
	struct reader r;
	signal(SIGPIPE, on_broken_pipe);
	make_pipe();
	int first = open(path, O_RDONLY | O_NONBLOCK);
	start(",buffer=1m,linger=400");
	profview_thread_name("speaker");
	struct profview_counter *c = profview_counter("value", PROFVIEW_RAW);
	profview_counter_set(c, 1000);
	session_emit(1000, 0, 300);
	ck_assert_int_eq(pvp_session_flush(), 0);
	ck_assert_int_gt(read(first, bytes, sizeof bytes), 0);
	close(first);
	ck_assert_int_eq(pvp_session_flush(), ETIMEDOUT); /* by then it knows */
	session_emit(1000, 0, 300);
	profview_counter_add(c, 1);
	reader_start(&r, 1 << 16);
	session_emit(SECOND, 0, 300);
	ck_assert_int_eq(pvp_session_flush(), 0);
	atomic_store(&r.go, true);
	ck_assert_int_eq(pvp_session_stop(), 0);
	reader_join(&r);
	probe_log_check(&r.log);
	const struct probe_thread *t = probe_log_thread(&r.log, "speaker");
	ck_assert_uint_ge(t->enters, SECOND);
	ck_assert_int_eq(probe_log_counter(&r.log, "value")->value, 1001);
	ck_assert_int_eq(atomic_load(&broken_pipes), 0);
	signal(SIGPIPE, SIG_DFL);
	probe_log_finish(&r.log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_pipe");
	TCase *t = tcase_create("pipe");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, one_byte_at_a_time);
	tcase_add_test(t, losses_are_counted_exactly);
	tcase_add_test(t, a_reader_takes_the_place_of_another);
	tcase_add_test(t, losses_of_many_threads_add_up);
	tcase_add_test(t, losses_stand_where_they_happened);
	tcase_add_test(t, names_are_never_lost);
	tcase_add_test(t, a_stalled_reader_delays_the_end_by_linger_only);
	tcase_add_test(t, there_is_never_a_reader);
	tcase_add_test(t, a_reader_may_come_after_their_use);
	tcase_add_test(t, a_reader_leaves_and_another_comes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
