/* SPDX-License-Identifier: MIT */
/* Findings: rules by what a log can tell, each with inputs that it must not name. */
#include <string.h>

#include "common/heap/heap.h"
#include "common/query/findings/rule.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { OBJECT = 0x8000, TEXT = 0x300, NODE = 0x400, MS = 1000, S = 1000000 };

static const char *const shown[] = { "score", "verdict", "text", NULL };

/* The rule's row as text: "50 warning 120 exceptions ...". */
static const char *finding(struct kit *k, const char *id)
{
	struct pv_table *t = kit_view(k, PV_VIEW_FINDINGS, NULL);
	const char *text = kit_text(t, (size_t)(kit_row(t, "finding", id) - t->row), shown);
	pv_table_destroy(t);
	return text;
}

static void begins(const char *text, const char *start)
{
	ck_assert_msg(
		text && strncmp(text, start, strlen(start)) == 0, "\"%s\" for \"%s\"", text, start);
}

/* The log says why a collection was made; those that a heap shot needs are the profiler's. */
START_TEST(collections_say_that_they_were_asked_for)
{
	struct kit k = kit_new("profview:clr,gc");
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 20; i++) {
		kit_at(&k, i * S);
		kit_gc(&k, PV_GC_START, 2);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_COLLECTION,
				      .collection = { .reason = PV_WHY_FIRST + (i < 12),
					      .how = PV_HOW_BLOCKING } });
		kit_at(&k, i * S + 10);
		kit_gc(&k, PV_GC_END, 2);
	}
	begins(strstr(finding(&k, "explicit-gc"), "the program"),
		"the program asked for 12 collections");
	kit_free(&k);
	k = kit_new("profview:clr,gc");
	kit_thread(&k, 1);
	kit_gc(&k, PV_GC_START, 2);
	kit_gc(&k, PV_GC_END, 2);
	kit_flush(&k);
	begins(finding(&k, "explicit-gc"), "- not judged who asked for collections");
	kit_free(&k);
}
END_TEST

/* So many objects of 64 bytes and of some other size, of one class each. */
static struct kit allocating(
	const char *args, const char *class, unsigned small, unsigned others, uint64_t size)
{
	struct kit k = kit_new(args);
	kit_class(&k, TEXT, class);
	kit_thread(&k, 1);
	for (unsigned i = 0; i < small + others; i++) {
		kit_at(&k, (uint64_t)i * 10 * S / (small + others));
		kit_alloc(&k, TEXT, 0x10000 + (uint64_t)i * 0x100000, i < small ? 64 : size, NULL);
	}
	kit_at(&k, 10 * S);
	kit_thread(&k, 1);
	return k;
}

/* The mean of a class hides its large objects; the limit is the host's. */
START_TEST(large_objects_are_found_among_small_ones)
{
	struct kit k = allocating("profview:coreclr,alloc", "System.Byte[]", 100000, 64, 200000);
	begins(strstr(finding(&k, "large-objects"), "67 %"), "67 % of allocated bytes are large");
	kit_free(&k);
	k = allocating("profview:coreclr,alloc", "System.Byte[]", 2000, 64, 20000);
	begins(finding(&k, "large-objects"), "0 fine 0 % of allocated bytes are large");
	kit_free(&k);
	k = allocating("profview:coreclr,alloc", "System.Byte[]", 100000, 2, 200000);
	begins(finding(&k, "large-objects"), "7 fine 6 % of allocated bytes are large");
	kit_free(&k);
}
END_TEST

/* Stops of 300 ms, in each of which a shot is made: by the profiler's wish, or at a collection. */
static struct kit shooting(const char *args)
{
	struct kit k = kit_new(args);
	kit_class(&k, NODE, "App.Node");
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 10; i++) {
		kit_at(&k, i * S);
		kit_gc(&k, PV_GC_PRE_STOP, 0);
		kit_gc(&k, PV_GC_POST_STOP, 0);
		kit_at(&k, i * S + 100 * MS);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
		kit_shot_object(&k, NODE, OBJECT, 1024, 0);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
		kit_at(&k, i * S + 300 * MS);
		kit_gc(&k, PV_GC_PRE_START, 0);
		kit_gc(&k, PV_GC_POST_START, 0);
	}
	kit_at(&k, 10 * S);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_at(&k, 10 * S + 5 * MS);
	kit_gc(&k, PV_GC_POST_START, 0);
	return k;
}

START_TEST(stops_of_heap_shots_are_not_the_collectors)
{
	struct kit k = shooting("log:nodefaults,gc,heapshot=ondemand");
	begins(finding(&k, "long-pause"), "1 fine the longest stop took 5.00 ms");
	begins(strstr(finding(&k, "gc-time"), "for 0"),
		"for 0.0 % of the time collections stopped the program");
	kit_free(&k);
	k = shooting("log:nodefaults,gc,heapshot=1gc,alloc");
	begins(strstr(finding(&k, "long-pause"), "the longest"), "the longest stop took 300 ms");
	kit_free(&k);
}
END_TEST

static void judged(const char *id, const char *class, const char *text)
{
	struct kit k = allocating("profview:coreclr,alloc", class, 2000, 0, 0);
	ck_assert_msg(
		strstr(finding(&k, id), text) != NULL, "%s of %s: %s", id, class, finding(&k, id));
	kit_free(&k);
}

/* Names as the probe, Mono and .NET's stream write them. */
START_TEST(boxes_and_delegates_have_several_spellings)
{
	static const char all[] = "100 % of objects are", none[] = " 0 % of objects are";
	judged("boxing", "int", all);
	judged("boxing", "System.Int32", all);
	judged("boxing", "System.Collections.Generic.KeyValuePair`2[System.String,System.Int32]",
		all);
	judged("boxing", "System.Collections.Generic.KeyValuePair`2[System.String,System.Int32][]",
		none);
	judged("boxing", "int[]", none);
	judged("closures", "System.Func`2[System.String,System.Threading.Tasks.Task]", all);
	judged("closures", "System.Action<System.Object>", all);
	judged("closures", "System.Action[]", none);
	judged("closures", "System.ActionContext", none);
	judged("boxing", "NULL", "not judged the classes of most objects are not known");
}
END_TEST

/* As in the tables; what filters take is not changed by it. */
START_TEST(a_class_has_the_name_of_the_tables)
{
	struct kit k = allocating("profview:coreclr,alloc", "System.Int32", 2000, 0, 0);
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, &(struct pv_query){ .readable = true });
	const struct pv_row *row = kit_row(t, "finding", "boxing");
	ck_assert_ptr_nonnull(strstr(kit_cell(t, row, "text")->s, "most of them int"));
	ck_assert_str_eq(kit_cell(t, row, "subject")->s, "System.Int32");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* The words that a rule lacks are those of the way of recording, or it says that the way has none. */
START_TEST(words_are_those_of_the_way_of_recording)
{
	static const struct {
		const char *args, *rule, *text;
	} way[] = { { "profview:mono,gc", "lock-contention", "record with --probe monitor" },
		{ "profview:coreclr,gc", "duplicate-strings", "--probe heapshot,strings=64" },
		{ "profview:mono,gc", "duplicate-strings", "Mono has nothing that records it" },
		{ "log:nodefaults,gc", "handle-growth", "record with mono --profile=log:gchandle" },
		{ "log:nodefaults,calls", "futile-collections",
			"Mono's own profiler does not record it; profview run --probe gc does" },
		{ "profview:native,sample=100", "leak", "record with --leaks" },
		{ "profview:native,sample=100", "exception-flow", "a native program has nothing" },
		/* Events that are there make no native program one that has such things. */
		{ "profview:native,alloc,sample=100", "boxing", "a native program has nothing" },
		{ "profview:native,sample=100", "explicit-gc", "a native program has nothing" },
		{ "profview:native,sample=100", "thread-burst", "once a sample met them" },
		{ "nettrace", "exception-flow",
			"none is in the stream; attach --via events asks for it" },
		{ "nettrace", "handle-growth",
			"the stream does not have it; profview run --probe gchandle does" } };
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		struct kit k = kit_new(way[i].args);
		k.m->target.text = strcmp(way[i].args, "nettrace") == 0 ? way[i].args : NULL;
		for (uint64_t thread = 1; thread < 3; thread++) {
			kit_thread(&k, thread);
			kit_sample(&k, thread, 0x104, (const uint64_t[]){ 0x100, 0 });
		}
		kit_flush(&k);
		const char *text = finding(&k, way[i].rule);
		ck_assert_msg(strncmp(text, "- not judged", 12) == 0 && strstr(text, way[i].text),
			"%s: %s", way[i].args, text);
		kit_free(&k);
	}
}
END_TEST

/* A shot without texts of strings has no rows of equal ones, and the table says why. */
START_TEST(equal_strings_say_what_records_texts)
{
	static const char *const said[][2] = { { "profview:coreclr,heapshot",
						       "record with --probe heapshot,strings=64" },
		{ "profview:mono,heapshot", "Mono has nothing that records it" } };
	struct pv_heap heap = { 0 };
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		struct kit k = kit_new(said[i][0]);
		heap.duplicates.strings = 0;
		struct pv_query q = { .heap = &heap };
		struct pv_table *t = kit_view(&k, PV_VIEW_HEAP_DUPLICATES, &q);
		ck_assert_uint_eq(t->rows, 0);
		ck_assert_ptr_nonnull(t->about);
		ck_assert_msg(strstr(t->about, said[i][1]), "%s", t->about);
		pv_table_destroy(t);
		heap.duplicates.strings = 1;
		t = kit_view(&k, PV_VIEW_HEAP_DUPLICATES, &q);
		ck_assert_ptr_null(t->about);
		pv_table_destroy(t);
		kit_free(&k);
	}
}
END_TEST

/* The session of events is open before that of names, which comes first in the stream. */
START_TEST(a_stream_begins_with_its_earlier_session)
{
	const int64_t second = 1000000000;
	for (int stream = 0; stream < 2; stream++) {
		struct kit k = kit_new("");
		struct pv_summary sum;
		k.m->target.text = stream ? "nettrace" : NULL;
		k.m->zero_ns += 2 * second; /* of the first session */
		kit_thread(&k, 1);
		kit_at(&k, S);
		kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
		kit_at(&k, 5 * S);
		kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
		kit_flush(&k);
		pv_view_summary(k.m, &sum);
		ck_assert_int_eq(sum.duration_ns, (stream ? 4 : 3) * second);
		kit_free(&k);
	}
}
END_TEST

/* C#'s words for types of the runtime, as the stream has them, are no classes of the program's. */
START_TEST(classes_of_the_runtime_have_several_spellings)
{
	static const char *const theirs[] = { "System.Byte[]", "byte[]", "string", "object[,]",
		"Microsoft.Extensions.X", "int*" };
	static const char *const own[] = { "Shop.Customer", "bytes[]", "Byte", "strings",
		"App.int" };
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		ck_assert_msg(!pv_is_program_class(theirs[i]), "%s", theirs[i]);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		ck_assert_msg(pv_is_program_class(own[i]), "%s", own[i]);
}
END_TEST

/* Exceptions of unknown classes may be any; where they are known it was looked for. */
START_TEST(unknown_classes_of_exceptions_are_not_judged)
{
	for (int known = 0; known < 2; known++) {
		struct kit k = kit_new("log:nodefaults,exception");
		kit_class(&k, NODE, "App.Error");
		kit_thread(&k, 1);
		if (known)
			kit_alloc(&k, NODE, OBJECT, 64, NULL);
		for (uint64_t i = 0; i < 10; i++) {
			kit_at(&k, i * S);
			kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
		}
		begins(finding(&k, "type-init"),
			known ? "0 fine no static constructor failed"
			      : "- not judged the classes of most exceptions are not recorded; "
				"record with mono --profile=log:exception,alloc");
		kit_free(&k);
	}
}
END_TEST

/* Collections of the whole heap among others; a shot in each of them is the profiler's wish, or not. */
static void shoot(struct kit *k)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	kit_shot_object(k, NODE, OBJECT, 1024, 0);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
}

/* Mono's own profiler lists the objects before it collects, in the same stop. */
static struct kit collecting(const char *args, bool before)
{
	struct kit k = kit_new(args);
	kit_class(&k, NODE, "App.Node");
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 20; i++) {
		const bool full = i % 2;
		kit_at(&k, i * S);
		kit_gc(&k, PV_GC_PRE_STOP, 0);
		kit_gc(&k, PV_GC_POST_STOP, 0);
		if (full && before)
			shoot(&k);
		kit_at(&k, i * S + 20 * MS);
		kit_gc(&k, PV_GC_START, full);
		kit_at(&k, i * S + 50 * MS);
		if (full && !before)
			shoot(&k);
		kit_at(&k, i * S + 300 * MS);
		kit_gc(&k, PV_GC_END, full);
		kit_gc(&k, PV_GC_PRE_START, 0);
		kit_gc(&k, PV_GC_POST_START, 0);
	}
	kit_flush(&k);
	return k;
}

START_TEST(collections_for_shots_are_not_the_programs)
{
	struct kit k;
	for (int before = 0; before < 2; before++) {
		k = collecting("log:nodefaults,gc,heapshot=1000ms", before);
		begins(finding(&k, "full-collections"),
			"0 fine 0 of 10 collections were full ones");
		kit_free(&k);
	}
	k = collecting("log:nodefaults,gc,heapshot=2gc", true);
	begins(strstr(finding(&k, "full-collections"), "10 of"),
		"10 of 20 collections were full ones");
	kit_free(&k);
}
END_TEST

/* Many small boxes among few large arrays are no cause of what collecting costs. */
START_TEST(what_has_few_bytes_costs_little)
{
	struct kit k = allocating("profview:coreclr,alloc", "System.Int32", 2000, 0, 0);
	begins(finding(&k, "boxing"), "16 fine 100 % of objects are boxed values");
	kit_free(&k);
	k = allocating("profview:coreclr,alloc", "System.Int32", 1200000, 0, 0);
	begins(strchr(finding(&k, "boxing"), ' '), " warning 100 % of objects are boxed values");
	kit_free(&k);
}
END_TEST

/* Full collections each second; more is left after each, or they ran while the program did. */
static struct kit floors(bool concurrent)
{
	struct kit k = kit_new("log:nodefaults,gc");
	kit_thread(&k, 1);
	for (uint64_t i = 0; i < 30; i++) {
		kit_at(&k, i * S);
		if (!concurrent)
			kit_gc(&k, PV_GC_PRE_STOP, 1), kit_gc(&k, PV_GC_POST_STOP, 1);
		kit_gc(&k, PV_GC_START, 1);
		if (concurrent)
			kit_gc(&k, PV_GC_PRE_STOP, 1), kit_gc(&k, PV_GC_POST_STOP, 1);
		kit_at(&k, i * S + 10 * MS);
		kit_gc(&k, PV_GC_END, 1);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE,
				      .resize = { .bytes = (10 + i) << 20 } });
		kit_gc(&k, PV_GC_PRE_START, 1);
		kit_gc(&k, PV_GC_POST_START, 1);
	}
	kit_flush(&k);
	return k;
}

START_TEST(what_is_left_counts_where_the_program_stood)
{
	struct kit k = floors(false);
	ck_assert_ptr_nonnull(
		strstr(finding(&k, "rising-floor"), " MiB a minute are left after full"));
	kit_free(&k);
	k = floors(true);
	begins(finding(&k, "rising-floor"), "- not judged fewer than 10 full collections that");
	kit_free(&k);
}
END_TEST

/* Samples of waits for a task: of a thread of the pool, of the main thread, or of no waits at all. */
static struct kit asking(const char *args, const char *outer)
{
	enum { WAIT = 0x10, OUTER = 0x20, WORK = 0x30 };
	struct kit k = kit_new(args);
	kit_thread(&k, 1);
	kit_method(&k, WAIT, "System.Threading.Tasks.Task:InternalWait (int)");
	kit_method(&k, OUTER, outer);
	kit_method(&k, WORK, "Shop:Work ()");
	for (unsigned i = 0; i < 100; i++) {
		kit_at(&k, i * 50 * MS);
		kit_sample(&k, 1, 0,
			i % 2 ? (const uint64_t[]){ WAIT, OUTER, 0 }
			      : (const uint64_t[]){ WORK, 0 });
	}
	kit_flush(&k);
	return k;
}

START_TEST(the_main_thread_may_wait_for_a_task)
{
	static const char pool[] = "System.Threading.ThreadPoolWorkQueue:Dispatch ()";
	struct kit k = asking("log:sample", pool);
	begins(finding(&k, "sync-over-async"), "81 severe 50.0 % of samples wait for a task");
	kit_free(&k);
	k = asking("log:sample", "Program:Main (string[])");
	begins(finding(&k, "sync-over-async"), "0 fine 0.0 % of samples");
	kit_free(&k);
	k = asking("profview:clr,sample=100,sample-timer=cpu:100", pool);
	begins(finding(&k, "sync-over-async"), "- not judged samples are of what ran");
	kit_free(&k);
}
END_TEST

/* Waits without a stack may be for a task; few of them leave enough to be judged. */
START_TEST(waits_without_a_stack_are_not_judged)
{
	for (int many = 0; many < 2; many++) {
		struct kit k = kit_new("profview:coreclr,sample-real=100");
		kit_thread(&k, 1);
		kit_method(&k, 0x100, "App:Work ()");
		for (uint64_t i = 0; i < 100; i++) {
			kit_at(&k, i * 10 * MS);
			kit_sample(&k, 1, 0x104, (const uint64_t[]){ 0x100, 0 });
		}
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_WAITED,
				      .hit = { .thread = 1,
					      .state = PV_WAIT_LOCK,
					      .times = many ? 900 : 50 } });
		kit_flush(&k);
		begins(finding(&k, "sync-over-async"),
			many ? "- not judged 90 % of samples are of waits without a stack"
			     : "0 fine 0.0 % of samples");
		kit_free(&k);
	}
}
END_TEST

/* Of memory that the probe does not see none leaks as far as it knows: that is no all-clear. */
START_TEST(an_allocator_of_the_programs_own_is_not_judged)
{
	struct kit k = kit_new("profview:native,held,bypassed=malloc:app");
	kit_thread(&k, 1);
	kit_held(&k, 1, (const uint64_t[]){ 0x10, 0 }, 64);
	kit_flush(&k);
	begins(finding(&k, "leak"), "- not judged malloc is that of app, before the probe");
	kit_free(&k);
	k = kit_new("profview:native,held");
	kit_thread(&k, 1);
	kit_held(&k, 1, (const uint64_t[]){ 0x10, 0 }, 64);
	kit_flush(&k);
	begins(finding(&k, "leak"), "0 fine no allocation stack holds ever more");
	kit_free(&k);
}
END_TEST

/* .NET's stream names static fields, but not their classes. */
START_TEST(a_static_field_without_a_class_keeps_too)
{
	struct kit k = kit_new("heapshot=ondemand");
	struct pv_graph_area area = { .name = "s_orders", .source = PV_ROOT_STATIC };
	struct pv_graph_root root = { .area = 1, .source = PV_ROOT_STATIC };
	struct pv_keeper keeper = {
		.klass = PV_GRAPH_NONE, .most = PV_GRAPH_NONE, .bytes = 60 << 20, .objects = 1000
	};
	struct pv_heap h = { .graph = { .bytes = 100 << 20,
				     .root = { .v = &root, .n = 1 },
				     .area = { .v = &area, .n = 1 } },
		.keepers = { .keeper = { .v = &keeper, .n = 1 } } };
	const struct pv_query q = { .heap = &h };
	kit_thread(&k, 1);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	kit_flush(&k);
	for (int i = 0; i < 2; i++) {
		struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, &q);
		const struct pv_row *row = kit_row(t, "finding", "static-holder");
		const char *text = kit_text(t, (size_t)(row - t->row), shown);
		ck_assert_msg(
			strstr(text, i ? "0 fine no static field" : "static s_orders") != NULL,
			"%s", text);
		pv_table_destroy(t);
		area.owner = "System.Text.Encoding"; /* a library's is no finding */
	}
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("findings by what is known");
	TCase *c = tcase_create("all");
	tcase_add_test(c, collections_say_that_they_were_asked_for);
	tcase_add_test(c, large_objects_are_found_among_small_ones);
	tcase_add_test(c, stops_of_heap_shots_are_not_the_collectors);
	tcase_add_test(c, boxes_and_delegates_have_several_spellings);
	tcase_add_test(c, a_class_has_the_name_of_the_tables);
	tcase_add_test(c, words_are_those_of_the_way_of_recording);
	tcase_add_test(c, equal_strings_say_what_records_texts);
	tcase_add_test(c, a_stream_begins_with_its_earlier_session);
	tcase_add_test(c, classes_of_the_runtime_have_several_spellings);
	tcase_add_test(c, unknown_classes_of_exceptions_are_not_judged);
	tcase_add_test(c, collections_for_shots_are_not_the_programs);
	tcase_add_test(c, what_has_few_bytes_costs_little);
	tcase_add_test(c, what_is_left_counts_where_the_program_stood);
	tcase_add_test(c, the_main_thread_may_wait_for_a_task);
	tcase_add_test(c, waits_without_a_stack_are_not_judged);
	tcase_add_test(c, an_allocator_of_the_programs_own_is_not_judged);
	tcase_add_test(c, a_static_field_without_a_class_keeps_too);
	suite_add_tcase(s, c);
	return run_suite(s);
}
