/* SPDX-License-Identifier: MIT */
/*
 * Files that a program carries: written once, of the user's own, and never used as somebody else left them. The
 * table is the test's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include "common/target/process/carried.h"
#include "tests/kit/suite.h"

enum { PATH = 300 };

const char pv_carried_hash[] = "0123456789abcdef";
static const unsigned char first[] = "what the first file holds";
const struct pv_carried_file pv_carried_files[] = { { "lib.so", NULL, first, sizeof first },
	{ "sub/x/link.so", "../../lib.so", NULL, 0 }, { "sub/y/other.so", NULL, first, 4 }, { 0 } };

static char base[PATH], folder[PATH];

static void make_base(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(base, sizeof base, "%.100s/carried-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(base));
	setenv("XDG_CACHE_HOME", base, 1);
	snprintf(folder, sizeof folder, "%.120s/profview/probes/%s", base, pv_carried_hash);
}

static void remove_base(void)
{
	char command[PATH + 16];
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	ck_assert_int_eq(system(command), 0);
}

static void put(void)
{
	char path[PV_PROGRAM_PATH], right[PATH + 16];
	struct pv_error e = { 0 };
	if (!pv_carried_put("lib.so", path, &e))
		ck_abort_msg("%s", e.what);
	snprintf(right, sizeof right, "%s/lib.so", folder);
	ck_assert_str_eq(path, right);
}

static void within(char to[PATH], const char *name)
{
	snprintf(to, PATH, "%.200s/%s", folder, name);
}

/* The file has the bytes it was carried with, and no other user can write to it. */
static void is_whole(const char *name, size_t n)
{
	char path[PATH], bytes[64];
	struct stat st;
	within(path, name);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, bytes, sizeof bytes), (ssize_t)n);
	ck_assert_mem_eq(bytes, first, n);
	close(fd);
}

static void all_are_whole(void)
{
	char path[PATH], link[PATH];
	is_whole("lib.so", sizeof first);
	is_whole("sub/y/other.so", 4);
	within(path, "sub/x/link.so");
	ssize_t n = readlink(path, link, sizeof link);
	ck_assert_int_eq(n, (ssize_t)strlen("../../lib.so"));
	ck_assert_mem_eq(link, "../../lib.so", (size_t)n);
}

static void write_over(const char *name, const char *text)
{
	char path[PATH];
	within(path, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(written_once)
{
	char path[PATH];
	struct stat before, after;
	mode_t mask = umask(0077);
	put();
	umask(mask);
	all_are_whole();
	ck_assert_int_eq(stat(folder, &before), 0);
	ck_assert_uint_eq(before.st_mode & 0777, 0700);
	within(path, "lib.so");
	ck_assert_int_eq(stat(path, &before), 0);
	put();
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
}
END_TEST

START_TEST(what_was_changed_is_written_again)
{
	char path[PATH], target[PATH];
	put();
	write_over("lib.so", "what the first file HOLDS");
	write_over("sub/y/other.so", "wh");
	put();
	all_are_whole();
	/* A link is not followed, and what it leads to stays. */
	within(path, "lib.so");
	snprintf(target, sizeof target, "%.200s/elsewhere", base);
	ck_assert_int_eq(rename(path, target), 0);
	ck_assert_int_eq(symlink(target, path), 0);
	within(path, "sub/x/link.so");
	unlink(path);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	put();
	all_are_whole();
	ck_assert_int_eq(access(target, R_OK), 0);
	/* Others could write to it. */
	within(path, "lib.so");
	ck_assert_int_eq(chmod(path, 0666), 0);
	put();
	all_are_whole();
}
END_TEST

/* A folder that leads elsewhere is no place, nor is one that others write to; then it is /tmp. */
START_TEST(a_folder_of_others_is_no_place)
{
	char path[PV_PROGRAM_PATH], right[PATH];
	put();
	snprintf(right, sizeof right, "/tmp/profview-%u/probes/%s/lib.so", (unsigned)geteuid(),
		pv_carried_hash);
	ck_assert_int_eq(chmod(folder, 0777), 0);
	ck_assert(pv_carried_put("lib.so", path, NULL));
	ck_assert_str_eq(path, right);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/", 1);
	ck_assert(pv_carried_put("lib.so", path, NULL));
	ck_assert_str_eq(path, right);
	snprintf(path, sizeof path, "rm -r '/tmp/profview-%u/probes/%s'", (unsigned)geteuid(),
		pv_carried_hash);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

START_TEST(many_at_once)
{
	int status;
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			char path[PV_PROGRAM_PATH];
			_exit(pv_carried_put("lib.so", path, NULL) &&
						strncmp(path, base, strlen(base)) == 0
					? 0
					: 1);
		}
	for (int i = 0; i < 8; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	all_are_whole();
}
END_TEST

/* Mounts of its own, which end with the process. */
START_TEST(where_no_code_may_be_loaded)
{
	char path[PV_PROGRAM_PATH];
	struct pv_error e = { 0 };
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return; /* a container without that right */
	ck_assert_int_eq(mount("none", "/tmp", "tmpfs", MS_NOEXEC, NULL), 0);
	setenv("XDG_CACHE_HOME", "/tmp/caches", 1);
	ck_assert(!pv_carried_put("lib.so", path, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_ptr_nonnull(strstr(e.what, "mounted noexec"));
	umount("/tmp");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("carried");
	TCase *t = tcase_create("carried");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make_base, remove_base);
	tcase_add_test(t, written_once);
	tcase_add_test(t, what_was_changed_is_written_again);
	tcase_add_test(t, a_folder_of_others_is_no_place);
	tcase_add_test(t, many_at_once);
	if (geteuid() == 0)
		tcase_add_test(t, where_no_code_may_be_loaded);
	suite_add_tcase(s, t);
	return run_suite(s);
}
