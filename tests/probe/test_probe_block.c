/* SPDX-License-Identifier: MIT */
/* block=yes: the program waits for its reader, and for nothing else. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"

enum { THREADS = 3, PAIRS = 600000 }; /* several times what the pipe holds */

static char path[PROBE_PATH];
static atomic_uint_fast64_t done;

static void start(const struct pvp_host *host, const char *name, const char *linger)
{
	char options[PROBE_PATH + 64];
	snprintf(options, sizeof options, "output=%s,buffer=256k,block=yes,linger=%s",
		probe_path(path, name), linger);
	ck_assert_int_eq(pvp_session_start(options, host), 0);
}

static void *emit(void *unused)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		pvp_call(PVP_ENTER, pvp_fake_key(i % 300));
		pvp_call(PVP_LEAVE, pvp_fake_key(i % 300));
		atomic_fetch_add(&done, 1);
	}
	return unused;
}

static void run_threads(pthread_t threads[THREADS])
{
	atomic_store(&done, 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, emit, NULL), 0);
}

static void join_threads(const pthread_t threads[THREADS])
{
	PROBE_WAIT(atomic_load(&done) == (uint64_t)THREADS * PAIRS);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int open_pipe(void)
{
	ck_assert_int_eq(mkfifo(probe_path(path, "pipe"), 0600), 0);
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* All threads stand still, with most of their work before them. */
static void wait_until_full(void)
{
	uint64_t seen = 0;
	PROBE_WAIT(pvp_chunks_free() == 0);
	for (int same = 0; same < 20;) {
		uint64_t now = atomic_load(&done);
		same = now == seen ? same + 1 : 0;
		seen = now;
		probe_nap();
	}
	ck_assert_uint_lt(seen, (uint64_t)THREADS * PAIRS);
}

static void *stop(void *unused)
{
	ck_assert_int_eq(pvp_session_stop(), 0);
	return unused;
}

/* The reader takes what is there, until the session has ended. */
static void read_to_the_end(int fd, struct probe_log *log)
{
	static char bytes[1 << 16];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	for (;;) {
		ssize_t n = read(fd, bytes, sizeof bytes);
		if (n == 0)
			return;
		if (n > 0)
			probe_log_feed(log, bytes, (size_t)n);
		else
			poll(&p, 1, 1000);
	}
}

START_TEST(nothing_is_lost)
{
	pthread_t threads[THREADS], stopping;
	struct probe_log log;
	int fd = open_pipe();
	start(&pvp_host_fake, "pipe", "20000");
	PROBE_WAIT(atomic_load(&pvp_core.block)); /* the stream has begun */
	run_threads(threads);
	wait_until_full();
	probe_log_init(&log);
	static char bytes[1 << 12];
	while (atomic_load(&done) < (uint64_t)THREADS * PAIRS) {
		ssize_t n = read(fd, bytes, sizeof bytes);
		if (n > 0)
			probe_log_feed(&log, bytes, (size_t)n);
		else
			probe_nap();
	}
	join_threads(threads);
	ck_assert_int_eq(pthread_create(&stopping, NULL, stop, NULL), 0);
	read_to_the_end(fd, &log);
	pthread_join(stopping, NULL);
	probe_log_end(&log);
	close(fd);
	probe_log_check(&log);
	ck_assert_uint_eq(log.lost, 0);
	ck_assert_uint_eq(probe_log_events(&log), UINT64_C(2) * THREADS * PAIRS);
	probe_log_finish(&log);
}
END_TEST

START_TEST(a_reader_that_leaves_ends_the_wait)
{
	pthread_t threads[THREADS];
	int fd = open_pipe();
	start(&pvp_host_fake, "pipe", "10");
	PROBE_WAIT(atomic_load(&pvp_core.block));
	run_threads(threads);
	wait_until_full();
	close(fd);
	join_threads(threads);
	/* Another one who comes is waited for again. */
	fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	PROBE_WAIT(atomic_load(&pvp_core.block));
	close(fd);
	pvp_session_stop();
}
END_TEST

START_TEST(a_process_with_waiting_threads_forks)
{
	pthread_t threads[THREADS];
	int status, fd = open_pipe();
	start(&pvp_host_fake, "pipe", "10");
	PROBE_WAIT(atomic_load(&pvp_core.block));
	run_threads(threads);
	wait_until_full();
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		emit(NULL); /* it has no writer, and waits for none */
		_exit(0);
	}
	PROBE_WAIT(waitpid(child, &status, WNOHANG) == child);
	ck_assert_int_eq(status, 0);
	close(fd);
	join_threads(threads);
	pvp_session_stop();
}
END_TEST

/* The writer waits for something that a thread holds, as if for a lock of the loader's. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool waits;

static bool tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	(void)w, (void)page, (void)again;
	if (pthread_mutex_trylock(&held) != 0) {
		atomic_store(&waits, true);
		pthread_mutex_lock(&held);
	}
	pthread_mutex_unlock(&held);
	return true;
}

START_TEST(what_the_writer_waits_for_is_not_waited_for)
{
	pthread_t threads[THREADS];
	struct probe_log log;
	struct pvp_host host = pvp_host_fake;
	host.tell = tell;
	start(&host, "log.mlpd", "20000");
	PROBE_WAIT(atomic_load(&pvp_core.block));
	pthread_mutex_lock(&held);
	PROBE_WAIT(atomic_load(&waits));
	run_threads(threads);
	join_threads(threads);
	pthread_mutex_unlock(&held);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_gt(log.lost, 0);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost, UINT64_C(2) * THREADS * PAIRS);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe block");
	TCase *t = tcase_create("block");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, nothing_is_lost);
	tcase_add_test(t, a_reader_that_leaves_ends_the_wait);
	tcase_add_test(t, a_process_with_waiting_threads_forks);
	tcase_add_test(t, what_the_writer_waits_for_is_not_waited_for);
	suite_add_tcase(s, t);
	return run_suite(s);
}
