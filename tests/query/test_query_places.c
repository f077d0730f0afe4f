/* SPDX-License-Identifier: MIT */
/* Views of what a log holds next to calls, allocations and collections. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, MAKE = 0x110, OTHER = 0x120, TEXT = 0x200, TILE = 0x300, THREAD = 0x10 };

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
			     .meta = { .key = THREAD, .name = kit_string("main") } });
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
			     .root_area = { start, size, source, key, kit_string(name) } });
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

/* --- code coverage */

static void covered_method(
	struct kit *k, uint64_t id, const char *in, const char *name, uint64_t statements)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COVERAGE_METHOD,
			     .coverage = { .assembly = kit_string("app"),
				     .class_name = kit_string(in),
				     .method = kit_string(name),
				     .signature = kit_string("()"),
				     .file = kit_string("a.cs"),
				     .method_id = id,
				     .statements = statements } });
}

static void statement(struct kit *k, uint64_t id, uint64_t step, uint64_t hits, uint64_t line)
{
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_COVERAGE_STATEMENT,
			.coverage = { .method_id = id, .il = step, .hits = hits, .line = line } });
}

static void covered_class(struct kit *k, const char *name, uint64_t methods, uint64_t full)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COVERAGE_CLASS,
			     .coverage = { .assembly = kit_string("app"),
				     .class_name = kit_string(name),
				     .methods = methods,
				     .full = full } });
}

static void covered_world(struct kit *k)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COVERAGE_ASSEMBLY,
			     .coverage = { .assembly = kit_string("app"),
				     .guid = kit_string("6a1b"),
				     .file = kit_string("/app.exe"),
				     .methods = 7,
				     .full = 2 } });
	covered_class(k, "Plain", 2, 1);
	covered_class(k, "Box<A,B>", 3, 1);
	covered_class(k, "<>c", 1, 0);
	covered_class(k, "Never", 1, 0);
	covered_method(k, 1, "Plain", "Run", 4);
	covered_method(k, 2, "Plain", "Stop", 1);
	covered_method(k, 3, "Box`2", "Get", 5);
	covered_method(k, 4, "&lt;&gt;c", "Step", 2);
	statement(k, 1, 0, 9, 10);
	statement(k, 1, 8, 0, 12);
	statement(k, 1, 0 - UINT64_C(4), 1, 11); /* a step back */
	statement(k, 2, 0, 1, 20);
	statement(k, 3, 0, 2, 30);
	statement(k, 77, 0, 2, 30); /* of a method without a description */
}

START_TEST(coverage_as_a_tree)
{
	static const char *const columns[] = { "name", "methods", "full", "statements", "covered",
		"covered_percent", NULL };
	static const char *const want[] = { "app 7 2 12 4 33.33", "&lt;&gt;c 1 0 2 0 0",
		"Step () - - 2 0 0", "Box`2 3 1 5 1 20", "Get () - - 5 1 20", "Never 1 0 0 0 -",
		"Plain 2 1 5 3 60", "Run () - - 4 2 50", "Stop () - - 1 1 100" };
	struct kit k = kit_new("log:coverage");
	covered_world(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE_TREE, NULL);
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(want));
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(kit_text(t, i, columns), want[i]);
	pv_table_destroy(t);
	struct pv_query folded = { .sort = NULL };
	t = kit_view(&k, PV_VIEW_COVERAGE_TREE, &folded);
	ck_assert_uint_eq(t->rows, 1);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(statements_of_a_method)
{
	static const char *const columns[] = { "il", "hits", "line", "state", NULL };
	struct kit k = kit_new("log:coverage");
	covered_world(&k);
	ck_assert_str_eq(row_text(&k, PV_VIEW_CODE_COVERAGE_LINES, 1, 0, columns), "0 9 10 ");
	ck_assert_str_eq(row_text(&k, PV_VIEW_CODE_COVERAGE_LINES, 1, 1, columns), "4 1 11 ");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_CODE_COVERAGE_LINES, 1, 2, columns), "8 0 12 not run");
	struct pv_table *t = kit_view(&k, PV_VIEW_CODE_COVERAGE_LINES, NULL);
	ck_assert_uint_eq(t->rows, 0); /* no method is chosen */
	ck_assert_ptr_nonnull(strstr(t->coverage, "1 statement of unknown methods"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* --- loaded things, and the log's words about itself */

START_TEST(loaded_things_know_what_they_belong_to)
{
	static const char *const columns[] = { "name", "of", "mvid", "failed", NULL };
	struct kit k = kit_new("log");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_DOMAIN_LOAD, .meta = { .key = 0x100 } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_DOMAIN_NAME,
			      .meta = { .key = 0x100, .name = kit_string("app.exe") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_CONTEXT_LOAD,
			      .meta = { .key = 0x180, .domain = 0x100 } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			      .meta = { .key = 0x200,
				      .name = kit_string("/app.exe"),
				      .mvid = kit_string("6a1b") } });
	kit_event(
		&k, (struct pv_event){ .kind = PV_KIND_ASSEMBLY_LOAD,
			    .meta = { .key = 0x280, .image = 0x200, .name = kit_string("app") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_ASSEMBLY_LOAD,
			      .meta = { .key = 0x290,
				      .image = 0x999,
				      .name = kit_string("lost"),
				      .failed = 1 } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_CONTEXTS, 0, 0, columns), "0x180 app.exe - -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_IMAGES, 0, 0, columns), "/app.exe - 6a1b -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ASSEMBLIES, 0, 0, columns), "app /app.exe - -");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ASSEMBLIES, 0, 1, columns), "lost 0x999 - 1");
	struct pv_table *t = kit_view(&k, PV_VIEW_LOADED, NULL);
	ck_assert_uint_eq(t->rows, 4 + 5);
	ck_assert_uint_eq(kit_row(t, "name", "app.exe")->depth, 1);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(marks_and_native_code)
{
	static const char *const marks[] = { "time_ns", "thread", "text", NULL };
	static const char *const native[] = { "kind", "name", "address", "size", "file_offset",
		NULL };
	struct kit k = kit_new("profview:marks=on");
	kit_at(&k, 3);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_MARK,
			      .ext = { .family = 2, .kind = 1, .text = kit_string("round 1") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			      .symbol = { .address = 0x5000, .name = kit_string("memcpy") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_BINARY,
			      .symbol = { 0x4000, 8192, 512, kit_string("libc.so") } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_MARKS, 0, 0, marks), "3000 0x10 round 1");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_NATIVE, 0, 0, native), "binary libc.so 0x4000 8192 0x200");
	ck_assert_str_eq(row_text(&k, PV_VIEW_NATIVE, 0, 1, native), "symbol memcpy 0x5000 - -");
	kit_free(&k);
}
END_TEST

static void fact_is(struct kit *k, const char *name, const char *value)
{
	struct pv_table *t = kit_view(k, PV_VIEW_SOURCE, NULL);
	const struct pv_cell *c = kit_cell(t, kit_row(t, "name", name), "value");
	ck_assert_str_eq(c->state == PV_CELL_VALUE ? c->s : "-", value);
	pv_table_destroy(t);
}

START_TEST(the_log_itself)
{
	struct kit k = kit_new("log:calls");
	for (uint64_t type = 0; type < 5; type++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_SYNC_POINT, .sync = { type } });
	fact_is(&k, "AOT id", "-");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_AOT_ID, .aot = { kit_string("a-1") } });
	fact_is(&k, "format", "mlpd");
	fact_is(&k, "header version", "3.0");
	fact_is(&k, "startup clock", "1 000 000 ns");
	fact_is(&k, "options", "log:calls");
	fact_is(&k, "sync points", "1 periodic, 1 world stop, 1 world start, 2 of another type");
	fact_is(&k, "AOT id", "a-1");
	fact_is(&k, "end", "not reached");
	kit_end(&k, false);
	fact_is(&k, "end", "unknown: no farewell, only the last event is known; not complete");
	pv_model_lock(k.m);
	pv_model_rules(k.m, 13);
	pv_model_unlock(k.m);
	kit_sample(&k, 0x10, 0x77, NULL);
	fact_is(&k, "read by rules of", "13");
	fact_is(&k, "samples by", "1 cycles");
	kit_free(&k);
}
END_TEST

static void samples_are(struct kit *k, const char *detail)
{
	struct pv_table *t = kit_view(k, PV_VIEW_COVERAGE, NULL);
	ck_assert_str_eq(kit_cell(t, kit_row(t, "what", "samples"), "detail")->s, detail);
	pv_table_destroy(t);
}

/* Stock Mono writes samples by the buffer: while the log goes on there may be some already. */
START_TEST(samples_may_still_come_while_a_log_goes_on)
{
	struct kit k = kit_new("log:nodefaults,sample");
	samples_are(&k, "none has come yet");
	pv_model_end(k.m, true);
	samples_are(&k, "none happened");
	kit_free(&k);
}
END_TEST

/* --- counters as people read them */

START_TEST(counters_have_their_unit)
{
	static const struct {
		uint64_t type, unit;
		int64_t raw;
		const char *text;
	} row[] = {
		{ PV_COUNTER_LONG, 1 << 24, 2048, "2.00 KiB" },
		{ PV_COUNTER_LONG, 1 << 24, -2048, "-2.00 KiB" },
		{ PV_COUNTER_LONG, 2 << 24, 15000, "1.50 ms" },
		{ PV_COUNTER_TIME_INTERVAL, 2 << 24, 1500, "1.50 ms" },
		{ PV_COUNTER_TIME_INTERVAL, 0, 1500, "1.50 ms" },
		{ PV_COUNTER_LONG, 3 << 24, 1500, "1500" },
		{ PV_COUNTER_LONG, 4 << 24, 45, "45 %" },
		{ PV_COUNTER_LONG, 0, 1500, "1500" },
		{ PV_COUNTER_LONG, 2 << 24, INT64_MIN, "-9.22e+18" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		struct kit k = kit_new("log:counter");
		char buf[64];
		kit_must(pv_reserve(&k.batch.descs, 1) && pv_reserve(&k.batch.values, 1));
		k.batch.descs.v[k.batch.descs.n++] = (struct pv_counter_desc){ .section = 0x100,
			.type = row[i].type,
			.unit = row[i].unit,
			.variance = 1 << 28,
			.index = 1,
			.name = kit_string("One") };
		k.batch.values.v[k.batch.values.n++] = (struct pv_counter_value){
			.index = 1, .type = row[i].type, .raw = (uint64_t)row[i].raw
		};
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
				      .counters = { .list = { 0, 1 } } });
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_COUNTERS_SAMPLE,
				      .counters = { .list = { 0, 1 } } });
		struct pv_table *t = kit_view(&k, PV_VIEW_COUNTERS, NULL);
		const struct pv_cell *c = kit_cell(t, kit_row(t, "name", "One"), "last");
		ck_assert_str_eq(pv_cell_text(c, PV_UNIT_NUMBER, buf, sizeof buf), row[i].text);
		ck_assert_double_eq(c->d, (double)row[i].raw);
		pv_table_destroy(t);
		kit_free(&k);
	}
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
	tcase_add_test(c, coverage_as_a_tree);
	tcase_add_test(c, statements_of_a_method);
	tcase_add_test(c, loaded_things_know_what_they_belong_to);
	tcase_add_test(c, marks_and_native_code);
	tcase_add_test(c, the_log_itself);
	tcase_add_test(c, samples_may_still_come_while_a_log_goes_on);
	tcase_add_test(c, counters_have_their_unit);
	suite_add_tcase(s, c);
	return run_suite(s);
}
