/* The rules, causes before the symptoms that they explain: findings of one score keep this order. */
#include <string.h>

#include "common/base/status.h"
#include "common/query/findings/rule.h"

/* The words of Mono's and .NET's probe, the native one, Mono's own profiler, .NET's event stream. */
#define WAYS(...) { __VA_ARGS__ }
#define P(words)  words, words
#define L(words)  "mono --profile=log:" words
#define E(words)  "attach --via events" words

const struct pv_rule pv_rules[] = {
	{ "leak", PV_GROUP_SHOTS | PV_GROUP_HELD,
		WAYS(P("--heapshot 10s"), "--leaks", L("heapshot=10000ms"),
			E(" --heapshot=10000ms")),
		PV_VIEW_HEAP_LADDER, { "rising-floor", "gc-time" },
		"Growth follows the class from shot to shot; a shot's paths show what keeps it.",
		pv_judge_leak },
	{ "duplicate-strings", PV_GROUP_SHOTS,
		WAYS(NULL, "--probe heapshot,strings=64", NULL, NULL, NULL),
		PV_VIEW_HEAP_DUPLICATES, { NULL },
		"Keep one of each: String.Intern, or a table of those that come again and again.",
		pv_judge_duplicate_strings },
	{ "static-holder", PV_GROUP_SHOTS,
		WAYS(P("--heapshot 10s"), NULL, L("heapshot=10000ms,gcroot"),
			E(" --heapshot=10000ms")),
		PV_VIEW_HEAP_KEEPERS, { NULL },
		"It lives as long as the program: a bound on it, or a weak reference.",
		pv_judge_static_holder },
	{ "explicit-gc", PV_GROUP_CALLS | PV_GROUP_SAMPLES | PV_GROUP_GC,
		WAYS("--probe calls or sample", "--probe gc", NULL, L("calls"), E("")),
		PV_VIEW_METHODS, { "full-collections", "futile-collections", "gc-time" },
		"Leave collecting to the runtime; the callers of GC.Collect stand beneath it.",
		pv_judge_explicit_gc },
	{ "lock-contention", PV_GROUP_LOCKS, WAYS(P("--probe monitor"), NULL, L("monitor"), E("")),
		PV_VIEW_LOCKS, { NULL },
		"Hold the lock for less, or split it; wait sites show who waits where.",
		pv_judge_lock_contention },
	{ "exception-flow", PV_GROUP_EXCEPTIONS,
		WAYS(P("--probe exception"), NULL, L("exception"), E("")), PV_VIEW_EXCEPTIONS,
		{ NULL }, "Ask before (TryParse, TryGetValue) where failing is usual.",
		pv_judge_exception_flow },
	{ "type-init", PV_GROUP_EXCEPTIONS,
		WAYS(P("--probe exception"), NULL, L("exception,alloc"), E("")), PV_VIEW_EXCEPTIONS,
		{ NULL },
		"Its inner exception has the cause; the class stays unusable until the end.",
		pv_judge_type_init },
	{ "string-churn", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Spans, reused builders and cached text; sites show who makes it.",
		pv_judge_string_churn },
	{ "boxing", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Generic collections and generic interfaces keep values unboxed.",
		pv_judge_boxing },
	{ "closures", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Static lambdas, or state passed as an argument, allocate nothing.",
		pv_judge_closures },
	{ "resizing", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_ALLOCATION_SITES, { "gc-time" },
		"Give collections their size when they are made.", pv_judge_resizing },
	{ "large-objects", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "full-collections" },
		"Rent large arrays from a pool: they are only collected with the whole heap.",
		pv_judge_large_objects },
	{ "finalizers", PV_GROUP_FINALIZERS,
		WAYS(P("--probe finalization"), NULL, L("finalization"), NULL), PV_VIEW_FINALIZERS,
		{ NULL }, "Dispose, and suppress finalizing.", pv_judge_finalizers },
	{ "handle-growth", PV_GROUP_HANDLES, WAYS(P("--probe gchandle"), NULL, L("gchandle"), NULL),
		PV_VIEW_HANDLES, { "gc-time" },
		"Handle sites show who makes them and does not give them back.",
		pv_judge_handle_growth },
	{ "n-plus-one", PV_GROUP_SPANS, WAYS(NULL, "--probe spans", NULL, NULL, NULL),
		PV_VIEW_SPANS, { NULL }, "Ask once for all of them.", pv_judge_n_plus_one },
	{ "sync-over-async", PV_GROUP_SAMPLES,
		WAYS(P("--probe sample-real"), NULL, L("sample-real"), E(" --sample")),
		PV_VIEW_METHODS, { NULL },
		"Await it: a thread that waits for a task is missing in the pool.",
		pv_judge_sync_over_async },
	{ "pool-starvation", PV_GROUP_COUNTERS,
		WAYS(NULL, "attach --via events", NULL, NULL, E("")), PV_VIEW_COUNTERS,
		{ "thread-burst" },
		"Threads of the pool wait for something: await it, or do such work elsewhere.",
		pv_judge_pool_starvation },
	{ "thread-burst", PV_GROUP_THREADS,
		WAYS(P("--probe runtime"), "--sample", L("counter"), NULL), PV_VIEW_THREADS,
		{ NULL }, "Use a pool; each thread costs its stack and its start.",
		pv_judge_thread_burst },
	{ "jit-heavy", PV_GROUP_JIT, WAYS(P("--probe jit"), NULL, L("jit"), E("")),
		PV_VIEW_JIT_METHODS, { NULL },
		"Generated code, or too many generic instances: cache what is compiled.",
		pv_judge_jit_heavy },
	{ "rising-floor", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"Take heap shots (S, or --heapshot 10s) and look for the class that grows.",
		pv_judge_rising_floor },
	{ "full-collections", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"Objects that live a little too long are promoted: pool them, or let go sooner.",
		pv_judge_full_collections },
	{ "futile-collections", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, NULL, NULL),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"The heap is full of live objects: a larger heap, or fewer of them.",
		pv_judge_futile_collections },
	{ "gc-time", PV_GROUP_GC | PV_GROUP_PAUSES, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_PAUSES, { NULL },
		"Allocate less: the classes and sites with most bytes come first.",
		pv_judge_gc_time },
	{ "long-pause", PV_GROUP_PAUSES, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_PAUSES, { NULL },
		"Long stops come from what survives: keep fewer objects, or smaller graphs.",
		pv_judge_long_pause },
	{ "hot-method", PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		WAYS(P("--probe sample"), "--sample", L("sample"), E(" --sample")), PV_VIEW_METHODS,
		{ NULL }, "Its callers and its lines show what to look at.", pv_judge_hot_method },
	{ "losses", 0, { NULL }, PV_VIEW_DAMAGE, { NULL },
		"None is with --probe block=yes, or with --record and no screen, while the disk has "
		"room; or record fewer kinds.",
		pv_judge_losses },
};

const size_t pv_rule_count = PV_COUNT_OF(pv_rules);

bool pv_finding_needs_objects(const char *id)
{
	for (size_t i = 0; i < pv_rule_count; i++)
		if (strcmp(pv_rules[i].id, id) == 0)
			return pv_rules[i].view == PV_VIEW_HEAP_KEEPERS ||
			       pv_rules[i].view == PV_VIEW_HEAP_DUPLICATES;
	return false;
}
