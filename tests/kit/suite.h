/* SPDX-License-Identifier: MIT */
/* Shared by every Check program here: run one suite, exit code says the rest. */
#ifndef PV_TESTS_SUITE_H
#define PV_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

static inline int run_suite_as(Suite *s, enum fork_status how)
{
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, how);
	setenv("XDG_CACHE_HOME", "/proc/no-cache", 0); /* the user's is not for tests */
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int run_suite(Suite *s)
{
	return run_suite_as(s, CK_FORK_GETENV);
}

/* In this process: a crash is the sanitizer's to report. */
static inline int run_suite_here(Suite *s)
{
	return run_suite_as(s, CK_NOFORK);
}

#endif
