/* SPDX-License-Identifier: MIT */
/* Collections, moves, roots, handles, finalizers, exceptions, monitors. */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-gc.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/code/world_stop.h"
#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_holder.h"
#include "probe/mono/mono_methods.h"
#include "probe/managed/managed_names.h"

enum { PIECE = 64 }; /* moved objects or roots in an event, to fit PVP_ROOM_MAX */

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* An event about an object, with the stack put into *stack. */
static void with_stack(struct pv_event *ev, struct pv_span *stack, MonoObject *object)
{
	uint64_t keys[PVP_MANAGED_FRAMES];
	size_t n = pvp_mono_stack(keys, ev->kind == PV_KIND_EXCEPTION_THROW);
	const struct pv_batch pools = { .pool = { keys, n, n } };
	*stack = (struct pv_span){ 0, (uint32_t)n };
	if (ev->kind == PV_KIND_EXCEPTION_THROW)
		pvp_mono_said_thrown(ev, &pools, object);
	else if (ev->kind == PV_KIND_MONITOR_DONE || ev->kind == PV_KIND_MONITOR_FAIL)
		pvp_event(ev, &pools, address(object)); /* of a contention whose class is written */
	else if (ev->kind == PV_KIND_MONITOR_CONTENTION)
		pvp_mono_said_contended(ev, &pools, object);
	else
		pvp_mono_said(ev, &pools, object);
}

/* --- collections: from stop to start nothing may wait, and no memory may be asked for */

static void gc_resized(MonoProfiler *p, uintptr_t size)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_GC_RESIZE, .resize = { size, 0 } };
	pvp_event(&ev, NULL, 0);
}

/* The runtime reports the size at the end of a collection only; asking takes no lock. */
static void heap_before(void)
{
	int64_t size = mono_gc_get_heap_size();
	if (size > 0)
		gc_resized(NULL, (uintptr_t)size);
}

static void gc_moved(MonoProfiler *p, MonoObject *const *objects, uint64_t count)
{
	(void)p;
	uint64_t keys[PIECE];
	for (uint64_t at = 0; at < count;) {
		size_t n = count - at < PIECE ? (size_t)(count - at) : PIECE;
		for (size_t i = 0; i < n; i++)
			keys[i] = address(objects[at + i]);
		const struct pv_batch pools = { .pool = { keys, n, n } };
		struct pv_event ev = { .kind = PV_KIND_GC_MOVE, .moves = { { 0, (uint32_t)n } } };
		pvp_event(&ev, &pools, keys[0]);
		at += n;
	}
}

static void gc_roots(
	MonoProfiler *p, uint64_t count, const mono_byte *const *slots, MonoObject *const *objects)
{
	(void)p;
	uint64_t keys[PIECE];
	for (uint64_t at = 0; at < count;) {
		size_t n = count - at < PIECE / 2 ? (size_t)(count - at) : PIECE / 2;
		for (size_t i = 0; i < n; i++) {
			keys[2 * i] = address(slots[at + i]);
			keys[2 * i + 1] = address(objects[at + i]);
		}
		const struct pv_batch pools = { .pool = { keys, 2 * n, 2 * n } };
		struct pv_event ev = { .kind = PV_KIND_HEAP_ROOTS,
			.roots = { 0, 2, { 0, (uint32_t)(2 * n) } } };
		if (!pvp_mono_heap_root(&ev, &pools, keys[1]))
			pvp_event(&ev, &pools, keys[1]);
		at += n;
	}
}

/* For samples of waiting threads. */
static void tell_stop(MonoProfilerGCEvent step)
{
	pid_t self = (pid_t)syscall(SYS_gettid);
	if (step == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		pvp_world_is(PVP_WORLD_STOPS, self);
	else if (step == MONO_GC_EVENT_POST_STOP_WORLD)
		pvp_world_is(PVP_WORLD_STOPPED, self);
	else if (step == MONO_GC_EVENT_PRE_START_WORLD)
		pvp_world_is(PVP_WORLD_STARTS, self);
	else if (step == MONO_GC_EVENT_POST_START_WORLD)
		pvp_world_is(PVP_WORLD_RUNS, self);
}

static void gc_event(
	MonoProfiler *p, MonoProfilerGCEvent step, uint32_t generation, mono_bool serial)
{
	(void)serial;
	struct pv_event ev = { .kind = PV_KIND_GC_EVENT, .gc = { (uint64_t)step, generation, 0 } };
	tell_stop(step);
	if (step == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		pvp_tls.hurried = true;
	if (p->options.groups & PVP_MANAGED_GC) {
		pvp_event(&ev, NULL, 0);
		if (step == MONO_GC_EVENT_START)
			heap_before();
	}
	/* A shot has the roots of its collection, even if roots are not recorded otherwise. */
	if (step == MONO_GC_EVENT_POST_STOP_WORLD && pvp_mono_heap_begins(generation))
		mono_profiler_set_gc_roots_callback(p->handle, gc_roots);
	if (step == MONO_GC_EVENT_PRE_START_WORLD) {
		if (!(p->options.groups & PVP_MANAGED_ROOTS))
			mono_profiler_set_gc_roots_callback(p->handle, NULL);
		pvp_mono_heap_ends();
	}
	if (step == MONO_GC_EVENT_POST_STOP_WORLD || step == MONO_GC_EVENT_PRE_START_WORLD)
		pvp_fence(pvp_now(&pvp_tls.thread->clock));
	if (step == MONO_GC_EVENT_POST_START_WORLD)
		pvp_tls.hurried = false;
}

/* The finalizers' thread has been woken: by garbage, or because a heap shot is wanted. */
static void finalizers_done(MonoProfiler *p)
{
	if (p->options.groups & PVP_MANAGED_FINALIZERS) {
		struct pv_event ev = { .kind = PV_KIND_GC_FINALIZE_END };
		pvp_event(&ev, NULL, 0);
	}
	pvp_mono_heap_asked();
}

static void root_registered(MonoProfiler *p, const mono_byte *start, uintptr_t size,
	MonoGCRootSource source, const void *key, const char *name)
{
	(void)p;
	uint64_t of = address(key);
	/* Vtables and domains have their own keys in the log. */
	if (source == MONO_ROOT_SOURCE_STATIC && key)
		of = pvp_mono_type_loaded((MonoVTable *)(uintptr_t)key);
	else if (source == MONO_ROOT_SOURCE_DOMAIN)
		of = pvp_managed_key(key);
	struct pv_event ev = { .kind = PV_KIND_HEAP_ROOT_REGISTER,
		.root_area = { address(start), size, (uint64_t)source, of,
			{ name ? name : "", name ? __builtin_strlen(name) : 0 } } };
	pvp_names_define(&ev);
}

static void root_unregistered(MonoProfiler *p, const mono_byte *start)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_HEAP_ROOT_UNREGISTER,
		.root_area = { .start = address(start), .name = { "", 0 } } };
	pvp_names_end(&ev);
}

/* --- handles, finalizers */

static void handle_created(
	MonoProfiler *p, uint32_t handle, MonoGCHandleType type, MonoObject *object)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_GC_HANDLE_CREATED,
		.handle = { (uint64_t)type, handle, address(object), { 0, 0 } } };
	with_stack(&ev, &ev.handle.stack, object);
}

static void handle_deleted(MonoProfiler *p, uint32_t handle, MonoGCHandleType type)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_GC_HANDLE_DESTROYED,
		.handle = { (uint64_t)type, handle, 0, { 0, 0 } } };
	with_stack(&ev, &ev.handle.stack, NULL);
}

static void plain(uint8_t kind)
{
	struct pv_event ev = { .kind = kind };
	pvp_event(&ev, NULL, 0);
}

static void finalizing(MonoProfiler *p)
{
	(void)p;
	plain(PV_KIND_GC_FINALIZE_START);
}

static void finalizer(uint8_t kind, MonoObject *object)
{
	struct pv_event ev = { .kind = kind, .finalize = { address(object) } };
	pvp_mono_said(&ev, NULL, object);
}

static void finalizing_object(MonoProfiler *p, MonoObject *object)
{
	(void)p;
	finalizer(PV_KIND_GC_FINALIZE_OBJECT_START, object);
}

static void finalized_object(MonoProfiler *p, MonoObject *object)
{
	(void)p;
	finalizer(PV_KIND_GC_FINALIZE_OBJECT_END, object);
}

/* --- exceptions, monitors */

static void thrown(MonoProfiler *p, MonoObject *exception)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_EXCEPTION_THROW,
		.thrown = { address(exception), { 0, 0 }, 0 } };
	with_stack(&ev, &ev.thrown.stack, exception);
}

static void clause(MonoProfiler *p, MonoMethod *method, uint32_t index, MonoExceptionEnum type,
	MonoObject *exception)
{
	(void)p;
	struct pv_event ev = { .kind = PV_KIND_EXCEPTION_CLAUSE,
		.clause = { (uint64_t)type, index, pvp_mono_method(method), address(exception) } };
	pvp_event(&ev, NULL, address(exception));
}

static void monitor(uint8_t kind, MonoObject *object)
{
	struct pv_event ev = { .kind = kind, .monitor = { address(object), { 0, 0 }, 0 } };
	with_stack(&ev, &ev.monitor.stack, object);
}

/*
 * A runtime that shuts down ends the waits of threads that it aborts. In the log such waits last to
 * the end, as none of the threads gave up by itself.
 */
static bool is_ending(void)
{
	return mono_runtime_is_shutting_down();
}

static void contention(MonoProfiler *p, MonoObject *object)
{
	(void)p;
	if (is_ending())
		return;
	pvp_mono_holder_met();
	monitor(PV_KIND_MONITOR_CONTENTION, object);
}

static void acquired(MonoProfiler *p, MonoObject *object)
{
	(void)p;
	if (!is_ending())
		monitor(PV_KIND_MONITOR_DONE, object);
}

static void failed(MonoProfiler *p, MonoObject *object)
{
	(void)p;
	if (!is_ending())
		monitor(PV_KIND_MONITOR_FAIL, object);
}

static void gc_init(MonoProfilerHandle h, unsigned groups)
{
	mono_profiler_set_gc_event_callback(h, gc_event);
	mono_profiler_set_gc_finalized_callback(h, finalizers_done);
	if (groups & PVP_MANAGED_GC)
		mono_profiler_set_gc_resize_callback(h, gc_resized);
	if (groups & PVP_MANAGED_MOVES)
		mono_profiler_set_gc_moves_callback(h, gc_moved);
	if (groups & PVP_MANAGED_ROOTS)
		mono_profiler_set_gc_roots_callback(h, gc_roots);
	if (groups & PVP_MANAGED_AREAS) {
		mono_profiler_set_gc_root_register_callback(h, root_registered);
		mono_profiler_set_gc_root_unregister_callback(h, root_unregistered);
	}
	if (groups & PVP_MANAGED_HANDLES) {
		mono_profiler_set_gc_handle_created_callback(h, handle_created);
		mono_profiler_set_gc_handle_deleted_callback(h, handle_deleted);
	}
	if (groups & PVP_MANAGED_FINALIZERS) {
		mono_profiler_set_gc_finalizing_callback(h, finalizing);
		mono_profiler_set_gc_finalizing_object_callback(h, finalizing_object);
		mono_profiler_set_gc_finalized_object_callback(h, finalized_object);
	}
}

void pvp_mono_events_init(struct _MonoProfiler *p)
{
	MonoProfilerHandle h = p->handle;
	unsigned groups = p->options.groups;
	gc_init(h, groups);
	if (groups & PVP_MANAGED_EXCEPTIONS) {
		mono_profiler_set_exception_throw_callback(h, thrown);
		if (mono_profiler_enable_clauses())
			mono_profiler_set_exception_clause_callback(h, clause);
	}
	if (groups & PVP_MANAGED_MONITORS) {
		pvp_mono_holder_init();
		mono_profiler_set_monitor_contention_callback(h, contention);
		mono_profiler_set_monitor_acquired_callback(h, acquired);
		mono_profiler_set_monitor_failed_callback(h, failed);
	}
}
