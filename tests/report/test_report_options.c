/* SPDX-License-Identifier: MIT */
/* Which sections, keys and formats make sense; what happens when the output fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/report_world.h"
#include "tests/kit/suite.h"

START_TEST(options_are_checked_before_a_long_load)
{
	static const struct {
		struct pv_report_options o;
		const char *why;
	} row[] = {
		{ { .sections = NULL }, NULL },
		{ { .sections = "methods,classes" }, NULL },
		{ { .sections = "gc,heap_shots,source,target,duration_ns" }, NULL },
		{ { .sections = "all" }, NULL },
		{ { .sections = "methods", .sort = "calls" }, NULL },
		{ { .sort = "wait_ns" }, NULL },
		{ { .sections = "gc.pauses", .format = PV_REPORT_CSV }, NULL },
		{ { .sections = "lines", .format = PV_REPORT_VIM }, NULL },
		{ { .sections = "counters.samples", .format = PV_REPORT_CSV }, NULL },
		{ { .sections = "code_coverage", .format = PV_REPORT_MARKDOWN }, NULL },
		{ { .sections = "method" },
			"no section \"method\"; there is: methods exceptions.clause_methods jit.methods" },
		{ { .sections = "methods,,nonsense" }, "no section \"nonsense\"" },
		{ { .sections = "gc.nonsense" }, "no section \"gc.nonsense\"" },
		{ { .sections = "methods", .sort = "bytes" },
			"no section asked for has the key \"bytes\"; methods has: name calls total_ns" },
		{ { .sort = "nonsense" }, "no section asked for has the key \"nonsense\"" },
		{ { .format = PV_REPORT_CSV }, "exactly one list" },
		{ { .format = PV_REPORT_VIM }, "lines of files" },
		{ { .format = PV_REPORT_VIM, .sections = "methods" }, "lines of files" },
		{ { .format = PV_REPORT_VIM, .sections = "lines,sample_lines" }, "lines of files" },
		{ { .format = PV_REPORT_CSV, .sections = "methods,classes" }, "exactly one list" },
		{ { .format = PV_REPORT_CSV, .sections = "gc" }, "no section \"gc\"" },
		{ { .format = PV_REPORT_MARKDOWN, .sections = "samples" }, "is no list" },
		{ { .sections = "heap_objects" }, "heap_objects wants --shot N" },
		{ { .sections = "heap_classes", .has_shot = true }, NULL },
		{ { .sections = "heap_path", .has_shot = true }, "heap_path wants --object" },
		{ { .sections = "heap_referrers", .has_shot = true },
			"heap_referrers wants --object" },
		{ { .sections = "heap_dominators", .has_shot = true }, NULL },
		{ { .sections = "heap_merged_paths", .has_shot = true },
			"heap_merged_paths wants --class" },
		{ { .sections = "callers" }, "callers wants --method" },
		{ { .sections = "callees", .method = "M" }, NULL },
		{ { .sections = "heap_path", .has_shot = true, .has_object = true }, NULL },
		{ { .format = PV_REPORT_CSV, .sections = "all" }, "exactly one list" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		struct pv_error e = { 0 };
		bool ok = pv_report_check(&row[i].o, &e);
		ck_assert_msg(ok == !row[i].why, "row %zu: %s", i, e.what);
		ck_assert_msg(ok || strstr(e.what, row[i].why), "row %zu: %s", i, e.what);
		ck_assert(ok || e.code == PV_EUSAGE);
	}
}
END_TEST

START_TEST(a_full_disk_is_an_error_in_every_format)
{
	struct kit k = report_world();
	for (int format = 0; format <= PV_REPORT_MARKDOWN; format++) {
		struct pv_report_options o = { .format = (enum pv_report_format)format,
			.sections = "methods" };
		struct pv_error e = { 0 };
		FILE *full = fopen("/dev/full", "w");
		ck_assert_ptr_nonnull(full);
		ck_assert(!pv_report_write(k.m, &(struct pv_report_source){ 0 }, &o, full, &e));
		ck_assert_int_eq(e.code, PV_EIO);
		fclose(full);
	}
	kit_free(&k);
}
END_TEST

static unsigned lines_with(const char *text, const char *part)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

START_TEST(limit_filter_and_sort)
{
	struct kit k = kit_new("log:calls");
	for (uint64_t i = 0; i < 30; i++) {
		char name[32];
		snprintf(name, sizeof name, "App:Method%02u ()", (unsigned)i);
		kit_method(&k, 0x100 + i, name);
		for (uint64_t calls = 0; calls <= i; calls++) {
			kit_enter(&k, 0x100 + i);
			kit_at(&k, (k.time - KIT_ZERO) / 1000 + 30 - i);
			kit_leave(&k, 0x100 + i);
		}
		kit_flush(&k);
	}
	char *t = report_text(&k, &(struct pv_report_options){ .sections = "methods" });
	ck_assert_uint_eq(lines_with(t, "App.Method"), 20);
	ck_assert(strstr(t, "  10 more\n"));
	free(t);
	t = report_text(&k, &(struct pv_report_options){ .sections = "methods", .limited = true });
	ck_assert_uint_eq(lines_with(t, "App.Method"), 30);
	ck_assert(!strstr(t, " more\n"));
	free(t);
	t = report_text(&k, &(struct pv_report_options){ .sections = "methods",
				    .limited = true,
				    .limit = 1,
				    .sort = "calls",
				    .format = PV_REPORT_CSV });
	ck_assert_msg(strstr(t, "\r\nApp.Method29(),30,") != NULL, "%s", t);
	ck_assert_uint_eq(lines_with(t, "\r\n"), 2);
	free(t);
	t = report_text(
		&k, &(struct pv_report_options){
			    .sections = "methods", .filter = "METHOD1", .format = PV_REPORT_CSV });
	ck_assert_uint_eq(lines_with(t, "App.Method"), 10);
	free(t);
	t = report_text(&k, &(struct pv_report_options){ .sections = "methods",
				    .filter = "app.method1",
				    .raw_names = true,
				    .format = PV_REPORT_CSV });
	ck_assert_uint_eq(lines_with(t, "App:Method1"), 10);
	free(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report options");
	TCase *c = tcase_create("all");
	tcase_add_test(c, options_are_checked_before_a_long_load);
	tcase_add_test(c, a_full_disk_is_an_error_in_every_format);
	tcase_add_test(c, limit_filter_and_sort);
	suite_add_tcase(s, c);
	return run_suite(s);
}
