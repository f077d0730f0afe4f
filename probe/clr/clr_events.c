/* SPDX-License-Identifier: MIT */
/* Stops, collections, exceptions, handles and finalizers. */
#include <pthread.h>
#include <unistd.h>

#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_runtime.h"
#include "probe/code/world_stop.h"
#include "probe/core/emit.h"
#include "probe/core/writer.h"
#include "probe/clr/host_clr.h"

enum { GENERATIONS = 3, NESTED = 8, RANGES = 4096, INDUCED = 1 /* reason of a collection */ };

/* --- stops, reported on the stopping thread */

static void tell_gc_step(uint64_t what, uint64_t generation)
{
	if (!(pvp_clr_groups() & PVP_MANAGED_GC) ||
		pvp_tls.muted) /* for a heap shot, not the collector's */
		return;
	struct pv_event ev = { .kind = PV_KIND_GC_EVENT, .gc = { what, generation, 0 } };
	pvp_event(&ev, NULL, 0);
}

enum step {
	GC_START = 0,
	GC_END = 5,
	STOP = 6,
	STOPPED = 7,
	GO = 8,
	GOING = 9,
	STOP_LOCKED = 10,
	GOING_UNLOCKED = 11
};

/*
 * The present stop: a single one at a time, on one thread, until its threads are released. The next
 * stop can begin before this thread reports the end of the release.
 */
static _Atomic int32_t why;
static _Atomic uint64_t began_ns, stood_ns;

static void tell_reason(void)
{
	uint64_t began = atomic_exchange_explicit(&began_ns, 0, memory_order_relaxed);
	uint64_t stood = atomic_exchange_explicit(&stood_ns, 0, memory_order_relaxed);
	uint64_t now = pvp_monotonic();
	int32_t reason = atomic_load_explicit(&why, memory_order_relaxed);
	struct pv_event ev = { .kind = PV_KIND_EXT_SUSPENSION,
		.stop = { .reason = reason < 0 ? 0 : (uint64_t)reason,
			.wait_ns = (stood ? stood : now) - began,
			.stopped_ns = stood ? now - stood : 0,
			.failed = !stood } };
	if (began && pvp_clr_more() & PVP_CLR_REASONS)
		pvp_event(&ev, NULL, 0);
}

static pvp_hr suspending(void *self, int32_t reason)
{
	(void)self;
	atomic_store_explicit(&why, reason, memory_order_relaxed);
	atomic_store_explicit(&began_ns, pvp_monotonic(), memory_order_relaxed);
	tell_gc_step(STOP, 0);
	tell_gc_step(STOP_LOCKED, 0);
	return 0;
}

static pvp_hr suspended(void *self)
{
	(void)self;
	atomic_store_explicit(&stood_ns, pvp_monotonic(), memory_order_relaxed);
	tell_gc_step(STOPPED, 0);
	pvp_fence(pvp_now(&pvp_tls.thread->clock));
	return 0;
}

static pvp_hr resuming(void *self)
{
	(void)self;
	tell_reason();
	tell_gc_step(GO, 0);
	pvp_fence(pvp_now(&pvp_tls.thread->clock));
	return 0;
}

static pvp_hr resumed(void *self)
{
	(void)self;
	tell_gc_step(GOING, 0);
	tell_gc_step(GOING_UNLOCKED, 0);
	return 0;
}

/* A thread of its own accord: has come to a safe place, and waits there. */
static pvp_hr held(void *self, uint64_t thread)
{
	(void)self, (void)thread;
	pvp_world_holds(gettid());
	return 0;
}

static pvp_hr thread_released(void *self, uint64_t thread)
{
	(void)self, (void)thread;
	pvp_world_lets_go(gettid());
	return 0;
}

static pvp_hr not_suspended(void *self)
{
	tell_reason();
	return resumed(self);
}

/* --- collections: short ones during a concurrent one */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t running[NESTED];
static unsigned depth;

/* The heap's size at this moment; ranges of generations and how many there are, at most RANGES. */
static struct pvp_clr_range *tell_size(uint32_t *ret_n)
{
	static struct pvp_clr_range ranges[RANGES]; /* one collection begins or ends at a time */
	struct pvp_clr_info *info = pvp_clr.info;
	uint32_t n = 0;
	struct pv_event ev = { .kind = PV_KIND_GC_RESIZE, .resize = { 0, 0 } };
	*ret_n = 0;
	if (info->is->generation_bounds(info, RANGES, &n, ranges) < 0)
		return ranges;
	*ret_n = n < RANGES ? n : RANGES;
	for (uint32_t i = 0; i < *ret_n; i++)
		ev.resize.bytes += ranges[i].length;
	if (pvp_clr_groups() & PVP_MANAGED_GC)
		pvp_event(&ev, NULL, 0);
	return ranges;
}

/* The next collection on this thread is made by the probe, for a heap shot. */
static void tell_forced(void)
{
	struct pv_counter_value v = {
		.index = PVP_COUNTER_FORCED, .type = PV_COUNTER_LONG, .raw = 1, .text = { "", 0 }
	};
	const struct pv_batch pools = { .values = { &v, 1, 1 } };
	struct pv_event ev = { .kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { 0, 1 } } };
	pvp_event(&ev, &pools, 0);
}

/* The reason is known only as: asked for by the program, or not. */
static void tell_start(uint8_t generation, int32_t reason)
{
	struct pv_event ev[] = { { .kind = PV_KIND_GC_EVENT,
					 .gc = { .step = GC_START, .generation = generation } },
		{ .kind = PV_KIND_EXT_COLLECTION,
			.collection = {
				reason == INDUCED ? PV_WHY_FIRST + INDUCED : PV_WHY_NOT_ASKED,
				0 } } };
	bool extends = pvp_clr_more() & PVP_CLR_REASONS || pvp_clr_groups() & PVP_MANAGED_CLASS_OF;
	if (pvp_clr_groups() & PVP_MANAGED_GC && extends && !pvp_tls.muted)
		pvp_events(ev, 2, NULL, 0);
	else
		tell_gc_step(GC_START, generation);
}

static pvp_hr collecting(void *self, int32_t n, const int32_t *which, int32_t reason)
{
	uint8_t generation = 0;
	uint32_t ranges;
	(void)self;
	for (int32_t i = 0; i < n && i < GENERATIONS; i++)
		if (which[i])
			generation = (uint8_t)i;
	pthread_mutex_lock(&lock);
	if (depth < NESTED)
		running[depth++] = generation;
	pthread_mutex_unlock(&lock);
	pvp_clr_heap_begin();
	pvp_clr_moves_begin();
	if (generation == GENERATIONS - 1 && reason == INDUCED && pvp_clr_heap_forces() &&
		pvp_clr_groups() & PVP_MANAGED_GC)
		tell_forced();
	tell_start(generation, reason);
	tell_size(&ranges);
	return 0;
}

void pvp_clr_events_forget(void)
{
	pvp_clr_said_forget();
	pthread_mutex_lock(&lock);
	depth = 0;
	pthread_mutex_unlock(&lock);
	pvp_clr_stacks_forget();
}

static pvp_hr collected(void *self)
{
	uint32_t n;
	(void)self;
	pthread_mutex_lock(&lock);
	uint8_t generation = depth ? running[--depth] : 0;
	pthread_mutex_unlock(&lock);
	pvp_clr_moves_end(generation);
	/* Before the end: a concurrent collection ends while all threads run. */
	const struct pvp_clr_range *ranges = tell_size(&n);
	tell_gc_step(GC_END, generation);
	if (n)
		pvp_clr_count_collection(generation, ranges, n);
	pvp_clr_heap_collected(generation);
	return 0;
}

/* --- exceptions */

static pvp_hr thrown(void *self, uint64_t object)
{
	struct pv_event ev = { .kind = PV_KIND_EXCEPTION_THROW, .thrown = { object, { 0, 0 }, 0 } };
	(void)self;
	if (pvp_clr_groups() & PVP_MANAGED_EXCEPTIONS)
		pvp_clr_said_thrown(&ev, object);
	pvp_writer_hurry(); /* uncaught, an exception ends the process within milliseconds */
	return 0;
}

static void clause(uint64_t type, uint64_t function, uint64_t object)
{
	struct pv_event ev = { .kind = PV_KIND_EXCEPTION_CLAUSE,
		.clause = { type, 0, pvp_clr_method(function), object } };
	pvp_event(&ev, NULL, object);
}

enum clause { CATCH = 0, FILTER = 1, FINALLY = 2 };

static pvp_hr catching(void *self, uint64_t function, uint64_t object)
{
	(void)self;
	pvp_clr_calls_caught();
	if (pvp_clr_groups() & PVP_MANAGED_EXCEPTIONS)
		clause(CATCH, function, object);
	return 0;
}

static pvp_hr filtering(void *self, uint64_t function)
{
	(void)self;
	clause(FILTER, function, 0);
	return 0;
}

static pvp_hr finally(void *self, uint64_t function)
{
	(void)self;
	clause(FINALLY, function, 0);
	return 0;
}

/* --- handles and finalizers: with these, no collection is concurrent */

enum { NORMAL = 2 }; /* a handle's type, not reported */

static pvp_hr handle_created(void *self, uint64_t handle, uint64_t object)
{
	struct pv_event ev = { .kind = PV_KIND_GC_HANDLE_CREATED,
		.handle = { NORMAL, (uint32_t)(handle >> 3), object, { 0, 0 } } };
	(void)self;
	pvp_clr_said_handle(&ev, object);
	return 0;
}

static pvp_hr handle_destroyed(void *self, uint64_t handle)
{
	struct pv_event ev = { .kind = PV_KIND_GC_HANDLE_DESTROYED,
		.handle = { NORMAL, (uint32_t)(handle >> 3), 0, { 0, 0 } } };
	(void)self;
	pvp_clr_with_stack(&ev, &ev.handle.stack, 0);
	return 0;
}

/* Reported when a collection finds an object to be finalized; nothing else is reported. */
static pvp_hr finalizable(void *self, uint32_t flags, uint64_t object)
{
	(void)self, (void)flags;
	for (int end = 0; end < 2; end++) {
		struct pv_event ev = { .kind = end ? PV_KIND_GC_FINALIZE_OBJECT_END
						   : PV_KIND_GC_FINALIZE_OBJECT_START,
			.finalize = { object } };
		pvp_clr_said_finalized(&ev, object);
	}
	return 0;
}

static void objects_init(struct pvp_clr_mask *mask, unsigned groups)
{
	pvp_clr_slot *s = pvp_clr.slots;
	if (groups & (PVP_MANAGED_HANDLES | PVP_MANAGED_FINALIZERS))
		mask->low |= PVP_CLR_GC;
	if (groups & PVP_MANAGED_HANDLES) {
		s[PVP_CLR_HandleCreated] = (pvp_clr_slot)handle_created;
		s[PVP_CLR_HandleDestroyed] = (pvp_clr_slot)handle_destroyed;
	}
	if (groups & PVP_MANAGED_FINALIZERS)
		s[PVP_CLR_FinalizeableObjectQueued] = (pvp_clr_slot)finalizable;
}

static void stops_init(struct pvp_clr_mask *mask)
{
	pvp_clr_slot *s = pvp_clr.slots;
	mask->low |= PVP_CLR_SUSPENDS;
	s[PVP_CLR_RuntimeSuspendStarted] = (pvp_clr_slot)suspending;
	s[PVP_CLR_RuntimeSuspendFinished] = (pvp_clr_slot)suspended;
	s[PVP_CLR_RuntimeSuspendAborted] = (pvp_clr_slot)not_suspended;
	s[PVP_CLR_RuntimeResumeStarted] = (pvp_clr_slot)resuming;
	s[PVP_CLR_RuntimeResumeFinished] = (pvp_clr_slot)resumed;
}

static void holds_init(struct pvp_clr_mask *mask)
{
	mask->low |= PVP_CLR_SUSPENDS;
	pvp_clr.slots[PVP_CLR_RuntimeThreadSuspended] = (pvp_clr_slot)held;
	pvp_clr.slots[PVP_CLR_RuntimeThreadResumed] = (pvp_clr_slot)thread_released;
}

static void gc_init(struct pvp_clr_mask *mask)
{
	pvp_clr_slot *s = pvp_clr.slots;
	mask->high |= PVP_CLR_BASIC_GC;
	s[PVP_CLR_GarbageCollectionStarted] = (pvp_clr_slot)collecting;
	s[PVP_CLR_GarbageCollectionFinished] = (pvp_clr_slot)collected;
}

void pvp_clr_events_init(struct pvp_clr_mask *mask)
{
	pvp_clr_slot *s = pvp_clr.slots;
	unsigned groups = pvp_clr_groups();
	bool moves = groups & PVP_MANAGED_MOVES;
	if (groups & PVP_MANAGED_GC || moves || pvp_clr_more() & PVP_CLR_REASONS)
		stops_init(mask);
	if (groups & PVP_MANAGED_SAMPLES)
		holds_init(mask);
	if (groups & (PVP_MANAGED_GC | PVP_MANAGED_COUNTERS) || moves)
		gc_init(mask);
	objects_init(mask, groups);
	if (pvp_clr.options.m.frames)
		mask->low |= PVP_CLR_STACKS;
	if (groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) || pvp_clr_more() & PVP_CLR_FILES)
		s[PVP_CLR_ExceptionCatcherEnter] = (pvp_clr_slot)catching;
	if (groups & PVP_MANAGED_EXCEPTIONS) {
		mask->low |= PVP_CLR_EXCEPTIONS;
		s[PVP_CLR_ExceptionThrown] = (pvp_clr_slot)thrown;
		s[PVP_CLR_ExceptionCatcherEnter] = (pvp_clr_slot)catching;
		s[PVP_CLR_ExceptionSearchFilterEnter] = (pvp_clr_slot)filtering;
		s[PVP_CLR_ExceptionUnwindFinallyEnter] = (pvp_clr_slot)finally;
	}
}
