/* SPDX-License-Identifier: MIT */
/* Fields of stat files, also of a name with blanks and parentheses; facts of processes. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "tests/kit/suite.h"

/* A name in the file is whatever the program calls itself. */
START_TEST(fields_are_counted_after_the_name)
{
	static const char text[] =
		"17 (a) R 1 (b) c) S 4 5 6 7 -1 8 9 10 11 12 130 140 0 0 20 0 3 0 "
		"2200 230 24\n";
	ck_assert_int_eq(*pv_stat_find(text, PV_STAT_STATE), 'S');
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_PARENT), 4);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_USER), 130);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_SYSTEM), 140);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_THREADS), 3);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_START), 2200);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_RESIDENT), 24);
	ck_assert_ptr_null(pv_stat_find(text, PV_STAT_STACK)); /* the text ends before */
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_STACK), 0);
	ck_assert_ptr_null(pv_stat_find("", PV_STAT_STATE));
	ck_assert_ptr_null(pv_stat_find("17 (a)", PV_STAT_STATE));
}
END_TEST

START_TEST(files_are_cut_to_the_room_and_end_with_0)
{
	char whole[4096], part[8], none[4] = "old";
	ssize_t n = pv_proc_read(0, "stat", whole, sizeof whole);
	ck_assert_int_gt(n, 20);
	ck_assert_uint_eq(strlen(whole), (size_t)n);
	ck_assert_int_eq(pv_proc_read(getpid(), "stat", part, sizeof part), 7);
	ck_assert_int_eq(memcmp(part, whole, 7), 0);
	ck_assert_int_eq(part[7], 0);
	ck_assert_int_eq(pv_proc_read(0, "no such file", none, sizeof none), -1);
	ck_assert_str_eq(none, "");
}
END_TEST

START_TEST(a_process_has_its_parent_and_an_age)
{
	char text[1024];
	int64_t own = pv_process_age_ms(0);
	ck_assert_int_ge(own, 0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		pause();
		_exit(0);
	}
	int64_t age = pv_process_age_ms(child);
	ck_assert_int_gt(pv_proc_read(child, "stat", text, sizeof text), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_uint_eq(pv_stat_number(text, PV_STAT_PARENT), (uint64_t)getpid());
	ck_assert_int_ge(age, 0);
	ck_assert_int_le(age, pv_process_age_ms(0)); /* this one began before */
	ck_assert_int_eq(pv_process_age_ms(child), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("proc_file");
	TCase *c = tcase_create("all");
	tcase_add_test(c, fields_are_counted_after_the_name);
	tcase_add_test(c, files_are_cut_to_the_room_and_end_with_0);
	tcase_add_test(c, a_process_has_its_parent_and_an_age);
	suite_add_tcase(s, c);
	return run_suite(s);
}
