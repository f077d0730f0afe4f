/* The Mono module's own files among themselves. Callbacks run on the program's threads. */
#ifndef PV_PROBE_HOST_MONO_H
#define PV_PROBE_HOST_MONO_H

#include <mono/metadata/profiler.h>

#include "probe/managed/managed_args.h"
#include "probe/core/sample_rate.h"
#include "probe/core/writer.h"

/* Mono hands this to every callback; there is one. */
struct _MonoProfiler {
	MonoProfilerHandle handle;
	struct pvp_managed_options options;
};

extern struct _MonoProfiler pvp_mono;

/* The calling thread's managed frames, outermost first, as keys; at most options.frames. */
size_t pvp_mono_stack(uint64_t keys[PVP_MANAGED_FRAMES]);

/*
 * mono_said.c: an event about an object and, where that is asked for, its class (and of an exception
 * the message) directly before it. Spans of the event index pools->pool; NULL: it has none.
 */
void pvp_mono_said(const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);
void pvp_mono_said_thrown(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);

/* With its holder, too. */
void pvp_mono_said_contended(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object);

/* Sets the callbacks of each file, as the options say. Only in the module's init. */
void pvp_mono_calls_init(struct _MonoProfiler *p);
void pvp_mono_alloc_init(struct _MonoProfiler *p);
void pvp_mono_meta_init(struct _MonoProfiler *p);
void pvp_mono_events_init(struct _MonoProfiler *p);
void pvp_mono_samples_init(struct _MonoProfiler *p);

/*
 * Whether the runtime stood before the module came; then, on a thread of the runtime once callbacks
 * are set: existing roots are written, with a collection. stopped(): one has ended, the world still
 * stands.
 */
bool pvp_mono_is_joined(void);
void pvp_mono_join(void);
void pvp_mono_join_stopped(void);
void pvp_mono_domain_there(MonoDomain *domain);
void pvp_mono_assembly_there(MonoAssembly *assembly);
void pvp_mono_vtable_there(MonoVTable *vtable);

/* Keys from here on are addresses of native functions; no number of a method comes so far. */
#define PVP_MONO_ADDRESSES (UINT64_C(1) << 32)
#define PVP_MONO_UNKNOWN   (PVP_MONO_ADDRESSES - 1) /* code of which nothing is known */
/* From any thread: so many a second from now on, 0 for none. False: there were none at the start. */
bool pvp_mono_samples_set(struct pvp_sample_order order);

/* The log's number of a vtable; every vtable gets one when it is first met. 0: out of memory. */
struct pvp_mono_type {
	MonoVTable *vtable;
	uint32_t id;
	uint32_t size; /* of an object with its header, bytes; 0: each has its own */
};
bool pvp_mono_type(MonoVTable *vtable, struct pvp_mono_type *ret);
uint32_t pvp_mono_type_loaded(MonoVTable *vtable);
/* The domain's vtables have died: others may stand at their addresses from now on. */
void pvp_mono_types_died(const MonoDomain *home);

/*
 * For a heap shot, with the world stopped: the numbers given so far are held still, without
 * waiting (false: not now). met() is 0 for a vtable that has none.
 */
bool pvp_mono_types_hold(void);
uint32_t pvp_mono_type_met(MonoVTable *vtable);
void pvp_mono_types_release(void);

/* Around fork, so that a child finds no lock of these held by a thread it does not have. */
void pvp_mono_types_wait(void);

/*
 * The world has come to a stop for a collection: whether a heap shot of it is due, and begins. It
 * ends when the collection has, before the world starts again. heap_root(): a list of roots, for the
 * shot if there is one (else false).
 */
bool pvp_mono_heap_begins(uint32_t generation);
bool pvp_mono_heap_root(struct pv_event *ev, const struct pv_batch *pools, uint64_t object);
void pvp_mono_heap_ends(void);
/* Collects, with a heap shot; on a thread of the runtime. */
void pvp_mono_heap_collect(void);
/* From any thread: a shot will be taken soon, by a thread of the runtime that calls heap_asked(). */
enum pvp_reply pvp_mono_heap_ask(char *say, size_t size);
void pvp_mono_heap_asked(void);
/* The writer's: a shot of a world that stopped before `until` goes into the log. */
void pvp_mono_heap_flushed(struct pvp_writer *w, uint64_t until);
uint64_t pvp_mono_heap_discarded(void);

/*
 * The writer's: the runtime's counters, when it is time; again: a new reader knows none. end(): they
 * are read once more, in the next round; close(): the runtime goes down, never again.
 */
bool pvp_mono_counters_tell(struct pvp_writer *w, struct pvp_out_buffer *page);
void pvp_mono_counters_again(void);
void pvp_mono_counters_end(void);
void pvp_mono_counters_close(void);

/* Only in the module's init: whether the runtime understands callspec=. */
bool pvp_mono_callspec_sound(const char *text);

/* Whether `filter` (managed_filter.h) takes a method; where the runtime may be asked. */
bool pvp_mono_filter(const char *filter, MonoMethod *method);

/* Source lines: of a method that has just been compiled. init: only in the module's init. */
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
 * Compilation on this thread: begins; the filter is asked, first for what is compiled (code that
 * several methods share has a method of its own) and then for what might go into it; ends, as code
 * or not. end() says when it began, 0 when not known, and whose code it is that calls us, 0 when it
 * does not: code compiled ahead of time is only looked up.
 */
void pvp_mono_compile_begin(const MonoMethod *method, uint64_t now);
void pvp_mono_compile_asked(uint64_t calling);
uint64_t pvp_mono_compile_end(const MonoMethod *method, uint64_t *ret_calling);

/* Whether the thread met this key not long ago; from here on it has. */
bool pvp_mono_seen(uint64_t key);
/* A definition, for a method that stands on a stack, when it has no name yet. */
void pvp_mono_name_method(uint64_t key);
/* Before the runtime goes, all samples are written and their methods known. */
void pvp_mono_last_samples(void);
/* Methods that have no name by now get none: the runtime is not asked any more. */
void pvp_mono_samples_named(void);
/* The runtime has begun: waits, 20 ms at most, until its sampling thread has. */
void pvp_mono_samples_began(void);
void pvp_mono_samples_again(void); /* there is a new reader */
/* The writer's, in each round: samples that have come since. */
void pvp_mono_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page);

#endif
