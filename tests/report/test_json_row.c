/* SPDX-License-Identifier: MIT */
/* Rows of a JSON report: what is written as text at once, and what cJSON makes, read the same. */
#include "tests/kit/suite.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/report/json_row.h"

enum { MOST = 4 };

static const struct pv_column columns[] = {
	{ .id = "name", .unit = PV_UNIT_TEXT },
	{ .id = "calls", .unit = PV_UNIT_COUNT },
	{ .id = "since_ns", .unit = PV_UNIT_TIME },
	{ .id = "share", .unit = PV_UNIT_PERCENT },
	{ .id = "at", .unit = PV_UNIT_ADDRESS },
	{ .id = "open", .unit = PV_UNIT_BOOL },
	{ .id = "stack", .unit = PV_UNIT_LIST },
	{ .id = "sizes", .unit = PV_UNIT_LIST, .flags = PV_COLUMN_NUMBERS },
	{ .id = "grown", .unit = PV_UNIT_DELTA_BYTES },
	{ .id = "method", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD },
	{ .id = "class", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_CLASS },
};

static struct pv_table table;
static struct pv_row row;
static struct pv_cell cell[PV_COUNT_OF(columns)];
static struct pv_json_names known; /* of all tables of a test */

static void setup(void)
{
	table = (struct pv_table){
		.column = columns, .columns = PV_COUNT_OF(columns), .row = &row, .rows = 1
	};
	row = (struct pv_row){ .cell = cell };
	for (size_t i = 0; i < PV_COUNT_OF(columns); i++)
		cell[i] = (struct pv_cell){ .state = PV_CELL_VALUE };
}

/* The text of the row's `keys`, after `lead`. */
static void check(const char *lead, const char *const keys[MOST], const char *want)
{
	const char *key[PV_MAX_KEYS] = { 0 };
	struct pv_json_rows rows;
	char *text = NULL;
	size_t size = 0;
	for (size_t i = 0; i < MOST && keys[i]; i++)
		key[i] = keys[i];
	FILE *out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	ck_assert(pv_json_rows_begin(&rows, &table, key, &known));
	ck_assert(pv_json_put(&rows, lead) && pv_json_row(&rows, 0));
	pv_json_flush(&rows, strlen(want), out); /* not longer than that */
	pv_json_flush(&rows, strlen(want) - 1, out);
	fclose(out);
	ck_assert_str_eq(text, want);
	pv_json_rows_finish(&rows);
	free(text);
}

static void check_name(const char *name, const char *want)
{
	cell[0].s = name;
	check("{", (const char *const[MOST]){ "name" }, want);
}

static void teardown(void)
{
	pv_json_names_finish(&known);
	known = (struct pv_json_names){ 0 };
}

START_TEST(texts)
{
	check_name("Program:Main (string[])", "{\"name\":\"Program:Main (string[])\"");
	check_name("", "{\"name\":\"\"");
	check_name(NULL, "{\"name\":\"\"");
	check_name("a \"b\" \\ c", "{\"name\":\"a \\\"b\\\" \\\\ c\"");
	check_name("tab\tline\nbell\007", "{\"name\":\"tab\\tline\\nbell\\u0007\"");
	check_name("~ \177 h\303\251", "{\"name\":\"~ \\u007f h\303\251\"");
	check_name("bad \303( byte", "{\"name\":\"bad \357\277\275( byte\"");
}
END_TEST

START_TEST(numbers)
{
	static const char *const keys[MOST] = { "calls", "since_ns", "share", "grown" };
	check("{", keys, "{\"calls\":0,\"since_ns\":0,\"share\":0,\"grown\":0");
	cell[1].u = UINT64_MAX;
	cell[2].i = INT64_MIN;
	cell[3].d = 12.5;
	cell[8].i = -7;
	check("{", keys,
		"{\"calls\":18446744073709551615,\"since_ns\":-9223372036854775808,\"share\":12.5,\"grown\":-7");
	for (uint64_t v = 1, digits = 1; digits < 20; v *= 10, digits++) {
		char text[80];
		cell[1].u = v * 9 + v / 2 + 1; /* so many digits: 10, 96, 951 ... */
		snprintf(text, sizeof text, "{\"calls\":%" PRIu64, cell[1].u);
		check("{", (const char *const[MOST]){ "calls" }, text);
		cell[1].u = v;
		snprintf(text, sizeof text, "{\"calls\":%" PRIu64, v);
		check("{", (const char *const[MOST]){ "calls" }, text);
	}
	cell[1].u = UINT64_C(1000000000000000);
	cell[2].i = INT64_MAX;
	cell[3].d = 0.1;
	cell[8].i = 10;
	check("{", keys,
		"{\"calls\":1000000000000000,\"since_ns\":9223372036854775807,\"share\":0.10000000000000001,\"grown\":10");
}
END_TEST

START_TEST(other_values)
{
	cell[4].u = 0xdeadbeef;
	cell[5].u = 1;
	cell[6].s = "Main\nsay \"hi\"";
	cell[7].s = "1\n18446744073709551615";
	check("{", (const char *const[MOST]){ "at", "open", "stack", "sizes" },
		"{\"at\":\"0xdeadbeef\",\"open\":true,\"stack\":[\"Main\",\"say \\\"hi\\\"\"],"
		"\"readable_stack\":[\"Main\",\"say \\\"hi\\\"\"],"
		"\"sizes\":[1,18446744073709551615]");
	for (size_t i = 0; i < PV_COUNT_OF(columns); i++)
		cell[i].state = PV_CELL_NULL;
	check("{", (const char *const[MOST]){ "name", "calls", "stack", "sizes" },
		"{\"name\":null,\"calls\":null,\"stack\":null,\"readable_stack\":null,\"sizes\":null");
}
END_TEST

/* The first name of a row, and every frame of a stack, in all forms; those of native code as is. */
START_TEST(names)
{
	cell[6].s = "Shop.Cart/<>c:<Run>b__7_2 (int)\nmain [app]";
	cell[9].s = "Shop.Cart/<>c:<Run>b__7_2 (int)";
	cell[10].s = "System.Byte[]";
	check("{", (const char *const[MOST]){ "method", "class", "stack" },
		"{\"method\":\"Shop.Cart/<>c:<Run>b__7_2 (int)\","
		"\"readable\":\"Shop.Cart.Run > lambda #2\","
		"\"canonical\":\"Shop.Cart.Run > lambda\",\"class\":\"System.Byte[]\","
		"\"stack\":[\"Shop.Cart/<>c:<Run>b__7_2 (int)\",\"main [app]\"],"
		"\"readable_stack\":[\"Shop.Cart.Run > lambda #2\",\"main [app]\"]");
	check("{", (const char *const[MOST]){ "class" },
		"{\"class\":\"System.Byte[]\",\"readable\":\"byte[]\",\"canonical\":\"byte[]\"");
	cell[9].state = PV_CELL_NULL;
	check("{", (const char *const[MOST]){ "method" },
		"{\"method\":null,\"readable\":null,\"canonical\":null");
}
END_TEST

/* Forms are made once for a report; a method and a class of one name have each their own. */
START_TEST(names_met_before)
{
	cell[9].s = cell[10].s = "A.B:System.Byte[]";
	for (int i = 0; i < 2; i++) {
		check("{", (const char *const[MOST]){ "method" },
			"{\"method\":\"A.B:System.Byte[]\",\"readable\":\"A.B.System.Byte[]\","
			"\"canonical\":\"A.B.System.Byte[]\"");
		check("{", (const char *const[MOST]){ "class" },
			"{\"class\":\"A.B:System.Byte[]\",\"readable\":\"A.B:System.Byte[]\","
			"\"canonical\":\"A.B:System.Byte[]\"");
	}
	ck_assert_uint_eq(known.method.names.text.n, known.class.names.text.n);
}
END_TEST

START_TEST(after_others)
{
	cell[0].s = "f";
	check("{\"id\":3", (const char *const[MOST]){ "name", "calls" },
		"{\"id\":3,\"name\":\"f\",\"calls\":0");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("json_row");
	TCase *t = tcase_create("json_row");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, texts);
	tcase_add_test(t, numbers);
	tcase_add_test(t, other_values);
	tcase_add_test(t, names);
	tcase_add_test(t, names_met_before);
	tcase_add_test(t, after_others);
	suite_add_tcase(s, t);
	return run_suite(s);
}
