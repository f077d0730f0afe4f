/* SPDX-License-Identifier: MIT */
/*
 * Faults that only long or hard use shows, bounded to seconds; PROBE_SOAK=N makes each part N times
 * as long (tests/soak/probe.py).
 */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "probe/core/backpressure.h"
#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/ground/probe_clock.h"
#include "probe/profview_probe.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kills.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

enum { LONGEST = 10000 }; /* times that a soak may take */

static char path[PROBE_PATH];

static unsigned longer(unsigned n)
{
	const char *soak = getenv("PROBE_SOAK");
	unsigned long times = soak ? strtoul(soak, NULL, 10) : 1;
	return n * (times >= 1 && times <= LONGEST ? (unsigned)times : 1);
}

static void start(const char *more)
{
	char options[PROBE_PATH + 64];
	snprintf(options, sizeof options, "output=%s%s", path, more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

/* ---- 64 threads */

enum { THREADS = 64 };

static void *one_of_many(void *arg)
{
	unsigned number = *(unsigned *)arg, rounds = longer(20);
	for (unsigned i = 0; i < rounds; i++)
		session_emit(500, number * 10, 10);
	return NULL;
}

START_TEST(sixty_four_threads)
{
	pthread_t t[THREADS];
	unsigned number[THREADS];
	struct probe_log log;
	uint64_t all = 0;
	probe_path(path, "log");
	start(",buffer=16m,linger=20000");
	for (unsigned i = 0; i < THREADS; i++) {
		number[i] = i;
		ck_assert_int_eq(pthread_create(&t[i], NULL, one_of_many, &number[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	uint64_t each = (uint64_t)longer(20) * 1000;
	for (size_t i = 0; i < log.threads.n; i++) {
		const struct probe_thread *one = &log.threads.v[i];
		all += one->enters + one->leaves + one->lost;
		if (one->enters && !one->lost)
			ck_assert_uint_eq(one->enters + one->leaves, each);
	}
	ck_assert_uint_eq(all, THREADS * each);
	probe_log_finish(&log);
}
END_TEST

/* ---- readers that are killed */

/* Reads from the pipe until it is killed, or until the writer ends: then says whether it was sound.
 */
static pid_t start_reader(void)
{
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child)
		return child;
	static char bytes[1 << 14];
	struct probe_log log;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int fd = open(path, O_RDONLY);
	probe_log_init(&log);
	for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
		probe_log_feed(&log, bytes, (size_t)n);
	probe_log_end(&log);
	bool sound = log.headers == 1 && !log.damages && !log.failures && !log.unnamed &&
		     !log.back_steps && probe_log_method(&log, "fake.method_3")->enters > 0;
	_exit(sound ? 0 : 1);
}

static atomic_bool enough;

static void *emit_on(void *arg)
{
	unsigned first = *(unsigned *)arg;
	while (!atomic_load(&enough)) {
		session_emit(2000, first, 40);
		probe_nap();
	}
	return NULL;
}

START_TEST(readers_are_killed_and_return)
{
	pthread_t t[2];
	unsigned first[2] = { 0, 20 }, times = longer(20);
	int status;
	ck_assert_int_eq(mkfifo(probe_path(path, "pipe"), 0600), 0);
	atomic_store(&enough, false);
	start(",buffer=1m,linger=1000,control=off");
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, emit_on, &first[i]), 0);
	for (unsigned i = 0; i < times; i++) {
		pid_t reader = start_reader();
		struct timespec some = { .tv_nsec = (long)(1 + i * 7 % 60) * 1000000 };
		nanosleep(&some, NULL); /* however far it got */
		kill(reader, SIGKILL);
		ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	}
	/*
	 * The next reader finds the bytes that a killed one left in the pipe, if it comes at once.
	 * Here it comes when the writer knows that it is only.
	 */
	while (pvp_session_flush() != ETIMEDOUT)
		probe_nap();
	pid_t last = start_reader();
	int64_t since = probe_now_ms();
	PROBE_WAIT(probe_now_ms() - since > 500); /* it gets a stream from its beginning */
	atomic_store(&enough, true);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	session_emit(100, 3, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(waitpid(last, &status, 0), last);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- sudden death */

static void be_a_victim(struct kill_said *said, const char *more)
{
	char options[PROBE_PATH + 64];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(options, sizeof options, "output=%s%s", path, more);
	if (pvp_session_start(options, &pvp_host_fake) != 0)
		_exit(1);
	while (!atomic_load(&pvp_backpressure.writer))
		probe_nap();
	atomic_store(&said->writer, atomic_load(&pvp_backpressure.writer));
	for (uint64_t n = 0;; n += 2000) {
		kill_say(said, n);
		session_emit(1000, 0, 30);
		nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
	}
}

/* Compressed or not. */
static void read_any(struct probe_log *log)
{
	static char bytes[1 << 16];
	int n;
	probe_log_init(log);
	gzFile f = gzopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	while ((n = gzread(f, bytes, sizeof bytes)) > 0)
		probe_log_feed(log, bytes, (size_t)n);
	gzclose(f);
	probe_log_end(log);
}

/* The log has all that was done 100 ms before, but for what the kernel kept the writer from. */
static struct kill_result kill_one(struct kill_said *said, unsigned number)
{
	static struct kill_watch watch;
	struct probe_log log;
	int status;
	memset(said, 0, sizeof *said);
	memset(&watch, 0, sizeof watch);
	watch.pid = fork();
	ck_assert_int_ge(watch.pid, 0);
	if (watch.pid == 0)
		be_a_victim(said, number % 3 == 0 ? ",zip" : "");
	PROBE_WAIT(atomic_load(&said->n) > 0);
	uint64_t until = pvp_monotonic() + (uint64_t)(300 + number * 37 % 300) * 1000000;
	while (pvp_monotonic() < until) {
		kill_look(&watch, said);
		probe_nap();
	}
	kill_look(&watch, said);
	uint64_t killed = pvp_monotonic();
	kill(watch.pid, SIGKILL);
	ck_assert_int_eq(waitpid(watch.pid, &status, 0), watch.pid);
	ck_assert(WIFSIGNALED(status));
	read_any(&log);
	ck_assert_uint_eq(log.headers, 1);
	ck_assert_uint_eq(log.failures, 0);
	ck_assert_uint_eq(log.unnamed, 0);
	ck_assert_uint_eq(log.back_steps, 0);
	ck_assert_uint_eq(log.lost, 0);
	struct kill_result r = kill_judge(&watch, said, killed, probe_log_events(&log));
	probe_log_finish(&log);
	return r;
}

START_TEST(killed_at_any_moment)
{
	enum { TICK_MS = 100, SLACK_MS = 400 }; /* how long a disk takes is in no figures */
	unsigned times = longer(3);
	ck_assert_uint_le(times, 3 * LONGEST);
	probe_path(path, "log");
	struct kill_said *said =
		mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* Bounded above: NOLINTNEXTLINE(clang-analyzer-optin.taint.TaintedAlloc) */
	struct kill_result *results = calloc(times, sizeof *results);
	ck_assert_ptr_ne(said, MAP_FAILED);
	ck_assert_ptr_nonnull(results);
	for (unsigned i = 0; i < times; i++) {
		struct kill_result *r = &results[i];
		*r = kill_one(said, i + 1);
		ck_assert_msg(r->after_ns < r->kept_ns + (TICK_MS + SLACK_MS) * UINT64_C(1000000),
			"%llu ns behind, kept from a processor for %llu",
			(unsigned long long)r->after_ns, (unsigned long long)r->kept_ns);
	}
	if (getenv("PROBE_SOAK"))
		kill_print(results, times);
	free(results);
	munmap(said, sizeof *said);
}
END_TEST

/* ---- from a trickle to more than can be written */

START_TEST(any_rate)
{
	static const unsigned pause_us[] = { 2000, 200, 0 };
	static char text[1000];
	struct probe_log log;
	uint64_t marks = 0, slow_marks = 0;
	unsigned span_ms = longer(300);
	ck_assert_uint_gt(span_ms, 0);
	memset(text, 'm', sizeof text - 1);
	probe_path(path, "log");
	start(",marks,buffer=2m,linger=20000");
	for (unsigned r = 0; r < 3; r++) {
		slow_marks = marks;
		int64_t until = probe_now_ms() + span_ms;
		while (probe_now_ms() < until) {
			for (int i = 0; i < (pause_us[r] ? 3 : 1000); i++, marks++)
				profview_mark(text);
			if (pause_us[r])
				nanosleep(
					&(struct timespec){ .tv_nsec = pause_us[r] * 1000L }, NULL);
		}
	}
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_MARK] + log.lost, marks);
	ck_assert_uint_gt(log.n[PV_KIND_EXT_MARK], 0);
	/* Some marks are there: NOLINTBEGIN(clang-analyzer-core.DivideZero) */
	if (getenv("PROBE_SOAK"))
		printf("at full speed %.0f MB/s on one thread; of %.0f MB in all, %.3f %% lost\n",
			(double)(marks - slow_marks) * sizeof text / span_ms / 1000,
			(double)marks * sizeof text / 1e6, 100 * (double)log.lost / (double)marks);
	/* NOLINTEND(clang-analyzer-core.DivideZero) */
	probe_log_finish(&log);
}
END_TEST

/* ---- a day */

static size_t resident(void)
{
	size_t pages[2] = { 0, 0 };
	FILE *f = fopen("/proc/self/statm", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%zu %zu", &pages[0], &pages[1]), 2);
	fclose(f);
	return pages[1] * 4096;
}

static void *an_hour_of_work(void *arg)
{
	session_emit(300, *(unsigned *)arg, 20);
	profview_thread_name("worker");
	return NULL;
}

/*
 * The fake host's clock runs fast, and a round is made for each that a day would have (here for
 * each so many): threads come and go, code is unloaded and loaded, counters move; memory is flat.
 */
START_TEST(a_day)
{
	enum { DAY_ROUNDS = 864000, EACH = 400 };
	struct probe_log log;
	unsigned rounds = longer(DAY_ROUNDS / EACH), first = 0;
	size_t early = 0;
	pthread_t t;
	probe_path(path, "log");
	pvp_fake_speed(EACH * 20);
	start(",buffer=1m,linger=20000,control=off,ring=4m");
	struct profview_counter *c = profview_counter("level", PROFVIEW_RAW);
	for (unsigned i = 0; i < rounds; i++) {
		if (i % 20 == 0) {
			ck_assert_int_eq(pthread_create(&t, NULL, an_hour_of_work, &first), 0);
			pthread_join(t, NULL);
		}
		if (i % 100 == 0)
			pvp_fake_unload(0, 50);
		session_emit(20, i % 60, 5);
		profview_counter_set(c, i);
		ck_assert_int_eq(pvp_session_flush(), 0);
		if (i == rounds / 4)
			early = resident();
	}
	size_t delayed = resident();
	ck_assert_int_eq(pvp_session_stop(), 0);
	pvp_fake_speed(0);
	ck_assert_msg(delayed < early + (1 << 20), "%zu bytes early, %zu late", early, delayed);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_gt(log.threads.v[log.threads.n - 1].last_time, 0);
	probe_log_finish(&log);
}
END_TEST

static TCase *part(Suite *s, const char *name)
{
	TCase *t = tcase_create(name); /* as CK_RUN_CASE does */
	tcase_set_timeout(t, 3600);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	suite_add_tcase(s, t);
	return t;
}

int main(void)
{
	Suite *s = suite_create("probe_stress");
	tcase_add_test(part(s, "threads"), sixty_four_threads);
	tcase_add_test(part(s, "readers"), readers_are_killed_and_return);
	tcase_add_test(part(s, "killed"), killed_at_any_moment);
	tcase_add_test(part(s, "rate"), any_rate);
	tcase_add_test(part(s, "day"), a_day);
	return run_suite(s);
}
