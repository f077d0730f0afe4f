/* SPDX-License-Identifier: MIT */
/* Which columns fit where, and how long names are shortened. */
#include "tests/kit/suite.h"

#include <string.h>

#include "common/base/status.h"
#include "common/base/text/showable.h"
#include "tui/draw/columns.h"
#include "tui/draw/rect.h"
#include "tui/draw/shorten.h"

static const struct pv_column columns[] = {
	{ "share", "SHARE%", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	{ "calls", "CALLS", PV_UNIT_COUNT, 8, 0, .flags = 0 },
	{ "extra", "EXTRA", PV_UNIT_NS, 9, 9, .flags = 0 },
	{ "time", "TIME", PV_UNIT_TIME, 12, 2, .flags = 0 },
	{ "json", "JSON", PV_UNIT_COUNT, 9, 0, .flags = PV_COLUMN_HIDE_SCREEN },
	{ "name", "NAME", PV_UNIT_TEXT, 30, 0, .flags = PV_COLUMN_GROWS },
};

static struct pv_table table = { .column = columns, .columns = 6 };

static bool shows(const struct ui_columns *c, size_t column)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].column == column)
			return true;
	return false;
}

static struct ui_columns fit(int width, size_t skip, uint32_t silent)
{
	struct ui_columns c;
	ui_columns_fit(&table, (struct ui_columns_wish){ width, skip, silent }, &c);
	return c;
}

START_TEST(nothing_overlaps_or_leaves)
{
	for (int width = 0; width <= 200; width++) {
		for (size_t skip = 0; skip < 6; skip++) {
			struct ui_columns c = fit(width, skip, 0);
			int end = 0;
			bool good = c.n >= 1 && shows(&c, 5);
			for (size_t i = 0; i < c.n; i++) {
				good = good && c.at[i].x >= end && c.at[i].w >= 0 &&
				       (c.at[i].w == 0 || c.at[i].x + c.at[i].w <= width);
				end = c.at[i].x + c.at[i].w;
			}
			ck_assert_msg(good, "width %d, skip %zu", width, skip);
		}
	}
}
END_TEST

/* A string without room for its text shows that in the place of its class. */
START_TEST(text_instead_of_a_name)
{
	static const struct pv_column strings[] = {
		{ "bytes", "BYTES", PV_UNIT_BYTES, 9, 0, .flags = 0 },
		{ "class", "CLASS", PV_UNIT_TEXT, 30, 0, .flags = PV_COLUMN_GROWS },
		{ "preview", "STRING", PV_UNIT_TEXT, 24, 1, .flags = 0 },
	};
	struct pv_table t = { .column = strings, .columns = PV_COUNT_OF(strings) };
	struct ui_columns c;
	for (int width = 0; width <= 100; width++) {
		ui_columns_fit(&t, (struct ui_columns_wish){ .width = width }, &c);
		ck_assert_int_eq(c.instead, shows(&c, 2) ? -1 : 2);
	}
	ck_assert(shows(&c, 2));
	ck_assert_int_eq(fit(10, 0, 0).instead, -1);
}
END_TEST

/* Of two columns of words both stay for as long as they can be reported from each other. */
/* Whatever goes, one sees by what the rows are sorted. */
START_TEST(the_sorted_column_stays)
{
	static const struct pv_column times[] = {
		{ "self", "SELF", PV_UNIT_NS, 9, 1, .flags = 0 },
		{ "calls", "CALLS", PV_UNIT_COUNT, 9, 2, .flags = 0 },
		{ "longest", "LONGEST", PV_UNIT_NS, 9, 9, .flags = 0 },
		{ "name", "NAME", PV_UNIT_TEXT, 30, 0, .flags = PV_COLUMN_GROWS },
	};
	struct pv_table t = { .column = times, .columns = PV_COUNT_OF(times), .sort = 2 };
	struct ui_columns c;
	for (int width = 24; width <= 100; width++) {
		ui_columns_fit(&t, (struct ui_columns_wish){ .width = width }, &c);
		ck_assert_msg(shows(&c, 2), "width %d", width);
	}
	t.sort = -1;
	ui_columns_fit(&t, (struct ui_columns_wish){ .width = 36 }, &c);
	ck_assert(!shows(&c, 2) && shows(&c, 0));
}
END_TEST

START_TEST(words_are_shortened_before_they_go)
{
	static const struct pv_column sites[] = {
		{ "live", "ALIVE", PV_UNIT_COUNT, 8, 0, .flags = 0 },
		{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, .flags = 0 },
		{ "stack", "STACK", PV_UNIT_LIST, 40, 0, .flags = PV_COLUMN_GROWS },
	};
	struct pv_table t = { .column = sites, .columns = PV_COUNT_OF(sites) };
	struct ui_columns c;
	for (int width = 34; width <= 120; width++) {
		ui_columns_fit(&t, (struct ui_columns_wish){ .width = width }, &c);
		int most = width - 8 - 2 - 2 - (width < 36 ? 10 : 12);
		ck_assert_uint_eq(c.n, 3);
		ck_assert_int_eq(c.at[1].w, ui_min(24, most));
		ck_assert_int_ge(c.at[2].w, width < 36 ? 10 : 12);
		ck_assert_int_eq(c.at[2].x + c.at[2].w, width);
	}
	ui_columns_fit(&t, (struct ui_columns_wish){ .width = 33 }, &c);
	ck_assert_uint_eq(c.n, 2);
	ck_assert(!shows(&c, 1));
}
END_TEST

/* If a column goes all the same, the others have their width back. */
START_TEST(what_is_left_is_not_shortened)
{
	static const struct pv_column kinds[] = {
		{ "what", "WHAT", PV_UNIT_TEXT, 18, 0, .flags = 0 },
		{ "state", "STATE", PV_UNIT_TEXT, 12, 0, .flags = 0 },
		{ "detail", "DETAIL", PV_UNIT_TEXT, 40, 0, .flags = PV_COLUMN_GROWS },
	};
	struct pv_table t = { .column = kinds, .columns = PV_COUNT_OF(kinds) };
	struct ui_columns c;
	/* Small screens have 38 cells for it: "not recorded" is whole, and the name gives way. */
	ui_columns_fit(&t, (struct ui_columns_wish){ .width = 38 }, &c);
	ck_assert_uint_eq(c.n, 3);
	ck_assert_int_eq(c.at[1].w, 12);
	ck_assert_int_eq(c.at[2].w, 10);
	ui_columns_fit(&t, (struct ui_columns_wish){ .width = 37 }, &c);
	ck_assert_uint_eq(c.n, 2);
	ck_assert_int_eq(c.at[0].w, 18);
	ck_assert_int_eq(c.at[1].w, 37 - 18 - 2);
}
END_TEST

START_TEST(what_can_be_spared_goes_first)
{
	struct ui_columns c = fit(120, 0, 0);
	ck_assert_uint_eq(c.n, 5);
	ck_assert(!shows(&c, 4)); /* for reports only */
	ck_assert_int_gt(c.bar_w, 0);
	c = fit(60, 0, 0);
	ck_assert(!shows(&c, 2));
	ck_assert(shows(&c, 0) && shows(&c, 1) && shows(&c, 3));
	ck_assert_int_eq(c.bar_w, 0);
	c = fit(40, 0, 0);
	ck_assert(shows(&c, 1) && !shows(&c, 3));
	c = fit(15, 0, 0);
	ck_assert_uint_eq(c.n, 1);
	c = fit(120, 2, 0);
	ck_assert(!shows(&c, 0) && !shows(&c, 1) && shows(&c, 2) && shows(&c, 5));
}
END_TEST

START_TEST(silent_columns_are_left_out)
{
	struct pv_cell known[6] = { { .state = PV_CELL_VALUE } }, unknown[6];
	struct pv_row rows[2] = { { .cell = known }, { .cell = unknown } };
	for (size_t i = 0; i < 6; i++)
		unknown[i] = (struct pv_cell){ .state = PV_CELL_NULL };
	known[3] = unknown[3];
	known[0].d = 1;
	known[2].u = 1;
	struct pv_table t = table;
	ck_assert_uint_eq(ui_columns_silent(&t), 0); /* without rows nothing is known */
	t.row = rows;
	t.rows = 2;
	ck_assert_uint_eq(ui_columns_silent(&t), 1 << 3);
	ck_assert(!shows(&(struct ui_columns){ 0 }, 3));
	struct ui_columns c = fit(120, 0, ui_columns_silent(&t));
	ck_assert(!shows(&c, 3) && shows(&c, 2));
	known[2].u = 0; /* nothing but zeros in a column that may go */
	ck_assert_uint_eq(ui_columns_silent(&t), 1 << 3 | 1 << 2);
	t.sort = 2;
	ck_assert_uint_eq(ui_columns_silent(&t), 1 << 3);
}
END_TEST

START_TEST(empty_texts_make_room_for_figures)
{
	static const struct pv_column shots[] = {
		{ "index", "SHOT", PV_UNIT_COUNT, 4, 0, .flags = 0 },
		{ "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, .flags = 0 },
		{ "why", "WHY", PV_UNIT_TEXT, 9, 0, .flags = 0 },
		{ "state", "STATE", PV_UNIT_TEXT, 12, 8, .flags = PV_COLUMN_GROWS },
	};
	struct pv_cell cell[2][4] = { 0 };
	struct pv_row rows[2] = { { .cell = cell[0] }, { .cell = cell[1] } };
	struct pv_table t = { .column = shots, .columns = 4, .row = rows, .rows = 2, .sort = -1 };
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 4; k++)
			cell[i][k].state = PV_CELL_VALUE;
		cell[i][0].u = cell[i][1].u = 1;
		cell[i][2].s = cell[i][3].s = "";
	}
	ck_assert_uint_eq(ui_columns_silent(&t), 1 << 3);
	cell[1][3].s = "cut off";
	ck_assert_uint_eq(ui_columns_silent(&t), 0);
}
END_TEST

START_TEST(the_name_is_words)
{
	static const struct pv_column none[] = { { "a", "A", PV_UNIT_COUNT, 3, 0, .flags = 0 },
		{ "b", "B", PV_UNIT_BOOL, 3, 0, .flags = 0 },
		{ "c", "C", PV_UNIT_ADDRESS, 3, 0, .flags = 0 } };
	static const struct pv_column tree[] = { { "a", "A", PV_UNIT_TEXT, 3, 0, .flags = 0 },
		{ "b", "B", PV_UNIT_TEXT, 3, 0, .flags = PV_COLUMN_TREE } };
	ck_assert_int_eq(ui_columns_name(columns, 6), 5);
	ck_assert_int_eq(ui_columns_name(none, 3), -1);
	ck_assert_int_eq(ui_columns_name(tree, 2), 1);
	ck_assert_int_eq(ui_columns_name(tree, 1), 0);
}
END_TEST

static void expect(const char *name, int cells, const char *want)
{
	char buf[400];
	ck_assert_str_eq(ui_shorten(name, cells, buf, sizeof buf), want);
}

START_TEST(names_are_shortened)
{
	expect("App.Work:Run (int)", 18, "App.Work:Run (int)");
	expect("App.Work:Run (int,string)", 18, "App.Work:Run (…)");
	expect("App.Work:Run (System.Func`2<int,string>)", 14, "…Work:Run(…)");
	expect("(wrapper alloc) object:Alloc (int)", 24, "(w) object:Alloc (int)");
	expect("(wrapper alloc) object:Alloc (int)", 21, "(w) object:Alloc (…)");
	/* The class stays, and what is around it goes first. */
	expect("System.Collections.Generic.List<Item>", 20, "…Generic.List<Item>");
	expect("System.Collections.Generic.List<Item>", 14, "…List<Item>");
	expect("IKVM.Reflection.Reader.MetadataReader.ReadWord(int)", 30,
		"…MetadataReader.ReadWord(…)");
	expect("IKVM.Reflection.Reader.MetadataReader.ReadWord(int)", 24,
		"…MetadataReader.ReadWord");
	expect("IKVM.Reflection.Reader.MetadataReader.ReadWord(int)", 16, "Metada….ReadWord");
	expect("Some.Space.Reader:ReadWord (int,string)", 22, "…Reader:ReadWord(…)");
	expect("static Some.Long.Space.Cache.all", 20, "static …Cache.all");
	expect("(wrapper alloc) Some.Long.Space.Cache:Get (int)", 20, "(w) …Cache:Get(…)");
	expect("Runtime.Serialization.SafeSerializationManager", 20, "SafeSer…ationManager");
	expect("Some.Space.Outer.Counted.Total.get", 20, "…Counted.Total.get");
	expect("std::chrono::system_clock::now()", 20, "…system_clock::now");
	expect("/usr/lib/x86_64-linux-gnu/libmono.so.2.0", 20, "/usr/li…bmono.so.2.0");
	expect("malloc 3585..4096", 15, "mall…3585..4096"); /* half a number is another */
	expect("malloc 897..1024", 15, "mallo…897..1024");
	expect("part 1234567890123", 12, "part…7890123"); /* no room for all of it */
	/* Labels say their values; a route is one. */
	expect("http.server.duration{method=GET,route=/orders/{id:int},up=1.1} p95", 70,
		"http.server.duration{method=GET,route=/orders/{id:int},up=1.1} p95");
	expect("http.server.duration{method=GET,route=/orders/{id:int},up=1.1} p95", 50,
		"http.server.duration{GET,/orders/{id:int},1.1} p95");
	expect("http.server.duration{method=GET,route=/orders/{id:int},up=1.1} p95", 42,
		"…duration{GET,/orders/{id:int},1.1} p95");
	expect("http.server.duration{method=GET,route=/orders/{id:int},up=1.1} p95", 36,
		"…duration{/orders/{id:int},…} p95");
	expect("A.B:C ()", 4, "A.B:C ()"); /* no room for anything: the canvas cuts it */
	expect("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87", 9,
		"\xe4\xb8\xad…\xe4\xb8\xad\xe6\x96\x87");
}
END_TEST

START_TEST(short_names_fit)
{
	static const char *const names[] = { "a.b:c (d)", "()", ")", "(wrapper x", "(wrapper x) ",
		"System.Collections.Generic.Dictionary`2<int, Customer>:TryInsert (int,Customer)",
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81"
		"e\xcc\x81" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		for (int cells = 8; cells < 100; cells++) {
			char buf[400];
			const char *text = ui_shorten(names[i], cells, buf, sizeof buf);
			ck_assert_int_le(pv_showable_cells(text), cells);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("columns");
	TCase *t = tcase_create("columns");
	tcase_add_test(t, nothing_overlaps_or_leaves);
	tcase_add_test(t, what_can_be_spared_goes_first);
	tcase_add_test(t, the_sorted_column_stays);
	tcase_add_test(t, words_are_shortened_before_they_go);
	tcase_add_test(t, what_is_left_is_not_shortened);
	tcase_add_test(t, text_instead_of_a_name);
	tcase_add_test(t, silent_columns_are_left_out);
	tcase_add_test(t, empty_texts_make_room_for_figures);
	tcase_add_test(t, the_name_is_words);
	tcase_add_test(t, names_are_shortened);
	tcase_add_test(t, short_names_fit);
	suite_add_tcase(s, t);
	return run_suite(s);
}
