/* SPDX-License-Identifier: MIT */
/* Words for facts that a log lacks: always there, computed from what the log holds. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, WORK = 0x110, TEXT = 0x200 };

/* One of everything that the lines below speak of. */
static void fill(struct kit *k)
{
	static const uint64_t stack[] = { MAIN, WORK, 0 };
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 0x10 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			     .meta = { .key = 0x10, .name = kit_string("main") } });
	kit_method(k, MAIN, "Main()");
	kit_method(k, WORK, "Work()");
	kit_class(k, TEXT, "System.String");
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { 4096, 0 } });
	kit_alloc(k, TEXT, 0x8000, 24, stack);
	kit_enter(k, MAIN);
	kit_enter(k, WORK);
	kit_at(k, 5);
	kit_exc_leave(k, WORK);
	kit_leave(k, MAIN);
	kit_throw(k, 0x8000, stack);
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXCEPTION_CLAUSE, .clause = { .method = MAIN } });
	kit_monitor(k, PV_KIND_MONITOR_CONTENTION, 0x8000, stack);
	kit_monitor(k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	kit_sample(k, 0x10, WORK * 16, stack);
	kit_gc(k, PV_GC_PRE_STOP, 0);
	kit_gc(k, PV_GC_START, 0);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	kit_shot_object(k, TEXT, 0x8000, 24, 1);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_ROOTS, .roots = { .width = 2 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	kit_gc(k, PV_GC_END, 0);
	kit_gc(k, PV_GC_POST_START, 0);
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_GC_FINALIZE_OBJECT_START, .finalize = { 0x8000 } });
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_GC_FINALIZE_OBJECT_END, .finalize = { 0x8000 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_JIT_HELPER, .helper = { .size = 8 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = 0x10 } });
}

static void line_without(unsigned kind, enum pv_view view, char *to, size_t size)
{
	struct kit k = kit_new("log:nodefaults");
	if (kind < PV_KIND_COUNT)
		k.skip[kind] = true;
	fill(&k);
	struct pv_table *t = kit_view(&k, view, NULL);
	snprintf(to, size, "%s", t->coverage);
	pv_table_destroy(t);
	kit_free(&k);
}

START_TEST(a_kind_removed_changes_the_line)
{
	static const struct {
		enum pv_view view;
		unsigned kind;
	} row[] = {
		{ PV_VIEW_METHODS, PV_KIND_METHOD_ENTER },
		{ PV_VIEW_METHODS, PV_KIND_METHOD_LEAVE },
		{ PV_VIEW_METHODS, PV_KIND_METHOD_EXC_LEAVE },
		{ PV_VIEW_METHODS, PV_KIND_SAMPLE_HIT },
		{ PV_VIEW_METHODS, PV_KIND_METHOD_JIT },
		{ PV_VIEW_CALL_TREE, PV_KIND_METHOD_ENTER },
		{ PV_VIEW_CALL_TREE, PV_KIND_SAMPLE_HIT },
		{ PV_VIEW_CLASSES, PV_KIND_ALLOC },
		{ PV_VIEW_CLASSES, PV_KIND_CLASS_LOAD },
		{ PV_VIEW_CLASSES, PV_KIND_VTABLE_LOAD },
		{ PV_VIEW_COLLECTIONS, PV_KIND_GC_EVENT },
		{ PV_VIEW_COLLECTIONS, PV_KIND_GC_RESIZE },
		{ PV_VIEW_PAUSES, PV_KIND_GC_EVENT },
		{ PV_VIEW_GENERATIONS, PV_KIND_GC_EVENT },
		{ PV_VIEW_SHOTS, PV_KIND_HEAP_OBJECT },
		{ PV_VIEW_SHOTS, PV_KIND_HEAP_END },
		{ PV_VIEW_SHOTS, PV_KIND_HEAP_START },
		{ PV_VIEW_SHOTS, PV_KIND_HEAP_ROOTS },
		{ PV_VIEW_SHOT_CLASSES, PV_KIND_HEAP_OBJECT },
		{ PV_VIEW_EXCEPTIONS, PV_KIND_EXCEPTION_THROW },
		{ PV_VIEW_EXCEPTIONS, PV_KIND_EXCEPTION_CLAUSE },
		{ PV_VIEW_LOCKS, PV_KIND_MONITOR_CONTENTION },
		{ PV_VIEW_LOCKS, PV_KIND_MONITOR_DONE },
		{ PV_VIEW_THREADS, PV_KIND_THREAD_START },
		{ PV_VIEW_THREADS, PV_KIND_THREAD_END },
		{ PV_VIEW_THREADS, PV_KIND_THREAD_NAME },
		{ PV_VIEW_JIT_METHODS, PV_KIND_METHOD_JIT },
		{ PV_VIEW_JIT_HELPERS, PV_KIND_JIT_HELPER },
		{ PV_VIEW_EVENTS, PV_KIND_GC_FINALIZE_OBJECT_END },
	};
	char whole[600], less[600];
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		line_without(PV_KIND_COUNT, row[i].view, whole, sizeof whole);
		line_without(row[i].kind, row[i].view, less, sizeof less);
		ck_assert_msg(strcmp(whole, less) != 0, "%s without kind %u: %s",
			pv_view_name(row[i].view), row[i].kind, less);
	}
}
END_TEST

static const char *const all[] = { "calls", "allocations", "allocation_stacks", "gc", "moves",
	"handles", "finalizers", "heap_shots", "roots", "exceptions", "locks", "samples", "threads",
	"jit", "counters", "code_coverage", "spans", "marks", "suspensions", "transitions", "names",
	"losses", "damage" };

static const char *state_of(struct kit *k, const char *what, char detail[300])
{
	static char state[20];
	struct pv_table *t = kit_view(k, PV_VIEW_COVERAGE, NULL);
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(all));
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_str_eq(t->row[i].cell[0].s, all[i]);
	const struct pv_row *row = kit_row(t, "what", what);
	snprintf(state, sizeof state, "%s", kit_cell(t, row, "state")->s);
	snprintf(detail, 300, "%s", kit_cell(t, row, "detail")->s);
	pv_table_destroy(t);
	return state;
}

START_TEST(options_say_what_could_have_been)
{
	static const struct {
		const char *args, *complete;
	} row[] = {
		{ "log", "names losses damage" },
		{ "log:nodefaults", "names losses damage" },
		{ "log:nodefaults,calls", "calls names losses damage" },
		{ "log:", "exceptions counters names losses damage" },
		{ "log:calls,output=x.mlpd", "calls exceptions counters names losses damage" },
		{ "log:nodefaults,alloc",
			"allocations allocation_stacks gc moves names losses damage" },
		{ "log:nodefaults,gcalloc", "allocations allocation_stacks names losses damage" },
		{ "log:nodefaults,gc,gcmove,gcroot,gchandle,finalization",
			"gc moves handles finalizers roots names losses damage" },
		{ "log:nodefaults,sample=500", "samples names losses damage" },
		{ "log:nodefaults,heapshot=ondemand", "gc heap_shots roots names losses damage" },
		{ "log:heapshot",
			"gc moves heap_shots roots exceptions counters names losses damage" },
		{ "log:nodefaults,exception,monitor,counter,jit",
			"exceptions locks jit counters names losses damage" },
		{ "log:nodefaults,legacy",
			"gc moves handles finalizers roots exceptions locks counters "
			"names losses damage" },
		{ "log:nodefaults,calls,nocalls", "names losses damage" },
		{ "profview:mono,calls,reported-allocations",
			"calls allocations allocation_stacks names losses damage" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		struct kit k = kit_new(row[i].args);
		char complete[400] = "", detail[300];
		for (size_t w = 0; w < PV_COUNT_OF(all); w++) {
			const char *state = state_of(&k, all[w], detail);
			size_t at = strlen(complete);
			if (strcmp(state, "complete") == 0)
				snprintf(complete + at, sizeof complete - at, "%s%s", at ? " " : "",
					all[w]);
			else
				ck_assert_msg(strcmp(state, "not recorded") == 0, "%s: %s is %s",
					row[i].args, all[w], state);
		}
		ck_assert_msg(
			strcmp(complete, row[i].complete) == 0, "%s: %s", row[i].args, complete);
		kit_free(&k);
	}
}
END_TEST

START_TEST(flaws_have_their_state)
{
	char detail[300];
	struct kit k = kit_new("log:calls");
	fill(&k);
	kit_leave(&k, MAIN);
	kit_alloc(&k, TEXT + 0x40, 0x9000, 8, NULL);
	kit_throw(&k, 0x77770, NULL);
	ck_assert_str_eq(state_of(&k, "calls", detail), "partial");
	ck_assert(strstr(detail, "1 leaf without an enter"));
	ck_assert_str_eq(state_of(&k, "names", detail), "partial");
	ck_assert(strstr(detail, "1 class without a name"));
	ck_assert_str_eq(state_of(&k, "exceptions", detail), "partial");
	ck_assert(strstr(detail, "1 of a class not recorded"));
	ck_assert_str_eq(state_of(&k, "damage", detail), "complete");
	ck_assert_str_eq(detail, "none");
	kit_end(&k, false);
	ck_assert_str_eq(state_of(&k, "damage", detail), "partial");
	kit_free(&k);
}
END_TEST

START_TEST(folded_waits_are_reported)
{
	char detail[300];
	struct kit k = kit_new("log:nodefaults,alloc,monitor");
	k.m->locks.by_lock.cap = 8;
	kit_alloc(&k, TEXT, 0x8000, 24, NULL);
	for (uint64_t i = 0; i < 20; i++) {
		const uint64_t stack[] = { MAIN, 0x100000 + 8 * i, 0 };
		kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000, stack);
		kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	}
	ck_assert_str_eq(state_of(&k, "locks", detail), "partial");
	ck_assert_msg(strstr(detail, "sites folded into (other)"), "%s", detail);
	ck_assert(!strstr(detail, "locks folded"));
	kit_free(&k);
}
END_TEST

/* Views of what the log is, not of what was recorded. */
static bool of_the_log(enum pv_view v)
{
	return v == PV_VIEW_EVENTS || v == PV_VIEW_STREAM || v == PV_VIEW_COVERAGE ||
	       v == PV_VIEW_DAMAGE || v == PV_VIEW_SOURCE || v == PV_VIEW_FINDINGS ||
	       v == PV_VIEW_FINDING_FACTS;
}

START_TEST(no_view_is_complete_when_nothing_was_recorded)
{
	struct kit k = kit_new("log:nodefaults");
	kit_flush(&k);
	for (unsigned v = 0; v < PV_VIEW_COUNT; v++) {
		struct pv_table *t = kit_view(&k, (enum pv_view)v, NULL);
		ck_assert_msg(
			of_the_log((enum pv_view)v) || strncmp(t->coverage, "complete", 8) != 0,
			"%s: %s", t->name, t->coverage);
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

static const struct {
	enum pv_view view;
	const char *word, *what;
	struct pv_event event;
} more[] = {
	{ PV_VIEW_SPANS, "spans", "spans", { .kind = PV_KIND_EXT_SPAN } },
	{ PV_VIEW_MARKS, "marks", "marks", { .kind = PV_KIND_EXT_MARK } },
	{ PV_VIEW_STOPS, "suspend", "suspensions", { .kind = PV_KIND_EXT_SUSPENSION } },
	{ PV_VIEW_TRANSITIONS, "transitions", "transitions", { .kind = PV_KIND_EXT_TRANSITION } },
};

static void expect_said(struct kit *k, enum pv_view view, const char *what, const char *line)
{
	char detail[300];
	struct pv_table *t = kit_view(k, view, NULL);
	ck_assert_msg(strstr(t->coverage, line), "%s: %s", t->name, t->coverage);
	pv_table_destroy(t);
	bool absent = strstr(line, "not recorded");
	ck_assert_str_eq(state_of(k, what, detail), absent ? "not recorded" : "complete");
}

START_TEST(what_only_our_probes_record_is_said_too)
{
	char args[60], line[60];
	struct kit k = kit_new("log:calls,alloc,exception");
	snprintf(line, sizeof line, "%s not recorded", more[_i].what);
	expect_said(&k, more[_i].view, more[_i].what, line);
	kit_free(&k);
	snprintf(args, sizeof args, "profview:coreclr,%s", more[_i].word);
	k = kit_new(args);
	snprintf(line, sizeof line, "%s: none happened", more[_i].what);
	expect_said(&k, more[_i].view, more[_i].what, line);
	kit_event(&k, more[_i].event);
	snprintf(line, sizeof line, "%s: 1 ", more[_i].what);
	expect_said(&k, more[_i].view, more[_i].what, line);
	kit_free(&k);
}
END_TEST

/* A collection is in the buffer of the thread that made it. */
START_TEST(what_other_threads_did_is_not_denied)
{
	char detail[300];
	struct kit k = kit_new("profview:coreclr,gc,suspend");
	kit_flush(&k);
	k.m->only = (struct pv_restrict){ .threaded = true, .thread_id = 77 };
	ck_assert_str_eq(state_of(&k, "gc", detail), "complete");
	ck_assert_str_eq(detail, "none by this thread");
	expect_said(&k, PV_VIEW_STOPS, "suspensions", "suspensions: none by this thread");
	kit_free(&k);
}
END_TEST

START_TEST(spans_beyond_the_limit_are_not_complete)
{
	char detail[300];
	struct kit k = kit_new("profview:coreclr,spans");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN });
	kit_flush(&k);
	k.m->runtime.spans += 7; /* as if the list had been full */
	ck_assert_str_eq(state_of(&k, "spans", detail), "partial");
	ck_assert_str_eq(detail, "8 spans, 7 beyond the limit, not listed");
	kit_free(&k);
}
END_TEST

static void thread(struct kit *k, unsigned kind, uint64_t id)
{
	kit_event(k, (struct pv_event){ .kind = (uint8_t)kind,
			     .meta = { .key = id, .name = kit_string("t") } });
}

/* A repeated header has the starts of those that run again. */
START_TEST(a_start_said_twice_stands_for_no_other)
{
	char detail[300];
	struct kit k = kit_new("profview:native,sample=100");
	k.m->target.pid = 0x77;
	for (int i = 0; i < 2; i++)
		thread(&k, PV_KIND_THREAD_START, 0x10);
	thread(&k, PV_KIND_THREAD_NAME, 0x77);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "threads", detail), "complete");
	thread(&k, PV_KIND_THREAD_NAME, 0x12);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "threads", detail), "partial");
	ck_assert_msg(strstr(detail, "1 without a start, those without an event"), "%s", detail);
	kit_free(&k);
}
END_TEST

START_TEST(losses_are_the_probes_own_counter)
{
	char detail[300];
	struct kit k = kit_new("profview:native,calls");
	struct pv_counter_desc d = { .section = PV_SECTION_PROFILER,
		.type = PV_COUNTER_LONG,
		.index = 1,
		.name = kit_string("lost events") };
	struct pv_counter_value v = { .index = 1, .type = PV_COUNTER_LONG, .raw = 33 };
	ck_assert(pv_reserve(&k.batch.descs, 1) && pv_reserve(&k.batch.values, 1));
	k.batch.descs.v[k.batch.descs.n++] = d;
	k.batch.values.v[k.batch.values.n++] = v;
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
			      .counters = { .list = { 0, 1 } } });
	kit_event(&k, (struct pv_event){
			      .kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { 0, 1 } } });
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "losses", detail), "lost");
	ck_assert(strstr(detail, "33 events lost by the probe"));
	ck_assert(strstr(detail, "none is with --probe block=yes"));
	kit_free(&k);
}
END_TEST

/* With nothing in the log at all. */
static const struct {
	const char *args, *what, *state, *detail;
} hooked[] = {
	{ "profview:native,calls,sample=100", "calls", "not recorded",
		"no -finstrument-functions" },
	{ "profview:mono,calls", "calls", "complete", "none happened" },
	{ "profview:native,gcalloc,allocator=libc.so.6", "allocations", "partial",
		"none was seen" },
	{ "profview:native,alloc=524288,allocator=libc.so.6", "allocations", "inferred",
		"none was among those sampled" },
	{ "profview:mono,alloc=524288", "allocation_stacks", "inferred",
		"none was among those sampled" },
	{ "profview:native,gcalloc,allocator=libc.so.6", "allocation_stacks", "partial",
		"none was seen" },
	{ "profview:mono,gcalloc", "allocation_stacks", "complete", "none happened" },
	{ "profview:native,gcalloc,blocks,bypassed=malloc:libjemalloc.so.2,new-of=x.so",
		"allocations", "bypassed", "malloc is that of libjemalloc.so.2, before the probe" },
	{ "profview:native,gcalloc,blocks,bypassed=malloc:libjemalloc.so.2", "heap_shots",
		"bypassed", "libjemalloc.so.2" },
	{ "profview:native,alloc=9,bypassed=malloc:app", "allocation_stacks", "bypassed", "app" },
	{ "profview:native,gcalloc,blocks,bypassed=free:lib.so", "allocations", "partial", "none" },
	{ "profview:native,gcalloc,blocks,bypassed=free:lib.so", "heap_shots", "bypassed",
		"free is that of lib.so" },
	{ "profview:native,held,bypassed=malloc:app", "allocations", "bypassed",
		"malloc is that of app, before the probe" },
	{ "profview:native,held,bypassed=free:app", "allocation_stacks", "bypassed", "app" },
	{ "profview:native,gcalloc,mixed=a.so+b.so", "allocations", "bypassed", "(a.so+b.so)" },
	{ "profview:native,gcalloc,new-of=app", "allocations", "partial",
		"operator new is that of" },
	{ "profview:native,sample=1000,sample-timer=cpu:250", "samples", "complete",
		"250 a second of processor time, the system's ticks: 1000 were asked for" },
	{ "profview:native,sample=1000,sample-timer=user:1000", "samples", "partial",
		"1000 a second of processor time in the program's code, the kernel's is not"
		" sampled" },
	{ "profview:coreclr,sample=100,sample-timer=cpu:100", "samples", "complete",
		"100 a second of processor time" },
	{ "profview:native,sample-real=1000,sample-timer=cpu:250", "samples", "complete",
		"250 a second of processor time, the system's ticks: 1000 were asked for" },
	{ "profview:mono,sample=50,sample-timer=mono-cpu:50", "samples", "complete",
		"up to 50 a second of processor time, where Mono's sampler meets it" },
	{ "profview:mono,sample=1000,sample-timer=mono-perf:1000", "samples", "complete",
		"1000 a second of processor time, met in the program's code" },
	{ "profview:mono,sample=50,sample-timer=mono:50", "samples", "complete",
		"up to 50 a second of the process's time, by Mono's sampler" },
	{ "profview:native,sample=100,kernel=refused,sample-timer=cpu:100", "samples", "complete",
		"the kernel's functions are refused (perf_event_paranoid)" },
	{ "profview:coreclr,sample=100,filter=timer_create+shutdown,sample-timer=cpu:100",
		"samples", "partial",
		"the program's filter of system calls refuses timer_create+shutdown" },
	{ "profview:native,bypassed=malloc:x", "allocations", "not recorded", "" },
	{ "log:alloc,bypassed=malloc:x", "allocations", "complete", "none happened" },
	{ "profview:native,gcalloc,mixed", "allocations", "bypassed", "nothing was hooked" },
	{ "profview:native,gcalloc,bypassed=", "allocations", "partial", "none was seen" },
};

START_TEST(what_a_probe_did_not_hook_is_said)
{
	char detail[400];
	struct kit k = kit_new(hooked[_i].args);
	const char *state = state_of(&k, hooked[_i].what, detail);
	ck_assert_msg(strcmp(state, hooked[_i].state) == 0 && strstr(detail, hooked[_i].detail),
		"%s: %s is %s: %s", hooked[_i].args, hooked[_i].what, state, detail);
	kit_free(&k);
}
END_TEST

/* Events that are not there may have been among those that were lost. */
START_TEST(none_happened_only_where_nothing_is_missing)
{
	char detail[400];
	struct kit k = kit_new("profview:mono,exception");
	ck_assert_str_eq(state_of(&k, "exceptions", detail), "complete");
	k.m->damaged = 1;
	ck_assert_str_eq(state_of(&k, "exceptions", detail), "partial");
	ck_assert_ptr_nonnull(strstr(detail, "none met"));
	k.m->damaged = 0;
	k.m->lost_events = 1;
	ck_assert_str_eq(state_of(&k, "exceptions", detail), "partial");
	k.m->lost_events = 0;
	pv_model_end(k.m, true);
	k.m->ending.full = true;
	ck_assert_str_eq(state_of(&k, "exceptions", detail), "partial");
	ck_assert_str_eq(detail, "none, up to where the log was cut off");
	kit_free(&k);
}
END_TEST

static void own_counter(struct kit *k, uint64_t index, const char *name, uint64_t value)
{
	struct pv_counter_desc d = { .section = PV_SECTION_PROFILER,
		.type = PV_COUNTER_LONG,
		.index = index,
		.name = kit_string(name) };
	struct pv_counter_value v = { .index = index, .type = PV_COUNTER_LONG, .raw = value };
	ck_assert(pv_reserve(&k->batch.descs, 1) && pv_reserve(&k->batch.values, 1));
	uint32_t desc = (uint32_t)k->batch.descs.n, at = (uint32_t)k->batch.values.n;
	k->batch.descs.v[k->batch.descs.n++] = d;
	k->batch.values.v[k->batch.values.n++] = v;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
			     .counters = { .list = { desc, 1 } } });
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { at, 1 } } });
}

START_TEST(stacks_that_end_early_are_said)
{
	char detail[400];
	struct kit k = kit_new("profview:native,sample=100,sample-timer=cpu:100");
	own_counter(&k, 5, "sample stacks to their end", 75);
	own_counter(&k, 6, "sample stacks cut: no frame pointer", 20);
	own_counter(&k, 8, "sample stacks cut: too deep", 5);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "samples", detail), "partial");
	ck_assert_msg(
		strstr(detail, "stacks: 75 % to their end, 20 % cut where no way to the caller"
			       " is known, 5 % cut at the most callers that are kept"),
		"%s", detail);
	kit_free(&k);
}
END_TEST

START_TEST(stacks_that_end_early_have_a_file_and_a_reason)
{
	char detail[400];
	struct kit k = kit_new("profview:native,sample=100,sample-timer=cpu:100");
	own_counter(&k, 1 << 24, "sample stacks to their end", 900);
	own_counter(&k, (1 << 24) + 1, "sample stacks cut in a: b.so: no unwind table", 12);
	own_counter(&k, (1 << 24) + 2, "sample stacks cut in c.so: unreadable stack", 5);
	own_counter(&k, (1 << 24) + 3, "sample stacks cut: too deep", 3);
	own_counter(&k, (1 << 24) + 4,
		"sample stacks cut in code made at run time: no frame pointer", 80);
	own_counter(&k, (1 << 24) + 5, "allocation stacks cut in c.so: no unwind table", 5);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "samples", detail), "partial");
	ck_assert_msg(strstr(detail, "stacks: 90 % to their end,"
				     " 8 % end early in code made at run time: no frame pointer,"
				     " 1.2 % end early in a: b.so: no unwind table,"
				     " 0.5 % end early in c.so: unreadable stack,"
				     " 0.3 % elsewhere (counters have where)"),
		"%s", detail);
	kit_free(&k);
}
END_TEST

START_TEST(children_that_are_not_recorded_are_said)
{
	char detail[400];
	struct kit k = kit_new("profview:native,calls");
	own_counter(&k, 7, "child processes", 1);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "losses", detail), "partial");
	ck_assert_str_eq(detail, "at least 1 child process was not recorded");
	own_counter(&k, 7, "child processes", 2);
	own_counter(&k, 13, "processor time of child processes", 12000000);
	kit_flush(&k);
	state_of(&k, "losses", detail);
	ck_assert_str_eq(detail, "at least 3 child processes were not recorded,"
				 " 1.20 s of processor time by those that ended");
	kit_free(&k);
}
END_TEST

/* The output names the process: each child may have a log. */
START_TEST(children_with_logs_are_distinguished)
{
	char detail[400];
	struct kit k = kit_new("profview:native,calls");
	own_counter(&k, 7, "child processes", 3);
	own_counter(&k, 12, "child processes with logs", 0);
	kit_flush(&k);
	ck_assert_str_eq(state_of(&k, "losses", detail), "partial");
	ck_assert_str_eq(detail, "the program started at least 3 child processes, which are not in"
				 " this log (none known to have their own)");
	own_counter(&k, 12, "child processes with logs", 1);
	kit_flush(&k);
	state_of(&k, "losses", detail);
	ck_assert_msg(strstr(detail, "(1 known to have its own)"), "%s", detail);
	kit_free(&k);
}
END_TEST

START_TEST(a_log_without_threads_says_so)
{
	char detail[300];
	struct kit k = kit_new("log:calls");
	kit_thread(&k, 0);
	kit_enter(&k, MAIN);
	kit_flush(&k);
	pv_model_lock(k.m);
	k.m->buffers = 1;
	pv_model_unlock(k.m);
	ck_assert_str_eq(state_of(&k, "threads", detail), "inferred");
	ck_assert(strstr(detail, "tells no threads apart"));
	kit_free(&k);
}
END_TEST

START_TEST(what_was_not_read_to_its_end_says_so)
{
	char detail[300];
	struct kit k = kit_new("log:calls");
	kit_enter(&k, MAIN);
	kit_flush(&k);
	pv_model_lock(k.m);
	k.m->cut = true;
	k.m->cut_at = 34 << 20;
	k.m->cut_of = 100 << 20;
	pv_model_end(k.m, false);
	pv_model_unlock(k.m);
	ck_assert_str_eq(state_of(&k, "damage", detail), "partial");
	ck_assert_str_eq(detail, "reading was stopped after 34.0 MiB of 100 MiB");
	struct pv_table *t = pv_view_table(k.m, PV_VIEW_METHODS, &(struct pv_query){ 0 });
	ck_assert(strstr(t->coverage, "reading was stopped after 34.0 MiB"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query coverage");
	TCase *c = tcase_create("all");
	tcase_add_test(c, a_kind_removed_changes_the_line);
	tcase_add_test(c, options_say_what_could_have_been);
	tcase_add_test(c, flaws_have_their_state);
	tcase_add_test(c, folded_waits_are_reported);
	tcase_add_test(c, no_view_is_complete_when_nothing_was_recorded);
	tcase_add_loop_test(c, what_only_our_probes_record_is_said_too, 0, PV_COUNT_OF(more));
	tcase_add_test(c, what_other_threads_did_is_not_denied);
	tcase_add_test(c, spans_beyond_the_limit_are_not_complete);
	tcase_add_test(c, a_start_said_twice_stands_for_no_other);
	tcase_add_test(c, losses_are_the_probes_own_counter);
	tcase_add_loop_test(c, what_a_probe_did_not_hook_is_said, 0, (int)PV_COUNT_OF(hooked));
	tcase_add_test(c, none_happened_only_where_nothing_is_missing);
	tcase_add_test(c, stacks_that_end_early_are_said);
	tcase_add_test(c, stacks_that_end_early_have_a_file_and_a_reason);
	tcase_add_test(c, children_that_are_not_recorded_are_said);
	tcase_add_test(c, children_with_logs_are_distinguished);
	tcase_add_test(c, a_log_without_threads_says_so);
	tcase_add_test(c, what_was_not_read_to_its_end_says_so);
	suite_add_tcase(s, c);
	return run_suite(s);
}
