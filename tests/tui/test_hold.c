/* SPDX-License-Identifier: MIT */
/* Rows of a live list change places every 3 s at most, and not while the cursor moves. */
#include <string.h>

#include "tests/kit/suite.h"
#include "tui/list/list_hold.h"

#define S INT64_C(1000000000)

enum { MOST = 8 };

struct rows {
	struct pv_row row[MOST];
	struct pv_table table;
};

/* A row a letter. */
static struct pv_table *rows(struct rows *r, const char *letters)
{
	*r = (struct rows){ .table.rows = strlen(letters), .table.row = r->row };
	for (size_t i = 0; letters[i]; i++)
		r->row[i].id = (unsigned char)letters[i];
	return &r->table;
}

/* The order that an answer is shown in after the one before. */
static const char *shown(struct ui_hold *h, int64_t now_ns, const char *before, const char *answer)
{
	static char text[MOST + 1];
	struct rows a, b;
	const struct ui_shared s = { .now_ns = now_ns, .feed.state = UI_FEED_LIVE };
	rows(&b, answer);
	ui_hold_rows(h, &s, rows(&a, before), &b.table);
	for (size_t i = 0; i < b.table.rows; i++)
		text[i] = (char)b.row[i].id;
	text[b.table.rows] = 0;
	return text;
}

START_TEST(places_last_three_seconds)
{
	struct ui_hold h = { .placed_ns = 10 * S };
	ck_assert_str_eq(shown(&h, 11 * S, "abcd", "abcd"), "abcd");
	ck_assert(!h.on);
	ck_assert_str_eq(shown(&h, 12 * S, "abcd", "bacd"), "abcd");
	ck_assert(h.on);
	ck_assert_str_eq(shown(&h, 13 * S, "abcd", "bacd"), "bacd");
	ck_assert(!h.on);
	ck_assert_int_eq(h.placed_ns, 13 * S);
	ck_assert_str_eq(shown(&h, 15 * S, "bacd", "abcd"), "bacd");
}
END_TEST

START_TEST(new_rows_come_where_they_are)
{
	struct ui_hold h = { .placed_ns = 10 * S };
	ck_assert_str_eq(shown(&h, 11 * S, "abc", "xaybcz"), "xaybcz");
	ck_assert(!h.on); /* none has changed places */
	ck_assert_str_eq(shown(&h, 11 * S, "abc", "cxbya"), "abycx");
	ck_assert_str_eq(shown(&h, 11 * S, "abcd", "dxa"), "adx"); /* two are gone */
	ck_assert_str_eq(shown(&h, 11 * S, "", "ab"), "ab");
	ck_assert_str_eq(shown(&h, 11 * S, "ab", ""), "");
}
END_TEST

START_TEST(a_cursor_that_moves_keeps_places)
{
	struct ui_hold h = { .placed_ns = S, .moved_ns = 20 * S };
	ck_assert_str_eq(shown(&h, 24 * S, "abc", "cab"), "abc");
	ck_assert_str_eq(shown(&h, 25 * S, "abc", "cab"), "cab");
}
END_TEST

START_TEST(the_end_gives_each_its_place)
{
	struct ui_hold h = { .placed_ns = 10 * S, .moved_ns = 10 * S };
	struct ui_shared s = { .now_ns = 10 * S, .feed.state = UI_FEED_LIVE };
	ck_assert(!ui_hold_ends(&h, &s));
	s.feed.state = UI_FEED_ENDED;
	ck_assert(ui_hold_ends(&h, &s));
}
END_TEST

/* A table of one row with two figures and words; `answer` is held against `before`. */
static const struct pv_column figures[] = {
	{ "calls", "CALLS", PV_UNIT_COUNT, 8, 0, .flags = 0 },
	{ "self", "SELF%", PV_UNIT_PERCENT, 6, 0, .flags = 0 },
	{ "text", "WHAT", PV_UNIT_TEXT, 20, 0, .flags = 0 },
};

struct one {
	struct pv_cell cell[3];
	struct pv_row row;
	struct pv_table table;
};

static struct pv_table *one(struct one *o, uint64_t calls, double self, const char *text)
{
	*o = (struct one){ .cell = { { .u = calls }, { .d = self }, { .s = text } },
		.row = { .id = 7, .cell = o->cell },
		.table = { .column = figures, .columns = 3, .row = &o->row, .rows = 1 } };
	return &o->table;
}

START_TEST(figures_stay_until_they_matter)
{
	struct ui_hold h = { .renewed_ns = 10 * S };
	struct ui_shared s = { .now_ns = 11 * S, .feed.state = UI_FEED_LIVE };
	struct one a, b;
	ui_hold_figures(&h, &s, one(&a, 100, 50, "100 calls"), one(&b, 104, 52, "104 calls"));
	ck_assert_uint_eq(b.cell[0].u, 100);
	ck_assert_str_eq(b.cell[2].s, "100 calls");
	ui_hold_release(&h); /* a pause: what they are now */
	ck_assert_uint_eq(b.cell[0].u, 104);
	ck_assert_str_eq(b.cell[2].s, "104 calls");
	pv_arena_finish(&b.table.arena);
	ui_hold_figures(&h, &s, one(&a, 100, 50, "a"), one(&b, 104, 60, "b"));
	ck_assert_uint_eq(b.cell[0].u, 104); /* the other one has changed by more than a tenth */
	ck_assert_str_eq(b.cell[2].s, "b");
	s.now_ns = 12 * S;
	ui_hold_figures(&h, &s, one(&a, 100, 50, "a"), one(&b, 101, 50, "a"));
	ck_assert_uint_eq(b.cell[0].u, 101); /* two seconds are over */
	ck_assert_int_eq(h.renewed_ns, 12 * S);
	s.feed.state = UI_FEED_ENDED;
	ui_hold_figures(&h, &s, one(&a, 100, 50, "a"), one(&b, 101, 50, "a"));
	ck_assert_uint_eq(b.cell[0].u, 101);
	ui_hold_finish(&h);
}
END_TEST

START_TEST(rows_that_are_nearly_equal_keep_their_order)
{
	struct pv_cell cell[3] = { { .u = 100 }, { .u = 104 }, { .u = 50 } };
	struct pv_row before[] = { { .id = 1 }, { .id = 2 }, { .id = 3 } };
	struct pv_row row[] = { { .id = 2, .cell = &cell[1] }, { .id = 1, .cell = &cell[0] },
		{ .id = 3, .cell = &cell[2] } };
	struct pv_table old = { .row = before, .rows = 3 };
	struct pv_table t = {
		.column = figures, .columns = 1, .row = row, .rows = 3, .descending = true
	};
	struct ui_shared s = { .now_ns = 20 * S, .feed.state = UI_FEED_LIVE };
	struct ui_hold h = { .placed_ns = 10 * S };
	ui_hold_rows(&h, &s, &old, &t);
	ck_assert_uint_eq(t.row[0].id, 1);
	ck_assert(h.on && h.placed_ns == 20 * S); /* and is looked at again after three seconds */
	cell[1].u = 106;
	t.row[0] = (struct pv_row){ .id = 2, .cell = &cell[1] };
	t.row[1] = (struct pv_row){ .id = 1, .cell = &cell[0] };
	h.placed_ns = 10 * S;
	ui_hold_rows(&h, &s, &old, &t);
	ck_assert_uint_eq(t.row[0].id, 2);
	ck_assert(!h.on);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hold");
	TCase *t = tcase_create("hold");
	tcase_add_test(t, places_last_three_seconds);
	tcase_add_test(t, new_rows_come_where_they_are);
	tcase_add_test(t, a_cursor_that_moves_keeps_places);
	tcase_add_test(t, the_end_gives_each_its_place);
	tcase_add_test(t, figures_stay_until_they_matter);
	tcase_add_test(t, rows_that_are_nearly_equal_keep_their_order);
	suite_add_tcase(s, t);
	return run_suite(s);
}
