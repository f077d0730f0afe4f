/* SPDX-License-Identifier: MIT */
/* Exceptions, locks, threads, compiled code, counters, loads: figures worked out by hand. */
#include <string.h>

#include "common/query/facts.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, WORK = 0x110, FAULT = 0x200, LOCK = 0x300 };

static struct kit start(const char *args)
{
	struct kit k = kit_new(args);
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, WORK, "Work()");
	kit_class(&k, FAULT, "App.Fault");
	kit_class(&k, LOCK, "App.Lock");
	return k;
}

START_TEST(throws_by_class_and_stack)
{
	struct kit k = start("log:gcalloc");
	static const uint64_t work[] = { MAIN, WORK, 0 }, only[] = { MAIN, 0 };
	kit_alloc(&k, FAULT, 0x8000, 16, NULL);
	kit_throw(&k, 0x8000, work);
	kit_throw(&k, 0x8000, work);
	kit_throw(&k, 0x8000, only);
	kit_throw(&k, 0xdead0, only);
	static const uint64_t clauses[] = { 0, 0, 1, 2, 4, 4, 9 };
	for (size_t i = 0; i < PV_COUNT_OF(clauses); i++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXCEPTION_CLAUSE,
				      .clause = { .type = clauses[i], .method = MAIN } });
	static const char *const row[] = { "name", "thrown", "thrown_percent", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_EXCEPTIONS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, row), "App.Fault 3 75");
	ck_assert_str_eq(kit_text(t, 1, row), "(class not recorded) 1 25");
	ck_assert(strstr(t->coverage, "exceptions partial: 4 thrown, 7 clauses entered, "
				      "1 of a class not recorded"));
	pv_table_destroy(t);
	static const char *const site[] = { "class", "stack", "thrown", NULL };
	t = kit_view(&k, PV_VIEW_THROW_SITES, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, site), "App.Fault Main()\nWork() 2");
	ck_assert_str_eq(kit_text(t, 1, site), "(class not recorded) Main() 1");
	ck_assert_str_eq(kit_text(t, 2, site), "App.Fault Main() 1");
	pv_table_destroy(t);
	static const char *const clause[] = { "name", "count", NULL };
	static const char *const clause_rows[] = { "catch 2", "filter 1", "finally 1", "fault 2",
		"other 1" };
	t = kit_view(&k, PV_VIEW_CLAUSES, NULL);
	ck_assert_uint_eq(t->rows, 5);
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(kit_text(t, i, clause), clause_rows[i]);
	pv_table_destroy(t);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXCEPTION_CLAUSE,
			      .clause = { .type = 2, .method = WORK } });
	static const char *const by_method[] = { "method", "count", "catch", "filter", "finally",
		"fault", "other", NULL };
	t = kit_view(&k, PV_VIEW_CLAUSE_METHODS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, by_method), "Main() 7 2 1 1 2 1");
	ck_assert_str_eq(kit_text(t, 1, by_method), "Work() 1 0 0 1 0 0");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Thread 0x10 waits 5..25 for A; thread 0x20 waits 30..33 for A in vain and 40..41 for B. */
START_TEST(waits_by_lock_and_stack)
{
	struct kit k = start("log:nodefaults,monitor,gcalloc");
	static const uint64_t work[] = { MAIN, WORK, 0 };
	kit_alloc(&k, LOCK, 0xa000, 16, NULL);
	kit_at(&k, 5);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0xa000, work);
	kit_at(&k, 25);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0xa000, NULL);
	kit_thread(&k, 0x20);
	kit_at(&k, 30);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0xa000, work);
	kit_at(&k, 33);
	kit_monitor(&k, PV_KIND_MONITOR_FAIL, 0xa000, NULL);
	kit_at(&k, 40);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0xb000, work);
	kit_at(&k, 41);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0xb000, NULL);
	static const char *const row[] = { "object", "class", "contentions", "wait_ns",
		"max_wait_ns", "acquired", "failed", "waiting", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_LOCKS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, row), "0xa000 App.Lock 2 23000 20000 1 1 0");
	ck_assert_str_eq(kit_text(t, 1, row), "0xb000 (class not recorded) 1 1000 1000 1 0 0");
	pv_table_destroy(t);
	static const char *const site[] = { "class", "stack", "contentions", "wait_ns", NULL };
	t = kit_view(&k, PV_VIEW_WAIT_SITES, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, site), "App.Lock Main()\nWork() 2 23000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(threads_are_distinguished_by_their_lives)
{
	struct kit k = start("log:calls,gcalloc");
	static const char *const row[] = { "id", "name", "start_ns", "end_ns", "events",
		"allocated_bytes", "calls", "state", NULL };
	kit_thread(&k, 0x20);
	kit_at(&k, 1);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 0x20 } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			      .meta = { .key = 0x20, .name = kit_string("worker") } });
	kit_alloc(&k, LOCK, 0xa000, 16, NULL);
	kit_enter(&k, MAIN);
	kit_at(&k, 9);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = 0x20 } });
	kit_at(&k, 11);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 0x20 } });
	kit_thread(&k, 0x30);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			      .meta = { .key = 0x30, .name = kit_string("Profiler Writer") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = 0x30 } });
	kit_at(&k, 13); /* the profiler goes on after the end that it wrote for itself */
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SYNC_POINT });
	struct pv_table *t =
		kit_view(&k, PV_VIEW_THREADS, &(struct pv_query){ .sort = "start_ns" });
	ck_assert_uint_eq(t->rows, 4);
	ck_assert_str_eq(kit_text(t, 0, row), "0x20 worker 1000 9000 5 16 1 ended");
	ck_assert_str_eq(kit_text(t, 1, row), "0x20 0x20 11000 - 1 0 0 running");
	const struct pv_row *own = kit_row(t, "name", "Profiler Writer");
	ck_assert_uint_eq(kit_cell(t, own, "events")->u, 3);
	ck_assert_uint_eq(k.m->threads.thread.v[k.m->threads.thread.n - 1]->epoch, 2);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_THREADS, &(struct pv_query){ .hide_internal = true });
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_ptr_nonnull(strstr(t->coverage, "3 threads, 1 of the profiler besides"));
	pv_table_destroy(t);
	struct pv_summary s;
	pv_view_summary(k.m, &s);
	ck_assert_uint_eq(s.threads, 3);
	ck_assert_uint_eq(s.threads_ended, 1);
	ck_assert_uint_eq(s.threads_profiler, 1);
	kit_free(&k);
}
END_TEST

START_TEST(compiled_code)
{
	struct kit k = start("log:jit");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_JIT_HELPER,
			      .helper = { .type = 5,
				      .address = 0x10,
				      .size = 20,
				      .name = kit_string("x") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_JIT_HELPER,
			      .helper = { .type = 5,
				      .address = 0x40,
				      .size = 22,
				      .name = kit_string("y") } });
	kit_at(&k, 3);
	kit_method(&k, MAIN + 1, "Main()");
	static const char *const method[] = { "name", "count", "code_bytes", "time_ns", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_JIT_METHODS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, method), "Main() 2 32 0");
	ck_assert_str_eq(kit_text(t, 1, method), "Work() 1 16 0");
	pv_table_destroy(t);
	static const char *const helper[] = { "name", "count", "bytes", NULL };
	t = kit_view(&k, PV_VIEW_JIT_HELPERS, NULL);
	ck_assert_uint_eq(t->rows, 2); /* by name */
	ck_assert_str_eq(kit_text(t, 0, helper), "specific trampoline 1 22");
	ck_assert_str_eq(kit_text(t, 1, helper), "specific trampoline 1 20");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Samples describe functions as methods, and uses name methods without their code. */
START_TEST(functions_are_no_compiled_methods)
{
	enum { FILE_AT = 0x900000, FUNCTION = 0x5000, AOT, NAMED };
	struct kit k = start("profview:mono,sample=100");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			      .symbol = { .address = FILE_AT,
				      .size = 0x1000,
				      .name = kit_string("/usr/bin/mono-sgen") } });
	static const struct {
		uint64_t key, code;
		const char *name;
	} described[] = { { FUNCTION, FILE_AT, "mono_main" },
		{ AOT, FILE_AT + 0x20, "A.B:C (int)" }, { NAMED, 0, "A.B:D (int)" } };
	for (size_t i = 0; i < PV_COUNT_OF(described); i++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_METHOD_JIT,
				      .jit = { .method = described[i].key,
					      .code = described[i].code,
					      .size = described[i].code ? 0x10 : 0,
					      .name = kit_string(described[i].name) } });
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_JIT_METHODS, NULL);
	struct pv_totals totals;
	pv_view_totals(k.m, &totals);
	ck_assert_uint_eq(totals.jit_methods, 3);
	ck_assert_uint_eq(t->rows, 4); /* with the one whose code is not known */
	kit_row(t, "name", "A.B:C (int)");
	kit_row(t, "name", "A.B:D (int)");
	kit_row(t, "name", "Main()");
	kit_row(t, "name", "Work()");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void describe(struct kit *k, struct pv_counter_desc d)
{
	ck_assert(pv_reserve(&k->batch.descs, 1));
	k->batch.descs.v[k->batch.descs.n++] = d;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
			     .counters = { .list = { (uint32_t)k->batch.descs.n - 1, 1 } } });
}

static void sample(struct kit *k, struct pv_counter_value v)
{
	ck_assert(pv_reserve(&k->batch.values, 1));
	k->batch.values.v[k->batch.values.n++] = v;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COUNTERS_SAMPLE,
			     .counters = { .list = { (uint32_t)k->batch.values.n - 1, 1 } } });
}

START_TEST(counters_in_their_sections)
{
	struct kit k = start("log:counter");
	describe(&k, (struct pv_counter_desc){ .section = 0x200,
			     .type = PV_COUNTER_LONG,
			     .unit = 1 << 24,
			     .variance = 1 << 30,
			     .index = 7,
			     .name = kit_string("Heap") });
	describe(&k, (struct pv_counter_desc){ .section = PV_SECTION_PERFCOUNTERS,
			     .type = PV_COUNTER_DOUBLE,
			     .unit = 99,
			     .variance = 1 << 28,
			     .index = 8,
			     .section_name = kit_string("Mono Memory"),
			     .name = kit_string("Load") });
	static const uint64_t steps[] = { UINT64_C(1000000000000000), (uint64_t)-7, 3 };
	for (size_t i = 0; i < PV_COUNT_OF(steps); i++) {
		kit_at(&k, 1000000 * (i + 1));
		sample(&k, (struct pv_counter_value){
				   .index = 7, .type = PV_COUNTER_LONG, .raw = steps[i] });
	}
	double half = 0.5;
	uint64_t bits;
	memcpy(&bits, &half, sizeof bits);
	sample(&k, (struct pv_counter_value){ .index = 8, .type = PV_COUNTER_DOUBLE, .raw = bits });
	static const char *const row[] = { "name", "section", "type", "unit", "variance", "last",
		"count", "per_second", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_COUNTERS, NULL);
	ck_assert_uint_eq(t->rows, 4);
	ck_assert_str_eq(kit_text(t, 0, row), "Mono Memory - - - - - - -");
	ck_assert_str_eq(kit_text(t, 1, row), "Load Mono Memory double 0x63 monotonic 0.5 1 -");
	ck_assert_str_eq(kit_text(t, 2, row), "gc - - - - - - -");
	ck_assert_str_eq(kit_text(t, 3, row), "Heap gc long bytes variable 1e+15 3 -2");
	struct pv_query q = { .select = t->row[3].id };
	pv_table_destroy(t);
	static const char *const value[] = { "time_ns", "value", NULL };
	t = kit_view(&k, PV_VIEW_COUNTER_SAMPLES, &q);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, value), "1000000000 1000000000000000");
	ck_assert_str_eq(kit_text(t, 1, value), "2000000000 999999999999993");
	ck_assert_str_eq(kit_text(t, 2, value), "3000000000 999999999999996");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(loads_and_unloads)
{
	struct kit k = kit_new("log");
	kit_at(&k, 2);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			      .meta = { .key = 0x9000, .name = kit_string("/lib/mscorlib.dll") } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_DOMAIN_LOAD, .meta = { .key = 0x50 } });
	kit_at(&k, 4);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_IMAGE_UNLOAD,
			      .meta = { .key = 0x9000, .name = kit_string("/lib/mscorlib.dll") } });
	static const char *const row[] = { "id", "name", "load_ns", "unload_ns", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_IMAGES, NULL);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_text(t, 0, row), "0x9000 /lib/mscorlib.dll 2000 4000");
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_DOMAINS, NULL);
	ck_assert_str_eq(kit_text(t, 0, row), "0x50 0x50 2000 -");
	pv_table_destroy(t);
	static const char *const event[] = { "name", "count", NULL };
	t = kit_view(&k, PV_VIEW_EVENTS, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, event), "domain.load 1");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(covered_statements)
{
	struct kit k = kit_new("log:coverage");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_COVERAGE_METHOD,
			      .coverage = { .assembly = kit_string("app"),
				      .class_name = kit_string("App.Node"),
				      .method = kit_string("Walk"),
				      .signature = kit_string("void ()"),
				      .file = kit_string("node.cs"),
				      .method_id = 7,
				      .statements = 4 } });
	for (uint64_t i = 0; i < 4; i++)
		kit_event(&k,
			(struct pv_event){ .kind = PV_KIND_COVERAGE_STATEMENT,
				.coverage = {
					.method_id = 7, .il = 2, .hits = i % 3, .line = i + 1 } });
	static const char *const row[] = { "assembly", "class", "method", "signature", "file",
		"statements", "covered", "covered_percent", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_CODE_COVERAGE, NULL);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_text(t, 0, row), "app App.Node Walk void () node.cs 4 2 50");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(damage_is_listed)
{
	struct kit k = kit_new("log:calls");
	kit_method(&k, MAIN, "Main()");
	kit_flush(&k);
	pv_model_lock(k.m);
	pv_model_damage(k.m, 4096, 100, "event byte 0xfe is not understood");
	pv_model_damage(k.m, 9000, 1, "cut");
	pv_model_unlock(k.m);
	static const char *const row[] = { "offset", "bytes", "reason", NULL };
	struct pv_table *t = kit_view(&k, PV_VIEW_DAMAGE, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, row), "4096 100 event byte 0xfe is not understood");
	ck_assert(strstr(t->coverage, "damage lost: 2 places, 101 bytes that could not be read"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query events");
	TCase *c = tcase_create("all");
	tcase_add_test(c, throws_by_class_and_stack);
	tcase_add_test(c, waits_by_lock_and_stack);
	tcase_add_test(c, threads_are_distinguished_by_their_lives);
	tcase_add_test(c, compiled_code);
	tcase_add_test(c, functions_are_no_compiled_methods);
	tcase_add_test(c, counters_in_their_sections);
	tcase_add_test(c, loads_and_unloads);
	tcase_add_test(c, covered_statements);
	tcase_add_test(c, damage_is_listed);
	suite_add_tcase(s, c);
	return run_suite(s);
}
