/* Files that are there whole or not at all; nothing is left where one could not be written. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/new_file.h"
#include "tests/kit/suite.h"

static char folder[64], path[128];

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
		n += e->d_name[0] != '.';
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
	suite_add_tcase(s, c);
	return run_suite(s);
}
