/* SPDX-License-Identifier: MIT */
/* How much of a class lives on at the newest heap shot, and how large objects are. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { STRING = 0x200, TILE = 0x300, OTHER = 0x400, TILES = 0x500 };

static const uint64_t none = 0;
static const char *const lives[] = { "name", "allocations", "allocated_bytes", "alive_objects",
	"alive_bytes", "alive_percent", "dead_objects", NULL };

static const char *row(struct kit *k, enum pv_view view, const char *name,
	const char *const *columns, const struct pv_query *q)
{
	struct pv_table *t = kit_view(k, view, q);
	const struct pv_row *r = kit_row(t, columns[0], name);
	const char *got = kit_text(t, (size_t)(r - t->row), columns);
	pv_table_destroy(t);
	return got;
}

static const char *life(struct kit *k, const char *name)
{
	const struct pv_query q = { 0 };
	return row(k, PV_VIEW_SURVIVAL, name, lives, &q);
}

static struct kit world(const char *args)
{
	struct kit k = kit_new(args);
	kit_class(&k, STRING, "System.String");
	kit_class(&k, TILE, "App.Tile");
	kit_class(&k, OTHER, "App.Other");
	kit_class(&k, TILES, "App.TileSet");
	return k;
}

static void move(struct kit *k, uint64_t from, uint64_t to)
{
	size_t at = k->batch.pool.n;
	kit_must(pv_reserve(&k->batch.pool, 2));
	k->batch.pool.v[k->batch.pool.n++] = from;
	k->batch.pool.v[k->batch.pool.n++] = to;
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves.pairs = { (uint32_t)at, 2 } });
}

static void shot(struct kit *k, uint64_t us, const uint64_t *tiles)
{
	kit_at(k, us);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	for (; *tiles; tiles++)
		kit_shot_object(k, TILE, *tiles, 32, 0);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
}

START_TEST(alive_at_the_newest_shot)
{
	const uint64_t first[] = { 0x1000, 0x1020, 0 }, then[] = { 0x8000, 0 };
	struct kit k = world("log:alloc,gcmove,gc,heapshot");
	kit_at(&k, 10);
	for (uint64_t i = 0; i < 4; i++)
		kit_alloc(&k, TILE, 0x1000 + 32 * i, 32, &none);
	kit_alloc(&k, STRING, 0x2000, 100, &none);
	shot(&k, 20, first);
	kit_at(&k, 30);
	kit_alloc(&k, TILE, 0x3000, 32, &none);
	kit_gc(&k, PV_GC_START, 0);
	move(&k, 0x1000, 0x8000);
	kit_gc(&k, PV_GC_END, 0);
	shot(&k, 40, then);
	kit_at(&k, 50);
	kit_alloc(&k, TILE, 0x4000, 32, &none); /* no shot can say whether it lives */
	kit_alloc(&k, OTHER, 0x5000, 24, &none);
	kit_flush(&k);
	ck_assert_str_eq(life(&k, "App.Tile"), "App.Tile 5 160 1 32 20 4");
	ck_assert_str_eq(life(&k, "System.String"), "System.String 1 100 0 0 0 1");
	struct pv_table *t = kit_view(&k, PV_VIEW_SURVIVAL, &(struct pv_query){ 0 });
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_ptr_nonnull(strstr(t->coverage, "alive at shot 1"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static size_t rows(struct kit *k, enum pv_view view, const char *filter)
{
	const struct pv_query q = { .filter = filter, .filter_way = PV_FILTER_CAPITALS };
	struct pv_table *t = kit_view(k, view, &q);
	size_t n = t->rows;
	pv_table_destroy(t);
	return n;
}

/* The filter that Enter sets has the one class, in every view that has it. */
START_TEST(a_class_and_not_those_whose_names_contain_it)
{
	const uint64_t first[] = { 0x1000, 0 };
	struct kit k = world("log:alloc,gcmove,gc,heapshot");
	kit_at(&k, 10);
	kit_alloc(&k, TILE, 0x1000, 32, &none);
	kit_alloc(&k, TILES, 0x2000, 32, &none);
	shot(&k, 20, first);
	kit_flush(&k);
	static const enum pv_view view[] = { PV_VIEW_CLASSES, PV_VIEW_SURVIVAL };
	for (size_t i = 0; i < sizeof view / sizeof view[0]; i++) {
		ck_assert_uint_eq(rows(&k, view[i], "class:App.Tile"), 2);
		ck_assert_uint_eq(rows(&k, view[i], "class:=App.Tile"), 1);
		ck_assert_uint_eq(rows(&k, view[i], "class:=App.TileSet"), 1);
		ck_assert_uint_eq(rows(&k, view[i], "class:=App"), 0);
		ck_assert_uint_eq(rows(&k, view[i], "ns:=App"), 2);
		ck_assert_uint_eq(rows(&k, view[i], "!class:=App.Tile"), 1);
	}
	kit_free(&k);
}
END_TEST

START_TEST(without_a_shot_it_is_not_known)
{
	struct kit k = world("log:alloc,gc");
	kit_at(&k, 10);
	kit_alloc(&k, TILE, 0x1000, 32, &none);
	kit_flush(&k);
	ck_assert_str_eq(life(&k, "App.Tile"), "App.Tile 1 32 - - - -");
	struct pv_table *t = kit_view(&k, PV_VIEW_SURVIVAL, &(struct pv_query){ 0 });
	ck_assert_ptr_nonnull(strstr(t->coverage, "who is alive is not known"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Older than the log: more are alive than were allocated. */
START_TEST(no_share_of_what_is_older)
{
	const uint64_t all[] = { 0x1000, 0x1020, 0x1040, 0 };
	struct kit k = world("log:alloc,gc,heapshot");
	kit_at(&k, 10);
	kit_alloc(&k, TILE, 0x1000, 32, &none);
	shot(&k, 20, all);
	kit_flush(&k);
	ck_assert_str_eq(life(&k, "App.Tile"), "App.Tile 1 32 3 96 - -");
	kit_free(&k);
}
END_TEST

START_TEST(sizes_by_powers_of_two)
{
	static const char *const columns[] = { "size", "from_bytes", "below_bytes", "allocations",
		"allocated_bytes", NULL };
	static const uint64_t sizes[] = { 0, 1, 16, 31, 32, 100000, UINT64_C(1) << 50, 0 };
	const struct pv_query q = { 0 };
	struct kit k = world("log:alloc");
	kit_at(&k, 10);
	for (size_t i = 0; i < 7; i++)
		kit_alloc(&k, TILE, 0x1000 + 32 * i, sizes[i], &none);
	kit_flush(&k);
	ck_assert_str_eq(row(&k, PV_VIEW_ALLOCATION_SIZES, "0 B to < 2 B", columns, &q),
		"0 B to < 2 B 0 2 2 1");
	ck_assert_str_eq(row(&k, PV_VIEW_ALLOCATION_SIZES, "16 B to < 32 B", columns, &q),
		"16 B to < 32 B 16 32 2 47");
	ck_assert_str_eq(row(&k, PV_VIEW_ALLOCATION_SIZES, "64.0 KiB to < 128 KiB", columns, &q),
		"64.0 KiB to < 128 KiB 65536 131072 1 100000");
	ck_assert_str_eq(row(&k, PV_VIEW_ALLOCATION_SIZES, "from 128 TiB on", columns, &q),
		"from 128 TiB on 140737488355328 - 1 1125899906842624");
	struct pv_table *t = kit_view(&k, PV_VIEW_ALLOCATION_SIZES, &q);
	ck_assert_uint_eq(t->rows, 5);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query_survival");
	TCase *t = tcase_create("all");
	tcase_add_test(t, alive_at_the_newest_shot);
	tcase_add_test(t, a_class_and_not_those_whose_names_contain_it);
	tcase_add_test(t, without_a_shot_it_is_not_known);
	tcase_add_test(t, no_share_of_what_is_older);
	tcase_add_test(t, sizes_by_powers_of_two);
	suite_add_tcase(s, t);
	return run_suite(s);
}
