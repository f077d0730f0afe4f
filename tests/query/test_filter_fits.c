/* SPDX-License-Identifier: MIT */
/* Which views can use a filter, and what those say that cannot. */
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/filter_fits.h"
#include "common/query/groups/specs.h"
#include "tests/kit/suite.h"

START_TEST(a_view_has_what_is_asked_or_says_what_not)
{
	static const struct {
		enum pv_view view;
		const char *filter, *why; /* NULL: it fits */
	} row[] = {
		{ PV_VIEW_METHODS, "", NULL },
		{ PV_VIEW_METHODS, "Idct | !lib", NULL },
		{ PV_VIEW_METHODS, "calls>3 self>1ms", NULL },
		{ PV_VIEW_METHODS, "thread:Worker", "no thread" },
		{ PV_VIEW_METHODS, "Idct !thread:Worker", "no thread" },
		{ PV_VIEW_METHODS, "retained>1MiB", "no column retained" },
		{ PV_VIEW_METHODS, "\"retained>1MiB\"", NULL },
		{ PV_VIEW_METHODS, "nothing_of_it>3", NULL },
		{ PV_VIEW_METHODS, "self>1MiB", "self_percent is a share, not a size" },
		{ PV_VIEW_METHODS, "(lib", "this ( is never closed" },
		{ PV_VIEW_THREADS, "thread:Worker", NULL },
		{ PV_VIEW_THREADS, "Worker", NULL },
		{ PV_VIEW_THREADS, "self>1ms", "no column self" },
		{ PV_VIEW_CLASSES, "class:Foo allocated>1k", NULL },
		{ PV_VIEW_COLLECTIONS, "Foo", "no names" },
		{ PV_VIEW_FLAME, "class:Foo stack:x ns:System site:y Idct", NULL },
		{ PV_VIEW_FLAME, "thread:main", "no thread" },
		{ PV_VIEW_FLAME, "self>1ms", "no column self" },
		{ PV_VIEW_STREAM, "kind:gc thread:main method:x text bytes>1k took>1ms", NULL },
		{ PV_VIEW_STREAM, "self>1ms", "no column self" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		char why[96] = "";
		bool fits = pv_filter_fits(row[i].view, row[i].filter, why, sizeof why);
		ck_assert_msg(fits == !row[i].why, "%s: %s", row[i].filter, why);
		ck_assert_str_eq(why, row[i].why ? row[i].why : "");
	}
}
END_TEST

/* Words are asked of rows that a column names. */
START_TEST(rows_without_names_have_no_words)
{
	static const struct {
		enum pv_view view;
		const struct pv_view_spec *spec;
	} row[] = {
		{ PV_VIEW_COLLECTIONS, &pv_spec_collections },
		{ PV_VIEW_PAUSES, &pv_spec_pauses },
		{ PV_VIEW_GENERATIONS, &pv_spec_generations },
		{ PV_VIEW_SHOTS, &pv_spec_heap_shots },
		{ PV_VIEW_SURVIVED, &pv_spec_gc_survived },
		{ PV_VIEW_COUNTER_SAMPLES, &pv_spec_counter_samples },
		{ PV_VIEW_CODE_COVERAGE_LINES, &pv_spec_code_coverage_lines },
		{ PV_VIEW_METHODS, &pv_spec_methods },
		{ PV_VIEW_THREADS, &pv_spec_threads },
		{ PV_VIEW_FINDINGS, &pv_spec_findings },
		{ PV_VIEW_LOCKS, &pv_spec_locks },
		{ PV_VIEW_EXCEPTIONS, &pv_spec_exceptions },
		{ PV_VIEW_COUNTERS, &pv_spec_counters },
	};
	char why[96];
	for (size_t i = 0; i < PV_COUNT_OF(row); i++)
		ck_assert_msg(pv_filter_fits(row[i].view, "word", why, sizeof why) ==
				      (row[i].spec->name != NULL),
			"%s", pv_view_name(row[i].view));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter fits");
	TCase *t = tcase_create("views");
	tcase_add_test(t, a_view_has_what_is_asked_or_says_what_not);
	tcase_add_test(t, rows_without_names_have_no_words);
	suite_add_tcase(s, t);
	return run_suite(s);
}
