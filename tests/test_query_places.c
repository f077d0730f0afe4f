/* Views of what a log holds beside calls, allocations and collections. */
#include <string.h>

#include "tests/query_kit.h"
#include "tests/suite.h"

enum { MAIN = 0x100, MAKE = 0x110, OTHER = 0x120, TEXT = 0x200, TILE = 0x300, THREAD = 0x10 };

static struct pv_text text(const char *s)
{
	return (struct pv_text){ s, strlen(s) };
}

static struct pv_span list(struct kit *k, const uint64_t *v, size_t n)
{
	struct pv_span s = { (uint32_t)k->batch.pool.n, (uint32_t)n };
	kit_must(pv_reserve(&k->batch.pool, n));
	memcpy(k->batch.pool.v + k->batch.pool.n, v, n * sizeof *v);
	k->batch.pool.n += n;
	return s;
}

#define LIST(k, ...)                                                                               \
	list(k, (const uint64_t[]){ __VA_ARGS__ },                                                 \
		sizeof(const uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))

static void named_world(struct kit *k)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			     .meta = { .key = THREAD, .name = text("main") } });
	kit_method(k, MAIN, "Main()");
	kit_method(k, MAKE, "Make()");
	kit_method(k, OTHER, "Make()"); /* the same in another domain */
	kit_class(k, TEXT, "Text");
	kit_class(k, TILE, "Tile");
	kit_alloc(k, TEXT, 0x8000, 24, NULL);
	kit_alloc(k, TILE, 0x8100, 48, NULL);
}

static void handle(struct kit *k, uint64_t type, uint64_t number, uint64_t object, uint64_t in)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			     .handle = { type, number, object, LIST(k, MAIN, in) } });
}

static const char *row_text(
	struct kit *k, enum pv_view view, uint64_t select, size_t row, const char *const *columns)
{
	struct pv_query q = { .select = select };
	struct pv_table *t = kit_view(k, view, &q);
	const char *got = kit_text(t, row, columns);
	pv_table_destroy(t);
	return got;
}

START_TEST(handles_by_type_and_by_who_made_them)
{
	static const char *const types[] = { "type", "live", "most_live", "created", "destroyed",
		NULL };
	static const char *const sites[] = { "type", "class", "created", "live", "stack", NULL };
	struct kit k = kit_new("log:gchandle");
	named_world(&k);
	for (uint64_t i = 0; i < 3; i++)
		handle(&k, PV_HANDLE_PINNED, 10 + i, 0x8000, i ? MAKE : OTHER);
	handle(&k, PV_HANDLE_WEAK, 20, 0x8100, MAKE);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_GC_HANDLE_DESTROYED,
			      .handle = { .type = PV_HANDLE_PINNED, .handle = 10 } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_HANDLES, 0, 0, types), "pinned 2 3 3 1");
	ck_assert_str_eq(row_text(&k, PV_VIEW_HANDLES, 0, 1, types), "weak 1 1 1 0");
	ck_assert_str_eq(row_text(&k, PV_VIEW_HANDLES, 0, 2, types), "normal 0 0 0 0");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_HANDLE_SITES, 0, 0, sites), "pinned Text 3 2 Main()\nMake()");
	ck_assert_str_eq(row_text(&k, PV_VIEW_HANDLE_SITES, PV_HANDLE_WEAK + 1, 0, sites),
		"weak Tile 1 1 Main()\nMake()");
	struct pv_table *t = kit_view(&k, PV_VIEW_HANDLE_SITES, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_ptr_nonnull(strstr(t->coverage, "handles: 4 created, 1 destroyed, 3 alive"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void finalize(struct kit *k, uint64_t us, uint64_t object, uint64_t for_us)
{
	kit_at(k, us);
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_GC_FINALIZE_OBJECT_START, .finalize = { object } });
	kit_at(k, us + for_us);
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_GC_FINALIZE_OBJECT_END, .finalize = { object } });
}

START_TEST(finalized_objects_by_class)
{
	static const char *const columns[] = { "class", "objects", "total_ns", "max_ns",
		"average_ns", NULL };
	struct kit k = kit_new("log:finalization");
	named_world(&k);
	finalize(&k, 10, 0x8000, 5);
	finalize(&k, 20, 0x8000, 7);
	finalize(&k, 30, 0x8100, 1);
	ck_assert_str_eq(row_text(&k, PV_VIEW_FINALIZERS, 0, 0, columns), "Text 2 12000 7000 6000");
	ck_assert_str_eq(row_text(&k, PV_VIEW_FINALIZERS, 0, 1, columns), "Tile 1 1000 1000 1000");
	kit_free(&k);
}
END_TEST

static void area(struct kit *k, uint64_t start, uint64_t size, unsigned source, uint64_t key,
	const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_ROOT_REGISTER,
			     .root_area = { start, size, source, key, text(name) } });
}

START_TEST(roots_by_source_and_area)
{
	static const char *const columns[] = { "source", "roots", "roots_total", "areas",
		"area_bytes", "registered", "unregistered", "pinning", NULL };
	static const char *const areas[] = { "name", "source", "owner", "bytes", "start", "roots",
		"registered_ns", "unregistered_ns", NULL };
	struct kit k = kit_new("log:gcroot");
	named_world(&k);
	area(&k, 0x5000, 64, PV_ROOT_STATIC, TILE + 1, "Static Fields");
	area(&k, 0x6000, 4096, PV_ROOT_STACK, THREAD, "Thread Stack");
	area(&k, 0x9000, 8, 99, 0, "Something new");
	kit_gc(&k, PV_GC_START, 1);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_ROOTS,
			      .roots = { 0, 2,
				      LIST(&k, 0x5000, 0x8000, 0x5008, 0x8100, 0x6100, 0x8000) } });
	kit_at(&k, 7);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_ROOT_UNREGISTER,
			      .root_area = { .start = 0x6000 } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOTS, 0, 0, columns), "static field 2 2 1 64 1 0 -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOTS, 0, 1, columns), "stack 1 1 0 0 1 1 -");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_ROOTS, 0, 2, columns), "(in no area told) 0 0 1 8 1 0 -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOT_AREAS, PV_ROOT_STATIC + 1, 0, areas),
		"Static Fields static field Tile 64 0x5000 2 0 -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOT_AREAS, PV_ROOT_STACK + 1, 0, areas),
		"Thread Stack stack main 4096 0x6000 1 0 7000");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOT_AREAS, 0, 2, areas),
		"Something new source 99 - 8 0x9000 0 0 -");
	kit_free(&k);
}
END_TEST

START_TEST(old_roots_have_flags_and_no_areas)
{
	static const char *const columns[] = { "source", "roots", "areas", "pinning", "weak",
		"interior", NULL };
	struct kit k = kit_new("log");
	pv_model_lock(k.m);
	pv_model_rules(k.m, 14);
	pv_model_unlock(k.m);
	kit_event(
		&k, (struct pv_event){ .kind = PV_KIND_HEAP_ROOTS,
			    .roots = { 1, 3,
				    LIST(&k, 0x8000, 0x101, 0, 0x8000, 0x404, 0, 0x8000, 1, 0) } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOTS, 0, 0, columns), "stack 2 - 1 0 0");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROOTS, 0, 1, columns), "gc handle 1 - 0 0 1");
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query places");
	TCase *c = tcase_create("all");
	tcase_add_test(c, handles_by_type_and_by_who_made_them);
	tcase_add_test(c, finalized_objects_by_class);
	tcase_add_test(c, roots_by_source_and_area);
	tcase_add_test(c, old_roots_have_flags_and_no_areas);
	suite_add_tcase(s, c);
	return run_suite(s);
}
