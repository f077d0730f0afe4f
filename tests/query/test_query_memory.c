/* SPDX-License-Identifier: MIT */
/* Allocations, their stacks, collections and heap shots: every figure worked out by hand. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	MAIN = 0x100,
	WORK = 0x110,
	READ = 0x120,
	ODD = 0x130,
	TEXT = 0x200,
	NODE = 0x300,
	LOST = 0x400
};

/* Text: 24 + 40 bytes in Main > Work, 16 in Main > Work > Read; Node: 100 in Main; one nameless. */
static struct kit allocations(void)
{
	struct kit k = kit_new("log:nodefaults,alloc");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_method(&k, READ, "Read()");
	kit_class(&k, TEXT, "System.String");
	kit_class(&k, NODE, "App.Node");
	static const uint64_t work[] = { MAIN, WORK, 0 }, read[] = { MAIN, WORK, READ, 0 },
			      only[] = { MAIN, 0 };
	kit_alloc(&k, TEXT, 0x8000, 24, work);
	kit_alloc(&k, TEXT, 0x8020, 40, work);
	kit_alloc(&k, TEXT, 0x8050, 16, read);
	kit_alloc(&k, NODE, 0x8060, 100, only);
	kit_alloc(&k, LOST, 0x80d0, 8, NULL);
	return k;
}

START_TEST(classes_are_sorted_by_bytes)
{
	struct kit k = allocations();
	static const char *const row[] = { "name", "allocations", "allocated_bytes", "estimated",
		"average_bytes", "allocated_percent", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_CLASSES, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, row), "App.Node 1 100 0 100 53.19");
	ck_assert_str_eq(kit_text(t, 1, row), "System.String 3 80 0 26 42.55");
	ck_assert_str_eq(kit_text(t, 2, row), "0x401 1 8 0 8 4.255");
	ck_assert(strstr(t->coverage, "allocations: 5 allocations, 188 B"));
	ck_assert(strstr(t->coverage, "1 class without a name"));
	uint64_t nameless = t->row[2].id, text = t->row[1].id;
	pv_table_destroy(t);
	/* A name that arrives after its use renames the row; the others keep their ids. */
	kit_class(&k, LOST, "App.Late");
	t = kit_view(&k, PV_VIEW_CLASSES, &(struct pv_query){ .filter = "LATE" });
	ck_assert_str_eq(kit_text(t, 0, row), "App.Late 1 8 0 8 4.255");
	ck_assert_uint_ne(t->row[0].id, nameless);
	ck_assert(!strstr(t->coverage, "without a name"));
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CLASSES, NULL);
	ck_assert_uint_eq(kit_row(t, "name", "System.String")->id, text);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(stacks_of_a_class_innermost_first)
{
	struct kit k = allocations();
	struct pv_table *classes = kit_view(&k, PV_VIEW_CLASSES, NULL);
	static const char *const row[] = { "method", "allocations", "allocated_bytes", NULL };
	struct pv_query q = { .select = kit_row(classes, "name", "System.String")->id,
		.open_all = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_CLASS_STACKS, &q);
	static const char *const rows[] = { "Work() 2 64", "Main() 2 64", "Read() 1 16",
		"Work() 1 16", "Main() 1 16" };
	static const uint32_t depth[] = { 0, 1, 0, 1, 2 };
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(rows));
	for (size_t i = 0; i < t->rows; i++) {
		ck_assert_str_eq(kit_text(t, i, row), rows[i]);
		ck_assert_uint_eq(t->row[i].depth, depth[i]);
	}
	uint64_t open[] = { t->row[2].id };
	pv_table_destroy(t);
	q.open_all = false;
	q.open = open;
	q.opens = 1;
	t = kit_view(&k, PV_VIEW_CLASS_STACKS, &q);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 2, row), "Work() 1 16");
	ck_assert_uint_eq(t->row[2].flags, PV_ROW_HAS_CHILDREN);
	pv_table_destroy(t);
	q.select = classes->row[2].id; /* the one without a stack */
	t = kit_view(&k, PV_VIEW_CLASS_STACKS, &q);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_text(t, 0, row), "(no stack recorded) 1 8");
	pv_table_destroy(t);
	pv_table_destroy(classes);
	kit_free(&k);
}
END_TEST

START_TEST(sites_are_class_and_stack)
{
	struct kit k = allocations();
	static const char *const row[] = { "class", "stack", "allocations", "allocated_bytes",
		NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, NULL);
	ck_assert_uint_eq(t->rows, 4);
	ck_assert_str_eq(kit_text(t, 0, row), "App.Node Main() 1 100");
	ck_assert_str_eq(kit_text(t, 1, row), "System.String Main()\nWork() 2 64");
	ck_assert_str_eq(kit_text(t, 2, row), "System.String Main()\nWork()\nRead() 1 16");
	ck_assert_str_eq(kit_text(t, 3, row), "0x401  1 8");
	ck_assert(strstr(t->coverage, "allocation_stacks partial: 4 with their stacks, "
				      "1 without a stack"));
	pv_table_destroy(t);
	kit_method(&k, ODD, "Odd\nname()");
	kit_alloc(&k, NODE, 0x9000, 1000, (const uint64_t[]){ MAIN, ODD, 0 });
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, NULL);
	ck_assert_str_eq(kit_text(t, 0, row), "App.Node Main()\nOdd\\nname() 1 1000");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, &(struct pv_query){ .limit = 1 });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(t->rows_all, 5);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void stop(struct kit *k, uint64_t from, uint64_t to, int start, int end, uint64_t generation)
{
	kit_at(k, from);
	kit_gc(k, PV_GC_PRE_STOP, generation);
	kit_gc(k, PV_GC_POST_STOP, generation);
	kit_at(k, from + 1);
	if (start)
		kit_gc(k, PV_GC_START, generation);
	kit_at(k, to - 1);
	if (end)
		kit_gc(k, PV_GC_END, generation);
	kit_gc(k, PV_GC_PRE_START, generation);
	kit_at(k, to);
	kit_gc(k, PV_GC_POST_START, generation);
}

/* A minor one 10..20; a concurrent major one from 31 to 98 with stops 30..34 and 97..99. */
static struct kit collections(void)
{
	struct kit k = kit_new("log:nodefaults,gc,gcalloc");
	kit_class(&k, TEXT, "System.String");
	kit_at(&k, 1);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { 4096, 0 } });
	kit_alloc(&k, TEXT, 0x8000, 500, NULL);
	stop(&k, 10, 20, 1, 1, 0);
	kit_at(&k, 25);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { 8192, 0 } });
	kit_alloc(&k, TEXT, 0x8200, 70, NULL);
	stop(&k, 30, 34, 1, 0, 1);
	stop(&k, 97, 99, 0, 1, 1);
	return k;
}

START_TEST(collections_and_pauses_are_distinguished)
{
	struct kit k = collections();
	static const char *const row[] = { "generation", "start_ns", "duration_ns", "pause_ns",
		"concurrent", "heap_before", "allocated_since_last", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_COLLECTIONS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, row), "0 11000 8000 10000 0 4096 500");
	ck_assert_str_eq(kit_text(t, 1, row), "1 31000 67000 6000 1 8192 70");
	pv_table_destroy(t);
	static const char *const pause[] = { "start_ns", "duration_ns", NULL };
	t = kit_view(&k, PV_VIEW_PAUSES, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, pause), "10000 10000");
	ck_assert_str_eq(kit_text(t, 2, pause), "97000 2000");
	pv_table_destroy(t);
	static const char *const generation[] = { "generation", "count", "total_ns", "max_ns",
		NULL };
	t = kit_view(&k, PV_VIEW_GENERATIONS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, generation), "0 1 8000 8000");
	ck_assert_str_eq(kit_text(t, 1, generation), "1 1 67000 67000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void shot(struct kit *k, uint64_t us, unsigned texts, unsigned nodes)
{
	kit_at(k, us);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	for (unsigned i = 0; i < texts; i++)
		kit_shot_object(k, TEXT, 0x8000 + i * 64, 32, 1);
	for (unsigned i = 0; i < nodes; i++)
		kit_shot_object(k, NODE, 0x9000 + i * 64, 64, 2);
	kit_shot_object(k, NODE, 0x9000, 0, 3); /* goes on with an earlier object's references */
	kit_at(k, us + 5);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
}

START_TEST(shots_count_objects_that_have_a_size)
{
	struct kit k = kit_new("log:nodefaults,heapshot");
	kit_class(&k, TEXT, "System.String");
	kit_class(&k, NODE, "App.Node");
	shot(&k, 10, 3, 1);
	shot(&k, 50, 1, 4);
	static const char *const row[] = { "index", "time_ns", "objects", "bytes", "references",
		"roots", "objects_change", "bytes_change", "took_ns", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_SHOTS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, row), "0 10000 4 160 8 0 - - 5000");
	ck_assert_str_eq(kit_text(t, 1, row), "1 50000 5 288 12 0 1 128 5000");
	ck_assert_uint_eq(t->row[1].id, 2);
	pv_table_destroy(t);

	static const char *const class[] = { "name", "objects", "bytes", NULL };
	t = kit_view(&k, PV_VIEW_SHOT_CLASSES, &(struct pv_query){ .select = 2 });
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, class), "App.Node 4 256");
	ck_assert_str_eq(kit_text(t, 1, class), "System.String 1 32");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_SHOT_CLASSES, &(struct pv_query){ .select = 9 });
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);

	static const char *const diff[] = { "name", "objects_change", "bytes_change", "objects",
		"base_objects", NULL };
	t = kit_view(&k, PV_VIEW_SHOT_DIFF, &(struct pv_query){ .base = 1, .select = 2 });
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, diff), "App.Node 3 192 4 1");
	ck_assert_str_eq(kit_text(t, 1, diff), "System.String -2 -64 1 3");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_SHOT_DIFF, &(struct pv_query){ .base = 2, .select = 1 });
	ck_assert_str_eq(kit_text(t, 1, diff), "App.Node -3 -192 1 4");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void object(struct kit *k, uint64_t class, uint64_t at, uint64_t size, uint64_t generation)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			     .heap_object = { .object = at,
				     .type = class + 1,
				     .size = size,
				     .generation = generation } });
}

START_TEST(young_objects_of_a_shot_are_distinguished)
{
	static const char *const row[] = { "name", "objects", "bytes", "young_objects",
		"young_bytes", "dead_objects", NULL };
	static const char *const want[2][2] = { { "Node 2 64 - - -", "Text 1 8 - - -" },
		{ "Node 2 64 1 24 -", "Text 1 8 0 0 -" } };
	struct kit k = kit_new("log:nodefaults,heapshot");
	kit_class(&k, NODE, "Node");
	kit_class(&k, TEXT, "Text");
	for (uint64_t shot = 0; shot < 2; shot++) {
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
		object(&k, NODE, 0x8000, 24, 0);
		object(&k, NODE, 0x8100, 40,
			shot); /* the log does not say which the first ones are */
		object(&k, TEXT, 0x8200, 8, shot);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
		struct pv_query q = { .select = shot + 1 };
		struct pv_table *t = kit_view(&k, PV_VIEW_SHOT_CLASSES, &q);
		ck_assert_uint_eq(t->rows, 2);
		for (size_t i = 0; i < 2; i++)
			ck_assert_str_eq(kit_text(t, i, row), want[shot][i]);
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query memory");
	TCase *c = tcase_create("all");
	tcase_add_test(c, classes_are_sorted_by_bytes);
	tcase_add_test(c, stacks_of_a_class_innermost_first);
	tcase_add_test(c, sites_are_class_and_stack);
	tcase_add_test(c, collections_and_pauses_are_distinguished);
	tcase_add_test(c, shots_count_objects_that_have_a_size);
	tcase_add_test(c, young_objects_of_a_shot_are_distinguished);
	suite_add_tcase(s, c);
	return run_suite(s);
}
