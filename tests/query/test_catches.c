/* SPDX-License-Identifier: MIT */
/* Throws and catches put together, and the rate of a class over time. */
#include <math.h>
#include <string.h>

#include "common/query/log_end.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	FIND = 0x100,
	ONE = 0x110,
	TWO = 0x120,
	FAULT = 0x500,
	OTHER = 0x600,
	INVOKED = 0x130,
	OUTER = 0x140,
	S = 1000000,
	CATCH = 0,
	FINALLY = 2
};

static const uint64_t stack[] = { ONE, FIND, 0 };

static struct kit world(void)
{
	struct kit k = kit_new("profview:exception,classof");
	kit_method(&k, FIND, "Find()");
	kit_method(&k, ONE, "One()");
	kit_method(&k, TWO, "Two()");
	kit_class(&k, FAULT, "Fault");
	kit_class(&k, OTHER, "Other");
	kit_thread(&k, 1);
	return k;
}

static void throw(struct kit * k, uint64_t class, uint64_t object)
{
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXT_CLASS_OF, .class_of = { object, class + 1 } });
	kit_throw(k, object, stack);
}

static void clause(struct kit *k, uint64_t type, uint64_t method, uint64_t object)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXCEPTION_CLAUSE,
			     .clause = { type, 0, method, object } });
}

static void expect(struct kit *k, uint64_t select, const char *const *want)
{
	static const char *const columns[] = { "class", "method", "caught", NULL };
	const struct pv_query q = { .select = select };
	size_t n = 0;
	kit_flush(k);
	struct pv_table *t = kit_view(k, PV_VIEW_CATCHES, &q);
	for (; want[n]; n++) {
		ck_assert_uint_lt(n, t->rows);
		ck_assert_str_eq(kit_text(t, n, columns), want[n]);
	}
	ck_assert_uint_eq(t->rows, n);
	pv_table_destroy(t);
}

static bool names_fault(struct kit *k)
{
	char line[300];
	kit_flush(k);
	return strstr(pv_log_end_line(k->m, line, sizeof line),
		       "; no catch of Fault, thrown shortly before, is in the log") != NULL;
}

/* Not where catches may be missing: in a part of the log, and where none is recorded. */
START_TEST(the_end_names_what_has_no_catch)
{
	struct kit k = world();
	throw(&k, FAULT, 0x8000);
	kit_end(&k, false);
	ck_assert(names_fault(&k));
	k.m->only.ranged = true;
	ck_assert(!names_fault(&k));
	k.m->only = (struct pv_restrict){ .threaded = true };
	ck_assert(!names_fault(&k));
	k.m->only.threaded = false;
	throw(&k, OTHER, 0x9000);
	ck_assert(!names_fault(&k));
	clause(&k, CATCH, TWO, 0x9000);
	ck_assert(names_fault(&k));
	kit_free(&k);
	k = world();
	k.m->target.args = "profview:exception,output=/tmp/profview-join-1/pipe";
	throw(&k, FAULT, 0x8000);
	kit_end(&k, false);
	ck_assert(!names_fault(&k));
	k.m->ending.said = true; /* a program that is left runs on */
	char line[300];
	ck_assert_str_eq(pv_log_end_line(k.m, line, sizeof line),
		"ended: the probe's farewell, as the program ended or was left");
	k.m->target.args = NULL;
	kit_free(&k);
}
END_TEST

static const char *ended_by(struct kit *k)
{
	static const char *const columns[] = { "score", "verdict", "text", NULL };
	kit_end(k, false);
	struct pv_table *t = kit_view(k, PV_VIEW_FINDINGS, NULL);
	size_t at = (size_t)(kit_row(t, "finding", "unhandled-exception") - t->row);
	const char *text = kit_text(t, at, columns);
	pv_table_destroy(t);
	return text;
}

static void begins(const char *text, const char *start)
{
	ck_assert_msg(strncmp(text, start, strlen(start)) == 0, "\"%s\" for \"%s\"", text, start);
}

/* A second of catching one each millisecond, as long after its throw; then one without a catch. */
static struct kit throwing(uint64_t took_us, bool last)
{
	struct kit k = world();
	for (uint64_t i = 0; i < 1000; i++) {
		kit_at(&k, i * 1000);
		throw(&k, OTHER, 0x80000 + 64 * i);
		kit_at(&k, i * 1000 + took_us);
		clause(&k, CATCH, ONE, 0x80000 + 64 * i);
	}
	kit_at(&k, 2 * S);
	if (last)
		throw(&k, FAULT, 0x8000);
	kit_at(&k, 2 * S + 10000);
	clause(&k, FINALLY, TWO, 0x8000);
	return k;
}

/* A kill finds an exception by chance where they are often on their way. */
START_TEST(what_ended_the_program_is_a_finding)
{
	struct kit k = throwing(10, true);
	begins(ended_by(&k), "100 severe Fault ended the program: nothing caught it; thrown in ");
	kit_free(&k);
	k = throwing(10, false);
	begins(ended_by(&k), "0 fine no exception");
	kit_free(&k);
	k = throwing(500, true);
	begins(ended_by(&k), "49 note Fault may have ended the program");
	kit_free(&k);
}
END_TEST

/* Mono catches what leaves Main, and what leaves a constructor of a class, after which the caller has another. */
START_TEST(monos_own_catch_is_none)
{
	static const uint64_t inner[] = { OUTER, FIND, 0 }, caller[] = { OUTER, 0 };
	for (int again = 0; again < 2; again++) {
		struct kit k = throwing(10, false);
		kit_method(&k, INVOKED,
			"(wrapper runtime-invoke) <Module>:runtime_invoke_void (object)");
		kit_method(&k, OUTER, "Main()");
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
				      .class_of = { 0x8000, FAULT + 1 } });
		kit_throw(&k, 0x8000, inner);
		clause(&k, CATCH, INVOKED, 0x8000);
		if (again) {
			kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
					      .class_of = { 0x9000, OTHER + 1 } });
			kit_throw(&k, 0x9000, caller);
			clause(&k, CATCH, OUTER, 0x9000);
		} else { /* its report of it */
			throw(&k, OTHER, 0x9000);
			clause(&k, CATCH, ONE, 0x9000);
		}
		begins(ended_by(&k), again ? "0 fine no" : "100 severe Fault ended the program");
		kit_free(&k);
	}
}
END_TEST

static uint64_t row_of(struct kit *k, const char *class)
{
	const struct pv_query q = { 0 };
	kit_flush(k);
	struct pv_table *t = kit_view(k, PV_VIEW_EXCEPTIONS, &q);
	uint64_t id = kit_row(t, "name", class)->id;
	pv_table_destroy(t);
	return id;
}

/* The second is thrown while the first unwinds, and replaces nothing. */
START_TEST(by_class_and_method)
{
	static const char *const want[] = { "Fault One() 2", "Other Two() 1", NULL };
	static const char *const of_other[] = { "Other Two() 1", NULL };
	struct kit k = world();
	throw(&k, FAULT, 0x8000);
	clause(&k, FINALLY, TWO, 0x8000);
	throw(&k, OTHER, 0x9000);
	clause(&k, CATCH, TWO, 0x9000);
	clause(&k, CATCH, ONE, 0x8000);
	throw(&k, FAULT, 0xa000);
	clause(&k, CATCH, ONE, 0xb000); /* a collection has moved it */
	expect(&k, 0, want);
	expect(&k, row_of(&k, "Other"), of_other);
	kit_free(&k);
}
END_TEST

START_TEST(a_catch_without_a_throw)
{
	static const char *const want[] = { "(class not recorded) One() 1", NULL };
	struct kit k = world();
	clause(&k, CATCH, ONE, 0x8000);
	expect(&k, 0, want);
	ck_assert_uint_eq(k.m->throws.catches.unpaired, 1);
	kit_free(&k);
}
END_TEST

START_TEST(a_class_over_time)
{
	struct kit k = world();
	for (uint64_t i = 0; i < 40; i++) {
		kit_at(&k, 1000000 + 10000 * i);
		throw(&k, FAULT, 0x8000 + 64 * i);
		if (i % 4 == 0)
			throw(&k, OTHER, 0x80000 + 64 * i);
	}
	kit_at(&k, 4000000);
	throw(&k, OTHER, 0xf0000);
	uint64_t fault = row_of(&k, "Fault"), other = row_of(&k, "Other");
	struct pv_series *s = pv_view_series(k.m, PV_SERIES_THROWN, fault, 0, 4000000000, 4);
	struct pv_series *o = pv_view_series(k.m, PV_SERIES_THROWN, other, 0, 4000000000, 4);
	/* a bucket's are spread over its width, which may begin before the cell */
	ck_assert(fabs(s->value[0] + s->value[1] - 40) < 1e-6 && s->value[1] > 30);
	ck_assert(s->value[2] < 1e-6 && s->value[3] < 1e-6);
	ck_assert(fabs(o->value[0] + o->value[1] - 10) < 1e-6 && o->value[3] > 0);
	pv_series_destroy(s);
	pv_series_destroy(o);
	kit_free(&k);
}
END_TEST

/* A writer's buffer may end anywhere. */
START_TEST(a_class_that_came_at_the_end_of_the_buffer_before)
{
	struct kit k = world();
	static const char *const columns[] = { "name", "thrown", NULL };
	kit_event(&k, (struct pv_event){
			      .kind = PV_KIND_EXT_CLASS_OF, .class_of = { 0x9000, FAULT + 1 } });
	kit_thread(&k, 2);
	kit_throw(&k, 0x9000, stack); /* on another thread: its class is not known */
	kit_thread(&k, 1);
	kit_throw(&k, 0x9000, stack);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_EXCEPTIONS, NULL);
	ck_assert_uint_eq(k.m->throws.unknown_class, 1);
	ck_assert_str_eq(
		kit_text(t, (size_t)(kit_row(t, "name", "Fault") - t->row), columns), "Fault 1");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("catches");
	TCase *t = tcase_create("catches");
	tcase_add_test(t, by_class_and_method);
	tcase_add_test(t, the_end_names_what_has_no_catch);
	tcase_add_test(t, what_ended_the_program_is_a_finding);
	tcase_add_test(t, monos_own_catch_is_none);
	tcase_add_test(t, a_catch_without_a_throw);
	tcase_add_test(t, a_class_over_time);
	tcase_add_test(t, a_class_that_came_at_the_end_of_the_buffer_before);
	suite_add_tcase(s, t);
	return run_suite(s);
}
