/* SPDX-License-Identifier: MIT */
/* Sudden death, and two processes that mean one file. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

static char path[PROBE_PATH];

static void refused_to_a_child(void)
{
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(session_start(probe_path(path, "log.mlpd"), "") == EBUSY ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

START_TEST(two_writers_of_one_file_are_refused)
{
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	session_emit(10, 1, 1);
	refused_to_a_child();
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_uint_eq(session_events(path), 20);
	ck_assert_int_eq(
		session_start(probe_path(path, "log.mlpd"), ""), 0); /* nothing holds it any more */
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

/* A pipe's reader may hold a lock of its own on it. */
START_TEST(two_writers_of_one_pipe_are_refused)
{
	ck_assert_int_eq(mkfifo(probe_path(path, "log.mlpd"), 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(reader, 0);
	ck_assert_int_eq(flock(reader, LOCK_EX | LOCK_NB), 0);
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	refused_to_a_child();
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(reader);
}
END_TEST

/* No flush, no end: what was recorded stands in the log when the process is killed. */
START_TEST(a_killed_program_leaves_its_log)
{
	enum { PAIRS = 3000 };
	struct probe_log log;
	probe_path(path, "log.mlpd");
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (session_start(probe_path(path, "log.mlpd"), "") != 0)
			_exit(1);
		profview_thread_name("victim");
		session_emit(PAIRS, 6, 1);
		for (;;)
			pause();
	}
	PROBE_WAIT(access(path, F_OK) == 0 && session_events(path) == 2 * PAIRS);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_thread(&log, "victim")->leaves, PAIRS);
	probe_log_finish(&log);
}
END_TEST

/* A program that is killed while it works: the log ends at most a tick and a round before it. */
START_TEST(a_busy_program_is_never_far_ahead)
{
	enum { FAR_NS = 1500000000 }; /* 100 ms are promised; a loaded machine needs slack */
	struct probe_log log;
	uint64_t last = 0;
	probe_path(path, "log.mlpd");
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (session_start(probe_path(path, "log.mlpd"), "") != 0)
			_exit(1);
		for (;;) {
			session_emit(1000, 6, 1);
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		}
	}
	PROBE_WAIT(access(path, F_OK) == 0 && session_events(path) > 100000);
	uint64_t killed = (uint64_t)probe_now_ms() * 1000000;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	probe_log_read(&log, path);
	ck_assert_uint_eq(log.headers, 1);
	ck_assert_uint_eq(log.unnamed, 0);
	for (size_t i = 0; i < log.threads.n; i++)
		if (log.threads.v[i].last_time > last)
			last = log.threads.v[i].last_time;
	ck_assert_uint_gt(last + FAR_NS, killed);
	ck_assert_uint_lt(last, killed + FAR_NS);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_killed");
	TCase *t = tcase_create("killed");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, two_writers_of_one_file_are_refused);
	tcase_add_test(t, two_writers_of_one_pipe_are_refused);
	tcase_add_test(t, a_killed_program_leaves_its_log);
	tcase_add_test(t, a_busy_program_is_never_far_ahead);
	suite_add_tcase(s, t);
	return run_suite(s);
}
