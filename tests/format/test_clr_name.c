/* SPDX-License-Identifier: MIT */
/* Names of .NET's types and methods, from the texts of its event stream. */
#include "common/format/clr_name.h"

#include <string.h>

#include "common/base/status.h"
#include "tests/kit/suite.h"

static struct pv_text text(const char *s)
{
	return (struct pv_text){ s, strlen(s) };
}

static const char *const types[][2] = {
	{ "Space.Outer+Inner", "Space.Outer/Inner" },
	{ "Space.Outer+Inner`1[System.Int32]", "Space.Outer/Inner<int>" },
	{ "Outer+Middle+Inner", "Outer/Middle/Inner" },
};

/* A nested type keeps the one around it. */
START_TEST(nested_types)
{
	char got[200];
	size_t n = pv_clr_type_name(text(types[_i][0]), got, sizeof got - 1);
	got[n] = 0;
	ck_assert_str_eq(got, types[_i][1]);
}
END_TEST

static const char *const methods[][4] = {
	{ "Space.Outer+Inner", "Do", "instance void  (int32)", "Space.Outer/Inner:Do (int)" },
	{ "dynamicClass", "lambda_method103(pMT: 0x00007f2bd4b4d2c8)", "void  (object)",
		"dynamicClass:lambda_method103 (object)" },
	{ "", "lambda_method1(pMT: 0x1", "", "lambda_method1" },
	{ "Shop", "Pay(pm: now)", "", "Shop:Pay(pm: now)" },
};

/* The address in the name of a method made at run time is another one in each run. */
START_TEST(methods_without_addresses)
{
	char got[200];
	size_t n = pv_clr_method_name(text(methods[_i][0]), text(methods[_i][1]),
		text(methods[_i][2]), got, sizeof got - 1);
	got[n] = 0;
	ck_assert_str_eq(got, methods[_i][3]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("names of .NET");
	TCase *t = tcase_create("names");
	tcase_add_loop_test(t, nested_types, 0, PV_COUNT_OF(types));
	tcase_add_loop_test(t, methods_without_addresses, 0, PV_COUNT_OF(methods));
	suite_add_tcase(s, t);
	return run_suite(s);
}
