/* SPDX-License-Identifier: MIT */
/* Signal handlers that record events themselves, in the middle of everything. */
#include "tests/kit/suite.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"

enum { HANDLER_METHOD = 77, THREADS = 3, STORM_MS = 500, MANY = 1000000 };
/* Signals on their way: each may interrupt the handler of the one before, and stacks are finite. */
enum { DEEP = 300 };

static char path[PROBE_PATH];
static atomic_ulong handled;
static profview_class_id handled_class;

static void on_signal(int number)
{
	(void)number;
	pvp_call(PVP_ENTER, pvp_fake_key(HANDLER_METHOD));
	profview_alloc(handled_class, NULL, 8);
	pvp_call(PVP_LEAVE, pvp_fake_key(HANDLER_METHOD));
	atomic_fetch_add(&handled, 1);
}

static atomic_bool enough;
static atomic_ulong emitted;

static void *busy(void *arg)
{
	(void)arg;
	unsigned long n = 0;
	while (!atomic_load_explicit(&enough, memory_order_relaxed)) {
		for (int i = 0; i < 50; i++) {
			pvp_call(PVP_ENTER, pvp_fake_key(5));
			pvp_call(PVP_LEAVE, pvp_fake_key(5));
			n += 2;
		}
		if (n > MANY) /* the log need not grow further */
			sched_yield();
	}
	atomic_fetch_add(&emitted, n);
	return NULL;
}

static void storm(const char *more, unsigned long signals)
{
	char options[PROBE_PATH + 64];
	pthread_t t[THREADS];
	struct probe_log log;
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_RESTART };
	handled_class = profview_class("of a handler");
	sigaction(SIGRTMIN, &act, NULL); /* one that is queued: what was sent arrives */
	snprintf(options, sizeof options, "output=%s%s", probe_path(path, "log.mlpd"), more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, busy, NULL), 0);
	/* A busy machine is slow with signals: then fewer must do. */
	int64_t begun = probe_now_ms();
	for (unsigned long sent = 0; atomic_load(&handled) < signals;) {
		int64_t ms = probe_now_ms() - begun;
		if (ms > STORM_MS && atomic_load(&handled) >= 50)
			break;
		if (ms > PROBE_DEADLINE_MS)
			ck_abort_msg("signals do not arrive");
		if (sent - atomic_load(&handled) >= DEEP)
			sched_yield();
		else
			sent += pthread_kill(t[sent % THREADS], SIGRTMIN) == 0;
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost,
		atomic_load(&emitted) + 3 * atomic_load(&handled));
	/* With small chunks and a writer that comes rarely all of these may be among the lost. */
	if (!*more)
		ck_assert_uint_gt(probe_log_method(&log, "fake.method_77")->enters, 0);
	probe_log_finish(&log);
}

static void setup(void)
{
	probe_setup();
	atomic_store(&enough, false);
	atomic_store(&handled, 0);
	atomic_store(&emitted, 0);
}

START_TEST(handlers_interrupt_events)
{
	storm("", 5000);
}
END_TEST

/* Small chunks: handlers also come while a thread changes its chunk or finds none. */
START_TEST(handlers_interrupt_everything_else)
{
	storm(",buffer=256k", 5000);
}
END_TEST

/* Nothing of the program runs on the writer: its signals all go elsewhere. */
START_TEST(the_writer_takes_no_signals)
{
	char options[PROBE_PATH + 64];
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t only;
	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigaction(SIGALRM, &act, NULL);
	snprintf(options, sizeof options, "output=%s", probe_path(path, "log.mlpd"));
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
	pthread_sigmask(SIG_BLOCK, &only, NULL);
	kill(getpid(), SIGALRM); /* for any thread that would take it */
	ck_assert_int_eq(pvp_session_flush(), 0);
	ck_assert_uint_eq(atomic_load(&handled), 0);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	ck_assert_uint_eq(atomic_load(&handled), 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_signals");
	TCase *t = tcase_create("signals");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, probe_teardown);
	tcase_add_test(t, handlers_interrupt_events);
	tcase_add_test(t, handlers_interrupt_everything_else);
	tcase_add_test(t, the_writer_takes_no_signals);
	suite_add_tcase(s, t);
	return run_suite(s);
}
