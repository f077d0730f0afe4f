/* SPDX-License-Identifier: MIT */
/* Disks that are full: the program goes on, the log stays whole, what is missing is counted. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/session_kit.h"

enum { LIMIT = 200 << 10 };

static char path[PROBE_PATH];

static void start(const char *more)
{
	char options[PROBE_PATH + 64];
	snprintf(options, sizeof options, "output=%s%s", path, more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit l;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static off_t file_size(void)
{
	struct stat st;
	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* The limit sends SIGXFSZ to the one who writes: the writer has it blocked, the program none. */
static void setup(void)
{
	probe_setup();
	probe_path(path, "log.mlpd");
	signal(SIGXFSZ, SIG_DFL);
	limit_files(LIMIT);
}

static void teardown(void)
{
	limit_files(RLIM_INFINITY);
	probe_teardown();
}

START_TEST(a_full_disk_at_the_end)
{
	struct probe_log log;
	start(",linger=50");
	session_emit(300000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
	ck_assert_int_le(file_size(), LIMIT);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_gt(probe_log_events(&log), 0);
	ck_assert_uint_gt(log.lost, 0);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost, 600000);
	probe_log_finish(&log);
}
END_TEST

START_TEST(room_is_found_again)
{
	struct probe_log log;
	start(",buffer=256k");
	session_emit(300000, 0, 30);
	PROBE_WAIT(file_size() == LIMIT); /* full, in the middle of a piece */
	session_emit(300000, 0, 30);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(pvp_session_flush(), 0);
	session_emit(10, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, path);
	probe_log_check(&log);
	ck_assert_uint_gt(log.lost, 0);
	ck_assert_uint_eq(probe_log_events(&log) + log.lost, 1200020);
	probe_log_finish(&log);
}
END_TEST

START_TEST(nothing_can_be_written_at_all)
{
	strcpy(path, "/dev/full");
	start(",buffer=256k,linger=20");
	session_emit(300000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT);
}
END_TEST

/* A program that closes what it does not know must not find the log in its own files. */
START_TEST(a_stolen_descriptor_is_left_as_is)
{
	char other[PROBE_PATH];
	struct stat st;
	limit_files(RLIM_INFINITY);
	start("");
	session_emit(10, 0, 30);
	ck_assert_int_eq(pvp_session_flush(), 0);
	int mine = open(probe_path(other, "mine"), O_RDWR | O_CREAT, 0600), theirs = -1;
	ck_assert_int_ge(mine, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	for (int fd = 3; fd < 1024 && theirs < 0; fd++) {
		struct stat each;
		if (fstat(fd, &each) == 0 && each.st_ino == st.st_ino)
			theirs = fd;
	}
	ck_assert_int_ge(theirs, 3);
	ck_assert_int_eq(dup2(mine, theirs), theirs);
	off_t before = st.st_size;
	session_emit(10000, 0, 30);
	ck_assert_int_eq(pvp_session_stop(), 0); /* the file was opened again where it was left */
	ck_assert_int_eq(fstat(theirs, &st), 0); /* still open */
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, before);
	close(theirs);
	close(mine);
}
END_TEST

START_TEST(the_file_is_refused_at_once)
{
	char options[PROBE_PATH + 64], deep[PROBE_PATH + 16];
	snprintf(deep, sizeof deep, "%s/no/such", probe_dir);
	snprintf(options, sizeof options, "output=%s", deep);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), ENOENT);
	snprintf(options, sizeof options, "output=%s", probe_dir);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), EISDIR);
	ck_assert_int_eq(pvp_session_stop(), EALREADY);
	session_emit(1, 0, 30);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_disk");
	TCase *t = tcase_create("disk");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_full_disk_at_the_end);
	tcase_add_test(t, room_is_found_again);
	tcase_add_test(t, nothing_can_be_written_at_all);
	tcase_add_test(t, a_stolen_descriptor_is_left_as_is);
	tcase_add_test(t, the_file_is_refused_at_once);
	suite_add_tcase(s, t);
	return run_suite(s);
}
