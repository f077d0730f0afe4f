/* Shared by every Check program here: run one suite, exit code says the rest. */
#ifndef PV_TESTS_SUITE_H
#define PV_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

static inline int run_suite(Suite *s)
{
	SRunner *r = srunner_create(s);
	setenv("XDG_CACHE_HOME", "/proc/no-cache", 0); /* the user's is not for tests */
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
