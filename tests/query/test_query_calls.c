/* SPDX-License-Identifier: MIT */
/* Methods, callers, callees and the call tree: every figure worked out by hand. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, WORK = 0x110, READ = 0x120, AGAIN = 0x130, DELAYED = 0x140 };
enum { US = 1000 };

static const char *const figures[] = { "name", "calls", "total_ns", "self_ns", "max_ns",
	"exceptional_leaves", "samples_self", "samples_total", "cpu_user_ns", NULL };

/*
 * Thread 0x10: Main 0..100 calls Work 10..60, which calls Work 20..50 (recursion), which calls
 * Read 30..40; then Read 70..90. Thread 0x20: Main 0.. is still open at its last event, at 45.
 */
static struct kit calls(void)
{
	struct kit k = kit_new("log:nodefaults,calls");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work(int)");
	kit_method(&k, READ, "Read()");
	static const struct {
		uint64_t us, method;
		bool enter;
	} step[] = { { 0, MAIN, true }, { 10, WORK, true }, { 20, WORK, true }, { 30, READ, true },
		{ 40, READ, false }, { 50, WORK, false }, { 60, WORK, false }, { 70, READ, true },
		{ 90, READ, false }, { 100, MAIN, false } };
	for (size_t i = 0; i < PV_COUNT_OF(step); i++) {
		kit_at(&k, step[i].us);
		if (step[i].enter)
			kit_enter(&k, step[i].method);
		else
			kit_leave(&k, step[i].method);
	}
	kit_thread(&k, 0x20);
	kit_at(&k, 0);
	kit_enter(&k, MAIN);
	kit_at(&k, 40);
	kit_enter(&k, READ);
	kit_at(&k, 45);
	kit_leave(&k, READ);
	return k;
}

START_TEST(totals_count_outermost_calls_only)
{
	struct kit k = calls();
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(t->rows, 3);
	/* Self: Main 10+10+10 and 40; Work 10+10 and 10+10; Read 10, 20 and 5. */
	ck_assert_str_eq(kit_text(t, 0, figures), "Main() 2 145000 70000 100000 0 - - -");
	ck_assert_str_eq(kit_text(t, 1, figures), "Work(int) 2 50000 40000 50000 0 - - -");
	ck_assert_str_eq(kit_text(t, 2, figures), "Read() 3 35000 35000 20000 0 - - -");
	static const char *const shares[] = { "self_percent", "total_percent", "average_ns", NULL };
	ck_assert_str_eq(kit_text(t, 0, shares), "48.28 100 72500");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(the_probes_own_time_is_taken_off)
{
	struct kit k = calls();
	struct pv_query net = { .net = true };
	static const char *const times[] = { "total_ns", "self_ns", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &net);
	/* A log of the stock profiler does not say. */
	ck_assert_str_eq(kit_text(t, 0, figures), "Main() 2 145000 70000 100000 0 - - -");
	pv_table_destroy(t);
	k.m->target.args = "profview:fake,calls";
	k.m->target.timer_overhead_ns = 2 * US;
	t = kit_view(&k, PV_VIEW_METHODS, &net);
	/* Half of it for each call of its own and each it makes; all of it for calls further down. */
	ck_assert_str_eq(kit_text(t, 0, figures), "Main() 2 133000 65000 100000 0 - - -");
	ck_assert_str_eq(kit_text(t, 1, figures), "Work(int) 2 45000 36000 50000 0 - - -");
	ck_assert_str_eq(kit_text(t, 2, figures), "Read() 3 32000 32000 20000 0 - - -");
	pv_table_destroy(t);
	k.m->target.timer_overhead_ns = 1000 * US; /* never below nothing */
	t = kit_view(&k, PV_VIEW_METHODS, &net);
	ck_assert_str_eq(kit_text(t, 0, times), "0 0");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Main 0 to 100 us: Sleep 10 to 60, with Inner 20 to 30 below it. */
START_TEST(waits_do_not_count_as_running)
{
	enum { SLEEP = 0x192, INNER = 0x193 };
	struct kit k = kit_new("log:calls");
	static const char *const times[] = { "name", "calls", "total_ns", "self_ns", NULL };
	kit_method(&k, MAIN, "App:Main ()");
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)");
	kit_method(&k, INNER, "System.Threading.Thread:Prepare ()");
	kit_thread(&k, 0x30);
	kit_at(&k, 0);
	kit_enter(&k, MAIN);
	kit_at(&k, 10);
	kit_enter(&k, SLEEP);
	kit_at(&k, 20);
	kit_enter(&k, INNER);
	kit_at(&k, 30);
	kit_leave(&k, INNER);
	kit_at(&k, 60);
	kit_leave(&k, SLEEP);
	kit_at(&k, 100);
	kit_leave(&k, MAIN);
	const struct pv_query waits = { .waits = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_str_eq(kit_text(t, 0, times), "App:Main () 1 50000 50000");
	ck_assert_str_eq(kit_text(t, 1, times), "System.Threading.Thread:Prepare () 1 0 0");
	ck_assert_str_eq(kit_text(t, 2, times), "System.Threading.Thread:Sleep (int) 1 0 0");
	ck_assert_double_eq_tol(t->waited, 0.5, 1e-9);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_METHODS, &waits);
	ck_assert_str_eq(kit_text(t, 0, times), "App:Main () 1 100000 50000");
	ck_assert_double_eq(t->waited, 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Rest 0 to 100 us waits in what was not traced: nine of ten samples say so, eight of nine too little. */
START_TEST(samples_tell_what_a_traced_method_waited)
{
	enum { REST = 0x180, SLEEP = 0x190, WRAPPER = 0x1a0 };
	const unsigned samples = _i ? 10 : 9;
	struct kit k = kit_new("log:calls,sample");
	static const char *const times[] = { "name", "total_ns", "self_ns", NULL };
	kit_method(&k, REST, "App:Rest ()");
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)");
	kit_method(&k, WRAPPER, "(wrapper runtime-invoke) object:invoke ()");
	kit_thread(&k, 0x30);
	kit_at(&k, 0);
	kit_enter(&k, REST);
	for (unsigned i = 1; i < samples; i++)
		kit_sample(&k, 0x30, SLEEP * 16, (uint64_t[]){ SLEEP, REST, WRAPPER, 0 });
	kit_sample(&k, 0x30, REST * 16, (uint64_t[]){ REST, WRAPPER, 0 });
	kit_at(&k, 100);
	kit_leave(&k, REST);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_str_eq(kit_text(t, 0, times),
		_i ? "App:Rest () 10000 10000" : "App:Rest () 100000 100000");
	ck_assert_double_eq_tol(t->waited, _i ? 0.9 : 8 / 9.0, 1e-9);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* A small method that is called often shows what a call of the probe's took where it ran. */
START_TEST(small_methods_show_what_the_probe_took)
{
	enum { OFTEN = 1000, OTHER = 77 };
	struct kit k = calls();
	struct pv_query net = { .net = true };
	static const char *const self[] = { "name", "self_ns", NULL };
	kit_thread(&k, 0x30);
	for (uint64_t i = 0; i < OFTEN; i++) {
		kit_at(&k, 2 * i);
		kit_enter(&k, OTHER);
		kit_at(&k, 2 * i + 1);
		kit_leave(&k, OTHER);
	}
	k.m->target.args = "profview:fake,calls";
	k.m->target.timer_overhead_ns =
		1500; /* 2000 would leave nothing, so 1800 was the probe's */
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &net);
	ck_assert_str_eq(kit_text(t, 0, self), "0x4d 100000");
	pv_table_destroy(t);
	k.m->target.timer_overhead_ns = 500; /* far less: it is the method that takes its time */
	t = kit_view(&k, PV_VIEW_METHODS, &net);
	ck_assert_str_eq(kit_text(t, 0, self), "0x4d 750000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(callers_of_a_recursive_method)
{
	struct kit k = calls();
	struct pv_table *methods = kit_view(&k, PV_VIEW_METHODS, NULL);
	struct pv_query q = { .select = kit_row(methods, "name", "Work(int)")->id };
	static const char *const edge[] = { "name", "calls", "total_ns", "total_percent", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_CALLERS, &q);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, edge), "Main() 1 50000 100");
	ck_assert_str_eq(kit_text(t, 1, edge), "Work(int) 1 30000 60");
	ck_assert_uint_eq(t->row[0].id, kit_row(methods, "name", "Main()")->id);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALLEES, &q);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, edge), "Work(int) 1 30000 60");
	ck_assert_str_eq(kit_text(t, 1, edge), "Read() 1 10000 20");
	pv_table_destroy(t);
	q.select = 12345; /* no such row */
	t = kit_view(&k, PV_VIEW_CALLERS, &q);
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	pv_table_destroy(methods);
	kit_free(&k);
}
END_TEST

static const char *const node[] = { "method", "calls", "total_ns", "self_ns", "samples", NULL };

START_TEST(the_call_tree_opens_row_by_row)
{
	struct kit k = calls();
	struct pv_table *t = kit_view(&k, PV_VIEW_CALL_TREE, NULL);
	static const char *const rows[] = { "Main() 2 145000 70000 -", "Read() 2 25000 25000 -",
		"Work(int) 1 50000 20000 -", "Work(int) 1 30000 20000 -",
		"Read() 1 10000 10000 -" };
	static const uint32_t depth[] = { 0, 1, 1, 2, 3 };
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(rows));
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		ck_assert_str_eq(kit_text(t, i, node), rows[i]);
		ck_assert_uint_eq(t->row[i].depth, depth[i]);
	}
	uint64_t open[] = { t->row[0].id };
	struct pv_table *part = kit_view(&k, PV_VIEW_CALL_TREE,
		&(struct pv_query){ .open = open, .opens = 1, .sort = "total_ns" });
	ck_assert_uint_eq(part->rows, 3);
	ck_assert_str_eq(kit_text(part, 1, node), rows[2]);
	ck_assert_uint_eq(part->row[1].id, t->row[2].id);
	ck_assert_uint_eq(part->row[1].flags, PV_ROW_HAS_CHILDREN);
	ck_assert_uint_eq(part->row[2].flags, 0);
	pv_table_destroy(part);
	part = kit_view(&k, PV_VIEW_CALL_TREE, &(struct pv_query){ 0 });
	ck_assert_uint_eq(part->rows, 1);
	pv_table_destroy(part);
	part = kit_view(&k, PV_VIEW_CALL_TREE, &(struct pv_query){ .filter = "work" });
	ck_assert_uint_eq(part->rows, 3);
	pv_table_destroy(part);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Two methods of one name (compiled twice) are one row, and one node under one parent. */
START_TEST(one_name_is_one_row)
{
	struct kit k = kit_new("log:calls");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_method(&k, AGAIN, "Work()");
	kit_enter(&k, MAIN);
	kit_at(&k, 1);
	kit_enter(&k, WORK);
	kit_at(&k, 3);
	kit_leave(&k, WORK);
	kit_enter(&k, AGAIN);
	kit_at(&k, 7);
	kit_leave(&k, AGAIN);
	kit_leave(&k, MAIN);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, figures), "Work() 2 6000 6000 4000 0 - - -");
	uint64_t id = t->row[0].id;
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALL_TREE, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 1, node), "Work() 2 6000 6000 -");
	pv_table_destroy(t);
	/* More of it later: the row keeps its id. */
	kit_at(&k, 20);
	kit_enter(&k, DELAYED);
	kit_at(&k, 99);
	kit_leave(&k, DELAYED);
	t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(kit_row(t, "name", "Work()")->id, id);
	ck_assert_uint_eq(kit_row(t, "name", "0x140")->id, t->row[0].id);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Three samples: Main > Work > Read, Main > Work > Work, Main. */
START_TEST(samples_are_no_calls_and_carry_their_error)
{
	struct kit k = kit_new("log:nodefaults,sample");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work(int)");
	kit_method(&k, READ, "Read()");
	kit_sample(&k, 0x20, READ * 16, (uint64_t[]){ READ, WORK, MAIN, 0 });
	kit_sample(&k, 0x20, WORK * 16, (uint64_t[]){ WORK, WORK, MAIN, 0 });
	kit_sample(&k, 0x20, MAIN * 16, (uint64_t[]){ MAIN, 0 });
	kit_sample(&k, 0x20, MAIN * 16 + 4, (uint64_t[]){ MAIN, 0 });
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, figures), "Main() - - - - - 2 4 -");
	ck_assert_str_eq(kit_text(t, 1, figures), "Read() - - - - - 1 1 -");
	ck_assert_str_eq(kit_text(t, 2, figures), "Work(int) - - - - - 1 2 -");
	/* 1.96 * sqrt(2) of 4. */
	static const char *const error[] = { "samples_percent", "samples_error", NULL };
	ck_assert_str_eq(kit_text(t, 0, error), "50 69.3");
	ck_assert(strstr(t->coverage, "calls not recorded; samples: 4 samples"));
	struct pv_query q = { .select = t->row[2].id };
	struct pv_table *callers = kit_view(&k, PV_VIEW_CALLERS, &q);
	static const char *const edge[] = { "name", "calls", "total_ns", "samples", NULL };
	ck_assert_str_eq(kit_text(callers, 0, edge), "Main() - - 2");
	ck_assert_str_eq(kit_text(callers, 1, edge), "Work(int) - - 1");
	pv_table_destroy(callers);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/*
 * Main 0..100 runs Inner 10..90, from within whose end a box goes on with Outer 40..80, which calls
 * Work 50..60: Outer awaits Inner, and what it does is no time of Inner's or Main's. The box has its
 * name last, as in logs that end with the names.
 */
START_TEST(what_is_resumed_was_not_called_by_what_it_awaited)
{
	enum { BOX = 0x200, INNER, OUTER };
	struct kit k = kit_new("log:nodefaults,calls,alloc");
	static const uint64_t enter[] = { 0, MAIN, 10, INNER, 40, BOX, 40, OUTER, 50, WORK };
	static const uint64_t leave[] = { 60, WORK, 80, OUTER, 80, BOX, 90, INNER, 100, MAIN };
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, INNER, "Inner()");
	kit_method(&k, OUTER, "Outer()");
	kit_method(&k, WORK, "Work(int)");
	for (size_t i = 0; i < PV_COUNT_OF(enter); i += 2) {
		kit_at(&k, enter[i]);
		kit_enter(&k, enter[i + 1]);
	}
	for (size_t i = 0; i < PV_COUNT_OF(leave); i += 2) {
		kit_at(&k, leave[i]);
		kit_leave(&k, leave[i + 1]);
	}
	kit_alloc(&k, 0x900, 0x9000, 24, (const uint64_t[]){ MAIN, INNER, BOX, OUTER, 0 });
	kit_method(&k, BOX,
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<Outer>:MoveNext ()");
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	static const char *const methods[] = { "Inner() 1 40000 40000 40000 0 - - -",
		"Outer() 1 40000 30000 40000 0 - - -", "Main() 1 60000 20000 60000 0 - - -",
		"Work(int) 1 10000 10000 10000 0 - - -", "[resumed] 1 40000 0 40000 0 - - -" };
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(methods));
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(kit_text(t, i, figures), methods[i]);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALL_TREE, &(struct pv_query){ .open_all = true });
	static const char *const tree[] = { "method", "total_ns", "max_ns", NULL };
	static const char *const rows[] = { "Main() 60000 60000", "Inner() 40000 40000",
		"[resumed] 40000 40000", "Outer() 40000 40000", "Work(int) 10000 10000" };
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(rows));
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(kit_text(t, i, tree), rows[i]);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, NULL);
	ck_assert_str_eq(
		kit_text(t, 0, (const char *const[]){ "stack", NULL }), "[resumed]\nOuter()");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Inner 10..90, of which 40..80 are a resumption's, and 92..94: no call of its took longer than both. */
START_TEST(the_longest_call_is_no_longer_than_all)
{
	enum { BOX = 0x200, INNER };
	struct kit k = kit_new("log:nodefaults,calls");
	kit_method(&k, INNER, "Inner()");
	kit_at(&k, 10);
	kit_enter(&k, INNER);
	kit_at(&k, 40);
	kit_enter(&k, BOX);
	kit_at(&k, 80);
	kit_leave(&k, BOX);
	kit_at(&k, 90);
	kit_leave(&k, INNER);
	kit_at(&k, 92);
	kit_enter(&k, INNER);
	kit_at(&k, 94);
	kit_leave(&k, INNER);
	kit_method(&k, BOX,
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<Outer>:MoveNext ()");
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	size_t row = (size_t)(kit_row(t, "name", "Inner()") - t->row);
	ck_assert_str_eq(kit_text(t, row, figures), "Inner() 2 42000 42000 42000 0 - - -");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALL_TREE, &(struct pv_query){ .open_all = true });
	static const char *const tree[] = { "method", "total_ns", "max_ns", NULL };
	row = (size_t)(kit_row(t, "method", "Inner()") - t->row);
	ck_assert_str_eq(kit_text(t, row, tree), "Inner() 42000 42000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(an_exception_ends_a_call)
{
	struct kit k = kit_new("log:calls");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_enter(&k, MAIN);
	kit_enter(&k, WORK);
	kit_at(&k, 5);
	kit_exc_leave(&k, WORK);
	kit_leave(&k, MAIN);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	const struct pv_row *row = kit_row(t, "name", "Work()");
	ck_assert_uint_eq(kit_cell(t, row, "exceptional_leaves")->u, 1);
	ck_assert_int_eq(kit_cell(t, row, "total_ns")->i, 5 * US);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Every method is of one kind: their times are those of all methods. */
START_TEST(kinds_of_code_share_all_time)
{
	struct kit k = kit_new("log:calls");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "System.Console:WriteLine ()");
	kit_enter(&k, MAIN);
	kit_at(&k, 10);
	kit_enter(&k, WORK);
	kit_at(&k, 40);
	kit_leave(&k, WORK);
	kit_at(&k, 50);
	kit_leave(&k, MAIN);
	struct pv_table *methods = kit_view(&k, PV_VIEW_METHODS, NULL);
	struct pv_table *kinds = kit_view(&k, PV_VIEW_CODE_KINDS, NULL);
	int64_t want = 0, got = 0;
	for (size_t i = 0; i < methods->rows; i++)
		want += kit_cell(methods, &methods->row[i], "self_ns")->i;
	for (size_t i = 0; i < kinds->rows; i++)
		got += kit_cell(kinds, &kinds->row[i], "self_ns")->i;
	ck_assert_int_gt(want, 0);
	ck_assert_int_eq(got, want);
	ck_assert_uint_eq(kinds->rows, 2);
	pv_table_destroy(methods);
	pv_table_destroy(kinds);
	kit_free(&k);
}
END_TEST

START_TEST(an_empty_log_has_no_rows)
{
	struct kit k = kit_new("log");
	for (int view = 0; view < PV_VIEW_COUNT; view++) {
		struct pv_table *t = kit_view(&k, (enum pv_view)view, NULL);
		bool fixed = view == PV_VIEW_COVERAGE || view == PV_VIEW_CLAUSES ||
			     view == PV_VIEW_FINDINGS || strcmp(t->name, "source") == 0;
		ck_assert_msg((t->rows == 0) != fixed, "%s has %zu rows", t->name, t->rows);
		ck_assert_str_ne(t->coverage, "");
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

/* Rows that are never made are those that a full table would have left out. */
START_TEST(the_first_of_very_many_methods)
{
	enum { MANY = 20000, FEW = 11000 };
	static const char *const sort[] = { NULL, "self_ns", "total_ns", "calls", "samples_self",
		"name" };
	static const size_t limit[] = { 1, 20, 300 };
	static char name[MANY][24]; /* as long as the kit */
	struct kit k = kit_new("log:nodefaults,calls");
	for (uint64_t i = 0, at = 0; i < MANY; i++) {
		snprintf(name[i], sizeof name[i], "%s:M%05u ()", i < FEW ? "Few.T" : "Others.T",
			(unsigned)i);
		kit_method(&k, 0x1000 + i, name[i]);
		kit_at(&k, at);
		kit_enter(&k, 0x1000 + i);
		kit_at(&k, at += 1 + i * 7919 % 4001);
		kit_leave(&k, 0x1000 + i);
	}
	for (size_t i = 0; i < PV_COUNT_OF(sort) * 4; i++) {
		struct pv_query q = { .sort = sort[i / 4],
			.invert = i % 2,
			.in_by = PV_BY_NAMESPACE,
			.in = i & 2 ? "Few" : NULL };
		struct pv_table *all = kit_view(&k, PV_VIEW_METHODS, &q);
		ck_assert_uint_eq(all->rows, i & 2 ? FEW : MANY);
		for (size_t j = 0; j < PV_COUNT_OF(limit); j++) {
			q.limit = limit[j];
			struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
			ck_assert_uint_eq(t->rows, limit[j]);
			ck_assert_uint_eq(t->rows_all, all->rows);
			for (size_t r = 0; r < t->rows; r++)
				ck_assert_uint_eq(t->row[r].id, all->row[r].id);
			pv_table_destroy(t);
		}
		pv_table_destroy(all);
	}
	kit_free(&k);
}
END_TEST

START_TEST(every_view_has_columns_of_its_own_names)
{
	for (int view = 0; view < PV_VIEW_COUNT; view++) {
		size_t n;
		const struct pv_column *c = pv_view_columns((enum pv_view)view, &n);
		ck_assert_msg(n > 0 && n <= 24, "%s", pv_view_name((enum pv_view)view));
		for (size_t i = 0; i < n; i++) {
			ck_assert_msg(c[i].id && c[i].title, "%s column %zu",
				pv_view_name((enum pv_view)view), i);
			for (size_t j = 0; j < i; j++)
				ck_assert_str_ne(c[i].id, c[j].id);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query calls");
	TCase *c = tcase_create("all");
	tcase_add_test(c, totals_count_outermost_calls_only);
	tcase_add_test(c, the_probes_own_time_is_taken_off);
	tcase_add_test(c, waits_do_not_count_as_running);
	tcase_add_loop_test(c, samples_tell_what_a_traced_method_waited, 0, 2);
	tcase_add_test(c, small_methods_show_what_the_probe_took);
	tcase_add_test(c, callers_of_a_recursive_method);
	tcase_add_test(c, the_call_tree_opens_row_by_row);
	tcase_add_test(c, one_name_is_one_row);
	tcase_add_test(c, samples_are_no_calls_and_carry_their_error);
	tcase_add_test(c, what_is_resumed_was_not_called_by_what_it_awaited);
	tcase_add_test(c, the_longest_call_is_no_longer_than_all);
	tcase_add_test(c, an_exception_ends_a_call);
	tcase_add_test(c, kinds_of_code_share_all_time);
	tcase_add_test(c, the_first_of_very_many_methods);
	tcase_add_test(c, an_empty_log_has_no_rows);
	tcase_add_test(c, every_view_has_columns_of_its_own_names);
	suite_add_tcase(s, c);
	return run_suite(s);
}
