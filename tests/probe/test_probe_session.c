/* SPDX-License-Identifier: MIT */
/* Start, stop and flush. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <pthread.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

static char path[PROBE_PATH];

START_TEST(errors_are_values)
{
	ck_assert_int_eq(pvp_session_stop(), EALREADY);
	ck_assert_int_eq(pvp_session_flush(), EALREADY);
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ",unknown=1"), EINVAL);
	ck_assert_int_eq(access(path, F_OK), -1); /* no file was made */
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	ck_assert_int_eq(session_start(probe_path(path, "other.mlpd"), ""), EALREADY);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(pvp_session_stop(), EALREADY);
}
END_TEST

START_TEST(nothing_happens_while_not_recording)
{
	struct probe_log log;
	session_emit(1000, 1, 1);
	profview_alloc(profview_class("x"), NULL, 1);
	profview_enter(0);
	profview_mark(NULL);
	profview_thread_name(NULL);
	profview_counter_set(NULL, 1);
	ck_assert_uint_eq(profview_region(NULL), 0);
	ck_assert_uint_eq(profview_region(""), 0);
	ck_assert_uint_eq(profview_class(NULL), 0);
	ck_assert_ptr_null(profview_counter("", PROFVIEW_RAW));
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	session_emit(10, 2, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	session_emit(1000, 3, 1);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_events(&log), 20);
	probe_log_finish(&log);
}
END_TEST

START_TEST(sessions_follow_each_other)
{
	for (unsigned i = 0; i < 20; i++) {
		struct probe_log log;
		ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"),
					 i % 2 ? ",buffer=256k" : ",buffer=1m"),
			0);
		session_emit(100 + i, i, 1);
		ck_assert_int_eq(pvp_session_stop(), 0);
		session_emit(5, 99, 1);
		probe_log_read(&log, path);
		probe_log_check(&log);
		ck_assert_uint_eq(probe_log_events(&log), 2 * (100 + i));
		probe_log_finish(&log);
	}
}
END_TEST

static atomic_bool enough;

static void *busy(void *arg)
{
	(void)arg;
	while (!atomic_load(&enough))
		session_emit(50, 3, 1);
	return NULL;
}

/* Starts and stops under threads that never pause: whatever is in a log is whole. */
START_TEST(sessions_among_busy_threads)
{
	enum { THREADS = 3 };
	pthread_t t[THREADS];
	atomic_store(&enough, false);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, busy, NULL), 0);
	for (unsigned i = 0; i < 30; i++) {
		struct probe_log log;
		ck_assert_int_eq(
			session_start(probe_path(path, "log.mlpd"), i % 2 ? "" : ",buffer=512k"),
			0);
		session_emit(50, 4, 1);
		ck_assert_int_eq(pvp_session_flush(), 0);
		ck_assert_int_eq(pvp_session_stop(), 0);
		probe_log_read(&log, path);
		probe_log_check(&log);
		if (!log.lost)
			ck_assert_uint_eq(probe_log_method(&log, "fake.method_4")->leaves, 50);
		probe_log_finish(&log);
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}
END_TEST

START_TEST(flush_writes_everything)
{
	ck_assert_int_eq(session_start(probe_path(path, "log.mlpd"), ""), 0);
	for (uint64_t i = 1; i <= 20; i++) {
		session_emit(137, 1, 1);
		ck_assert_int_eq(pvp_session_flush(), 0);
		ck_assert_uint_eq(session_events(path), i * 274);
	}
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_session");
	TCase *t = tcase_create("session");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, errors_are_values);
	tcase_add_test(t, nothing_happens_while_not_recording);
	tcase_add_test(t, sessions_follow_each_other);
	tcase_add_test(t, sessions_among_busy_threads);
	tcase_add_test(t, flush_writes_everything);
	suite_add_tcase(s, t);
	return run_suite(s);
}
