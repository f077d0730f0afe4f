/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/groups/build.h"
#include "common/query/groups/readable.h"
#include "common/query/groups/row_order.h"
#include "tests/kit/suite.h"

static const struct pv_column columns[] = {
	{ .id = "calls", .title = "Calls", .unit = PV_UNIT_COUNT },
	{ .id = "time", .title = "Time", .unit = PV_UNIT_NS },
	{ .id = "name", .title = "Name", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_ASCENDING },
};
static const struct pv_view_spec flat = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "time",
	.then = "calls" };
static const struct pv_view_spec tree = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "calls",
	.tree = true };

static void add(struct pv_build *b, uint64_t id, uint64_t calls, int64_t time, const char *name)
{
	struct pv_cell *c = pv_build_row(b, id);
	pv_cell_u(&c[0], calls);
	pv_cell_i(&c[1], time);
	pv_cell_s(&c[2], name);
}

/* The ids of the rows in order, as text. */
static const char *ids(const struct pv_table *t)
{
	static char text[200];
	size_t at = 0;
	for (size_t i = 0; i < t->rows; i++)
		at += (size_t)snprintf(
			text + at, sizeof text - at, "%s%u", i ? " " : "", (unsigned)t->row[i].id);
	text[at] = 0;
	return text;
}

static struct pv_table *five(const struct pv_query *q)
{
	struct pv_build b;
	ck_assert(pv_build_init(&b, &flat, "five", q));
	add(&b, 1, 5, 10, "delta");
	add(&b, 2, 9, 10, "Beta");
	add(&b, 3, 5, 10, "alpha");
	add(&b, 4, 1, 70, "alphabet");
	add(&b, 5, 5, -3, "gamma");
	return pv_build_finish(&b);
}

START_TEST(own_order_then_second_key_then_name)
{
	struct pv_table *t = five(&(struct pv_query){ 0 });
	ck_assert_str_eq(ids(t), "4 2 3 1 5");
	ck_assert_int_eq(t->sort, 1);
	ck_assert(t->descending);
	ck_assert_uint_eq(t->rows_all, 5);
	pv_table_destroy(t);
	t = five(&(struct pv_query){ .invert = true });
	ck_assert_str_eq(ids(t), "5 3 1 2 4");
	pv_table_destroy(t);
}
END_TEST

START_TEST(stated_column_then_name)
{
	struct pv_table *t = five(&(struct pv_query){ .sort = "calls" });
	ck_assert_str_eq(ids(t), "2 3 1 5 4");
	pv_table_destroy(t);
	t = five(&(struct pv_query){ .sort = "name" });
	ck_assert_str_eq(ids(t), "2 3 4 1 5");
	ck_assert(!t->descending);
	pv_table_destroy(t);
	t = five(&(struct pv_query){ .sort = "no such column" });
	ck_assert_str_eq(ids(t), "4 2 3 1 5");
	pv_table_destroy(t);
}
END_TEST

START_TEST(equal_rows_keep_the_order_of_their_keys)
{
	struct pv_build b;
	ck_assert(pv_build_init(&b, &flat, "ties", &(struct pv_query){ 0 }));
	static const unsigned order[] = { 7, 3, 9, 1, 8 };
	for (size_t i = 0; i < PV_COUNT_OF(order); i++)
		add(&b, order[i], 1, 1, "same");
	struct pv_table *t = pv_build_finish(&b);
	ck_assert_str_eq(ids(t), "1 3 7 8 9");
	pv_table_destroy(t);
}
END_TEST

START_TEST(what_is_not_known_comes_last_both_ways)
{
	for (int invert = 0; invert < 2; invert++) {
		struct pv_build b;
		struct pv_query q = { .invert = invert != 0 };
		ck_assert(pv_build_init(&b, &flat, "nulls", &q));
		add(&b, 1, 1, 5, "a");
		struct pv_cell *c = pv_build_row(&b, 2);
		pv_cell_null(&c[1]);
		pv_cell_s(&c[2], "b");
		add(&b, 3, 1, 6, "c");
		struct pv_table *t = pv_build_finish(&b);
		ck_assert_str_eq(ids(t), invert ? "1 3 2" : "3 1 2");
		pv_table_destroy(t);
	}
}
END_TEST

START_TEST(filter_ignores_case_and_limit_says_how_many_there_were)
{
	struct pv_table *t = five(&(struct pv_query){ .filter = "ALPHA", .limit = 1 });
	ck_assert_str_eq(ids(t), "4");
	ck_assert_uint_eq(t->rows_all, 2);
	pv_table_destroy(t);
	t = five(&(struct pv_query){ .filter = "nowhere" });
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	ck_assert(pv_text_has("", "") && pv_text_has("xxab", "AB") && !pv_text_has("a", "ab"));
}
END_TEST

static void leaf(struct pv_build *b, uint64_t id, uint64_t parent, uint64_t calls, const char *name)
{
	struct pv_cell *c = pv_build_child(b, id, parent, 0);
	pv_cell_u(&c[0], calls);
	pv_cell_s(&c[2], name);
}

/* 1 main > (2 read > 4 open, 3 write > (5 flush, 6 open)); 7 other; 9 hangs below nothing */
static struct pv_table *forest(const struct pv_query *q)
{
	struct pv_build b;
	ck_assert(pv_build_init(&b, &tree, "forest", q));
	leaf(&b, 6, 3, 2, "open");
	leaf(&b, 9, 77, 2, "orphan");
	leaf(&b, 7, 0, 50, "other");
	leaf(&b, 3, 1, 8, "write");
	leaf(&b, 1, 0, 90, "main");
	leaf(&b, 2, 1, 7, "read");
	leaf(&b, 5, 3, 6, "flush");
	leaf(&b, 4, 2, 1, "open");
	return pv_build_finish(&b);
}

START_TEST(trees_show_what_is_open)
{
	struct pv_table *t = forest(&(struct pv_query){ 0 });
	ck_assert_str_eq(ids(t), "1 7");
	ck_assert_uint_eq(t->row[0].flags, PV_ROW_HAS_CHILDREN);
	ck_assert_uint_eq(t->row[1].flags, 0);
	pv_table_destroy(t);

	t = forest(&(struct pv_query){ .open = (uint64_t[]){ 1, 2 }, .opens = 2 });
	ck_assert_str_eq(ids(t), "1 3 2 4 7");
	ck_assert_uint_eq(t->row[3].depth, 2);
	ck_assert_uint_eq(t->row[3].parent, 2);
	ck_assert_uint_eq(t->row[2].flags, PV_ROW_HAS_CHILDREN | PV_ROW_OPEN);
	pv_table_destroy(t);

	t = forest(&(struct pv_query){ .open_all = true, .sort = "name" });
	ck_assert_str_eq(ids(t), "1 2 4 3 5 6 7");
	pv_table_destroy(t);

	t = forest(&(struct pv_query){ .open = (uint64_t[]){ 3 }, .opens = 1 });
	ck_assert_str_eq(ids(t), "1 7");
	pv_table_destroy(t);
}
END_TEST

START_TEST(filtered_trees_keep_the_way_to_a_match)
{
	struct pv_table *t = forest(&(struct pv_query){ .filter = "OPEN" });
	ck_assert_str_eq(ids(t), "1 3 6 2 4");
	pv_table_destroy(t);
	t = forest(&(struct pv_query){ .filter = "write" });
	ck_assert_str_eq(ids(t), "1 3");
	pv_table_destroy(t);
}
END_TEST

START_TEST(cells_read_like_people_write)
{
	static const struct {
		struct pv_cell c;
		enum pv_unit unit;
		const char *text;
	} row[] = {
		{ { .u = 41207 }, PV_UNIT_COUNT, "41 207" },
		{ { .u = 1536 }, PV_UNIT_BYTES, "1.50 KiB" },
		{ { .i = -1500000000 }, PV_UNIT_NS, "-1.50 s" },
		{ { .i = 62400000000 }, PV_UNIT_TIME, "00:01:02.400" },
		{ { .d = 12.34 }, PV_UNIT_PERCENT, "12.3" },
		{ { .u = 0x7f00 }, PV_UNIT_ADDRESS, "0x7f00" },
		{ { .u = 40123 }, PV_UNIT_THREAD, "40123" },
		{ { .u = 0x7fb64da70bc0 }, PV_UNIT_THREAD, "0x7fb64da70bc0" },
		{ { .u = 1 }, PV_UNIT_BOOL, "yes" },
		{ { .d = 1e14 }, PV_UNIT_NUMBER, "100000000000000" },
		{ { .d = 0.5 }, PV_UNIT_NUMBER, "0.5" },
		{ { .d = 50.7682 }, PV_UNIT_NUMBER, "50.8" },
		{ { .d = 999.4 }, PV_UNIT_NUMBER, "999" },
		{ { .d = 999.6 }, PV_UNIT_NUMBER, "1000" },
		{ { .d = -123456.78 }, PV_UNIT_NUMBER, "-123457" },
		{ { .d = 4505 }, PV_UNIT_NUMBER, "4505" },
		{ { .d = 0.00123456 }, PV_UNIT_NUMBER, "0.00123" },
		{ { .d = 12.3456, .scale = PV_SCALE_PERCENT }, PV_UNIT_NUMBER, "12.3 %" },
		{ { .i = 12 }, PV_UNIT_DELTA_COUNT, "+12" },
		{ { .i = -2048 }, PV_UNIT_DELTA_BYTES, "-2.00 KiB" },
		{ { .i = 0 }, PV_UNIT_DELTA_COUNT, "0" },
		{ { .s = "main\nread" }, PV_UNIT_LIST, "main > read" },
		{ { .s = "text" }, PV_UNIT_TEXT, "text" },
		{ { .state = PV_CELL_NULL }, PV_UNIT_COUNT, "-" },
		{ { .state = PV_CELL_PENDING }, PV_UNIT_NS, "..." },
	};
	char buf[64];
	for (size_t i = 0; i < PV_COUNT_OF(row); i++)
		ck_assert_str_eq(
			pv_cell_text(&row[i].c, row[i].unit, buf, sizeof buf), row[i].text);
}
END_TEST

START_TEST(long_stacks_lose_their_outer_frames)
{
	struct pv_cell c = { .s = "outermost\nmiddle\ninner" };
	char buf[24];
	ck_assert_str_eq(pv_cell_text(&c, PV_UNIT_LIST, buf, sizeof buf), "... > middle > inner");
	ck_assert_str_eq(pv_cell_text(&c, PV_UNIT_LIST, buf, 12), "... > inner");
	ck_assert_str_eq(pv_cell_text(&c, PV_UNIT_LIST, buf, 4), "...");
	c.s = "a";
	ck_assert_str_eq(pv_cell_text(&c, PV_UNIT_LIST, buf, 2), "a");
}
END_TEST

/* --- many rows, of which many are equal in some columns */

enum { MANY = 2500 };

static const struct pv_column many_columns[] = {
	{ .id = "calls", .title = "Calls", .unit = PV_UNIT_COUNT },
	{ .id = "time", .title = "Time", .unit = PV_UNIT_NS },
	{ .id = "share", .title = "Share", .unit = PV_UNIT_PERCENT },
	{ .id = "name", .title = "Name", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_ASCENDING },
};
static const struct pv_view_spec many_spec[] = {
	{ .column = many_columns,
		.columns = PV_COUNT_OF(many_columns),
		.name = "name",
		.sort = "time",
		.then = "calls" },
	{ .column = many_columns,
		.columns = PV_COUNT_OF(many_columns),
		.name = "name",
		.sort = "time",
		.then = "calls",
		.streaming = true },
};

/* Few different figures, texts that begin alike, and cells that say nothing. */
static void add_many(struct pv_build *b)
{
	static const char *const names[] = { "System.Collections.Generic.List", "System.Coll",
		"System.Collections", "a", "", "\xc3\xa9",
		"System.Collections.Generic.Dictionary" };
	uint64_t state = 3;
	for (uint64_t id = MANY; id > 0; id--) {
		state = state * UINT64_C(6364136223846793005) + 1;
		unsigned r = (unsigned)(state >> 40);
		struct pv_cell *c = pv_build_row(b, id);
		pv_cell_u(&c[0], r % 11 ? r % 13 : UINT64_MAX - r % 2);
		pv_cell_i(&c[1], r % 17 ? (int64_t)(r / 13 % 9) - 4 : INT64_MIN);
		pv_cell_d(&c[2], r % 5 ? (double)(r / 7 % 9) / 2 - 1 : -0.0);
		pv_cell_s(&c[3], names[r / 3 % PV_COUNT_OF(names)]);
		for (size_t i = 0; i < PV_COUNT_OF(many_columns); i++)
			if ((r >> i) % 31 == 0)
				pv_cell_null(&c[i]);
	}
}

/* Every two rows next to one another are in order, by a comparison of their own. */
static void check_order(const struct pv_table *t, const struct pv_query *q)
{
	bool own = !q->sort || strcmp(q->sort, "time") == 0;
	const int first = own ? 1 : pv_table_column(t, q->sort);
	struct pv_row_order o = { .column = { first, own ? 0 : 3, own ? 3 : -1 } };
	for (int i = 0; i < 3 && o.column[i] >= 0; i++) {
		o.unit[i] = t->column[o.column[i]].unit;
		o.descending[i] = o.column[i] != 3;
		if (i < 1 + own)
			o.descending[i] ^= q->invert;
	}
	if (first == 3)
		o.column[1] = 3, o.descending[1] = false;
	for (size_t i = 1; i < t->rows; i++)
		if (pv_row_compare(&t->row[i - 1], &t->row[i], &o) >= 0)
			ck_abort_msg("row %zu", i);
}

static struct pv_table *many(const struct pv_query *q, bool streaming)
{
	struct pv_build b;
	ck_assert(pv_build_init(&b, &many_spec[streaming], "many", q));
	add_many(&b);
	return pv_build_finish(&b);
}

START_TEST(the_first_rows_are_those_of_a_full_sort)
{
	static const char *const sort[] = { NULL, "calls", "time", "share", "name" };
	static const size_t limit[] = { 1, 20, 255, 1300, MANY, MANY + 1 };
	for (size_t i = 0; i < PV_COUNT_OF(sort) * 4; i++) {
		struct pv_query q = {
			.sort = sort[i / 4], .invert = i % 2, .filter = i & 2 ? "SYSTEM.coll" : NULL
		};
		struct pv_table *all = many(&q, false);
		ck_assert_uint_eq(all->rows, all->rows_all);
		ck_assert(i & 2 ? all->rows < MANY : all->rows == MANY);
		check_order(all, &q);
		for (size_t k = 0; k < PV_COUNT_OF(limit) * 2; k++) {
			q.limit = limit[k / 2];
			struct pv_table *t = many(&q, k % 2);
			size_t rows = q.limit < all->rows ? q.limit : all->rows;
			ck_assert_uint_eq(t->rows, rows);
			ck_assert_uint_eq(t->rows_all, all->rows);
			bool same = true;
			for (size_t r = 0; r < rows; r++) {
				same &= t->row[r].id == all->row[r].id;
				for (size_t c = 0; c < t->columns; c++) {
					const struct pv_cell *x = &t->row[r].cell[c];
					same &= x->state == all->row[r].cell[c].state &&
						x->u == all->row[r].cell[c].u;
				}
			}
			ck_assert_msg(same, "query %zu, limit %zu", i, q.limit);
			pv_table_destroy(t);
		}
		pv_table_destroy(all);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query table");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 120);
	tcase_add_test(c, own_order_then_second_key_then_name);
	tcase_add_test(c, stated_column_then_name);
	tcase_add_test(c, equal_rows_keep_the_order_of_their_keys);
	tcase_add_test(c, what_is_not_known_comes_last_both_ways);
	tcase_add_test(c, filter_ignores_case_and_limit_says_how_many_there_were);
	tcase_add_test(c, the_first_rows_are_those_of_a_full_sort);
	tcase_add_test(c, trees_show_what_is_open);
	tcase_add_test(c, filtered_trees_keep_the_way_to_a_match);
	tcase_add_test(c, cells_read_like_people_write);
	tcase_add_test(c, long_stacks_lose_their_outer_frames);
	suite_add_tcase(s, c);
	return run_suite(s);
}
