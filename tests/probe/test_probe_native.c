/* SPDX-License-Identifier: MIT */
/* Compiled hooks in this very process: names of its functions, and calls that end by a jump. */
#include "tests/kit/suite.h"

#include "probe/profview_probe.h"
#include "tests/kit/probe_kit.h"
#include "tests/kit/probe_world.h"

static char path[PROBE_PATH];

static void start(void)
{
	char options[PROBE_PATH + 64];
	snprintf(options, sizeof options, "output=%s", probe_path(path, "log.mlpd"));
	ck_assert_int_eq(profview_start(options), 0);
}

static void stop_and_read(struct probe_log *log)
{
	ck_assert_int_eq(profview_stop(), 0);
	probe_log_read(log, path);
	probe_log_check(log);
	ck_assert_uint_eq(log->lost, 0);
	ck_assert_uint_eq(log->mismatches, 0);
}

static void calls_are(const struct probe_log *log, const char *name, uint64_t n, uint64_t jumped)
{
	const struct probe_method *m = probe_log_method(log, name);
	ck_assert_msg(m->enters == n && m->exc_leaves == jumped && m->leaves == n - jumped,
		"%s: %lu enters, %lu leaves, %lu by jumps; want %lu and %lu by jumps", name,
		(unsigned long)m->enters, (unsigned long)m->leaves, (unsigned long)m->exc_leaves,
		(unsigned long)n, (unsigned long)jumped);
}

START_TEST(names_and_counts)
{
	struct probe_log log;
	start();
	world_calls(1000);
	stop_and_read(&log);
	calls_are(&log, "world_calls", 1, 0);
	calls_are(&log, "through_static", 1, 0);
	calls_are(&log, "world_leaf", 1000, 0);
	const struct probe_method *leaf = probe_log_method(&log, "world_leaf");
	ck_assert_uint_eq(leaf->code, (uint64_t)(uintptr_t)world_leaf);
	ck_assert_uint_gt(leaf->size, 0);
	ck_assert_uint_lt(leaf->size, 10000);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_JIT], 3);
	ck_assert_ptr_nonnull(strstr(log.args, "profview:native,"));
	ck_assert_uint_eq(probe_log_thread(&log, "main")->enters, 1002);
	probe_log_finish(&log);
}
END_TEST

START_TEST(static_functions_of_one_name)
{
	struct probe_log log;
	start();
	world_twins(7);
	world_other_twins(9);
	stop_and_read(&log);
	calls_are(&log, "twin (probe_world.c)", 7, 0);
	calls_are(&log, "twin (probe_world_other.c)", 9, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(jumps_from_one_place)
{
	struct probe_log log;
	start();
	world_jumps(20);
	stop_and_read(&log);
	calls_are(&log, "jumper", 20, 20);
	calls_are(&log, "world_jumps", 1, 0);
	calls_are(&log, "after_jumps", 1, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(jumps_over_several_calls)
{
	struct probe_log log;
	start();
	world_deep_jumps(20);
	stop_and_read(&log);
	calls_are(&log, "jumper", 20, 20);
	calls_are(&log, "third", 20, 20);
	calls_are(&log, "second", 20, 20);
	calls_are(&log, "first", 20, 0);
	calls_are(&log, "after_jumps", 20, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(jumps_out_of_a_handler)
{
	struct probe_log log;
	start();
	world_jump_from_handler(10);
	world_calls(1);
	stop_and_read(&log);
	calls_are(&log, "handler", 10, 10);
	calls_are(&log, "world_jump_from_handler", 1, 0);
	probe_log_finish(&log);
}
END_TEST

/* Deeper than the probe follows: nothing is lost, nothing made up. */
START_TEST(deep_recursion)
{
	enum { DEPTH = 20000 };
	struct probe_log log;
	start();
	ck_assert_int_eq(world_recursion(DEPTH) >= DEPTH, 1);
	world_jumps(3);
	stop_and_read(&log);
	calls_are(&log, "world_recursion", DEPTH, 0);
	calls_are(&log, "jumper", 3, 3);
	probe_log_finish(&log);
}
END_TEST

START_TEST(inlined_functions_nest)
{
	struct probe_log log;
	start();
	world_inlined(500);
	stop_and_read(&log);
	calls_are(&log, "world_inlined", 1, 0);
	uint64_t parents = probe_log_method(&log, "inlined_parent")->enters;
	if (parents) { /* clang leaves no symbol, and no hook, for what it always inlines */
		calls_are(&log, "inlined_parent", 500, 0);
		calls_are(&log, "inlined_child", 1000, 0);
	}
	probe_log_finish(&log);
}
END_TEST

/* The session begins inside calls and ends inside others. */
START_TEST(halves_of_calls)
{
	struct probe_log log;
	world_calls(3);
	start();
	world_calls(3);
	stop_and_read(&log);
	world_jumps(2);
	calls_are(&log, "world_leaf", 3, 0);
	probe_log_finish(&log);
	start();
	world_jumps(1);
	stop_and_read(&log);
	calls_are(&log, "jumper", 1, 1);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_native");
	TCase *t = tcase_create("native");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, names_and_counts);
	tcase_add_test(t, static_functions_of_one_name);
	tcase_add_test(t, jumps_from_one_place);
	tcase_add_test(t, jumps_over_several_calls);
	tcase_add_test(t, jumps_out_of_a_handler);
	tcase_add_test(t, deep_recursion);
	tcase_add_test(t, inlined_functions_nest);
	tcase_add_test(t, halves_of_calls);
	suite_add_tcase(s, t);
	return run_suite(s);
}
