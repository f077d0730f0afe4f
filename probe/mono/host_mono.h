/* SPDX-License-Identifier: MIT */
/* The Mono module's own files among themselves. Callbacks run on the program's threads. */
#ifndef PV_PROBE_HOST_MONO_H
#define PV_PROBE_HOST_MONO_H

#include <mono/metadata/profiler.h>

#include "probe/managed/managed_args.h"
#include "probe/ground/sample_rate.h"
#include "probe/core/writer.h"

/* Passed by Mono to every callback; there is a single instance. */
struct _MonoProfiler {
	MonoProfilerHandle handle;
	struct pvp_managed_options options;
};

extern struct _MonoProfiler pvp_mono;
/* The calling thread's managed frames, outermost first, at most options.frames. thrown: at a throw. */
size_t pvp_mono_stack(uint64_t keys[PVP_MANAGED_FRAMES], bool thrown);
/* Code of the runtime for throwing exceptions. */
void pvp_mono_code_throws(const void *start, size_t size);
/*
 * mono_said.c: an event about an object and, if asked for, the object's class (and an exception's
 * message) directly before. Spans of the event index pools->pool; NULL: no spans.
 */
void pvp_mono_said(const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);
void pvp_mono_said_thrown(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);

/* With the holder, too. */
void pvp_mono_said_contended(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);

/* Sets the callbacks of each file, as the options say. Only in the module's init. */
void pvp_mono_calls_init(struct _MonoProfiler *p);
void pvp_mono_alloc_init(struct _MonoProfiler *p);
void pvp_mono_meta_init(struct _MonoProfiler *p);
void pvp_mono_events_init(struct _MonoProfiler *p);
void pvp_mono_samples_init(struct _MonoProfiler *p);

/*
 * Whether the runtime existed before the module; then, on a thread of the runtime, after callbacks
 * are set: writes existing things and roots, with a collection. stopped(): a collection has ended,
 * the world still stands.
 */
bool pvp_mono_is_joined(void);
void pvp_mono_join(void);
void pvp_mono_join_stopped(void);
void pvp_mono_domain_there(MonoDomain *domain);
void pvp_mono_assembly_there(MonoAssembly *assembly);
void pvp_mono_vtable_there(MonoVTable *vtable);

/* Keys from here on are addresses of native functions; no number of a method comes so far. */
#define PVP_MONO_ADDRESSES (UINT64_C(1) << 32)
#define PVP_MONO_UNKNOWN   (PVP_MONO_ADDRESSES - 1) /* unknown code */
/* From any thread: so many a second from now on, 0 for none. False: there were none at the start. */
bool pvp_mono_samples_set(struct pvp_sample_order order);

/* The log's number of a vtable, given when the vtable is first met. 0: out of memory. */
struct pvp_mono_type {
	MonoVTable *vtable;
	uint32_t id;
	uint32_t size; /* bytes of an object with header; 0: differs */
};
bool pvp_mono_type(MonoVTable *vtable, struct pvp_mono_type *ret);
uint32_t pvp_mono_type_loaded(MonoVTable *vtable);
/* The domain's vtables have died: others may stand at their addresses from now on. */
void pvp_mono_types_died(const MonoDomain *home);

/*
 * For a heap shot, with the world stopped: locks the numbers without waiting (false: not now).
 * met() is 0 for a vtable without a number.
 */
bool pvp_mono_types_hold(void);
uint32_t pvp_mono_type_met(MonoVTable *vtable);
void pvp_mono_types_release(void);

/* Around fork, so that no lock of these is held in a child by a missing thread. */
void pvp_mono_types_wait(void);

/*
 * The world has stopped for a collection: whether a heap shot is due, and begins here; it ends with
 * the collection, before the world starts again. heap_root(): a list of roots for the shot, if
 * there is a shot (else false).
 */
bool pvp_mono_heap_begins(uint32_t generation);
bool pvp_mono_heap_root(struct pv_event *ev, const struct pv_batch *pools, uint64_t object);
void pvp_mono_heap_ends(void);
/* Collects, with a heap shot; on a thread of the runtime. */
void pvp_mono_heap_collect(void);
/* From any thread: a shot is taken soon, by a thread of the runtime, in heap_asked(). */
enum pvp_reply pvp_mono_heap_ask(char *say, size_t size);
void pvp_mono_heap_asked(void);
/* The writer's: writes shots of a world that stopped before `until`. */
void pvp_mono_heap_flushed(struct pvp_writer *w, uint64_t until);
uint64_t pvp_mono_heap_discarded(void);

/*
 * The writer's: writes the runtime's counters, when due (false: not written); again: a new reader
 * has none. end(): one more reading, next round; close(): the runtime shuts down, no more.
 */
bool pvp_mono_counters_tell(struct pvp_writer *w, struct pvp_out_buffer *page);
void pvp_mono_counters_again(void);
void pvp_mono_counters_end(void);
void pvp_mono_counters_close(void);

/* Only in the module's init: whether the runtime understands callspec=. */
bool pvp_mono_callspec_sound(const char *text);

/* Whether `filter` (managed_filter.h) takes a method; where the runtime may be asked. */
bool pvp_mono_filter(const char *filter, MonoMethod *method);

/* Source lines of a method just compiled. init: only in the module's init. */
void pvp_mono_lines_init(void);
void pvp_mono_lines(MonoMethod *method);

/* Code coverage: written at the end, while the runtime still stands. freed: such a method is gone.
 */
void pvp_mono_coverage_init(struct _MonoProfiler *p);
void pvp_mono_coverage_freed(const MonoMethod *method);
void pvp_mono_coverage_tell(void);

/* The dying thread's part of the above. */
void pvp_mono_thread_done(void);

/*
 * Compilation on this thread: begins; the filter is asked, first for the method compiled (shared
 * code has a method of its own), then for methods that may be inlined; ends, with code or without.
 * end() returns when the compilation began, 0: unknown, and the key of the method whose code calls
 * us, 0: no calls: code compiled ahead of time is only looked up.
 */
void pvp_mono_compile_begin(const MonoMethod *method, uint64_t now);
void pvp_mono_compile_asked(uint64_t calling);
uint64_t pvp_mono_compile_end(const MonoMethod *method, uint64_t *ret_calling);

/* Whether the thread met this key recently; notes the key. */
bool pvp_mono_seen(uint64_t key);
/* A definition for a method on a stack without a name yet. */
void pvp_mono_name_method(uint64_t key);
/* Before the runtime goes, all samples are written and their methods known. */
void pvp_mono_last_samples(void);
/* Methods still without a name get none: the runtime is not asked any more. */
void pvp_mono_samples_named(void);
/* The runtime has begun: waits, 20 ms at most, for the runtime's sampling thread. */
void pvp_mono_samples_began(void);
void pvp_mono_samples_again(void); /* there is a new reader */
/* The writer's, in each round: writes new samples. */
void pvp_mono_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page);

#endif
