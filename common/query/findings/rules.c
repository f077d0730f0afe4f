/* SPDX-License-Identifier: MIT */
/* The rules, causes before their symptoms: findings of equal score keep this order. */
#include <string.h>

#include "common/base/status.h"
#include "common/query/findings/rule.h"

/* The words of Mono's and .NET's probe, the native one, Mono's own profiler, .NET's event stream. */
#define WAYS(...) { __VA_ARGS__ }
#define P(words)  words, words
#define L(words)  "mono --profile=log:" words
#define E(words)  "attach --via events" words
/* Figures over time: the first kind in the log shows the fault. */
#define PROOF(...) (const enum pv_series_kind[]) WAYS(__VA_ARGS__, PV_SERIES_KINDS)

const struct pv_rule pv_rules[] = {
	{ "unhandled-exception", 0, WAYS(P("--probe exception"), NULL, NULL, E("")),
		PV_VIEW_EXCEPTIONS, { NULL },
		"Catch it where something can be done about it; Enter has what was thrown then.",
		pv_judge_unhandled_exception, PROOF(PV_SERIES_THROW_RATE) },
	{ "leak", PV_GROUP_SHOTS | PV_GROUP_HELD,
		WAYS(P("--heapshot 10s"), "--leaks", L("heapshot=10000ms"),
			E(" --heapshot=10000ms")),
		PV_VIEW_HEAP_LADDER, { "rising-floor", "gc-time" },
		"Growth follows the class from shot to shot; a shot's paths show what keeps it.",
		pv_judge_leak, PROOF(PV_SERIES_HEAP) },
	{ "duplicate-strings", PV_GROUP_SHOTS, WAYS(NULL, PV_RECORDS_TEXTS, NULL, NULL, NULL),
		PV_VIEW_HEAP_DUPLICATES, { NULL },
		"Keep one of each: String.Intern, or a table of those that come again and again.",
		pv_judge_duplicate_strings, NULL },
	{ "static-holder", PV_GROUP_SHOTS,
		WAYS(P("--heapshot 10s"), NULL, L("heapshot=10000ms,gcroot"),
			E(" --heapshot=10000ms")),
		PV_VIEW_HEAP_KEEPERS, { NULL },
		"It lives as long as the program: a bound on it, or a weak reference.",
		pv_judge_static_holder, PROOF(PV_SERIES_HEAP) },
	{ "explicit-gc", PV_GROUP_CALLS | PV_GROUP_SAMPLES | PV_GROUP_GC,
		WAYS("--probe calls or sample", "--probe gc", NULL, L("calls"), E("")),
		PV_VIEW_METHODS, { "full-collections", "futile-collections", "gc-time" },
		"Leave collecting to the runtime; the callers of GC.Collect stand beneath it.",
		pv_judge_explicit_gc, PROOF(PV_SERIES_PAUSE) },
	{ "deadlock", PV_GROUP_LOCKS, WAYS(P("--probe monitor"), NULL, L("monitor"), E("")),
		PV_VIEW_LOCK_CYCLES, { "lock-contention" },
		"Take these locks in one order everywhere, or hold one of them at a time.",
		pv_judge_deadlock, PROOF(PV_SERIES_WAIT) },
	{ "lock-contention", PV_GROUP_LOCKS, WAYS(P("--probe monitor"), NULL, L("monitor"), E("")),
		PV_VIEW_LOCKS, { NULL },
		"Hold the lock for less, or split it; wait sites show who waits where.",
		pv_judge_lock_contention, PROOF(PV_SERIES_WAIT) },
	{ "exception-flow", PV_GROUP_EXCEPTIONS,
		WAYS(P("--probe exception"), NULL, L("exception"), E("")), PV_VIEW_EXCEPTIONS,
		{ NULL }, "Ask before (TryParse, TryGetValue) where failing is usual.",
		pv_judge_exception_flow, PROOF(PV_SERIES_THROW_RATE) },
	{ "type-init", PV_GROUP_EXCEPTIONS,
		WAYS(P("--probe exception"), NULL, L("exception,alloc"), E("")), PV_VIEW_EXCEPTIONS,
		{ NULL },
		"Its inner exception has the cause; the class stays unusable until the end.",
		pv_judge_type_init, PROOF(PV_SERIES_THROW_RATE) },
	{ "string-churn", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Spans, reused builders and cached text; sites show who makes it.",
		pv_judge_string_churn, PROOF(PV_SERIES_ALLOC_RATE) },
	{ "boxing", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Generic collections and generic interfaces keep values unboxed.", pv_judge_boxing,
		PROOF(PV_SERIES_ALLOC_RATE) },
	{ "closures", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "gc-time" },
		"Static lambdas, or state passed as an argument, allocate nothing.",
		pv_judge_closures, PROOF(PV_SERIES_ALLOC_RATE) },
	{ "resizing", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_ALLOCATION_SITES, { "gc-time" },
		"Give collections their size when they are made.", pv_judge_resizing,
		PROOF(PV_SERIES_ALLOC_RATE) },
	{ "large-objects", PV_GROUP_ALLOC, WAYS(P("--probe alloc"), NULL, L("alloc"), E("")),
		PV_VIEW_CLASSES, { "full-collections" },
		"Rent large arrays from a pool: they are only collected with the whole heap.",
		pv_judge_large_objects, PROOF(PV_SERIES_ALLOC_RATE) },
	{ "finalizers", PV_GROUP_FINALIZERS,
		WAYS(P("--probe finalization"), NULL, L("finalization"), NULL), PV_VIEW_FINALIZERS,
		{ NULL }, "Dispose, and suppress finalizing.", pv_judge_finalizers, NULL },
	{ "handle-growth", PV_GROUP_HANDLES, WAYS(P("--probe gchandle"), NULL, L("gchandle"), NULL),
		PV_VIEW_HANDLES, { "gc-time" },
		"Handle sites show who makes them and does not give them back.",
		pv_judge_handle_growth, NULL },
	{ "n-plus-one", PV_GROUP_SPANS,
		WAYS(NULL, "--probe spans", NULL, NULL, E(" --probe spans")), PV_VIEW_SPANS,
		{ NULL }, "Ask once for all of them.", pv_judge_n_plus_one, NULL },
	{ "slow-route", PV_GROUP_SPANS,
		WAYS(NULL, "--probe spans", NULL, NULL, E(" --probe spans")), PV_VIEW_ROUTES,
		{ NULL }, "Enter on the route: its slowest requests, and what each cost.",
		pv_judge_slow_route, NULL },
	{ "sync-over-async", PV_GROUP_SAMPLES,
		WAYS(P("--probe sample-real"), NULL, L("sample-real"), E(" --sample")),
		PV_VIEW_METHODS, { NULL },
		"Await it: a thread that waits for a task is missing in the pool.",
		pv_judge_sync_over_async, NULL },
	{ "pool-starvation", PV_GROUP_COUNTERS,
		WAYS(NULL, "attach --via events", NULL, NULL, E("")), PV_VIEW_COUNTERS,
		{ "thread-burst" },
		"Threads of the pool wait for something: await it, or do such work elsewhere.",
		pv_judge_pool_starvation, NULL },
	{ "thread-burst", PV_GROUP_THREADS,
		WAYS(P("--probe runtime"), "--sample", L("counter"), NULL), PV_VIEW_THREADS,
		{ NULL }, "Use a pool; each thread costs its stack and its start.",
		pv_judge_thread_burst, NULL },
	{ "jit-heavy", PV_GROUP_JIT, WAYS(P("--probe jit"), NULL, L("jit"), E("")),
		PV_VIEW_JIT_METHODS, { NULL },
		"Generated code, or too many generic instances: cache what is compiled.",
		pv_judge_jit_heavy, NULL },
	{ "rising-floor", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"Take heap shots (S, or --heapshot 10s) and look for the class that grows.",
		pv_judge_rising_floor, PROOF(PV_SERIES_HEAP) },
	{ "full-collections", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"Objects that live a little too long are promoted: pool them, or let go sooner.",
		pv_judge_full_collections, PROOF(PV_SERIES_PAUSE) },
	{ "futile-collections", PV_GROUP_GC, WAYS(P("--probe gc"), NULL, NULL, NULL),
		PV_VIEW_COLLECTIONS, { "gc-time" },
		"The heap is full of live objects: a larger heap, or fewer of them.",
		pv_judge_futile_collections, PROOF(PV_SERIES_HEAP) },
	{ "gc-time", PV_GROUP_GC | PV_GROUP_PAUSES, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_PAUSES, { NULL },
		"Allocate less: the classes and sites with most bytes come first.",
		pv_judge_gc_time, PROOF(PV_SERIES_PAUSE) },
	{ "long-pause", PV_GROUP_PAUSES, WAYS(P("--probe gc"), NULL, L("gc"), E("")),
		PV_VIEW_PAUSES, { NULL },
		"Long stops come from what survives: keep fewer objects, or smaller graphs.",
		pv_judge_long_pause, PROOF(PV_SERIES_PAUSE) },
	{ "hot-method", PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		WAYS(P("--probe sample"), "--sample", L("sample"), E(" --sample")), PV_VIEW_METHODS,
		{ NULL }, "Its callers and its lines show what to look at.", pv_judge_hot_method,
		PROOF(PV_SERIES_RAN, PV_SERIES_CALL_RATE) },
	{ "losses", 0, { NULL }, PV_VIEW_DAMAGE, { NULL },
		"None is with --probe block=yes, or with --record and no screen, while the disk has "
		"room; or record fewer kinds.",
		pv_judge_losses, NULL },
};

const size_t pv_rule_count = PV_COUNT_OF(pv_rules);

const struct pv_rule *pv_rule_of(const char *id)
{
	for (size_t i = 0; i < pv_rule_count; i++)
		if (strcmp(pv_rules[i].id, id) == 0)
			return &pv_rules[i];
	return NULL;
}

bool pv_finding_needs_objects(const char *id)
{
	const struct pv_rule *rule = pv_rule_of(id);
	return rule && pv_view_is(rule->view, PV_SECTION_GRAPH);
}

const enum pv_series_kind *pv_finding_proof(const char *id)
{
	const struct pv_rule *rule = pv_rule_of(id);
	return rule ? rule->proof : NULL;
}
