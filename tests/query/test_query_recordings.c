/* SPDX-License-Identifier: MIT */
/* Of several recordings in one input the last is shown, and the coverage says so. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

static const char *state_of(struct kit *k, const char *what, char detail[400])
{
	static char state[20];
	struct pv_table *t = kit_view(k, PV_VIEW_COVERAGE, NULL);
	const struct pv_row *row = kit_row(t, "what", what);
	snprintf(state, sizeof state, "%s", kit_cell(t, row, "state")->s);
	snprintf(detail, 400, "%s", kit_cell(t, row, "detail")->s);
	pv_table_destroy(t);
	return state;
}

/* As a process that becomes one program after another leaves them in a pipe. */
START_TEST(of_several_recordings_the_last_is_said)
{
	static const char *const what[] = { "samples", "allocations", "allocation_stacks" };
	char detail[400];
	struct kit k = kit_new("profview:native,sample=100,gcalloc,sample-timer=cpu:100");
	ck_assert_str_eq(state_of(&k, "samples", detail), "complete");
	k.m->recordings = 10;
	for (size_t i = 0; i < 3; i++) {
		ck_assert_str_eq(state_of(&k, what[i], detail), "partial");
		ck_assert_msg(i || strstr(detail, "of the last of 10 recordings"), "%s", detail);
	}
	ck_assert_str_eq(state_of(&k, "losses", detail), "partial");
	ck_assert_msg(strstr(detail, "the last of 10 recordings in this input"), "%s", detail);
	ck_assert_msg(strstr(detail, "for less than 20 ms is in none"), "%s", detail);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query recordings");
	TCase *c = tcase_create("all");
	tcase_add_test(c, of_several_recordings_the_last_is_said);
	suite_add_tcase(s, c);
	return run_suite(s);
}
