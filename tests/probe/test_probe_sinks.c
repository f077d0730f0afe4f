/* SPDX-License-Identifier: MIT */
/* Ways of a log: commands, descriptors, bounded and compressed files. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

static char path[PROBE_PATH], other[PROBE_PATH];

static off_t size_of(const char *name)
{
	struct stat st;
	return stat(name, &st) == 0 ? st.st_size : -1;
}

static void read_whole(struct probe_log *log, const char *name, uint64_t events)
{
	probe_log_read(log, name);
	probe_log_check(log);
	ck_assert_uint_eq(log->lost, 0);
	ck_assert_uint_eq(probe_log_events(log), events);
}

/* ---- commands */

START_TEST(a_command_gets_the_log)
{
	struct probe_log log;
	char output[2 * PROBE_PATH];
	snprintf(output, sizeof output, "|cat >%s; echo done >%s", probe_path(path, "log"),
		probe_path(other, "done"));
	ck_assert_int_eq(session_start(output, ",linger=20000"), 0);
	session_emit(50000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(size_of(other), 5); /* the end waits for it */
	read_whole(&log, path, 100000);
	probe_log_finish(&log);
}
END_TEST

static atomic_int children, pipes;

static void on_signal(int number)
{
	atomic_fetch_add(number == SIGCHLD ? &children : &pipes, 1);
}

/* It dies at once: the program goes on, hears nothing of it and never waits. */
START_TEST(a_command_that_dies)
{
	struct sigaction act = { .sa_handler = on_signal }, child, pipe_before;
	sigaction(SIGCHLD, &act, &child);
	sigaction(SIGPIPE, &act, &pipe_before);
	ck_assert_int_eq(session_start("|exit 3", ",buffer=256k,linger=20000"), 0);
	for (int i = 0; i < 50; i++) {
		session_emit(10000, 0, 30);
		pvp_session_flush();
	}
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	ck_assert_int_eq(atomic_load(&children), 0);
	ck_assert_int_eq(atomic_load(&pipes), 0);
	sigaction(SIGCHLD, &child, NULL);
	sigaction(SIGPIPE, &pipe_before, NULL);
}
END_TEST

/* A command that is profiled itself would start another, and so on. */
START_TEST(a_command_has_a_clean_environment)
{
	char output[2 * PROBE_PATH];
	setenv("PROFVIEW_OPTIONS", "output=x", 1);
	setenv("PROBE_KEPT", "yes", 1);
	snprintf(output, sizeof output,
		"|cat >/dev/null; echo \"$PROBE_KEPT$PROFVIEW_OPTIONS\" >%s",
		probe_path(path, "environment"));
	ck_assert_int_eq(session_start(output, ",linger=20000"), 0);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(size_of(path), 4);
	unsetenv("PROFVIEW_OPTIONS");
	unsetenv("PROBE_KEPT");
}
END_TEST

/* ---- descriptors */

START_TEST(a_file_is_continued)
{
	struct probe_log log;
	char output[32];
	int fd = open(probe_path(path, "log"), O_RDWR | O_CREAT, 0600);
	snprintf(output, sizeof output, "#%d", fd);
	ck_assert_int_eq(session_start(output, ""), 0);
	session_emit(1000, 0, 3);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC); /* open, and not for children */
	read_whole(&log, path, 2000);
	probe_log_finish(&log);
	off_t first = size_of(path);
	ck_assert_int_eq(session_start(output, ""), 0);
	session_emit(500, 0, 3);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_gt(size_of(path), first);
	close(fd);
}
END_TEST

static void *read_descriptor(void *arg)
{
	static char bytes[4096];
	struct probe_log *log = arg;
	int fd = (int)log->bytes_allocated;
	log->bytes_allocated = 0;
	for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
		probe_log_feed(log, bytes, (size_t)n);
	return NULL;
}

static void through(int reading, int writing)
{
	pthread_t t;
	char output[32];
	struct probe_log log;
	probe_log_init(&log);
	log.bytes_allocated = (uint64_t)reading;
	ck_assert_int_eq(pthread_create(&t, NULL, read_descriptor, &log), 0);
	snprintf(output, sizeof output, "#%d", writing);
	ck_assert_int_eq(session_start(output, ",linger=20000"), 0);
	session_emit(200000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(writing);
	pthread_join(t, NULL);
	close(reading);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost, 400000);
	ck_assert_uint_eq(log.lost, 0);
	probe_log_finish(&log);
}

START_TEST(a_pipe_is_handed_in)
{
	int fds[2];
	ck_assert_int_eq(pipe(fds), 0);
	int flags = fcntl(fds[1], F_GETFL);
	through(fds[0], fds[1]);
	ck_assert_int_eq(flags & O_NONBLOCK, 0);
}
END_TEST

START_TEST(a_socket_is_handed_in)
{
	int fds[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	through(fds[0], fds[1]);
}
END_TEST

START_TEST(a_socket_whose_reader_left)
{
	int fds[2];
	char output[32];
	struct sigaction act = { .sa_handler = on_signal }, before;
	sigaction(SIGPIPE, &act, &before);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	snprintf(output, sizeof output, "#%d", fds[1]);
	close(fds[0]);
	ck_assert_int_eq(session_start(output, ",linger=20000"), 0);
	session_emit(1000, 0, 3);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	ck_assert_int_eq(atomic_load(&pipes), 0);
	sigaction(SIGPIPE, &before, NULL);
	close(fds[1]);
}
END_TEST

START_TEST(no_such_descriptor)
{
	ck_assert_int_eq(session_start("#9999", ""), EBADF);
	ck_assert_int_eq(session_start("#", ""), EINVAL);
	ck_assert_int_eq(session_start("#1x", ""), EINVAL);
}
END_TEST

/* ---- compressed */

static void read_packed(struct probe_log *log, const char *name, bool whole)
{
	static char bytes[1 << 16];
	int n;
	probe_log_init(log);
	gzFile f = gzopen(name, "rb");
	ck_assert_ptr_nonnull(f);
	while ((n = gzread(f, bytes, sizeof bytes)) > 0)
		probe_log_feed(log, bytes, (size_t)n);
	ck_assert_int_eq(gzclose(f), whole ? Z_OK : Z_BUF_ERROR);
	probe_log_end(log);
}

START_TEST(compressed_and_live)
{
	struct probe_log log;
	ck_assert_int_eq(session_start(probe_path(path, "log.gz"), ",zip"), 0);
	session_emit(100000, 0, 30);
	ck_assert_int_eq(pvp_session_flush(), 0);
	read_packed(&log, path, false); /* all of it, without an end */
	ck_assert_uint_eq(probe_log_events(&log), 200000);
	probe_log_finish(&log);
	session_emit(100000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), 0);
	read_packed(&log, path, true);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_events(&log), 400000);
	ck_assert_ptr_nonnull(strstr(log.args, ",zip,"));
	probe_log_finish(&log);
	ck_assert_int_lt(size_of(path), 400000 * 3 * 2 / 3);
}
END_TEST

/* ---- bounded */

START_TEST(a_size_is_kept_and_reported)
{
	enum { MOST = 400000 };
	struct probe_log log;
	ck_assert_int_eq(session_start(probe_path(path, "log"), ",maxsize=400000"), 0);
	for (int i = 0; i < 40; i++) {
		session_emit(10000, 0, 30);
		pvp_session_flush();
	}
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	ck_assert_int_le(size_of(path), MOST);
	ck_assert_int_gt(size_of(path), MOST - (100 << 10));
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_int_eq(probe_log_counter(&log, "log full")->value, 1);
	ck_assert_uint_gt(log.lost, 0);
	/* Samples taken before the end was known are reported; from then on nothing is recorded. */
	ck_assert_uint_le(probe_log_events(&log) + log.lost, 800000);
	probe_log_finish(&log);
}
END_TEST

static void feed_file(struct probe_log *log, const char *name)
{
	static char bytes[1 << 16];
	int fd = open(name, O_RDONLY);
	ck_assert_int_ge(fd, 0);
	for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
		probe_log_feed(log, bytes, (size_t)n);
	close(fd);
}

/* The two segments, one after the other, are one log of what came last. */
START_TEST(the_newest_is_kept)
{
	enum { RING = 512 << 10, ROUNDS = 60, PAIRS = 5000 };
	char older[PROBE_PATH + 8];
	struct probe_log log;
	ck_assert_int_eq(session_start(probe_path(path, "log"), ",ring=512k"), 0);
	snprintf(older, sizeof older, "%s.1", path);
	for (int i = 0; i < ROUNDS; i++) {
		session_emit(PAIRS, 0, 30);
		ck_assert_int_eq(pvp_session_flush(), 0);
		ck_assert_int_lt(size_of(path), RING / 2 + (64 << 10));
	}
	session_emit(7, 0, 7); /* fake.method_0 .. 6 once more */
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_lt(size_of(older), RING / 2 + (64 << 10));
	ck_assert_int_gt(size_of(older), RING / 2 - (128 << 10));
	probe_log_init(&log);
	feed_file(&log, older);
	feed_file(&log, path);
	probe_log_end(&log);
	ck_assert_uint_eq(log.headers, 2);
	log.headers = 1;
	probe_log_check(&log);
	ck_assert_uint_eq(log.lost, 0);
	ck_assert_uint_gt(probe_log_events(&log), RING / 2 / 4);
	ck_assert_uint_lt(probe_log_events(&log), ROUNDS * PAIRS * 2);
	probe_log_finish(&log);
}
END_TEST

START_TEST(a_compressed_ring)
{
	char older[PROBE_PATH + 8];
	struct probe_log log;
	ck_assert_int_eq(session_start(probe_path(path, "log"), ",ring=256k,zip"), 0);
	snprintf(older, sizeof older, "%s.1", path);
	for (int i = 0; i < 60; i++) {
		session_emit(5000, 0, 30);
		ck_assert_int_eq(pvp_session_flush(), 0);
	}
	ck_assert_int_eq(pvp_session_stop(), 0);
	read_packed(&log, older, true);
	probe_log_check(&log);
	probe_log_finish(&log);
	read_packed(&log, path, true);
	probe_log_check(&log);
	probe_log_finish(&log);
}
END_TEST

START_TEST(a_ring_asks_for_a_file)
{
	ck_assert_int_eq(mkfifo(probe_path(path, "pipe"), 0600), 0);
	ck_assert_int_eq(session_start(path, ",ring=1m"), EINVAL);
	ck_assert_int_eq(session_start("|cat", ",ring=1m"), EINVAL);
	ck_assert_int_eq(session_start(probe_path(path, "log"), ",ring=1m,maxsize=1m"), EINVAL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_sinks");
	TCase *t = tcase_create("sinks");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, a_command_gets_the_log);
	tcase_add_test(t, a_command_that_dies);
	tcase_add_test(t, a_command_has_a_clean_environment);
	tcase_add_test(t, a_file_is_continued);
	tcase_add_test(t, a_pipe_is_handed_in);
	tcase_add_test(t, a_socket_is_handed_in);
	tcase_add_test(t, a_socket_whose_reader_left);
	tcase_add_test(t, no_such_descriptor);
	tcase_add_test(t, compressed_and_live);
	tcase_add_test(t, a_size_is_kept_and_reported);
	tcase_add_test(t, the_newest_is_kept);
	tcase_add_test(t, a_compressed_ring);
	tcase_add_test(t, a_ring_asks_for_a_file);
	suite_add_tcase(s, t);
	return run_suite(s);
}
