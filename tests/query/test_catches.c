/* Throws and catches put together, and the rate of a class over time. */
#include <math.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	FIND = 0x100,
	ONE = 0x110,
	TWO = 0x120,
	FAULT = 0x500,
	OTHER = 0x600,
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

int main(void)
{
	Suite *s = suite_create("catches");
	TCase *t = tcase_create("catches");
	tcase_add_test(t, by_class_and_method);
	tcase_add_test(t, a_catch_without_a_throw);
	tcase_add_test(t, a_class_over_time);
	suite_add_tcase(s, t);
	return run_suite(s);
}
