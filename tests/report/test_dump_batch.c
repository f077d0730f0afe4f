/* SPDX-License-Identifier: MIT */
/* `profview dump` of logs of 2007: lines with offset, thread, time, kind and named fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report/dump.h"
#include "tests/kit/b07_kit.h"
#include "tests/kit/suite.h"

static struct b07_kit kit;

static char *dump(size_t n, size_t step, struct pv_dump_totals *ret)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct pv_dump *d = pv_dump_create(out);
	struct pv_error e = { 0 };
	ck_assert(out && d);
	for (size_t at = 0; at < n; at += step)
		ck_assert(pv_dump_push(d, kit.bytes + at, n - at < step ? n - at : step, &e));
	ck_assert_msg(pv_dump_end(d, &e), "%s", e.what);
	pv_dump_totals(d, ret);
	pv_dump_destroy(d);
	fclose(out);
	return text;
}

START_TEST(lines)
{
	static const char *const want[] = { "stage D",
		" 0x71 0.000314000 method.enter method=0x1\n",
		"alloc class=40 size=24 object=0x1000 stack=[0x1]\n",
		"name=\"missing.dll\" failed=1 took_ns=10000\n",
		"monitor.contention class=40 object=0x1000 stack=[]\n",
		"heap.object class=40 size=24 object=0x1000 refs=[0x1020, 0x1040]\n",
		("heap.summary class=1 reachable=3 reachable_bytes=96 unreachable=2 "
		 "unreachable_bytes=64\n") };
	struct pv_dump_totals t, by_one;
	b07_kit_init(&kit, 'D', 1);
	b07_kit_log(&kit);
	char *text = dump(kit.n, kit.n, &t), *same = dump(kit.n, 1, &by_one);
	for (size_t i = 0; i < PV_COUNT_OF(want); i++)
		ck_assert_msg(strstr(text, want[i]) != NULL, "no \"%s\" in\n%s", want[i], text);
	ck_assert_str_eq(text, same);
	ck_assert(t.complete && t.bytes == kit.n);
	ck_assert_uint_eq(t.events, by_one.events);
	free(text);
	free(same);
	text = dump(kit.n - 1, kit.n, &t);
	ck_assert(!t.complete);
	ck_assert(strstr(text, "damage: ") != NULL);
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dump_batch");
	TCase *t = tcase_create("lines");
	tcase_add_test(t, lines);
	suite_add_tcase(s, t);
	return run_suite(s);
}
