/* SPDX-License-Identifier: MIT */
/*
 * usage: make_log WORLD DATA-VERSION POINTER-SIZE [all|stock [SAYS LAYOUT [MAJOR]]] > LOG
 *
 * A world of worlds.h; `stock`: without what ends Mono's own reader. SAYS is the data version in
 * the header where a layout of development builds is wanted, MAJOR that of the header. With
 * MAKE_LOG_LEAD in the environment every text of the log begins with its bytes.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/kit/worlds.h"

static const struct {
	const char *name;
	void (*make)(struct world *x);
} worlds[] = {
	{ "every-kind", world_every_kind },
	{ "helpers", world_helpers },
	{ "monitors", world_monitors },
	{ "recursion", world_recursion },
	{ "callers", world_callers },
	{ "lost-leaves", world_lost_leaves },
	{ "strangers", world_strangers },
	{ "stray-object", world_stray_object },
	{ "word-counter", world_word_counter },
	{ "performance-counter", world_performance_counter },
	{ "class-unload", world_class_unload },
	{ "vtable-late", world_vtable_delayed },
	{ "image-unload", world_image_unload },
	{ "old-roots", world_old_roots },
	{ "thread-lives", world_thread_lives },
	{ "late-layout", world_delayed_layout },
	{ "lines", world_lines },
	{ "strings", world_strings },
	{ "texts", world_texts },
};

static char **arg;
static int args;

/* A test, because the kit's assertions hold only in one. */
START_TEST(make)
{
	struct world x;
	size_t i = 0;
	while (i < PV_COUNT_OF(worlds) && strcmp(arg[1], worlds[i].name) != 0)
		i++;
	ck_assert_msg(i < PV_COUNT_OF(worlds), "there is no world %s", arg[1]);
	uint8_t version = (uint8_t)atoi(arg[2]);
	struct mlpd_format f = { version,
		version >= 16   ? 3
		: version >= 14 ? 2
				: version == 13,
		(uint8_t)atoi(arg[3]), 0 };
	if (args > 6)
		f.layout = (uint8_t)atoi(arg[6]);
	if (args > 7)
		f.header_major = (uint8_t)atoi(arg[7]);
	const char *lead = getenv("MAKE_LOG_LEAD");
	world_lead(lead ? lead : "");
	world_init(&x, &f, args > 6 ? (uint8_t)atoi(arg[5]) : version);
	x.leaves_out = args > 4 && strcmp(arg[4], "stock") == 0;
	worlds[i].make(&x);
	wire_end_buffer(&x.w);
	ck_assert_uint_eq(fwrite(x.w.out.v, 1, x.w.out.n, stdout), x.w.out.n);
	ck_assert_int_eq(fflush(stdout), 0);
	world_finish(&x);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: make_log WORLD DATA-VERSION POINTER-SIZE ...\n");
		return 2;
	}
	arg = argv;
	args = argc;
	Suite *s = suite_create("make_log");
	TCase *c = tcase_create("all");
	tcase_add_test(c, make);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_SILENT);
	int failed = srunner_ntests_failed(r);
	if (failed) {
		TestResult **why = srunner_failures(r);
		fprintf(stderr, "make_log: %s\n", tr_msg(why[0]));
		free(why);
	}
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
