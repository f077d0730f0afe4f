/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { WATCHED_MS = 400, TICKS_WATCHED_MS = 2500, TICKS_MOST = 3 };

static const struct pv_source_options follow = { .follow = true };

/* Nothing wakes the viewer; the drainer, if there is one, does not run at all. */
static void expect_idle(struct pv_source *s, pid_t drainer)
{
	struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
	pv_source_wait_clear(s);
	long long asleep = drainer ? proc_number(drainer, "status", "voluntary_ctxt_switches:") : 0;
	long long driven =
		drainer ? proc_number(drainer, "status", "nonvoluntary_ctxt_switches:") : 0;
	ck_assert_int_ge(asleep, 0);
	ck_assert_int_eq(poll(&p, 1, WATCHED_MS), 0);
	if (!drainer)
		return;
	ck_assert_int_eq(proc_number(drainer, "status", "voluntary_ctxt_switches:"), asleep);
	ck_assert_int_eq(proc_number(drainer, "status", "nonvoluntary_ctxt_switches:"), driven);
}

/* A followed file is asked once a second, since some file systems tell no changes. */
static void expect_ticks(struct pv_source *s)
{
	int ticks = 0;
	int64_t until = now_ms() + TICKS_WATCHED_MS;
	for (int64_t left; (left = until - now_ms()) > 0; ticks++) {
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		pv_source_wait_clear(s);
		if (poll(&p, 1, (int)left) == 0)
			break;
	}
	ck_assert_int_le(ticks, TICKS_MOST);
}

START_TEST(files_that_do_not_grow)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(in_dir(path, "log"), &follow);
	expect_nothing_now(s);
	expect_ticks(s);
	put_file(path, "hello", 5);
	expect_bytes(s, "hello", 5);
	expect_nothing_now(s);
	expect_ticks(s);
	int life;
	pid_t pid = start_writer(path, &life);
	pv_source_set_target(s, (uint32_t)pid);
	close(life);
	end_child(pid, 0);
	expect(s, PV_READ_END);
	expect_ticks(s);
	pv_source_close(s);
}
END_TEST

START_TEST(pipes_without_and_with_a_silent_writer_and_after_it)
{
	char path[KIT_PATH];
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	struct pv_source *s = open_ok(path, &follow);
	expect_nothing_now(s);
	expect_idle(s, settled_drainer());
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert(write_all(fd, "hello", 5));
	expect_bytes(s, "hello", 5);
	expect_nothing_now(s);
	expect_idle(s, settled_drainer());
	close(fd);
	expect(s, PV_READ_END);
	expect_idle(s, settled_drainer());
	pv_source_close(s);
}
END_TEST

START_TEST(standard_input_after_its_end)
{
	int ends[2], before = fcntl(0, F_DUPFD_CLOEXEC, 10);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	dup2(ends[0], 0);
	close(ends[0]);
	struct pv_source *s = open_ok("-", &follow);
	close(ends[1]);
	expect(s, PV_READ_END);
	expect_idle(s, settled_drainer());
	pv_source_close(s);
	dup2(before, 0);
	close(before);
}
END_TEST

struct watcher {
	struct pv_source *s;
	atomic_bool stop;
	atomic_uint cleared;
};

/* The screen's thread's work while another one reads. */
static void *watch(void *arg)
{
	struct watcher *w = arg;
	struct pollfd p = { .fd = pv_source_wait_fd(w->s), .events = POLLIN };
	struct pv_source_info info;
	while (!atomic_load(&w->stop)) {
		if (poll(&p, 1, 1) == 1)
			w->cleared++;
		pv_source_wait_clear(w->s);
		pv_source_info(w->s, &info);
	}
	return NULL;
}

static void read_while_watched(struct pv_source *s, const char *path)
{
	uint8_t b[1000];
	struct watcher w = { .s = s };
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, watch, &w), 0);
	/* For reading too: a pipe not found yet can be opened at once so. */
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	int64_t end = now_ms() + DEADLINE_MS;
	for (uint64_t at = 0, put = 0; at < 100000 && now_ms() < end;) {
		uint64_t n = 0;
		struct pv_error e;
		if (put == at) {
			uint8_t *bytes = pattern_bytes(put, 1000);
			ck_assert(write_all(fd, bytes, 1000));
			free(bytes);
			put += 1000;
		}
		enum pv_read what = pv_source_read(s, b, sizeof b, &n, &e);
		ck_assert(what != PV_READ_ERROR && what != PV_READ_GAP);
		ck_assert(what != PV_READ_BYTES || is_pattern(b, at, n));
		at += what == PV_READ_BYTES ? n : 0;
		if (at == 100000)
			put = at;
	}
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_uint_eq(info.input_read, 100000);
	while (!atomic_load(&w.cleared) && now_ms() < end) /* no other code has emptied it */
		sched_yield();
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	ck_assert_uint_gt(w.cleared, 0);
	close(fd);
}

START_TEST(one_thread_watches_while_another_reads)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(in_dir(path, "log"), &follow);
	read_while_watched(s, path);
	pv_source_close(s);
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	s = open_ok(path, &follow);
	read_while_watched(s, path);
	pv_source_close(s);
	s = open_ok(in_dir(path, "late"), &follow); /* forks while the other thread runs */
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	read_while_watched(s, path);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_PIPE);
	pv_source_close(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_idle");
	TCase *c = tcase_create("idle");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, files_that_do_not_grow);
	tcase_add_test(c, pipes_without_and_with_a_silent_writer_and_after_it);
	tcase_add_test(c, standard_input_after_its_end);
	tcase_add_test(c, one_thread_watches_while_another_reads);
	suite_add_tcase(s, c);
	return run_suite(s);
}
