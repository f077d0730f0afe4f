/* SPDX-License-Identifier: MIT */
/* Names in filters: what they stand for, and where a backslash is none. */
#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_names.h"
#include "common/base/status.h"
#include "tests/kit/suite.h"

static struct pv_filter_names names;

static void setup(void)
{
	struct pv_filter_error e;
	names = (struct pv_filter_names){ .name = { 0 } };
	ck_assert(pv_filter_names_add(&names, "shop", "class:Shop | Shelf", &e));
	ck_assert(pv_filter_names_add(&names, "big", "bytes>=4KiB", &e));
	ck_assert(pv_filter_names_add(&names, "both", "\\shop \\big", &e));
}

static void teardown(void)
{
	pv_filter_names_finish(&names);
}

START_TEST(a_name_stands_for_its_text)
{
	static const struct {
		const char *text, *is;
	} rows[] = {
		{ "", "" },
		{ "a b", "a b" },
		{ "\\big", "(bytes>=4KiB)" },
		{ "a !\\shop", "a !(class:Shop | Shelf)" },
		{ "(\\big|\\shop) x", "((bytes>=4KiB)|(class:Shop | Shelf)) x" },
		{ "\\both", "((class:Shop | Shelf) (bytes>=4KiB))" },
		/* No names: within a word, quotes and regexes, before no letter. */
		{ "a\\big", "a\\big" },
		{ "class:\\big", "class:\\big" },
		{ "class:\"a \\big\"", "class:\"a \\big\"" },
		{ "\"\\big\" /\\big|x/", "\"\\big\" /\\big|x/" },
		{ "\"a \\\" \\big\"", "\"a \\\" \\big\"" },
		{ "\\1 \\", "\\1 \\" },
		{ "/usr/lib \\big", "/usr/lib (bytes>=4KiB)" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		char text[200] = "?";
		struct pv_filter_error e;
		ck_assert_msg(pv_filter_expand(&names, rows[i].text, text, sizeof text, &e),
			"%s: %s", rows[i].text, e.what);
		ck_assert_str_eq(text, rows[i].is);
	}
}
END_TEST

START_TEST(mistakes_name_the_character)
{
	char text[24];
	struct pv_filter_error e;
	ck_assert(!pv_filter_expand(&names, "a \\nope", text, sizeof text, &e));
	ck_assert_uint_eq(e.at, 2);
	ck_assert_ptr_nonnull(strstr(e.what, "no filter is named nope"));
	ck_assert(!pv_filter_expand(NULL, "\\big", text, sizeof text, &e));
	ck_assert(!pv_filter_expand(&names, "abc \\shop", text, sizeof text, &e));
	ck_assert_uint_eq(e.at, 4);
	ck_assert_ptr_nonnull(strstr(e.what, "too long"));
	ck_assert(!pv_filter_names_add(&names, "wrong", "a |", &e));
	ck_assert_uint_eq(e.at, 2);
	ck_assert(!pv_filter_names_add(&names, "self", "\\self", &e)); /* no circle can be made */
	ck_assert(!pv_filter_names_add(&names, "nothing", " ", &e));
	ck_assert_uint_eq(names.name.n, 3);
}
END_TEST

START_TEST(the_list_is_bounded_and_the_last_one_counts)
{
	char name[8], text[200];
	struct pv_filter_error e;
	ck_assert(pv_filter_names_add(&names, "big", "bytes>1MiB", &e));
	ck_assert(pv_filter_expand(&names, "\\big", text, sizeof text, &e));
	ck_assert_str_eq(text, "(bytes>1MiB)");
	for (int i = 3; i < PV_FILTER_NAMED; i++) {
		snprintf(name, sizeof name, "n%d", i);
		ck_assert(pv_filter_names_add(&names, name, "a", &e));
	}
	ck_assert(!pv_filter_names_add(&names, "more", "a", &e));
	ck_assert(pv_filter_names_add(&names, "n5", "b", &e));
	ck_assert_uint_eq(names.name.n, PV_FILTER_NAMED);
	ck_assert(pv_filter_is_name("a-B_9", 5) && !pv_filter_is_name("9a", 2));
	ck_assert(!pv_filter_is_name("", 0) && !pv_filter_is_name("a b", 3));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter names");
	TCase *c = tcase_create("all");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, a_name_stands_for_its_text);
	tcase_add_test(c, mistakes_name_the_character);
	tcase_add_test(c, the_list_is_bounded_and_the_last_one_counts);
	suite_add_tcase(s, c);
	return run_suite(s);
}
