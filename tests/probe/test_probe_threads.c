/* SPDX-License-Identifier: MIT */
/* Many threads into one file: nothing missing, names first, time forward, threads come and go. */
#include "tests/kit/suite.h"

#include <pthread.h>
#include <sched.h>

#include "probe/core/backpressure.h"
#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/profview_probe.h"
#include "probe/core/registry.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"

enum { THREADS = 8, ROUNDS = 20000, SHORT_THREADS = 300 };

static char path[PROBE_PATH], options[PROBE_PATH + 64];

static void start(const char *more)
{
	snprintf(options, sizeof options, "output=%s%s", probe_path(path, "log.mlpd"), more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

static void stop_and_read(struct probe_log *log)
{
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(log, path);
	probe_log_check(log);
	ck_assert_uint_eq(log->lost, 0);
	ck_assert_uint_eq(log->mismatches, 0);
}

struct job {
	unsigned number, rounds;
};

static void *work(void *arg)
{
	const struct job *j = arg;
	char name[32];
	snprintf(name, sizeof name, "worker %u", j->number);
	profview_thread_name(name);
	profview_class_id type = profview_class(name);
	for (unsigned i = 0; i < j->rounds; i++) {
		pvp_call(PVP_ENTER, pvp_fake_key(1000 + j->number));
		pvp_call(PVP_ENTER, pvp_fake_key(i % 50));
		if (i % 10 == 0)
			profview_alloc(type, (void *)(uintptr_t)(0x1000 + 16 * i), 24);
		pvp_call(i % 7 == 0 ? PVP_EXC_LEAVE : PVP_LEAVE, pvp_fake_key(i % 50));
		pvp_call(PVP_LEAVE, pvp_fake_key(1000 + j->number));
	}
	return NULL;
}

static void run(void *(*function)(void *), unsigned threads, unsigned rounds)
{
	static struct job jobs[THREADS];
	pthread_t t[THREADS];
	for (unsigned i = 0; i < threads; i++) {
		jobs[i] = (struct job){ i, rounds };
		ck_assert_int_eq(pthread_create(&t[i], NULL, function, &jobs[i]), 0);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
}

START_TEST(every_event_of_every_thread)
{
	struct probe_log log;
	start("");
	run(work, THREADS, ROUNDS);
	stop_and_read(&log);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_ENTER], (uint64_t)2 * THREADS * ROUNDS);
	ck_assert_uint_eq(log.n[PV_KIND_ALLOC], (uint64_t)THREADS * ROUNDS / 10);
	ck_assert_uint_eq(log.bytes_allocated, (uint64_t)THREADS * ROUNDS / 10 * 24);
	for (unsigned i = 0; i < THREADS; i++) {
		char name[64];
		snprintf(name, sizeof name, "fake.method_%u", 1000 + i);
		const struct probe_method *m = probe_log_method(&log, name);
		ck_assert_uint_eq(m->enters, ROUNDS);
		ck_assert_uint_eq(m->leaves, ROUNDS);
		ck_assert_uint_eq(m->described, 1);
		ck_assert_uint_eq(m->code, pvp_fake_key(1000 + i));
		ck_assert_uint_eq(m->size, 16);
		snprintf(name, sizeof name, "worker %u", i);
		const struct probe_thread *t = probe_log_thread(&log, name);
		ck_assert_uint_eq(t->enters, 2 * ROUNDS);
		ck_assert_uint_eq(t->leaves, 2 * ROUNDS);
		ck_assert_uint_eq(t->allocs, ROUNDS / 10);
		ck_assert_uint_eq(t->starts, 1);
		ck_assert_uint_eq(t->ends, 1);
	}
	const struct probe_method *seven = probe_log_method(&log, "fake.method_7");
	ck_assert_uint_eq(seven->enters, (uint64_t)THREADS * ROUNDS / 50);
	ck_assert_uint_eq(seven->leaves + seven->exc_leaves, seven->enters);
	ck_assert_uint_gt(seven->exc_leaves, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(header_says_who_wrote)
{
	struct probe_log log;
	start(",buffer=1m");
	pvp_mark("not asked for");
	stop_and_read(&log);
	ck_assert_uint_eq(log.header.format.data_version, 17);
	ck_assert_uint_eq(log.header.format.header_major, 3);
	ck_assert_uint_eq(log.header.format.pointer_size, 8);
	ck_assert_uint_eq(log.header.pid, (uint32_t)getpid());
	ck_assert_uint_eq(log.header.start_time_ms % 1000, 0);
	ck_assert_uint_gt(log.header.startup_ns, 0);
	ck_assert_uint_lt(log.header.timer_overhead_ns, 100000);
	ck_assert_ptr_nonnull(strstr(log.args, "profview:fake,calls,reported-allocations,"));
	ck_assert_ptr_null(strstr(log.args, "marks"));
	ck_assert_uint_eq(probe_log_events(&log), 0);
	probe_log_finish(&log);
}
END_TEST

static void *once(void *arg)
{
	uint64_t method = pvp_fake_key(*(unsigned *)arg);
	pvp_call(PVP_ENTER, method);
	pvp_call(PVP_LEAVE, method);
	return NULL;
}

START_TEST(short_threads_leave_nothing_over)
{
	struct probe_log log;
	unsigned starts = 0, ends = 0;
	start(",buffer=256k"); /* 64 chunks for 300 threads: each must come back */
	for (unsigned i = 0; i < SHORT_THREADS; i += THREADS) {
		pthread_t t[THREADS];
		unsigned number[THREADS];
		for (unsigned k = 0; k < THREADS; k++) {
			number[k] = i + k;
			ck_assert_int_eq(pthread_create(&t[k], NULL, once, &number[k]), 0);
		}
		for (unsigned k = 0; k < THREADS; k++)
			pthread_join(t[k], NULL);
		ck_assert_int_eq(pvp_session_flush(), 0);
	}
	stop_and_read(&log);
	for (size_t i = 0; i < log.threads.n; i++) {
		starts += log.threads.v[i].starts;
		ends += log.threads.v[i].ends;
	}
	unsigned made = (SHORT_THREADS + THREADS - 1) / THREADS * THREADS;
	ck_assert_uint_eq(starts, made + 1); /* and the writer */
	ck_assert_uint_eq(ends, made);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_ENTER], made);
	probe_log_finish(&log);
}
END_TEST

/* Chunks that rest with idle threads come to those that need one. */
enum { MANY = 200, VISITS = 40, PAIRS = 5 };
static pthread_barrier_t together;

static void *now_and_then(void *arg)
{
	unsigned number = *(unsigned *)arg;
	once(&number);
	pthread_barrier_wait(&together); /* more are alive than there are chunks */
	for (unsigned i = 0; i < VISITS; i++) {
		for (unsigned k = 0; k < PAIRS; k++)
			once(&number);
		if (i % 8 == number % 8)
			probe_nap();
	}
	pthread_barrier_wait(&together);
	return NULL;
}

static pthread_t many[MANY];

static void begin_many(void)
{
	static unsigned number[MANY];
	ck_assert_int_eq(pthread_barrier_init(&together, NULL, MANY), 0);
	for (unsigned i = 0; i < MANY; i++) {
		number[i] = i;
		ck_assert_int_eq(pthread_create(&many[i], NULL, now_and_then, &number[i]), 0);
	}
}

static void end_many(void)
{
	struct probe_log log;
	for (unsigned i = 0; i < MANY; i++)
		pthread_join(many[i], NULL);
	pthread_barrier_destroy(&together);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_events(&log), UINT64_C(2) * MANY * (VISITS * PAIRS + 1));
	probe_log_finish(&log);
}

START_TEST(more_threads_than_chunks)
{
	start(",buffer=256k,linger=20000");
	ck_assert_uint_lt(pvp_chunks_free(), MANY / 2);
	begin_many();
	end_many();
}
END_TEST

enum { HOGS = 24, STARVED_MS = 3000 };
static atomic_bool hogs_stop;

/* Only where the writer may run, which yields to everybody. */
static void *hog(void *cpus)
{
	sched_setaffinity(0, sizeof(cpu_set_t), cpus);
	while (!atomic_load_explicit(&hogs_stop, memory_order_relaxed))
		;
	return NULL;
}

static bool starve_writer(pthread_t hogs[HOGS])
{
	static cpu_set_t one;
	cpu_set_t mine;
	size_t cpu = 0;
	PROBE_WAIT(atomic_load(&pvp_backpressure.writer));
	pid_t writer = (pid_t)atomic_load(&pvp_backpressure.writer);
	ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
	while (!CPU_ISSET(cpu, &mine))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(writer, sizeof one, &one) != 0 ||
		sched_setscheduler(writer, SCHED_IDLE, &(struct sched_param){ 0 }) != 0)
		return false;
	atomic_store(&hogs_stop, false);
	for (int i = 0; i < HOGS; i++)
		ck_assert_int_eq(pthread_create(&hogs[i], NULL, hog, &one), 0);
	return true;
}

/* It gets next to nothing of a processor, for longer than one that is stuck is waited for. */
START_TEST(a_starved_writer_is_waited_for)
{
	pthread_t hogs[HOGS];
	start(",buffer=256k,linger=20000");
	bool starved = starve_writer(hogs);
	begin_many();
	for (int64_t until = probe_now_ms() + STARVED_MS; starved && probe_now_ms() < until;)
		probe_nap();
	atomic_store(&hogs_stop, true);
	for (int i = 0; starved && i < HOGS; i++)
		pthread_join(hogs[i], NULL);
	end_many();
}
END_TEST

static pthread_key_t delayed_key;

static void delayed_events(void *arg)
{
	once(arg);
}

static void *with_destructor(void *arg)
{
	static unsigned delayed = 99;
	pthread_setspecific(delayed_key, &delayed);
	return once(arg);
}

START_TEST(events_of_a_threads_destructors_count)
{
	struct probe_log log;
	static unsigned number = 4;
	pthread_t t;
	start("");
	ck_assert_int_eq(pthread_key_create(&delayed_key, delayed_events), 0);
	ck_assert_int_eq(pthread_create(&t, NULL, with_destructor, &number), 0);
	pthread_join(t, NULL);
	pthread_key_delete(delayed_key);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_4")->leaves, 1);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_99")->leaves, 1);
	probe_log_finish(&log);
}
END_TEST

START_TEST(names_change_and_come_after_their_use)
{
	struct probe_log log;
	unsigned one = 1;
	profview_thread_name("before the start");
	start("");
	once(&one);
	ck_assert_int_eq(pvp_session_flush(), 0);
	profview_thread_name(
		"a name that is longer than the sixty-three bytes that are kept of it");
	stop_and_read(&log);
	ck_assert_uint_eq(log.n[PV_KIND_THREAD_NAME], 3); /* and the writer's */
	const struct probe_thread *t = probe_log_thread(
		&log, "a name that is longer than the sixty-three bytes that are kept ");
	ck_assert_uint_eq(t->enters, 1);
	probe_log_finish(&log);
}
END_TEST

static atomic_bool go_on, began;

static void *named_delayed(void *arg)
{
	once(arg);
	atomic_store(&began, true);
	while (!atomic_load(&go_on))
		probe_nap();
	pthread_setname_np(pthread_self(), "late riser");
	return NULL;
}

/* A thread's name in the system is found out as well, at the latest when it ends. */
START_TEST(names_of_the_system)
{
	struct probe_log log;
	unsigned one = 1;
	pthread_t t;
	atomic_store(&go_on, false);
	atomic_store(&began, false);
	start("");
	ck_assert_int_eq(pthread_create(&t, NULL, named_delayed, &one), 0);
	PROBE_WAIT(atomic_load(&began));
	ck_assert_int_eq(pvp_session_flush(), 0);
	ck_assert_int_eq(pthread_setname_np(t, "early bird"), 0);
	for (int i = 0; i < 12; i++)
		ck_assert_int_eq(pvp_session_flush(), 0);
	atomic_store(&go_on, true);
	pthread_join(t, NULL);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_thread(&log, "early bird")->enters, 1);
	probe_log_finish(&log);
}
END_TEST

START_TEST(names_are_read_at_the_end)
{
	struct probe_log log;
	unsigned one = 1;
	pthread_t t;
	atomic_store(&go_on, true);
	start("");
	ck_assert_int_eq(pthread_create(&t, NULL, named_delayed, &one), 0);
	pthread_join(t, NULL);
	stop_and_read(&log);
	ck_assert_uint_eq(probe_log_thread(&log, "late riser")->enters, 1);
	probe_log_finish(&log);
}
END_TEST

START_TEST(keys_used_again_get_new_names)
{
	struct probe_log log;
	unsigned five = 5;
	start("");
	once(&five);
	ck_assert_int_eq(pvp_session_flush(), 0);
	pvp_fake_unload(5, 5);
	ck_assert_int_eq(pvp_session_flush(), 0);
	once(&five);
	stop_and_read(&log);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_JIT], 2);
	ck_assert_uint_eq(probe_log_method(&log, "fake.method_5#1")->described, 2);
	probe_log_finish(&log);
}
END_TEST

START_TEST(regions_counters_and_marks)
{
	struct probe_log log;
	char text[1100];
	memset(text, 'x', sizeof text);
	memcpy(text + 998, "\xe2\x82\xac", 3); /* a euro sign across the limit */
	text[sizeof text - 1] = 0;
	start(",marks");
	profview_method region = profview_region("phase one");
	struct profview_counter *c = profview_counter("queue", PROFVIEW_COUNT);
	ck_assert_uint_eq(region, profview_region("phase one"));
	ck_assert_ptr_eq(c, profview_counter("queue", PROFVIEW_BYTES));
	profview_enter(region);
	profview_mark("half way");
	profview_mark(text);
	profview_leave(region);
	profview_counter_set(c, 40);
	ck_assert_int_eq(pvp_session_flush(), 0);
	ck_assert_int_eq(pvp_session_flush(), 0); /* unchanged: no further sample */
	profview_counter_add(c, -42);
	stop_and_read(&log);
	ck_assert_ptr_nonnull(strstr(log.args, ",marks,"));
	ck_assert_uint_eq(probe_log_method(&log, "phase one")->leaves, 1);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_MARK], 2);
	ck_assert_uint_eq(strlen(log.last_mark), 998);
	ck_assert_int_eq(probe_log_counter(&log, "queue")->value, -2);
	ck_assert_uint_eq(probe_log_counter(&log, "queue")->samples, 2);
	ck_assert_uint_eq(probe_log_counter(&log, "lost events")->samples, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(groups_can_be_left_out)
{
	struct probe_log log;
	unsigned one = 1;
	profview_class_id type = profview_class("thing");
	start(",calls=off");
	once(&one);
	profview_alloc(type, NULL, 5);
	stop_and_read(&log);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_ENTER], 0);
	ck_assert_uint_eq(log.n[PV_KIND_ALLOC], 1);
	probe_log_finish(&log);
	start(",alloc=off");
	once(&one);
	profview_alloc(type, NULL, 5);
	stop_and_read(&log);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_ENTER], 1);
	ck_assert_uint_eq(log.n[PV_KIND_ALLOC], 0);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_threads");
	TCase *t = tcase_create("threads");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, every_event_of_every_thread);
	tcase_add_test(t, header_says_who_wrote);
	tcase_add_test(t, short_threads_leave_nothing_over);
	tcase_add_test(t, more_threads_than_chunks);
	tcase_add_test(t, a_starved_writer_is_waited_for);
	tcase_add_test(t, events_of_a_threads_destructors_count);
	tcase_add_test(t, names_change_and_come_after_their_use);
	tcase_add_test(t, names_of_the_system);
	tcase_add_test(t, names_are_read_at_the_end);
	tcase_add_test(t, keys_used_again_get_new_names);
	tcase_add_test(t, regions_counters_and_marks);
	tcase_add_test(t, groups_can_be_left_out);
	suite_add_tcase(s, t);
	return run_suite(s);
}
