/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <signal.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

static const struct pv_source_options follow = { .follow = true };

START_TEST(finished_file_is_read_to_its_end)
{
	char path[KIT_PATH];
	uint8_t *b = pattern_bytes(0, 300000);
	put_file(in_dir(path, "log"), b, 300000);
	struct pv_source *s = open_plain(path, false);
	ck_assert_int_eq(pv_source_wait_fd(s), -1);
	pv_source_wait_clear(s);
	expect_bytes(s, b, 300000);
	expect(s, PV_READ_END);
	expect(s, PV_READ_END);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_FILE);
	ck_assert_str_eq(info.path, path);
	ck_assert_uint_eq(info.file_bytes, 300000);
	ck_assert_uint_eq(info.input_read, 300000);
	ck_assert(!info.compressed && !info.compressed_cut && !info.waiting);
	pv_source_close(s);
	free(b);
}
END_TEST

START_TEST(empty_and_tiny_files)
{
	char path[KIT_PATH];
	for (size_t n = 0; n < 4; n++) {
		put_file(in_dir(path, "log"), "\x1f\x1f\x8b", n);
		struct pv_source *s = open_plain(path, false);
		expect_bytes(s, "\x1f\x1f\x8b", n);
		expect(s, PV_READ_END);
		pv_source_close(s);
	}
}
END_TEST

START_TEST(what_cannot_be_opened_says_so)
{
	char path[KIT_PATH];
	struct pv_error e;
	struct pv_source_options plain = { 0 };
	ck_assert_ptr_null(pv_source_open(in_dir(path, "missing"), &plain, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_str_eq(e.what, strerror(ENOENT));
	ck_assert_ptr_null(pv_source_open(kit_dir, &plain, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	put_file(in_dir(path, "log"), "x", 1);
	plain.record = "record-that-is-not-there";
	ck_assert_ptr_null(pv_source_open(path, &plain, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
}
END_TEST

START_TEST(growing_byte_by_byte)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "log"), "", 0);
	struct pv_source *s = open_ok(path, &follow);
	for (uint64_t i = 0; i < 500; i++) {
		uint8_t b = pattern(i);
		append(path, &b, 1);
		expect_bytes(s, &b, 1);
		expect_nothing_now(s);
	}
	pv_source_close(s);
}
END_TEST

static int write_slowly(void *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (uint64_t at = 0; at < 200000; at += 777) {
		uint8_t b[777];
		for (size_t i = 0; i < sizeof b; i++)
			b[i] = pattern(at + i);
		if (!write_all(fd, b, sizeof b))
			return 1;
		sched_yield();
	}
	return 0;
}

START_TEST(another_process_makes_it_grow)
{
	char path[KIT_PATH];
	struct pv_source *s = open_ok(in_dir(path, "log"), &follow);
	pid_t pid = start_child(write_slowly, path);
	expect_pattern(s, 0, 200000);
	end_child(pid, 0);
	pv_source_close(s);
}
END_TEST

START_TEST(file_appears_delayed)
{
	char path[KIT_PATH], other[KIT_PATH];
	struct pv_source_info info;
	struct pv_source *s = open_ok(in_dir(path, "log"), &follow);
	expect_nothing_now(s);
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_GROWING);
	ck_assert(info.waiting);
	put_file(in_dir(other, "other"), "no", 2);
	pv_source_wait_clear(s);
	expect_nothing_now(s);
	append(path, "hello", 5);
	expect_bytes(s, "hello", 5);
	pv_source_info(s, &info);
	ck_assert(!info.waiting);
	ck_assert_uint_eq(info.file_bytes, 5);
	append(path, "again", 5);
	expect_bytes(s, "again", 5);
	pv_source_close(s);
}
END_TEST

START_TEST(delayed_file_moved_into_place_in_the_working_folder)
{
	char path[KIT_PATH], other[KIT_PATH], before[KIT_PATH];
	ck_assert_ptr_nonnull(getcwd(before, sizeof before));
	ck_assert_int_eq(chdir(kit_dir), 0);
	struct pv_source *s = open_ok("log", &follow);
	put_file(in_dir(other, "other"), "moved", 5);
	ck_assert_int_eq(rename(other, in_dir(path, "log")), 0);
	expect_bytes(s, "moved", 5);
	ck_assert_int_eq(chdir(before), 0);
	append(path, "on", 2);
	expect_bytes(s, "on", 2);
	pv_source_close(s);
}
END_TEST

START_TEST(shrinking_begins_again)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "log"), "0123456789", 10);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, "0123456789", 10);
	expect_nothing_now(s);
	ck_assert_int_eq(truncate(path, 4), 0);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "0123", 4);
	expect_nothing_now(s);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_uint_eq(info.input_read, 4);
	put_file(path, "abc", 3);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "abc", 3);
	pv_source_close(s);
}
END_TEST

START_TEST(emptied_and_outgrown_between_two_checks)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "log"), "first recording", 15);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, "first recording", 15);
	put_file(path, "the second recording is longer", 30);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "the second recording is longer", 30);
	pv_source_close(s);
}
END_TEST

static void write_over(const char *path, size_t at, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)pwrite(fd, bytes, n, (off_t)at), (int)n);
	close(fd);
}

START_TEST(a_copy_over_an_older_log_is_read_when_that_is_gone)
{
	enum { SIZE = 1000, HALF = SIZE / 2, MORE = 100 };
	char path[KIT_PATH], old[SIZE], fresh[SIZE + MORE];
	memset(old, 'o', sizeof old);
	memset(fresh, 'f', sizeof fresh);
	put_file(in_dir(path, "log"), old, SIZE);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, old, SIZE);
	write_over(path, 0, fresh, HALF);
	expect(s, PV_READ_RESTART);
	expect_nothing_now(s); /* half of it is the older one's */
	write_over(path, HALF, fresh + HALF, SIZE - HALF);
	expect_bytes(s, fresh, SIZE);
	write_over(path, SIZE - 1, "o", 1); /* far from the beginning */
	expect(s, PV_READ_RESTART);
	write_over(path, SIZE - 1, fresh, 1 + MORE);
	expect_bytes(s, fresh, SIZE + MORE); /* it has outgrown the older one */
	append(path, "on", 2);
	expect_bytes(s, "on", 2);
	pv_source_close(s);
}
END_TEST

START_TEST(replaced_file_is_read_to_its_end_first)
{
	char path[KIT_PATH], other[KIT_PATH];
	put_file(in_dir(path, "log"), "old", 3);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, "ol", 2);
	put_file(in_dir(other, "other"), "new one", 7);
	ck_assert_int_eq(rename(other, path), 0);
	expect_bytes(s, "d", 1);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "new one", 7);
	append(path, " grows", 6);
	expect_bytes(s, " grows", 6);
	ck_assert_int_eq(unlink(path), 0);
	pv_source_wait_clear(s);
	expect_nothing_now(s);
	put_file(path, "third", 5);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "third", 5);
	pv_source_close(s);
}
END_TEST

START_TEST(ends_when_its_writer_exits)
{
	char path[KIT_PATH];
	int life;
	put_file(in_dir(path, "log"), "header", 6);
	struct pv_source *s = open_ok(path, &follow);
	pid_t pid = start_writer(path, &life);
	expect_bytes(s, "header", 6);
	pv_source_set_target(s, (uint32_t)pid);
	expect_nothing_now(s);
	append(path, "last", 4);
	close(life); /* not reaped yet: a zombie has ended too */
	siginfo_t exited;
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &exited, WEXITED | WNOWAIT), 0);
	struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, DEADLINE_MS), 1);
	pv_source_wait_clear(s);
	expect_bytes(s, "last", 4);
	expect(s, PV_READ_END);
	end_child(pid, 0);
	expect(s, PV_READ_END);
	append(path, "later", 5);
	expect_bytes(s, "later", 5);
	expect_nothing_now(s); /* somebody else writes: that end was none */
	pv_source_close(s);
}
END_TEST

START_TEST(who_does_not_hold_the_file_for_writing_is_not_its_writer)
{
	char path[KIT_PATH], other[KIT_PATH];
	int life;
	put_file(in_dir(path, "log"), "header", 6);
	put_file(in_dir(other, "other"), "", 0);
	pid_t elsewhere = start_writer(other, &life);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, "header", 6);
	pv_source_set_target(s, INT32_MAX); /* no process has that number */
	expect_nothing_now(s);
	pv_source_set_target(s, UINT32_MAX);
	expect_nothing_now(s);
	pv_source_set_target(s, (uint32_t)getpid()); /* it reads the file */
	expect_nothing_now(s);
	pv_source_set_target(s, (uint32_t)elsewhere);
	close(life);
	end_child(elsewhere, 0);
	expect_nothing_now(s);
	pv_source_close(s);
}
END_TEST

START_TEST(a_writer_that_closes_the_file_is_unknown)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "log"), "header", 6);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct pv_source *s = open_ok(path, &follow);
	expect_bytes(s, "header", 6);
	pv_source_set_target(s, (uint32_t)getpid());
	close(fd);
	for (enum pv_read what = PV_READ_NOTHING; what != PV_READ_QUIET;) {
		uint64_t n;
		char c;
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, DEADLINE_MS), 1); /* it is asked in any case */
		pv_source_wait_clear(s);
		what = pv_source_read(s, &c, 1, &n, NULL);
		ck_assert(what == PV_READ_NOTHING || what == PV_READ_QUIET);
	}
	append(path, "more", 4);
	expect_bytes(s, "more", 4);
	expect_nothing_now(s);
	pv_source_close(s);
}
END_TEST

START_TEST(restart_forgets_the_target)
{
	char path[KIT_PATH];
	int life;
	put_file(in_dir(path, "log"), "header", 6);
	struct pv_source *s = open_ok(path, &follow);
	pid_t pid = start_writer(path, &life);
	expect_bytes(s, "header", 6);
	pv_source_set_target(s, (uint32_t)pid);
	put_file(path, "new", 3);
	expect(s, PV_READ_RESTART);
	close(life);
	end_child(pid, 0);
	expect_bytes(s, "new", 3);
	expect_nothing_now(s);
	pv_source_close(s);
}
END_TEST

START_TEST(standard_input_from_a_file_is_that_file)
{
	char path[KIT_PATH];
	int before = dup(0);
	put_file(in_dir(path, "log"), "skipped, read", 13);
	int fd = open(path, O_RDONLY);
	dup2(fd, 0);
	lseek(0, 9, SEEK_SET);
	struct pv_source *s = open_plain("-", false);
	expect_bytes(s, "read", 4);
	expect(s, PV_READ_END);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert_int_eq(info.kind, PV_SOURCE_FILE);
	pv_source_close(s);
	s = open_plain("-", true);
	expect_bytes(s, "read", 4);
	append(path, " on", 3);
	expect_bytes(s, " on", 3);
	pv_source_close(s);
	dup2(before, 0);
	close(before);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_file");
	TCase *c = tcase_create("file");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, finished_file_is_read_to_its_end);
	tcase_add_test(c, empty_and_tiny_files);
	tcase_add_test(c, what_cannot_be_opened_says_so);
	tcase_add_test(c, growing_byte_by_byte);
	tcase_add_test(c, another_process_makes_it_grow);
	tcase_add_test(c, file_appears_delayed);
	tcase_add_test(c, delayed_file_moved_into_place_in_the_working_folder);
	tcase_add_test(c, shrinking_begins_again);
	tcase_add_test(c, emptied_and_outgrown_between_two_checks);
	tcase_add_test(c, a_copy_over_an_older_log_is_read_when_that_is_gone);
	tcase_add_test(c, replaced_file_is_read_to_its_end_first);
	tcase_add_test(c, ends_when_its_writer_exits);
	tcase_add_test(c, who_does_not_hold_the_file_for_writing_is_not_its_writer);
	tcase_add_test(c, a_writer_that_closes_the_file_is_unknown);
	tcase_add_test(c, restart_forgets_the_target);
	tcase_add_test(c, standard_input_from_a_file_is_that_file);
	suite_add_tcase(s, c);
	return run_suite(s);
}
