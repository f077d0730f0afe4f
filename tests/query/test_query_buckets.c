/* SPDX-License-Identifier: MIT */
/* Views of a range from time buckets, before its events were read again. */
#include <string.h>

#include "common/query/views.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CAR = 0x500 };
#define MS ((int64_t)LOGKIT_MS)

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	logkit_class(k, 0, CAR, "Car");
	logkit_enter(k, 50 * MS, A);
	logkit_enter(k, 250 * MS, B);
	logkit_alloc(k, 260 * MS, CAR, 0x8000, 64);
	logkit_leave(k, 270 * MS, B);
	logkit_leave(k, 500 * MS, A);
	return k;
}

static struct pv_table *ask(struct logkit *k, enum pv_view view, int64_t from, int64_t to)
{
	const struct pv_query q = { .bucketed = true, .from_ns = from * MS, .to_ns = to * MS };
	struct pv_table *t = pv_view_table(logkit_model(k), view, &q);
	ck_assert_ptr_nonnull(t);
	return t;
}

static const struct pv_cell *cell(const struct pv_table *t, const char *name, const char *column)
{
	int at = pv_table_column(t, column), names = pv_table_column(t, "name");
	for (size_t i = 0; i < t->rows; i++)
		if (strcmp(t->row[i].cell[names].s, name) == 0)
			return &t->row[i].cell[at];
	ck_abort_msg("no row %s", name);
	return NULL;
}

START_TEST(what_buckets_know_is_reported_and_the_rest_is_pending)
{
	struct logkit *k = world();
	struct pv_table *t = ask(k, PV_VIEW_METHODS, 200, 300);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_uint_eq(cell(t, "B", "calls")->u, 1);
	ck_assert_int_eq(cell(t, "B", "self_ns")->i, 20 * MS);
	ck_assert_uint_eq(cell(t, "A", "calls")->u, 0);
	ck_assert_int_eq(cell(t, "A", "self_ns")->i, 80 * MS);
	ck_assert_int_eq(cell(t, "A", "total_ns")->state, PV_CELL_PENDING);
	ck_assert_int_eq(cell(t, "A", "max_ns")->state, PV_CELL_PENDING);
	ck_assert_ptr_nonnull(strstr(t->coverage, "bucket"));
	pv_table_destroy(t);
	t = ask(k, PV_VIEW_CLASSES, 200, 300);
	ck_assert_uint_eq(cell(t, "Car", "allocated_bytes")->u, 64);
	pv_table_destroy(t);
	t = ask(k, PV_VIEW_CLASSES, 300, 400);
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	t = ask(k, PV_VIEW_THREADS, 200, 300);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(t->row[0].cell[pv_table_column(t, "calls")].u, 1);
	pv_table_destroy(t);
	logkit_free(k);
}
END_TEST

START_TEST(what_they_do_not_know_waits)
{
	struct logkit *k = world();
	struct pv_table *t = ask(k, PV_VIEW_CALL_TREE, 200, 300);
	ck_assert_uint_eq(t->rows, 0);
	ck_assert_ptr_nonnull(strstr(t->coverage, "..."));
	pv_table_destroy(t);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query buckets");
	TCase *t = tcase_create("buckets");
	tcase_add_test(t, what_buckets_know_is_reported_and_the_rest_is_pending);
	tcase_add_test(t, what_they_do_not_know_waits);
	suite_add_tcase(s, t);
	return run_suite(s);
}
