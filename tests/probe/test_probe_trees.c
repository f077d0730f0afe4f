/* SPDX-License-Identifier: MIT */
/* Calls summed up in the process: every call counted, time spent once, memory bounded. */
#include "tests/kit/suite.h"

#include <pthread.h>

#include "probe/core/call_tree.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"

enum { THREADS = 8, ROUNDS = 20000, MEMORY = 64 << 20 };

static char path[PROBE_PATH], options[PROBE_PATH + 64];

static void start(size_t memory)
{
	pvp_tree_use(true, false, memory);
	snprintf(options, sizeof options, "output=%s", probe_path(path, "log.mlpd"));
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

static void stop_and_read(struct probe_log *log)
{
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(log, path);
	probe_log_check(log);
}

static void enter(unsigned number)
{
	ck_assert(pvp_guard_on());
	pvp_tree_enter(pvp_fake_key(number));
	pvp_guard_off();
}

static void leave(unsigned number, bool exceptional)
{
	ck_assert(pvp_guard_on());
	pvp_tree_leave(pvp_fake_key(number), exceptional);
	pvp_guard_off();
}

static void *work(void *arg)
{
	unsigned me = *(const unsigned *)arg;
	char name[32];
	snprintf(name, sizeof name, "worker %u", me);
	profview_thread_name(name);
	for (unsigned i = 0; i < ROUNDS; i++) {
		enter(1000 + me);
		enter(i % 50);
		leave(i % 50, i % 7 == 0);
		leave(1000 + me, false);
	}
	return NULL;
}

START_TEST(every_call_of_every_thread)
{
	struct probe_log log;
	unsigned me[THREADS];
	pthread_t t[THREADS];
	char name[32];
	start(MEMORY);
	for (unsigned i = 0; i < THREADS; i++) {
		me[i] = i;
		ck_assert_int_eq(pthread_create(&t[i], NULL, work, &me[i]), 0);
	}
	for (int i = 0; i < 10; i++) /* the trees are reported while they grow */
		ck_assert_int_eq(pvp_session_flush(), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	stop_and_read(&log);
	ck_assert_uint_eq(log.lost, 0);
	uint64_t exceptional = 0, inner = 0;
	for (unsigned i = 0; i < 50; i++) {
		snprintf(name, sizeof name, "fake.method_%u", i);
		exceptional += probe_log_method(&log, name)->exc_leaves;
		inner += probe_log_method(&log, name)->enters;
	}
	ck_assert_uint_eq(inner, THREADS * ROUNDS);
	ck_assert_uint_eq(exceptional, THREADS * ((ROUNDS + 6) / 7));
	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(name, sizeof name, "fake.method_%u", 1000 + i);
		ck_assert_uint_eq(probe_log_method(&log, name)->enters, ROUNDS);
		snprintf(name, sizeof name, "worker %u", i);
		ck_assert_uint_eq(probe_log_thread(&log, name)->enters, 2 * ROUNDS);
		ck_assert_uint_eq(probe_log_thread(&log, name)->ends, 1);
	}
	probe_log_finish(&log);
}
END_TEST

/* A call that does not end is reported all the same, and its time only once. */
START_TEST(an_open_call_grows)
{
	struct probe_log log;
	start(MEMORY);
	profview_thread_name("open");
	int64_t before = probe_now_ms();
	enter(1);
	enter(2);
	for (int i = 0; i < 5; i++) {
		probe_nap();
		ck_assert_int_eq(pvp_session_flush(), 0);
	}
	leave(2, false);
	leave(1, false);
	int64_t took = probe_now_ms() + 1 - before;
	stop_and_read(&log);
	const struct probe_thread *t = probe_log_thread(&log, "open");
	ck_assert_uint_eq(t->enters, 2);
	ck_assert_int_gt(t->tree_ns, 4 * 1000000);
	ck_assert_int_le(t->tree_ns, took * 1000000);
	ck_assert_uint_gt(log.n[PV_KIND_EXT_TREE_CALL], 4);
	probe_log_finish(&log);
}
END_TEST

/* Too deep, or too much: calls without a node are counted as lost, what surrounds them stays. */
START_TEST(what_finds_no_room_is_counted)
{
	struct probe_log log;
	start(2 * sizeof(struct pvp_tree));
	for (unsigned i = 0; i < 3000; i++) {
		enter(1);
		enter(10 + i);
		leave(10 + i, false);
		leave(1, false);
	}
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_1")->enters, 3000);
	uint64_t have = 0;
	for (size_t i = 0; i < log.methods.n; i++)
		have += log.methods.v[i].enters;
	ck_assert_uint_gt(log.lost, 1000);
	ck_assert_uint_eq(have + log.lost / 2, 6000);
	probe_log_finish(&log);
	start(MEMORY);
	for (unsigned i = 0; i < PVP_TREE_DEPTH + 500; i++)
		enter(1);
	for (unsigned i = 0; i < PVP_TREE_DEPTH + 500; i++)
		leave(1, false);
	enter(2);
	leave(2, false);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_1")->enters, PVP_TREE_DEPTH);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_2")->enters, 1);
	ck_assert_uint_eq(log.lost, 1000);
	probe_log_finish(&log);
}
END_TEST

START_TEST(a_missing_leave_is_made_up_for)
{
	struct probe_log log;
	start(MEMORY);
	leave(9, false); /* of a call that began before */
	enter(1);
	enter(2);
	enter(3);
	leave(1, true);
	enter(4);
	leave(4, false);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_1")->exc_leaves, 1);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_4")->enters, 1);
	ck_assert_uint_eq(log.lost, 0);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe trees");
	TCase *c = tcase_create("all");
	tcase_add_checked_fixture(c, probe_setup, probe_teardown);
	tcase_add_test(c, every_call_of_every_thread);
	tcase_add_test(c, an_open_call_grows);
	tcase_add_test(c, what_finds_no_room_is_counted);
	tcase_add_test(c, a_missing_leave_is_made_up_for);
	suite_add_tcase(s, c);
	return run_suite(s);
}
