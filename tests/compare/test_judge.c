/* SPDX-License-Identifier: MIT */
/* Tests of verdicts on classes that one side of a comparison has no sample of. */
#include "common/compare/diff_parts.h"
#include "tests/kit/suite.h"

enum { PERIOD = 512 * 1024, OBJECT = 40 };

static void add_log(struct pv_diff *d, enum pv_diff_side side, uint64_t period)
{
	ck_assert(pv_reserve(&d->log[side], 1));
	d->log[side].v[d->log[side].n++] = (struct pv_diff_log){
		.path = "", .args = "", .alloc_period = period, .sample_weight = 1
	};
}

static void add_class(struct pv_diff *d, enum pv_diff_side side, const char *name, double bytes)
{
	struct pv_diff_rows *rows = &d->rows[PV_DIFF_CLASSES];
	struct pv_diff_entry e = { .side = (uint8_t)side, .value = { bytes, bytes / OBJECT } };
	ck_assert(pv_diff_row(d, PV_DIFF_CLASSES, name, "", &e.row) && pv_reserve(&rows->entry, 1));
	rows->entry.v[rows->entry.n++] = e;
}

/* The verdict on a class with `bytes` in one log only, by bytes and by objects. */
static enum pv_diff_verdict verdict_on(
	enum pv_diff_side has, uint64_t base_period, uint64_t new_period, double bytes)
{
	static const struct pv_diff_options options = { .per = PV_PER_NONE };
	enum pv_diff_verdict ret[2] = { PV_DIFF_SAME, PV_DIFF_SAME };
	for (size_t i = 0, n = 0; i < pv_diff_measure_count; i++) {
		if (pv_diff_measures[i].list != PV_DIFF_CLASSES)
			continue;
		struct pv_diff *d = pv_diff_create(&options);
		struct pv_diff_judged j;
		ck_assert_ptr_nonnull(d);
		add_log(d, PV_DIFF_BASE, base_period);
		add_log(d, PV_DIFF_NEW, new_period);
		add_class(d, has, "Shop.Order", bytes);
		ck_assert(pv_diff_judge(d, &pv_diff_measures[i], &j));
		ck_assert_uint_eq(j.change.n, 1);
		ck_assert_uint_lt(n, 2);
		ret[n++] = j.change.v[0].verdict;
		pv_diff_judged_clear(&j);
		pv_diff_destroy(d);
	}
	ck_assert_int_eq(ret[0], ret[1]);
	return ret[0];
}

START_TEST(a_class_without_a_sample_is_not_new)
{
	ck_assert_int_eq(verdict_on(PV_DIFF_NEW, PERIOD, 0, 324000), PV_DIFF_NOISE);
	ck_assert_int_eq(verdict_on(PV_DIFF_BASE, 0, PERIOD, 324000), PV_DIFF_NOISE);
	/* nor with samples on both sides, where those of one are rare */
	ck_assert_int_eq(verdict_on(PV_DIFF_NEW, PERIOD, 4096, 324000), PV_DIFF_NOISE);
}
END_TEST

START_TEST(a_class_that_had_to_be_met_is_new)
{
	ck_assert_int_eq(verdict_on(PV_DIFF_NEW, PERIOD, 0, 20.0 * PERIOD), PV_DIFF_ADDED);
	ck_assert_int_eq(verdict_on(PV_DIFF_BASE, 0, PERIOD, 20.0 * PERIOD), PV_DIFF_GONE);
	ck_assert_int_eq(verdict_on(PV_DIFF_NEW, 0, 0, 324000), PV_DIFF_ADDED);
	ck_assert_int_eq(verdict_on(PV_DIFF_BASE, 0, 0, 324000), PV_DIFF_GONE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("judge");
	TCase *c = tcase_create("all");
	tcase_add_test(c, a_class_without_a_sample_is_not_new);
	tcase_add_test(c, a_class_that_had_to_be_met_is_new);
	suite_add_tcase(s, c);
	return run_suite(s);
}
