/* SPDX-License-Identifier: MIT */
/* Rows merge what has one name: groups are kept between queries, and follow what names become. */
#include <stdio.h>
#include <string.h>

#include "common/query/groups/groups_kept.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { CLASS = 0x100000, IMAGE = 0x9000 };

static struct pv_groups_cache *cache;

static struct pv_groups borrow(struct kit *k, enum pv_grouped kind)
{
	struct pv_groups g;
	kit_flush(k);
	pv_model_lock(k->m);
	pv_groups_prepare(cache, k->m);
	ck_assert(pv_groups_borrow(cache, k->m, kind, &g));
	pv_model_unlock(k->m);
	return g;
}

/* That it was made anew is seen from its not being the one that is still borrowed. */
static bool is_same(struct kit *k, enum pv_grouped kind, const struct pv_groups *before)
{
	struct pv_groups g = borrow(k, kind);
	bool same = g.shared == before->shared;
	pv_groups_finish(&g);
	return same;
}

static size_t named(const struct pv_groups *g, const char *name)
{
	size_t n = 0;
	for (size_t i = 0; i < g->row.n; i++)
		n += g->row.v[i].name && strcmp(g->row.v[i].name, name) == 0;
	return n;
}

static void use(struct kit *k, uint64_t method)
{
	kit_enter(k, method);
	kit_leave(k, method);
}

static void load(struct kit *k, uint64_t class, uint64_t image, const char *name)
{
	const struct pv_text text = { name, strlen(name) };
	kit_event(k, (struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			     .meta = { .key = class, .image = image, .name = text } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			     .meta = { .key = class + 1, .owner = class } });
}

static void load_image(struct kit *k, uint64_t image, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			     .meta = { .key = image, .name = { name, strlen(name) } } });
}

START_TEST(groups_are_kept_while_no_name_changes)
{
	struct kit k = kit_new("log:calls,alloc");
	kit_method(&k, 16, "A:A ()");
	kit_class(&k, CLASS, "A");
	use(&k, 16);
	kit_alloc(&k, CLASS, 0x8000, 24, NULL);
	struct pv_groups methods = borrow(&k, PV_GROUPED_METHODS);
	struct pv_groups classes = borrow(&k, PV_GROUPED_CLASSES);
	use(&k, 16);
	kit_alloc(&k, CLASS, 0x8040, 24, NULL);
	ck_assert(is_same(&k, PV_GROUPED_METHODS, &methods));
	ck_assert(is_same(&k, PV_GROUPED_CLASSES, &classes));
	use(&k, 32); /* never heard of */
	ck_assert(!is_same(&k, PV_GROUPED_METHODS, &methods));
	/* A borrowed filter is as it was. */
	ck_assert_uint_eq(methods.of_n, 2);
	ck_assert_uint_eq(named(&methods, "A:A ()"), 1);
	ck_assert_uint_eq(named(&classes, "A"), 1);
	kit_free(&k);
	ck_assert_uint_eq(methods.of_n, 2); /* even when the model is gone */
	pv_groups_finish(&methods);
	pv_groups_finish(&classes);
}
END_TEST

START_TEST(methods_follow_their_names)
{
	struct kit k = kit_new("log:calls");
	uint64_t none[PV_GROUPED_KINDS];
	use(&k, 16);
	use(&k, 32);
	struct pv_groups g = borrow(&k, PV_GROUPED_METHODS);
	pv_groups_nameless(cache, k.m, none);
	ck_assert_uint_eq(none[PV_GROUPED_METHODS], 2);
	ck_assert_uint_ne(pv_group_of(&g, 1), pv_group_of(&g, 2));
	ck_assert_ptr_null(g.row.v[pv_group_of(&g, 1)].name);
	pv_groups_finish(&g);
	kit_method(&k, 16, "A:A ()");
	kit_method(&k, 32, "A:A ()");
	kit_method(&k, 48, "B:B ()");
	g = borrow(&k, PV_GROUPED_METHODS);
	pv_groups_nameless(cache, k.m, none);
	ck_assert_uint_eq(none[PV_GROUPED_METHODS], 0);
	ck_assert_uint_eq(pv_group_of(&g, 1), pv_group_of(&g, 2));
	ck_assert_uint_ne(pv_group_of(&g, 1), pv_group_of(&g, 3));
	ck_assert_uint_eq(named(&g, "A:A ()"), 1);
	ck_assert_uint_eq(named(&g, "B:B ()"), 1);
	pv_groups_finish(&g);
	kit_free(&k);
}
END_TEST

/* One name in two images is two rows, whichever becomes known first. */
START_TEST(classes_follow_their_names_and_images)
{
	struct kit k = kit_new("log:alloc");
	uint64_t none[PV_GROUPED_KINDS];
	for (uint64_t i = 0; i < 4; i++)
		kit_alloc(&k, CLASS + 16 * i, 0x8000 + 64 * i, 24, NULL);
	struct pv_groups g = borrow(&k, PV_GROUPED_CLASSES);
	pv_groups_nameless(cache, k.m, none);
	ck_assert_uint_eq(none[PV_GROUPED_CLASSES], 4);
	ck_assert_uint_eq(g.row.n, 5);
	pv_groups_finish(&g);
	load_image(&k, IMAGE, "one.dll");
	load_image(&k, IMAGE + 16, "two.dll");
	for (uint64_t i = 0; i < 4; i++)
		load(&k, CLASS + 16 * i, IMAGE + i % 2 * 16, "Same");
	g = borrow(&k, PV_GROUPED_CLASSES);
	pv_groups_nameless(cache, k.m, none);
	ck_assert_uint_eq(none[PV_GROUPED_CLASSES], 0);
	ck_assert_uint_eq(named(&g, "Same"), 2);
	ck_assert_uint_eq(pv_group_of(&g, 1), pv_group_of(&g, 3));
	ck_assert_uint_eq(pv_group_of(&g, 2), pv_group_of(&g, 4));
	ck_assert_uint_ne(pv_group_of(&g, 1), pv_group_of(&g, 2));
	ck_assert_str_eq(g.row.v[pv_group_of(&g, 1)].image, "one.dll");
	ck_assert_str_eq(g.row.v[pv_group_of(&g, 2)].image, "two.dll");
	for (uint32_t i = 1; i <= 4; i++)
		ck_assert_uint_eq(
			g.row.v[pv_group_of(&g, i)].id, pv_names_class_row(&k.m->names, i));
	pv_groups_finish(&g);
	kit_free(&k);
}
END_TEST

/* Another grouping is another answer, and the one by name stays; so does that of another model. */
START_TEST(groups_are_kept_by_what_they_are_of)
{
	struct kit k = kit_new("log:alloc"), other = kit_new("log:alloc");
	kit_alloc(&k, CLASS, 0x8000, 24, NULL);
	load(&k, CLASS, IMAGE, "A.B");
	load_image(&k, IMAGE, "one.dll");
	struct pv_groups plain = borrow(&k, PV_GROUPED_CLASSES),
			 none = borrow(&other, PV_GROUPED_CLASSES);
	const struct pv_query by_space = { .groups = cache, .group = PV_BY_NAMESPACE };
	const struct pv_query in_one = { .groups = cache, .in = "one", .in_by = PV_BY_IMAGE };
	const struct pv_query in_two = { .groups = cache, .in = "two", .in_by = PV_BY_IMAGE };
	struct pv_table *space = kit_view(&k, PV_VIEW_CLASSES, &by_space);
	struct pv_table *again = kit_view(&k, PV_VIEW_CLASSES, &by_space);
	struct pv_table *one = kit_view(&k, PV_VIEW_CLASSES, &in_one);
	struct pv_table *two = kit_view(&k, PV_VIEW_CLASSES, &in_two);
	ck_assert(space->held[0] && space->held[0] == again->held[0]);
	ck_assert(one->held[0] != two->held[0] && one->held[0] != space->held[0]);
	ck_assert_uint_eq(one->rows, 1);
	ck_assert_uint_eq(two->rows, 0);
	ck_assert(is_same(&k, PV_GROUPED_CLASSES, &plain));
	ck_assert(is_same(&other, PV_GROUPED_CLASSES, &none));
	ck_assert(none.shared != plain.shared);
	pv_table_destroy(again);
	pv_table_destroy(one);
	pv_table_destroy(two);
	kit_alloc(&k, CLASS, 0x8040, 24, NULL); /* no name changes, but what it rests on may */
	kit_flush(&k);
	again = kit_view(&k, PV_VIEW_CLASSES, &by_space);
	ck_assert(space->held[0] != again->held[0]);
	pv_groups_cache_destroy(cache);
	cache = pv_groups_cache_create();
	kit_free(&k);
	ck_assert_str_eq(kit_cell(space, &space->row[0], "name")->s, "A"); /* the table's own */
	pv_table_destroy(space);
	pv_table_destroy(again);
	pv_groups_finish(&plain);
	pv_groups_finish(&none);
	kit_free(&other);
}
END_TEST

/* --- flat figures, next to a count that keeps every path */

enum { METHODS = 150, STEPS = 20000, DEPTH = 60 };

struct expected {
	uint64_t calls, total_ns, self_ns;
	unsigned open;
};

static uint64_t pseudo_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

struct path {
	unsigned method[DEPTH];
	uint64_t since[DEPTH];
	size_t n;
};

static void step(struct kit *k, struct path *p, struct expected *e, uint64_t *state, uint64_t now)
{
	bool leave = p->n == DEPTH || (p->n && pseudo_random(state) % 2);
	if (p->n)
		e[p->method[p->n - 1]].self_ns += 1000;
	kit_at(k, now);
	if (leave) {
		unsigned m = p->method[--p->n];
		e[m].total_ns += --e[m].open == 0 ? 1000 * (now - p->since[p->n]) : 0;
		kit_leave(k, (m + 1) * 16);
		return;
	}
	unsigned m = (unsigned)(pseudo_random(state) % METHODS);
	p->method[p->n] = m;
	p->since[p->n++] = now;
	e[m].calls++;
	e[m].open++;
	kit_enter(k, (m + 1) * 16);
}

START_TEST(recursion_counts_once_on_each_path)
{
	static struct expected e[METHODS];
	struct kit k = kit_new("log:calls");
	struct path p = { .n = 0 };
	uint64_t state = 7, now = 0;
	memset(e, 0, sizeof e);
	for (unsigned m = 0; m < METHODS; m++) {
		char name[20];
		snprintf(name, sizeof name, "M%u", m);
		kit_method(&k, (m + 1) * 16, name);
		kit_flush(&k); /* of the text only its place is kept */
	}
	for (; now < STEPS; now++)
		step(&k, &p, e, &state, now);
	for (size_t i = 0; i < p.n; i++) /* an open call runs to the last event */
		e[p.method[i]].total_ns += e[p.method[i]].open ? 1000 * (now - 1 - p.since[i]) : 0,
			e[p.method[i]].open = 0;
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	for (unsigned m = 0; m < METHODS; m++) {
		char name[20];
		snprintf(name, sizeof name, "M%u", m);
		const struct pv_row *row = kit_row(t, "name", name);
		ck_assert_uint_eq(kit_cell(t, row, "calls")->u, e[m].calls);
		ck_assert_int_eq(kit_cell(t, row, "self_ns")->i, (int64_t)e[m].self_ns);
		ck_assert_int_eq(kit_cell(t, row, "total_ns")->i, (int64_t)e[m].total_ns);
	}
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* As many methods in one path as make it slow to look up each: the same figures another way. */
START_TEST(deep_paths_of_very_many_methods)
{
	enum { MANY = 3000 };
	struct kit k = kit_new("log:calls");
	uint64_t now = 0;
	for (unsigned i = 0; i < 2 * MANY; i++) {
		kit_at(&k, now++);
		kit_enter(&k, (i % MANY + 1) * 16);
	}
	for (unsigned i = 2 * MANY; i-- > 0;) {
		kit_at(&k, now++);
		kit_leave(&k, (i % MANY + 1) * 16);
	}
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(t->rows, MANY);
	int64_t longest = 4 * MANY - 1, sum = 0;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_row *row = &t->row[i];
		int64_t total = kit_cell(t, row, "total_ns")->i;
		ck_assert_uint_eq(kit_cell(t, row, "calls")->u, 2);
		ck_assert_int_eq(total % 1000, 0);
		ck_assert_int_le(total, longest * 1000);
		sum += total / 1000;
	}
	/* entered at i, left at 4 * MANY - 1 - i */
	ck_assert_int_eq(sum, (int64_t)MANY * longest - (int64_t)MANY * (MANY - 1));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	cache = pv_groups_cache_create();
	Suite *s = suite_create("query groups");
	TCase *c = tcase_create("all");
	tcase_add_test(c, groups_are_kept_while_no_name_changes);
	tcase_add_test(c, methods_follow_their_names);
	tcase_add_test(c, classes_follow_their_names_and_images);
	tcase_add_test(c, groups_are_kept_by_what_they_are_of);
	tcase_add_test(c, recursion_counts_once_on_each_path);
	tcase_add_test(c, deep_paths_of_very_many_methods);
	suite_add_tcase(s, c);
	return run_suite(s);
}
