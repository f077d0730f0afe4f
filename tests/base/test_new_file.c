/* SPDX-License-Identifier: MIT */
/* Files that are there whole or not at all; nothing is left where one could not be written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/system/new_file.h"
#include "tests/kit/suite.h"

static char folder[64], path[512];

/* ---- calls that a file system may refuse: these stand before those of the C library */

static bool no_links, no_rename, no_nameless;

int linkat(int from, const char *name, int to, const char *other, int flags)
{
	errno = EPERM;
	return no_links ? -1 : (int)syscall(SYS_linkat, from, name, to, other, flags);
}

int link(const char *name, const char *other)
{
	return linkat(AT_FDCWD, name, AT_FDCWD, other, 0);
}

int renameat2(int from, const char *name, int to, const char *other, unsigned flags)
{
	errno = EINVAL;
	return no_rename ? -1 : (int)syscall(SYS_renameat2, from, name, to, other, flags);
}

int open(const char *name, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	mode_t mode = va_arg(more, mode_t);
	va_end(more);
	errno = EOPNOTSUPP;
	return no_nameless && (flags & O_TMPFILE) == O_TMPFILE
		       ? -1
		       : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

/* ---- */

static void begin(void)
{
	strcpy(folder, "/tmp/test-new-file-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/out", folder);
}

static unsigned files(void)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void end(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(it_is_there_at_the_end)
{
	struct pv_new_file f;
	struct pv_error e = { 0 };
	struct stat st;
	begin();
	mode_t mask = umask(027);
	ck_assert(pv_new_file_begin(&f, path, &e));
	umask(mask);
	fputs("text", f.out);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(pv_new_file_finish(&f, true, &e));
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_uint_eq(files(), 1);
	end();
}
END_TEST

START_TEST(a_failure_leaves_nothing_and_its_own_error)
{
	struct pv_new_file f;
	struct pv_error e = { 0 };
	begin();
	ck_assert(pv_new_file_begin(&f, path, &e));
	ck_assert(!pv_new_file_finish(&f, pv_fail(&e, PV_EIO, 0, "no more"), &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_uint_eq(files(), 0);
	end();
	ck_assert(!pv_new_file_begin(&f, path, &e)); /* its folder is gone */
	ck_assert_int_eq(e.code, PV_EOUTPUT);
}
END_TEST

START_TEST(no_file_is_replaced)
{
	struct pv_new_file f, second;
	struct pv_error e = { 0 };
	begin();
	ck_assert(pv_new_file_begin(&f, path, &e));
	ck_assert(pv_new_file_begin(&second, path, &e));
	ck_assert(pv_new_file_finish(&f, true, &e));
	ck_assert(!pv_new_file_finish(&second, true, &e));
	ck_assert_int_eq(e.code, PV_EOUTPUT);
	ck_assert(!pv_new_file_begin(&f, path, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert_uint_eq(files(), 1);
	end();
}
END_TEST

/* On any file system: the loop counts in binary what it lacks. */
START_TEST(it_is_there_where_little_can_be_done)
{
	struct pv_new_file f, second;
	struct pv_error e = { 0 };
	struct stat st;
	char text[100000], back[sizeof text];
	no_links = _i & 1;
	no_rename = _i & 2;
	no_nameless = _i & 4;
	memset(text, 'x', sizeof text);
	begin();
	mode_t mask = umask(027);
	ck_assert(pv_new_file_begin(&f, path, &e));
	ck_assert(pv_new_file_begin(&second, path, &e));
	fwrite(text, 1, sizeof text, f.out);
	ck_assert(pv_new_file_finish(&f, true, &e));
	ck_assert(!pv_new_file_finish(&second, true, &e));
	umask(mask);
	ck_assert_int_eq(e.code, PV_EOUTPUT);
	ck_assert_uint_eq(files(), 1);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, sizeof text);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	FILE *in = fopen(path, "rb");
	ck_assert_uint_eq(fread(back, 1, sizeof back, in), sizeof back);
	fclose(in);
	ck_assert_mem_eq(text, back, sizeof back);
	end();
}
END_TEST

START_TEST(a_name_may_be_as_long_as_names_may_be)
{
	struct pv_new_file f;
	struct pv_error e = { 0 };
	begin();
	no_nameless = _i;
	strcat(path, "/");
	char *name = strrchr(path, '/') - 3; /* "out" */
	memset(name, 'n', 255);
	name[255] = 0;
	ck_assert(pv_new_file_begin(&f, path, &e));
	ck_assert(pv_new_file_finish(&f, true, &e));
	ck_assert_int_eq(access(path, F_OK), 0);
	unlink(path);
	strcat(path, "n");
	ck_assert(!pv_new_file_begin(&f, path, &e)); /* said before anything is written */
	ck_assert_int_eq(e.code, PV_EOUTPUT);
	end();
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct pv_new_file f;
	struct pv_error e = { 0 };
	begin();
	ck_assert(pv_new_file_begin(&f, path, &e));
	ck_assert_ptr_nonnull(freopen("/dev/full", "wb", f.out));
	fputs("text", f.out);
	ck_assert(!pv_new_file_finish(&f, true, &e));
	ck_assert_int_eq(e.code, PV_EOUTPUT);
	ck_assert_uint_eq(files(), 0);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("new files");
	TCase *c = tcase_create("all");
	tcase_add_test(c, it_is_there_at_the_end);
	tcase_add_test(c, a_failure_leaves_nothing_and_its_own_error);
	tcase_add_test(c, no_file_is_replaced);
	tcase_add_test(c, a_full_disk_is_an_error);
	tcase_add_loop_test(c, it_is_there_where_little_can_be_done, 0, 8);
	tcase_add_loop_test(c, a_name_may_be_as_long_as_names_may_be, 0, 2);
	suite_add_tcase(s, c);
	return run_suite(s);
}
