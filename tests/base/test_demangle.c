/* C++ names, where libiberty is there. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/base/demangle.h"
#include "common/base/status.h"

START_TEST(names_of_cpp)
{
	static const struct {
		const char *name, *plain;
	} known[] = {
		{ "_ZN4shop7CounterIlE3addEl", "shop::Counter<long>::add(long)" },
		{ "_Z4workv+0x10 [libx.so]", "work()+0x10 [libx.so]" },
		{ "malloc in _Znwm+0x8", "malloc in operator new(unsigned long)+0x8" },
		{ "_ZL5twinsi.constprop.0 (a.cpp)", "twins(int).constprop.0 (a.cpp)" },
		{ "_Z", "" },
		{ "_Znothing", "" },
		{ "main", "" },
		{ "", "" },
		{ "x_Z4workv", "" },
	};
	char to[64];
	for (size_t i = 0; i < PV_COUNT_OF(known); i++) {
		size_t n = pv_demangle(known[i].name, strlen(known[i].name), to, sizeof to);
		ck_assert_msg(n == strlen(known[i].plain) && memcmp(to, known[i].plain, n) == 0,
			"%s: %.*s", known[i].name, (int)n, to);
		ck_assert_uint_eq(pv_demangle(known[i].name, strlen(known[i].name), to, 5), 0);
	}
}
END_TEST

/* Each argument is twice the one before: 34 of them are no name for any memory. */
START_TEST(a_symbol_that_explodes)
{
	static char symbol[1024], to[8192];
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)snprintf(symbol, sizeof symbol, "_Z1f1aIiiE");
	size_t small = n;
	for (int i = 0; i < 34; i++) {
		n += (size_t)snprintf(
			symbol + n, sizeof symbol - n, "S_IS%c_S%c_E", digits[i], digits[i]);
		small = i == 3 ? n : small;
	}
	ck_assert_uint_gt(pv_demangle(symbol, small, to, sizeof to), 200); /* it is a name */
	ck_assert_uint_eq(pv_demangle(symbol, n, to, sizeof to), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("demangle");
	TCase *t = tcase_create("demangle");
	tcase_add_test(t, names_of_cpp);
	tcase_add_test(t, a_symbol_that_explodes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
