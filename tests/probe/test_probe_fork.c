/* SPDX-License-Identifier: MIT */
/* Children: they never write into their parent's log, and may have one of their own. */
#include "tests/kit/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

static char path[PROBE_PATH];

static void read_back(struct probe_log *log, const char *name)
{
	probe_log_read(log, probe_path(path, name));
	probe_log_check(log);
	ck_assert_uint_eq(log->lost, 0);
}

/*
 * A search for leaks at the end (LeakSanitizer asks here) takes the allocator's locks, and in a
 * child of fork another thread may hold them for ever. __lsan_is_turned_off(): sanitizer/lsan_interface.h.
 */
static pid_t looked_at;

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return getpid() != looked_at;
}

static void wait_for(pid_t child)
{
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* The child ends by exit(), so that the library's own end runs in it as well. */
START_TEST(a_child_records_nothing)
{
	struct probe_log log;
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	session_emit(100, 1, 1);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		session_emit(5000, 2, 1);
		profview_thread_name("child");
		bool quiet = pvp_session_flush() != 0 && pvp_session_stop() != 0;
		exit(quiet ? 0 : 1);
	}
	wait_for(child);
	session_emit(100, 3, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	read_back(&log, "log.mlpd");
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_1")->enters, 100);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_2")->enters, 0);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_3")->enters, 100);
	ck_assert_uint_eq(probe_log_events(&log), 400);
	ck_assert_int_eq(probe_log_counter(&log, "child processes")->value, 1);
	ck_assert_uint_eq(probe_log_counter(&log, "child processes with logs")->index, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(a_child_may_start_its_own)
{
	struct probe_log log;
	profview_method region = profview_region("known before the fork");
	ck_assert_int_eq(session_start(probe_path(path, "parent.mlpd"), ""), 0);
	session_emit(100, 1, 1);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (session_start(probe_path(path, "child.mlpd"), "") != 0)
			_exit(1);
		session_emit(1000, 2, 1);
		profview_enter(region);
		profview_leave(region);
		exit(0); /* the log is written on the way out */
	}
	wait_for(child);
	ck_assert_int_eq(pvp_session_stop(), 0);
	read_back(&log, "child.mlpd");
	ck_assert_uint_eq(log.header.pid, (uint32_t)child);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_2")->leaves, 1000);
	ck_assert_uint_eq(probe_log_method(&log, "known before the fork")->leaves, 1);
	ck_assert_uint_eq(probe_log_events(&log), 2002);
	probe_log_finish(&log);
	read_back(&log, "parent.mlpd");
	ck_assert_uint_eq(probe_log_events(&log), 200);
	probe_log_finish(&log);
}
END_TEST

/* If the output names the process, a child begins with its first event, and not before. */
START_TEST(children_have_sinks_of_their_own)
{
	char options[PROBE_PATH + 64], name[64];
	struct probe_log log;
	snprintf(options, sizeof options, "output=+%s,calls", probe_path(path, "log"));
	pvp_fake_again(options);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
	session_emit(100, 1, 1);
	pid_t quiet = fork();
	if (quiet == 0)
		_exit(0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		session_emit(1000, 2, 1);
		exit(0);
	}
	wait_for(quiet);
	wait_for(child);
	session_emit(100, 1, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	snprintf(name, sizeof name, "log.%ld", (long)child);
	read_back(&log, name);
	ck_assert_uint_eq(log.header.pid, (uint32_t)child);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_2")->leaves, 1000);
	ck_assert_uint_eq(probe_log_events(&log), 2000);
	probe_log_finish(&log);
	snprintf(name, sizeof name, "log.%ld", (long)getpid());
	read_back(&log, name);
	ck_assert_uint_eq(probe_log_events(&log), 400);
	ck_assert_int_eq(probe_log_counter(&log, "child processes")->value, 2);
	ck_assert_int_eq(probe_log_counter(&log, "child processes with logs")->value, 1);
	probe_log_finish(&log);
	snprintf(name, sizeof name, "log.%ld", (long)quiet);
	ck_assert_int_eq(access(probe_path(path, name), F_OK), -1);
}
END_TEST

static atomic_bool enough;
static atomic_ulong emitted;

static void *busy(void *arg)
{
	(void)arg;
	unsigned long n = 0;
	while (!atomic_load_explicit(&enough, memory_order_relaxed)) {
		session_emit(100, 7, 1);
		n += 200;
		if (n % 20000 == 0)
			profview_region("a name while somebody forks");
	}
	atomic_fetch_add(&emitted, n);
	return NULL;
}

START_TEST(forks_among_busy_threads)
{
	enum { THREADS = 3, FORKS = 60 };
	struct probe_log log;
	pthread_t t[THREADS];
	atomic_store(&enough, false);
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, busy, NULL), 0);
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0) {
			session_emit(300, 8, 1);
			profview_class("of a child");
			_exit(profview_region("also of a child") ? 0 : 1);
		}
		session_emit(1, 9, 1);
		wait_for(child);
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost, atomic_load(&emitted) + 2 * FORKS);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_8")->enters, 0);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_9")->enters, FORKS);
	ck_assert_int_eq(probe_log_counter(&log, "child processes")->value, FORKS);
	probe_log_finish(&log);
}
END_TEST

/* ---- a child that is slow to run */

static int gate[2];
static bool at_gate; /* a child of fork waits for the gate to be closed, before it enters itself */

static void hold(void)
{
	char c;
	if (at_gate && (close(gate[1]) != 0 || read(gate[0], &c, 1) != 0))
		_exit(1);
}

static int64_t children_so_far(void)
{
	struct probe_log log;
	ck_assert_int_eq(pvp_session_flush(), 0);
	probe_log_read(&log, path);
	int64_t n = probe_log_counter(&log, "child processes")->value;
	probe_log_finish(&log);
	return n;
}

/* It is listed as long as the other, which is none of fork()'s and is counted by them. */
START_TEST(a_slow_child_is_counted_once)
{
	struct probe_log log;
	int input[2];
	pid_t other;
	char name[] = "cat";
	char *const cat[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	ck_assert_int_eq(pipe2(gate, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(input, O_CLOEXEC), 0);
	at_gate = true;
	pid_t slow = fork();
	ck_assert_int_ge(slow, 0);
	if (slow == 0)
		_exit(0);
	at_gate = false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input[0], 0);
	ck_assert_int_eq(posix_spawnp(&other, name, &actions, NULL, cat, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	PROBE_WAIT(children_so_far() > 0);
	ck_assert_int_eq(children_so_far(), 1);
	close(gate[1]);
	wait_for(slow);
	close(input[1]);
	wait_for(other);
	ck_assert_int_eq(pvp_session_stop(), 0);
	read_back(&log, "log.mlpd");
	ck_assert_int_eq(probe_log_counter(&log, "child processes")->value, 2);
	probe_log_finish(&log);
	close(gate[0]);
	close(input[0]);
}
END_TEST

int main(void)
{
	pthread_atfork(NULL, NULL, hold); /* before the probe's, and so run before it */
	Suite *s = suite_create("probe_fork");
	TCase *t = tcase_create("fork");
	tcase_set_timeout(t, 120);
	looked_at = getpid();
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, a_child_records_nothing);
	tcase_add_test(t, a_child_may_start_its_own);
	tcase_add_test(t, children_have_sinks_of_their_own);
	tcase_add_test(t, forks_among_busy_threads);
	tcase_add_test(t, a_slow_child_is_counted_once);
	suite_add_tcase(s, t);
	return run_suite(s);
}
