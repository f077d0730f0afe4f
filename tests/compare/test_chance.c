/* SPDX-License-Identifier: MIT */
/* Tests of statistics against figures that were worked out elsewhere. */
#include <math.h>
#include <string.h>

#include "common/compare/chance.h"
#include "common/compare/match_key.h"
#include "tests/kit/suite.h"

static bool near(double got, double want)
{
	return fabs(got - want) < 0.0006;
}

START_TEST(a_normal_difference_has_its_p)
{
	ck_assert(near(pv_noise_p(1.96, 1), 0.05));
	ck_assert(near(pv_noise_p(-2.5758, 1), 0.01));
	ck_assert(near(pv_noise_p(0, 1), 1));
	ck_assert(near(pv_noise_p(5, 0), 1));
	/* 95 of 824 samples, then 120 of 830: z 1.77 */
	double a = 95 / 824.0, b = 120 / 830.0, sd = sqrt(a * (1 - a) / 824 + b * (1 - b) / 830);
	ck_assert(near(pv_noise_p(b - a, sd), 0.0767));
}
END_TEST

START_TEST(ranks_have_their_exact_p)
{
	double a[] = { 3, 1, 2 }, b[] = { 6, 5, 4 };
	ck_assert(near(pv_noise_ranks(a, 3, b, 3), 0.1));
	double c[] = { 1, 2, 3, 4 }, d[] = { 8, 7, 6, 5 };
	ck_assert(near(pv_noise_ranks(c, 4, d, 4), 0.0286));
	ck_assert(near(pv_noise_ranks(d, 4, c, 4), 0.0286));
	/* U = 4 of 4 and 5: 24 of all 126 permutations are as far out */
	double e[] = { 1, 2, 4, 7 }, f[] = { 3, 5, 6, 8, 9 };
	ck_assert(near(pv_noise_ranks(e, 4, f, 5), 0.1905));
	double same[] = { 2, 2, 2, 2 }, too[] = { 2, 2, 2, 2 };
	ck_assert(near(pv_noise_ranks(same, 4, too, 4), 1));
}
END_TEST

START_TEST(of_many_rows_few_are_named)
{
	double none[] = { 0.04, 0.3, 0.5, 0.9, 0.2 };
	ck_assert(pv_noise_limit(none, 5) <= 0);
	double two[] = { 0.5, 0.001, 0.9, 0.019, 0.3 };
	ck_assert(near(pv_noise_limit(two, 5), 0.019));
	ck_assert(pv_noise_limit(two, 0) <= 0);
}
END_TEST

START_TEST(keys_lack_what_a_build_numbers_anew)
{
	static const struct {
		const char *raw, *key;
	} rows[] = { { "work.constprop.0", "work" }, { "work.isra.1.part.2", "work" },
		{ "work.cold", "work" }, { "work [clone .cold]", "work" }, { "work+0x1a", "work" },
		{ "0x7f0012", "0x*" }, { "a.partial", "a.partial" }, { "0xyz", "0xyz" },
		{ "operator+", "operator+" }, { "", "" } };
	const struct pv_column method = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD };
	char room[PV_READABLE_MAX], other[PV_READABLE_MAX];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_str_eq(
			pv_match_key(&method, rows[i].raw, strlen(rows[i].raw), room), rows[i].key);
	const char *before = "Shop.Cart/<>c:<Run>b__7_2 (int)",
		   *after = "Shop.Cart/<>c:<Run>b__9_0 (int)";
	ck_assert_str_eq(pv_match_key(&method, before, strlen(before), room),
		pv_match_key(&method, after, strlen(after), other));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("chance");
	TCase *c = tcase_create("all");
	tcase_add_test(c, a_normal_difference_has_its_p);
	tcase_add_test(c, ranks_have_their_exact_p);
	tcase_add_test(c, of_many_rows_few_are_named);
	tcase_add_test(c, keys_lack_what_a_build_numbers_anew);
	suite_add_tcase(s, c);
	return run_suite(s);
}
