/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <time.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

static const struct pv_source_options plain = { 0 };

static const char *make_fifo(char path[KIT_PATH])
{
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	return path;
}

static int open_writer(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

struct writing {
	const char *path;
	uint64_t from;
	size_t n, piece;
};

/* In a child: opens the pipe, writes its part of the pattern, leaves. */
static int write_pattern(void *arg)
{
	const struct writing *w = arg;
	int fd = open(w->path, O_WRONLY);
	uint8_t *b = malloc(w->piece);
	for (uint64_t at = 0; b && fd >= 0 && at < w->n; at += w->piece) {
		size_t n = w->n - at < w->piece ? (size_t)(w->n - at) : w->piece;
		for (size_t i = 0; i < n; i++)
			b[i] = pattern(w->from + at + i);
		if (!write_all(fd, b, n))
			return 1;
	}
	free(b);
	return fd < 0;
}

START_TEST(opening_does_not_wait_for_a_writer)
{
	char path[KIT_PATH];
	struct pv_source_info info;
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	expect_nothing_now(s);
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_PIPE);
	ck_assert(info.waiting);
	int fd = open_writer(path);
	expect_nothing_now(s);
	ck_assert(write_all(fd, "hello", 5));
	expect_bytes(s, "hello", 5);
	expect_nothing_now(s);
	pv_source_info(s, &info);
	ck_assert(!info.waiting);
	ck_assert_uint_eq(info.file_bytes, 5);
	ck_assert_uint_eq(info.input_read, 5);
	ck_assert(write_all(fd, "more", 4));
	close(fd);
	expect_bytes(s, "more", 4);
	expect(s, PV_READ_END);
	expect(s, PV_READ_END);
	pv_source_close(s);
}
END_TEST

START_TEST(pieces_of_any_size_arrive_whole)
{
	char path[KIT_PATH];
	static const size_t piece[] = { 1, 4095, 65536, 300000, 3000000 };
	make_fifo(path);
	for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
		size_t n = piece[i] == 1 ? 5000 : 3000000;
		struct pv_source *s = open_ok(path, &plain);
		struct writing w = { path, 7, n, piece[i] };
		pid_t pid = start_child(write_pattern, &w);
		expect_pattern(s, 7, n);
		expect(s, PV_READ_END);
		end_child(pid, 0);
		pv_source_close(s);
	}
}
END_TEST

START_TEST(a_writer_that_is_there_already_is_let_in)
{
	char path[KIT_PATH];
	struct writing w = { make_fifo(path), 0, 100000, 1000 };
	pid_t pid = start_child(write_pattern, &w); /* waits in open(2) for us */
	struct pv_source *s = open_ok(path, &plain);
	expect_pattern(s, 0, 100000);
	expect(s, PV_READ_END);
	end_child(pid, 0);
	pv_source_close(s);
}
END_TEST

START_TEST(writers_come_and_go)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	for (uint64_t i = 0; i < 40; i++) {
		struct writing w = { path, i * 1000, 1000, 300 };
		end_child(start_child(write_pattern, &w), 0);
		/* The end may not be seen yet, but nothing else stands before the bytes. */
		expect_pattern(s, i * 1000, 1000);
		expect(s, PV_READ_END);
	}
	pv_source_close(s);
}
END_TEST

static int write_often(void *path)
{
	for (uint64_t at = 0; at < 50000; at += 100) {
		int fd = open(path, O_WRONLY);
		uint8_t b[100];
		for (size_t i = 0; i < sizeof b; i++)
			b[i] = pattern(at + i);
		if (fd < 0 || !write_all(fd, b, sizeof b))
			return 1;
		close(fd);
	}
	return 0;
}

/* A writer may come, write and leave while the drainer is busy with the end of another. */
START_TEST(the_last_of_many_quick_writers_is_noticed)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	for (int i = 0; i < 5; i++) {
		pid_t pid = start_child(write_often, path);
		expect_pattern(s, 0, 50000);
		end_child(pid, 0);
		expect(s, PV_READ_END);
	}
	pv_source_close(s);
}
END_TEST

START_TEST(an_end_stands_where_its_writer_left)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	for (int i = 0; i < 3; i++) {
		int fd = open_writer(path);
		ck_assert(write_all(fd, "cut in the mid", 14));
		close(fd);
		settled_drainer(); /* it has seen the end before the next writer comes */
	}
	pv_source_wait_clear(s);
	for (int i = 0; i < 3; i++) {
		uint8_t b[32];
		uint64_t n;
		struct pv_error e;
		for (uint64_t at = 0; at < 14; at += n)
			ck_assert_int_eq(pv_source_read(s, b, sizeof b, &n, &e), PV_READ_BYTES);
		ck_assert_int_eq(pv_source_read(s, b, sizeof b, &n, &e), PV_READ_END);
		/* A reader that waits at an end is woken for more. */
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, 0), i < 2);
		pv_source_wait_clear(s);
		ck_assert_int_eq(poll(&p, 1, 0), 0);
	}
	expect(s, PV_READ_END);
	pv_source_close(s);
}
END_TEST

START_TEST(a_writer_that_wrote_nothing_ends_too)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	close(open_writer(path));
	expect(s, PV_READ_END);
	pv_source_close(s);
}
END_TEST

START_TEST(killed_writer_is_an_end)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	struct writing w = { path, 0, SIZE_MAX, 1000 };
	pid_t pid = start_child(write_pattern, &w);
	expect_pattern(s, 0, 100000);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	end_child(pid, -1);
	uint8_t b[4096];
	uint64_t n, at = 100000;
	enum pv_read what;
	while ((what = next_read(s, b, sizeof b, &n)) == PV_READ_BYTES) {
		ck_assert(is_pattern(b, at, n));
		at += n;
	}
	ck_assert_int_eq(what, PV_READ_END);
	w = (struct writing){ path, 5, 1000, 1000 };
	end_child(start_child(write_pattern, &w), 0);
	expect_pattern(s, 5, 1000);
	pv_source_close(s);
}
END_TEST

START_TEST(a_second_viewer_is_refused_and_reported_who_has_it)
{
	char path[KIT_PATH], pid[32];
	struct pv_error e = { 0 };
	struct pv_source *s = open_ok(make_fifo(path), &plain);
	ck_assert_ptr_null(pv_source_open(path, &plain, &e));
	ck_assert_int_eq(e.code, PV_EBUSY);
	snprintf(pid, sizeof pid, "process %ld,", (long)getpid());
	ck_assert_msg(strstr(e.what, pid) != NULL, "%s", e.what);
	/* The lock must outlive the fresh ends that the drainer opens after each writer. */
	struct writing w = { path, 0, 10, 10 };
	end_child(start_child(write_pattern, &w), 0);
	expect_pattern(s, 0, 10);
	expect(s, PV_READ_END);
	ck_assert_ptr_null(pv_source_open(path, &plain, &e));
	ck_assert_int_eq(e.code, PV_EBUSY);
	pv_source_close(s);
	s = open_ok(path, &plain);
	pv_source_close(s);
}
END_TEST

/* In a child: locks the pipe and is gone, while a child of its own has it a tenth of a second longer. */
static int lock_and_leave(void *arg)
{
	const struct timespec longer = { 0, 100 * 1000 * 1000 };
	pid_t me = getpid();
	int fd = open(arg, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
		return 1;
	if (fork() == 0) {
		while (getppid() == me)
			sched_yield();
		nanosleep(&longer, NULL);
		_exit(0);
	}
	return 0;
}

START_TEST(a_pipe_whose_viewer_was_killed_is_free_once_its_helper_lets_go)
{
	char path[KIT_PATH];
	make_fifo(path);
	end_child(start_child(lock_and_leave, path), 0);
	pv_source_close(open_ok(path, &plain));
}
END_TEST

START_TEST(a_pipe_that_appears_delayed)
{
	char path[KIT_PATH];
	struct pv_source_options follow = { .follow = true };
	struct pv_source *s = open_ok(in_dir(path, "pipe"), &follow);
	expect_nothing_now(s);
	make_fifo(path);
	struct writing w = { path, 0, 50000, 1000 };
	pid_t pid = start_child(write_pattern, &w);
	expect_pattern(s, 0, 50000);
	expect(s, PV_READ_END);
	end_child(pid, 0);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_PIPE);
	ck_assert_uint_eq(info.input_read, 50000);
	ck_assert_int_gt(drainer_of(getpid()), 0);
	pv_source_close(s);
	ck_assert_int_eq(find_drainer(getpid()), 0);
}
END_TEST

/* Standard input is `fd` while this holds. */
static int swap_input(int fd)
{
	int before = fcntl(0, F_DUPFD_CLOEXEC, 10);
	dup2(fd, 0);
	close(fd);
	return before;
}

START_TEST(standard_input_is_a_pipe)
{
	int ends[2];
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	int before = swap_input(ends[0]);
	struct pv_source *s = open_ok("-", &plain);
	struct stat st;
	ck_assert(fstat(0, &st) == 0 && S_ISCHR(st.st_mode)); /* only the drainer has the pipe */
	ck_assert(write_all(ends[1], "hello", 5));
	expect_bytes(s, "hello", 5);
	expect_nothing_now(s);
	close(ends[1]);
	expect(s, PV_READ_END);
	expect(s, PV_READ_END);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_STDIN);
	pv_source_close(s);
	close(swap_input(before));
}
END_TEST

START_TEST(standard_input_that_has_ended_already)
{
	int ends[2];
	for (int with_bytes = 0; with_bytes < 2; with_bytes++) {
		ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
		ck_assert(write_all(ends[1], "hello", with_bytes ? 5 : 0));
		close(ends[1]);
		int before = swap_input(ends[0]);
		struct pv_source *s = open_ok("-", &plain);
		expect_bytes(s, "hello", with_bytes ? 5 : 0);
		expect(s, PV_READ_END);
		pv_source_close(s);
		close(swap_input(before));
	}
}
END_TEST

START_TEST(standard_input_is_a_named_pipe_or_no_pipe_at_all)
{
	char path[KIT_PATH];
	int reader = open(make_fifo(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int fd = open_writer(path);
	ck_assert(write_all(fd, "named", 5));
	int before = swap_input(reader);
	struct pv_source *s = open_ok("-", &plain);
	close(fd);
	expect_bytes(s, "named", 5);
	expect(s, PV_READ_END);
	pv_source_close(s);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	close(open_writer(path)); /* has left before we look, and wrote nothing */
	swap_input(reader);
	s = open_ok("-", &plain);
	expect(s, PV_READ_END);
	pv_source_close(s);
	swap_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
	s = open_ok("-", &plain);
	expect(s, PV_READ_END);
	pv_source_close(s);
	close(swap_input(before));
}
END_TEST

START_TEST(process_substitution_names_a_pipe_too)
{
	int ends[2];
	char path[KIT_PATH];
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	ck_assert(write_all(ends[1], "hello", 5));
	close(ends[1]);
	struct pv_source *s = open_ok(path, &plain);
	expect_bytes(s, "hello", 5);
	expect(s, PV_READ_END);
	pv_source_close(s);
	close(ends[0]);
}
END_TEST

/* Many times what the spool holds; the reader begins when it has long been full. */
START_TEST(a_patient_pipe_loses_nothing)
{
	char path[KIT_PATH];
	struct pv_source_options o = { .spool_limit = 64 << 10, .patient = true };
	struct pv_source *s = open_ok(make_fifo(path), &o);
	struct writing job = { path, 0, 4 << 20, 100000 };
	pid_t writer = start_child(write_pattern, &job);
	poll(NULL, 0, 100);
	expect_pattern(s, 0, 4 << 20);
	end_child(writer, 0);
	expect(s, PV_READ_END);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_uint_eq(info.dropped, 0);
	pv_source_close(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_pipe");
	TCase *c = tcase_create("pipe");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, opening_does_not_wait_for_a_writer);
	tcase_add_test(c, pieces_of_any_size_arrive_whole);
	tcase_add_test(c, a_writer_that_is_there_already_is_let_in);
	tcase_add_test(c, writers_come_and_go);
	tcase_add_test(c, the_last_of_many_quick_writers_is_noticed);
	tcase_add_test(c, an_end_stands_where_its_writer_left);
	tcase_add_test(c, a_writer_that_wrote_nothing_ends_too);
	tcase_add_test(c, killed_writer_is_an_end);
	tcase_add_test(c, a_second_viewer_is_refused_and_reported_who_has_it);
	tcase_add_test(c, a_pipe_whose_viewer_was_killed_is_free_once_its_helper_lets_go);
	tcase_add_test(c, a_pipe_that_appears_delayed);
	tcase_add_test(c, standard_input_is_a_pipe);
	tcase_add_test(c, standard_input_that_has_ended_already);
	tcase_add_test(c, standard_input_is_a_named_pipe_or_no_pipe_at_all);
	tcase_add_test(c, process_substitution_names_a_pipe_too);
	tcase_add_test(c, a_patient_pipe_loses_nothing);
	suite_add_tcase(s, c);
	return run_suite(s);
}
