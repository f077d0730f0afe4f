/* SPDX-License-Identifier: MIT */
/* The coverage of stacks that have as many callers as their writer keeps. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x100, CLASS = 0x20, MOST = 64 };

/* So many allocations and throws, each with so many callers. */
static void add(struct kit *k, size_t frames, size_t n)
{
	uint64_t stack[MOST + 1] = { 0 };
	for (size_t i = 0; i < frames; i++)
		stack[i] = METHOD + i;
	for (size_t i = 0; i < n; i++) {
		kit_alloc(k, CLASS, 0x1000 + 16 * i, 24, stack);
		kit_throw(k, 0x1000 + 16 * i, stack);
	}
}

/* "state: detail" of both rows, which say the same. */
static void said(const char *args, size_t frames, char to[400])
{
	static const char *const rows[] = { "allocation_stacks", "exceptions" };
	struct kit k = kit_new(args);
	for (uint64_t i = 0; i < MOST; i++)
		kit_method(&k, METHOD + i, "M");
	kit_class(&k, CLASS, "C");
	add(&k, 3, 30);
	add(&k, frames, 10);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, NULL);
	for (size_t i = 0; i < 2; i++) {
		const struct pv_row *row = kit_row(t, "what", rows[i]);
		const char *detail = kit_cell(t, row, "detail")->s;
		const char *kept = strstr(detail, "25 % have");
		char now[400];
		snprintf(now, sizeof now, "%s: %s", kit_cell(t, row, "state")->s, kept ? kept : "");
		ck_assert(i == 0 || strcmp(to, now) == 0);
		memcpy(to, now, sizeof now);
	}
	pv_table_destroy(t);
	kit_free(&k);
}

static const struct {
	const char *args;
	size_t frames;
	const char *said;
} rows[] = {
	{ "profview:mono,alloc,exception", 31, "complete: " },
	{ "profview:mono,alloc,exception", 32,
		"partial: 25 % have 32 callers, the most that are kept (maxframes=64 keeps more)" },
	{ "profview:coreclr,alloc,exception,maxframes=12", 12,
		"partial: 25 % have 12 callers, the most that are kept (maxframes=64 keeps more)" },
	{ "profview:coreclr,alloc,exception,maxframes=64", 64,
		"partial: 25 % have 64 callers, the most that are kept" },
	{ "profview:coreclr,alloc,exception,maxframes=64", 40, "complete: " },
	{ "log:alloc,exception", 32, "partial: 25 % have 32 callers, the most that are kept" },
	{ "log:maxframes=40,alloc,exception", 32, "complete: " },
	{ "profview:native,malloc,exception", 64, "complete: " }, /* it counts by itself */
};

START_TEST(stacks_that_are_as_deep_as_can_be)
{
	char got[400];
	said(rows[_i].args, rows[_i].frames, got);
	ck_assert_str_eq(got, rows[_i].said);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deep stacks");
	TCase *t = tcase_create("deep stacks");
	tcase_add_loop_test(t, stacks_that_are_as_deep_as_can_be, 0, PV_COUNT_OF(rows));
	suite_add_tcase(s, t);
	return run_suite(s);
}
