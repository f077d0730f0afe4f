/* SPDX-License-Identifier: MIT */
/* Names of C++ and Rust, where libiberty is there. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/text/demangle.h"
#include "common/base/status.h"
#include "common/base/text/unversioned.h"

START_TEST(names_of_cpp_and_rust)
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
		{ "_ZN2rs5total17haa9dd3c2665195bbE [app]", "rs::total [app]" },
		{ "_ZN59_$LT$rs..shop..Cart$LT$T$GT$$u20$as$u20$rs..shop..Price$GT$5price"
		  "17h6318debb8a7f4cf7E.llvm.42",
			"<rs::shop::Cart<T> as rs::shop::Price>::price.llvm.42" },
		{ "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17hb6e30565f2a810ddE",
			"std::rt::lang_start::{{closure}}" },
		{ "_RNvCsbFYJioi4cCO_2rs4main+0x8", "rs::main+0x8" },
		{ "_RNvXNtCsbFYJioi4cCO_2rs4shopINtB2_4CarthENtB2_5Price5priceB4_ (inlined)",
			"<rs::shop::Cart<u8> as rs::shop::Price>::price (inlined)" },
		{ "call of _RINvCsbFYJioi4cCO_2rs5totalNCNvB2_4main0EB2_",
			"call of rs::total::<rs::main::{closure#0}>" },
		{ "_RESET", "" },
		{ "_Read x", "" },
		{ "_ZN2rs5total17haa9dd3c2665195bb", "" },
	};
	char to[80];
	for (size_t i = 0; i < PV_COUNT_OF(known); i++) {
		size_t n = pv_demangle(known[i].name, strlen(known[i].name), to, sizeof to);
		ck_assert_msg(n == strlen(known[i].plain) && memcmp(to, known[i].plain, n) == 0,
			"%s: %.*s", known[i].name, (int)n, to);
		ck_assert_uint_eq(pv_demangle(known[i].name, strlen(known[i].name), to, 5), 0);
	}
}
END_TEST

START_TEST(versions_of_symbols)
{
	ck_assert_uint_eq(pv_unversioned("spin@@V_2"), 4);
	ck_assert_uint_eq(pv_unversioned("spin@V_1"), 4);
	ck_assert_uint_eq(pv_unversioned("labs@plt"), 8);
	ck_assert_uint_eq(pv_unversioned("main"), 4);
	ck_assert_uint_eq(pv_unversioned("@x"), 2);
	ck_assert_uint_eq(pv_unversioned(""), 0);
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

/* Rust's: a tuple of twice the tuple before, 40 times. */
START_TEST(a_symbol_of_rust_that_explodes)
{
	static char symbol[1024], to[8192];
	size_t n = (size_t)snprintf(symbol, sizeof symbol, "_RIC1f"), before = n - 2, small = 0;
	n += (size_t)snprintf(symbol + n, sizeof symbol - n, "TmmE");
	for (int i = 0; i < 40; i++) {
		static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
					     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		size_t ref = before - 1; /* in base 62, less one */
		char number[3] = { digits[ref / 62 ? ref / 62 : ref],
			ref / 62 ? digits[ref % 62] : 0 };
		before = n - 2;
		n += (size_t)snprintf(symbol + n, sizeof symbol - n, "TB%s_B%s_E", number, number);
		if (i == 3) {
			small = (size_t)snprintf(to, sizeof to, "%sE", symbol);
			ck_assert_uint_gt(pv_demangle(to, small, to + 4096, 4096), 100);
		}
	}
	symbol[n++] = 'E';
	ck_assert_uint_eq(pv_demangle(symbol, n, to, sizeof to), 0);
}
END_TEST

/* "S_", "S0_", ...: what stands in a symbol for the nth thing before; "S10_" is the 38th. */
static size_t put_reference(char *to, size_t room, int n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	if (n == 0)
		return (size_t)snprintf(to, room, "S_");
	n--;
	return n < 36 ? (size_t)snprintf(to, room, "S%c_", digits[n])
		      : (size_t)snprintf(to, room, "S%c%c_", digits[n / 36], digits[n % 36]);
}

/* Templates of two equal arguments within a pack: libiberty searches 2^n places for a pack. */
static size_t put_packs(char *to, size_t room, int levels)
{
	size_t n = (size_t)snprintf(to, room, "_Z1fDp");
	for (int i = 0; i < levels; i++)
		n += (size_t)snprintf(to + n, room - n, "1AI");
	n += (size_t)snprintf(to + n, room - n, "iiE");
	for (int i = 1; i < levels; i++) {
		n += put_reference(to + n, room - n, levels + i - 1);
		n += (size_t)snprintf(to + n, room - n, "E");
	}
	return n;
}

/* Conversions to templates within each other: libiberty reads each twice. */
static size_t put_conversions(char *to, size_t room, int levels)
{
	size_t n = (size_t)snprintf(to, room, "_Z1f");
	for (int i = 0; i < levels; i++)
		n += (size_t)snprintf(to + n, room - n, "N1AcvT_I");
	n += (size_t)snprintf(to + n, room - n, "i");
	for (int i = 0; i < levels; i++)
		n += (size_t)snprintf(to + n, room - n, "EE");
	return n;
}

static bool is_plain(const char *name, size_t n)
{
	char to[8192];
	return pv_demangle(name, n, to, sizeof to) != 0;
}

/* Work without output: nothing but its time could tell. */
START_TEST(symbols_that_never_end)
{
	static const char lifetimes[] = "_RC1aIC1bFGzzzzzzzzzz_EuE",
			  unicode[] = "_RC1aIC1bTFGzzzzzzzzz_EuC3u1aEE", few[] = "_RC1aIC1bFG1_EuE";
	char name[1024];
	ck_assert(is_plain(name, put_packs(name, sizeof name, 8)));
	ck_assert(is_plain(few, sizeof few - 1));
	ck_assert(!is_plain(name, put_packs(name, sizeof name, 60)));
	ck_assert(!is_plain(name, put_conversions(name, sizeof name, 60)));
	ck_assert(!is_plain(lifetimes, sizeof lifetimes - 1));
	ck_assert(!is_plain(unicode, sizeof unicode - 1));
	ck_assert(is_plain(name, put_packs(name, sizeof name, 8))); /* as before */
}
END_TEST

/* A log of such names: they share what time there is, and good names are read among them. */
START_TEST(many_symbols_that_never_end)
{
	char name[1024];
	size_t n = put_packs(name, sizeof name, 60);
	clock_t before = clock();
	for (int i = 0; i < 10000; i++)
		ck_assert(!is_plain(name, n));
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 3); /* 200 s at the limit of each */
	ck_assert(is_plain("_Z4workv", 8));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("demangle");
	TCase *t = tcase_create("demangle");
	tcase_add_test(t, names_of_cpp_and_rust);
	tcase_add_test(t, versions_of_symbols);
	tcase_add_test(t, a_symbol_that_explodes);
	tcase_add_test(t, a_symbol_of_rust_that_explodes);
	tcase_add_test(t, symbols_that_never_end);
	tcase_add_test(t, many_symbols_that_never_end);
	suite_add_tcase(s, t);
	return run_suite(s);
}
