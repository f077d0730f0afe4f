/* SPDX-License-Identifier: MIT */
/* Flames: their sums are those of the tables, whatever is left out, turned round or zoomed. */
#include <inttypes.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/query/flame/flame.h"

enum {
	MAIN = 0x100,
	WORK = 0x110,
	SORT = 0x120,
	READ = 0x130,
	PARSE = 0x140,
	TEXT = 0x500,
	TILE = 0x510
};

static const uint64_t stacks[][6] = { { MAIN, WORK, SORT, 0 }, { MAIN, WORK, WORK, SORT, 0 },
	{ MAIN, READ, 0 }, { MAIN, READ, PARSE, READ, 0 }, { READ, 0 }, { 0 } };

static void sample(struct kit *k, const uint64_t *outer, unsigned times)
{
	uint64_t inner[6] = { 0 };
	size_t n = 0;
	while (outer[n])
		n++;
	for (size_t i = 0; i < n; i++)
		inner[i] = outer[n - 1 - i];
	for (; times > 0; times--)
		kit_sample(k, 1, inner[0] * 16 + 4, inner);
}

static struct kit world(void)
{
	struct kit k = kit_new("log:nodefaults,alloc,calls,sample,monitor,exception");
	static const char *const names[] = { "App:Main ()", "App:Work (int)", "Lib:Sort ()",
		"Lib:Read ()", "Lib:Parse ()" };
	for (uint64_t i = 0; i < 5; i++)
		kit_method(&k, MAIN + 16 * i, names[i]);
	kit_class(&k, TEXT, "Text");
	kit_class(&k, TILE, "Tile");
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 5; i++) {
		kit_at(&k, 100 + 100 * i);
		sample(&k, stacks[i], (unsigned)(i * i + 1));
		kit_alloc(&k, i % 2 ? TEXT : TILE, 0x8000 + 0x100 * i, 24 + 8 * i, stacks[i]);
		kit_alloc(&k, TEXT, 0x9000 + 0x100 * i, 16, stacks[5 - i]);
		kit_throw(&k, 0x8000 + 0x100 * i, stacks[i]);
		kit_held(&k, i + 1, stacks[i], 10 * (i + 1));
		kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000, stacks[i]);
		kit_at(&k, 103 + 101 * i);
		kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	}
	kit_at(&k, 1000);
	kit_enter(&k, MAIN);
	kit_at(&k, 1010);
	kit_enter(&k, WORK);
	kit_at(&k, 1030);
	kit_enter(&k, WORK);
	kit_at(&k, 1070);
	kit_leave(&k, WORK);
	kit_at(&k, 1080);
	kit_leave(&k, WORK);
	kit_at(&k, 1100);
	kit_leave(&k, MAIN);
	kit_flush(&k);
	return k;
}

static struct pv_flame_tree *tree_of(struct kit *k, enum pv_flame_measure m)
{
	struct pv_flame_tree *t = pv_flame_tree_make(k->m, m, &(struct pv_query){ 0 });
	ck_assert_ptr_nonnull(t);
	return t;
}

static struct pv_flame *ask(struct pv_flame_tree *t, const struct pv_flame_wish *w)
{
	struct pv_flame *f = pv_flame_ask(t, w);
	ck_assert_ptr_nonnull(f);
	return f;
}

/* A cell weighs itself, its children and those summed up: nothing is lost. */
static void check_sums(const struct pv_flame *f)
{
	for (size_t i = 0; i < f->cells; i++) {
		const struct pv_flame_cell *c = &f->cell[i];
		uint64_t sum = c->self + c->thin_weight, last = UINT64_MAX;
		for (uint32_t n = 0; n < c->children; n++) {
			const struct pv_flame_cell *d = &f->cell[c->child + n];
			ck_assert_uint_eq(d->parent, i);
			ck_assert_uint_eq(d->depth, c->depth + 1u);
			ck_assert_uint_le(d->weight, c->weight);
			ck_assert_uint_le(d->weight, last);
			ck_assert_uint_ge(d->everywhere, 1);
			last = d->weight;
			sum += d->weight;
		}
		ck_assert_uint_eq(sum, c->weight);
		ck_assert_uint_eq(!c->thin, !c->thin_weight);
	}
}

static const struct pv_flame_cell *child(
	const struct pv_flame *f, const struct pv_flame_cell *of, const char *name)
{
	for (uint32_t n = 0; n < of->children; n++)
		if (strcmp(f->cell[of->child + n].name, name) == 0)
			return &f->cell[of->child + n];
	ck_abort_msg("no %s under %s", name, of->name);
	return NULL;
}

static uint64_t sum_of(struct kit *k, enum pv_view view, const char *column)
{
	struct pv_query q = { .open_all = true };
	struct pv_table *t = kit_view(k, view, &q);
	int at = pv_table_column(t, column);
	uint64_t sum = 0;
	ck_assert_int_ge(at, 0);
	for (size_t i = 0; i < t->rows; i++)
		if (t->row[i].cell[at].state == PV_CELL_VALUE)
			sum += t->row[i].cell[at].u;
	pv_table_destroy(t);
	return sum;
}

static const struct {
	enum pv_view view;
	const char *column;
	uint64_t sum; /* by hand, from world() */
} wanted[PV_FLAME_LIVE] = {
	/* the last one: test_query_lives */
	[PV_FLAME_SAMPLES] = { PV_VIEW_CALL_TREE, "samples", 1 + 2 + 5 + 10 + 17 },
	[PV_FLAME_TIME] = { PV_VIEW_CALL_TREE, "self_ns", 100000 },
	[PV_FLAME_BYTES] = { PV_VIEW_ALLOCATION_SITES, "allocated_bytes",
		24 + 32 + 40 + 48 + 56 + 80 },
	[PV_FLAME_OBJECTS] = { PV_VIEW_ALLOCATION_SITES, "allocations", 10 },
	[PV_FLAME_HELD] = { PV_VIEW_HELD, "held_bytes", 10 + 20 + 30 + 40 + 50 },
	[PV_FLAME_WAIT] = { PV_VIEW_WAIT_SITES, "wait_ns", 3000 + 4000 + 5000 + 6000 + 7000 },
	[PV_FLAME_CONTENTIONS] = { PV_VIEW_WAIT_SITES, "contentions", 5 },
	[PV_FLAME_EXCEPTIONS] = { PV_VIEW_THROW_SITES, "thrown", 5 },
};

START_TEST(totals_are_those_of_the_tables)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, (enum pv_flame_measure)_i);
	struct pv_flame *f = ask(t, &(struct pv_flame_wish){ .parts = 0 });
	check_sums(f);
	ck_assert_uint_eq(f->all, wanted[_i].sum);
	ck_assert_uint_eq(f->cell[0].weight, wanted[_i].sum);
	ck_assert_uint_eq(f->total, sum_of(&k, wanted[_i].view, wanted[_i].column));
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

/* Bottom up the first level is each frame's own weight, as the table of methods has it. */
START_TEST(bottom_up_begins_with_own_weights)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, PV_FLAME_SAMPLES);
	struct pv_flame_path up = { .way = PV_FLAME_UP };
	struct pv_flame *f = ask(t, &(struct pv_flame_wish){ .zoom = &up });
	struct pv_table *methods = kit_view(&k, PV_VIEW_METHODS, NULL);
	check_sums(f);
	size_t met = 0;
	for (size_t i = 0; i < methods->rows; i++) {
		const struct pv_row *row = &methods->row[i];
		uint64_t own = kit_cell(methods, row, "samples_self")->u;
		if (own == 0)
			continue;
		met++;
		ck_assert_uint_eq(
			child(f, &f->cell[0], kit_cell(methods, row, "name")->s)->weight, own);
	}
	ck_assert_uint_eq(met, f->cell[0].children);
	ck_assert_uint_eq(f->cell[0].self, 0);
	const struct pv_flame_cell *read = child(f, &f->cell[0], "Lib:Read ()");
	ck_assert_uint_eq(read->weight, 32);
	ck_assert_uint_eq(read->self, 17); /* of it no one calls */
	ck_assert_uint_eq(child(f, read, "App:Main ()")->weight, 5);
	pv_table_destroy(methods);
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

/* A path that has the frame twice counts once. */
START_TEST(recursion_is_not_counted_twice)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, PV_FLAME_SAMPLES);
	struct pv_flame *f = ask(t, &(struct pv_flame_wish){ .find = "lib:read" });
	ck_assert_uint_eq(f->hits, 5 + 10 + 17);
	const struct pv_flame_cell *read = child(f, &f->cell[0], "Lib:Read ()");
	ck_assert(read->flags & PV_FLAME_HIT);
	ck_assert_uint_eq(read->everywhere, 32);
	ck_assert_uint_eq(read->places, 3);
	pv_flame_destroy(f);
	f = ask(t, &(struct pv_flame_wish){ .fold = true });
	check_sums(f);
	ck_assert_uint_eq(f->total, 35);
	const struct pv_flame_cell *main = child(f, &f->cell[0], "App:Main ()");
	const struct pv_flame_cell *work = child(f, main, "App:Work (int)");
	ck_assert_uint_eq(work->weight, 3);
	ck_assert_uint_eq(work->children, 1);
	ck_assert_uint_eq(child(f, work, "Lib:Sort ()")->weight, 3);
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

static struct pv_flame_path path_to(struct pv_flame_path p, uint64_t key)
{
	ck_assert(pv_reserve(&p.key, 1));
	p.key.v[p.key.n++] = key;
	return p;
}

START_TEST(zooms_and_cuts_keep_sums)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, (enum pv_flame_measure)_i);
	for (int way = PV_FLAME_DOWN; way <= PV_FLAME_UP; way++) {
		struct pv_flame_path top = { .way = (enum pv_flame_way)way };
		struct pv_flame *f = ask(t, &(struct pv_flame_wish){ .zoom = &top });
		for (uint32_t n = 0; n < f->cell[0].children; n++) {
			const struct pv_flame_cell *c = &f->cell[f->cell[0].child + n];
			struct pv_flame_path at = path_to(top, c->key);
			struct pv_flame_cut cut = { .at = at, .keep = true };
			struct pv_flame *in = ask(t, &(struct pv_flame_wish){ .zoom = &at });
			check_sums(in);
			ck_assert_str_eq(in->cell[0].name, c->name);
			ck_assert_uint_eq(in->cell[0].weight, c->weight);
			ck_assert(!in->lost);
			pv_flame_destroy(in);
			in = ask(t, &(struct pv_flame_wish){ .cut = &cut, .cuts = 1 });
			check_sums(in);
			ck_assert_uint_eq(in->total, c->weight);
			pv_flame_destroy(in);
			cut.keep = false;
			in = ask(t, &(struct pv_flame_wish){ .cut = &cut, .cuts = 1 });
			check_sums(in);
			ck_assert_uint_eq(in->total, f->total - c->weight);
			ck_assert_uint_eq(in->all, f->all);
			pv_flame_destroy(in);
			pv_array_finish(&at.key);
		}
		struct pv_flame *again = ask(t, &(struct pv_flame_wish){ .zoom = &top });
		ck_assert_uint_eq(again->cells, f->cells);
		for (size_t i = 0; i < f->cells; i++)
			ck_assert_uint_eq(again->cell[i].weight, f->cell[i].weight);
		pv_flame_destroy(again);
		pv_flame_destroy(f);
	}
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

/* A frame in the middle: what it calls and what calls it weigh the same. */
START_TEST(a_sandwich_has_two_equal_halves)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, PV_FLAME_SAMPLES);
	struct pv_flame *all = ask(t, &(struct pv_flame_wish){ 0 });
	for (size_t i = 1; i < all->cells; i++) {
		struct pv_flame_path p = { .way = PV_FLAME_DOWN, .focus = all->cell[i].key };
		struct pv_flame *down = ask(t, &(struct pv_flame_wish){ .zoom = &p });
		p.way = PV_FLAME_UP;
		struct pv_flame *up = ask(t, &(struct pv_flame_wish){ .zoom = &p });
		check_sums(down);
		check_sums(up);
		ck_assert_uint_eq(down->cell[0].weight, all->cell[i].everywhere);
		ck_assert_uint_eq(up->cell[0].weight, all->cell[i].everywhere);
		pv_flame_destroy(down);
		pv_flame_destroy(up);
	}
	pv_flame_destroy(all);
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

START_TEST(thin_ones_are_summed_up_and_filters_keep_whole_paths)
{
	struct kit k = world();
	struct pv_flame_tree *t = tree_of(&k, PV_FLAME_SAMPLES);
	struct pv_flame *f = ask(t, &(struct pv_flame_wish){ .parts = 3 });
	check_sums(f);
	const struct pv_flame_cell *main = child(f, &f->cell[0], "App:Main ()");
	ck_assert_uint_eq(main->children, 1);
	ck_assert_uint_eq(main->thin, 1);
	ck_assert_uint_eq(main->thin_weight, 3);
	pv_flame_destroy(f);
	f = ask(t, &(struct pv_flame_wish){ .filter = "parse" });
	check_sums(f);
	ck_assert_uint_eq(f->total, 10);
	ck_assert_uint_eq(f->all, 35);
	pv_flame_destroy(f);
	/* A path has what any of its frames has. */
	static const struct {
		const char *filter;
		uint64_t total;
	} some[] = { { "!parse", 25 }, { "parse main", 10 }, { "parse | main", 18 },
		{ "parse !main", 0 }, { "method:/pa+rse/", 10 }, { "class:app", 18 },
		{ "kind:nothing", 0 }, { "a |", 0 } };
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		f = ask(t, &(struct pv_flame_wish){ .filter = some[i].filter });
		check_sums(f);
		ck_assert_msg(f->total == some[i].total, "%s: %" PRIu64, some[i].filter, f->total);
		pv_flame_destroy(f);
	}
	struct pv_flame_path gone = path_to((struct pv_flame_path){ .way = PV_FLAME_DOWN }, 42);
	f = ask(t, &(struct pv_flame_wish){ .zoom = &gone });
	ck_assert(f->lost);
	ck_assert_uint_eq(f->cell[0].weight, 35);
	pv_flame_destroy(f);
	pv_array_finish(&gone.key);
	pv_flame_tree_drop(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flame");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, totals_are_those_of_the_tables, 0, PV_FLAME_LIVE);
	tcase_add_test(c, bottom_up_begins_with_own_weights);
	tcase_add_test(c, recursion_is_not_counted_twice);
	tcase_add_loop_test(c, zooms_and_cuts_keep_sums, 0, PV_FLAME_LIVE);
	tcase_add_test(c, a_sandwich_has_two_equal_halves);
	tcase_add_test(c, thin_ones_are_summed_up_and_filters_keep_whole_paths);
	suite_add_tcase(s, c);
	return run_suite(s);
}
