/*
 * The neutral vocabulary: what both log families say, in one set of words. Decoders produce it,
 * the model, the dump and the encoder consume it. Everything here is wire values: pointers as
 * they stand in the log (masked to the log's pointer size), times in ns on the log's own clock.
 * Only the model turns them into ids.
 *
 * Spans index the pool of the batch the event came in, texts point into that batch's bytes; both
 * are valid as long as it is.
 */
#ifndef PV_FORMAT_EVENT_H
#define PV_FORMAT_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* KIND(SYMBOL, name): name is the JSON key in "events", with or without backtrace under one. */
#define PV_KINDS(KIND)                                                                             \
	KIND(ALLOC, "alloc")                                                                       \
	KIND(METHOD_ENTER, "method.enter")                                                         \
	KIND(METHOD_LEAVE, "method.leave")                                                         \
	KIND(METHOD_EXC_LEAVE, "method.exc_leave")                                                 \
	KIND(METHOD_JIT, "method.jit")                                                             \
	KIND(GC_EVENT, "gc.event")                                                                 \
	KIND(GC_RESIZE, "gc.resize")                                                               \
	KIND(GC_MOVE, "gc.move")                                                                   \
	KIND(GC_HANDLE_CREATED, "gc.handle_created")                                               \
	KIND(GC_HANDLE_DESTROYED, "gc.handle_destroyed")                                           \
	KIND(GC_FINALIZE_START, "gc.finalize_start")                                               \
	KIND(GC_FINALIZE_END, "gc.finalize_end")                                                   \
	KIND(GC_FINALIZE_OBJECT_START, "gc.finalize_object_start")                                 \
	KIND(GC_FINALIZE_OBJECT_END, "gc.finalize_object_end")                                     \
	KIND(CLASS_LOAD, "class.load")                                                             \
	KIND(VTABLE_LOAD, "vtable.load")                                                           \
	KIND(IMAGE_LOAD, "image.load")                                                             \
	KIND(IMAGE_UNLOAD, "image.unload")                                                         \
	KIND(ASSEMBLY_LOAD, "assembly.load")                                                       \
	KIND(ASSEMBLY_UNLOAD, "assembly.unload")                                                   \
	KIND(DOMAIN_LOAD, "domain.load")                                                           \
	KIND(DOMAIN_UNLOAD, "domain.unload")                                                       \
	KIND(DOMAIN_NAME, "domain.name")                                                           \
	KIND(THREAD_START, "thread.start")                                                         \
	KIND(THREAD_END, "thread.end")                                                             \
	KIND(THREAD_NAME, "thread.name")                                                           \
	KIND(CONTEXT_LOAD, "context.load")                                                         \
	KIND(CONTEXT_UNLOAD, "context.unload")                                                     \
	KIND(EXCEPTION_THROW, "exception.throw")                                                   \
	KIND(EXCEPTION_CLAUSE, "exception.clause")                                                 \
	KIND(MONITOR_CONTENTION, "monitor.contention")                                             \
	KIND(MONITOR_DONE, "monitor.done")                                                         \
	KIND(MONITOR_FAIL, "monitor.fail")                                                         \
	KIND(HEAP_START, "heap.start")                                                             \
	KIND(HEAP_END, "heap.end")                                                                 \
	KIND(HEAP_OBJECT, "heap.object")                                                           \
	KIND(HEAP_ROOTS, "heap.roots")                                                             \
	KIND(HEAP_ROOT_REGISTER, "heap.root_register")                                             \
	KIND(HEAP_ROOT_UNREGISTER, "heap.root_unregister")                                         \
	KIND(SAMPLE_HIT, "sample.hit")                                                             \
	KIND(SAMPLE_SYMBOL, "sample.symbol")                                                       \
	KIND(SAMPLE_BINARY, "sample.binary")                                                       \
	KIND(COUNTERS_DESCRIBE, "counters.describe")                                               \
	KIND(COUNTERS_SAMPLE, "counters.sample")                                                   \
	KIND(JIT_HELPER, "runtime.jit_helper")                                                     \
	KIND(COVERAGE_ASSEMBLY, "coverage.assembly")                                               \
	KIND(COVERAGE_METHOD, "coverage.method")                                                   \
	KIND(COVERAGE_STATEMENT, "coverage.statement")                                             \
	KIND(COVERAGE_CLASS, "coverage.class")                                                     \
	KIND(SYNC_POINT, "meta.sync_point")                                                        \
	KIND(AOT_ID, "meta.aot_id")                                                                \
	KIND(EXT_MARK, "ext.mark.mark")                                                            \
	KIND(EXT_TREE_CALL, "ext.calltree.call")                                                   \
	KIND(EXT_TREE_CPU, "ext.calltree.cpu")                                                     \
	KIND(EXT_CPU, "ext.cpu.sample")                                                            \
	KIND(EXT_NATIVE_FREE, "ext.native.free")                                                   \
	KIND(EXT_HELD, "ext.native.held")                                                          \
	KIND(EXT_HELD_ALL, "ext.native.held_all")                                                  \
	KIND(EXT_JIT_TIME, "ext.runtime.jit_time")                                                 \
	KIND(EXT_JIT_FAILED, "ext.runtime.jit_failed")                                             \
	KIND(EXT_LOAD_FAILED, "ext.runtime.load_failed")                                           \
	KIND(EXT_COVERED_ASSEMBLY, "ext.runtime.covered_assembly")                                 \
	KIND(EXT_COVERED_METHOD, "ext.runtime.covered_method")                                     \
	KIND(EXT_COVERED_STATEMENT, "ext.runtime.covered_statement")                               \
	KIND(EXT_COVERED_CLASS, "ext.runtime.covered_class")                                       \
	KIND(EXT_FIELD, "ext.fields.field")                                                        \
	KIND(EXT_PARENT, "ext.fields.parent")                                                      \
	KIND(EXT_ELEMENTS, "ext.fields.elements")                                                  \
	KIND(EXT_LINES, "ext.lines.method")                                                        \
	KIND(EXT_SPAN, "ext.mark.span")                                                            \
	KIND(EXT_STRING, "ext.strings.text")                                                       \
	KIND(EXT_SUSPENSION, "ext.runtime.suspension")                                             \
	KIND(EXT_BODY, "ext.runtime.body")                                                         \
	KIND(EXT_CODE_GONE, "ext.runtime.code_gone")                                               \
	KIND(EXT_TRANSITION, "ext.runtime.transition")                                             \
	KIND(EXT_SURVIVED, "ext.runtime.survived")                                                 \
	KIND(EXT_CONTEXT_NAME, "ext.runtime.context_name")                                         \
	KIND(EXT_ASSEMBLY_IN, "ext.runtime.assembly_in")                                           \
	KIND(EXT_COLLECTION, "ext.runtime.collection")                                             \
	KIND(EXT_GENERATION, "ext.runtime.generation")                                             \
	KIND(EXT_CLASS_OF, "ext.strings.class_of")                                                 \
	KIND(EXT_MESSAGE, "ext.strings.message")                                                   \
	KIND(EXT_HOLDER, "ext.strings.holder")                                                     \
	KIND(EXT_LOCK, "ext.strings.lock")                                                         \
	KIND(EXT_WAITED, "ext.cpu.waited")                                                         \
	KIND(EXT_UNKNOWN, "ext.unknown")                                                           \
	KIND(METHOD_NAME, "method.name")                                                           \
	KIND(METHOD_JIT_START, "method.jit_start")                                                 \
	KIND(METHOD_JIT_FAIL, "method.jit_fail")                                                   \
	KIND(METHOD_FREE, "method.free")                                                           \
	KIND(CLASS_NAME, "class.name")                                                             \
	KIND(CLASS_LOAD_START, "class.load_start")                                                 \
	KIND(CLASS_LOAD_FAIL, "class.load_fail")                                                   \
	KIND(CLASS_UNLOAD_START, "class.unload_start")                                             \
	KIND(CLASS_UNLOAD, "class.unload")                                                         \
	KIND(HEAP_DEAD, "heap.dead")                                                               \
	KIND(HEAP_SUMMARY, "heap.summary")                                                         \
	KIND(DIRECTIVES, "meta.directives")

enum pv_kind {
#define KIND(symbol, name) PV_KIND_##symbol,
	PV_KINDS(KIND)
#undef KIND
		PV_KIND_COUNT
};

/* Elements `at` .. `at + n - 1` of the batch's pool. */
struct pv_span {
	uint32_t at, n;
};

/* `len` bytes, always followed by a NUL. Never NULL when the event has the field. */
struct pv_text {
	const char *at;
	size_t len;
};

/* clang-format off */
/* Enumeration values (formats.md 1.9 of the wire description); unknown ones are data. */
enum pv_gc_step { PV_GC_START = 0, PV_GC_MARK_START = 1, PV_GC_MARK_END = 2,
	PV_GC_SWEEP_START = 3, PV_GC_SWEEP_END = 4, PV_GC_END = 5, PV_GC_PRE_STOP = 6, PV_GC_POST_STOP = 7,
	PV_GC_PRE_START = 8, PV_GC_POST_START = 9, PV_GC_PRE_STOP_LOCKED = 10,
	PV_GC_POST_START_UNLOCKED = 11 };
/* Events that the profiler of 2007 asked the runtime for: bits in the intro block of its logs. */
enum pv_mask07 { PV_MASK07_DOMAINS = 1 << 0, PV_MASK07_ASSEMBLIES = 1 << 1,
	PV_MASK07_MODULES = 1 << 2,
	PV_MASK07_CLASSES = 1 << 3, PV_MASK07_JIT = 1 << 4, PV_MASK07_EXCEPTIONS = 1 << 6,
	PV_MASK07_ALLOCATIONS = 1 << 7, PV_MASK07_GC = 1 << 8, PV_MASK07_THREADS = 1 << 9,
	PV_MASK07_CALLS = 1 << 12, PV_MASK07_SAMPLES = 1 << 15, PV_MASK07_METHODS = 1 << 16,
	PV_MASK07_MONITORS = 1 << 17 };
enum pv_counter_type { PV_COUNTER_INT, PV_COUNTER_UINT, PV_COUNTER_WORD, PV_COUNTER_LONG,
	PV_COUNTER_ULONG, PV_COUNTER_DOUBLE, PV_COUNTER_STRING, PV_COUNTER_TIME_INTERVAL };
enum { PV_SECTION_PERFCOUNTERS = 0x8000, PV_SECTION_PROFILER = 0x10000 };
enum { PV_VARIANCE_MONOTONIC = 1 << 28, PV_VARIANCE_VARIABLE = 1 << 30 };

/* clang-format on */
/* One entry of COUNTERS_DESCRIBE; `unit` and `variance` as on the wire. */
struct pv_counter_desc {
	uint64_t section, type, unit, variance, index;
	struct pv_text section_name; /* given only for section PV_SECTION_PERFCOUNTERS */
	struct pv_text name;
	struct pv_text unit_name; /* a unit that the program named; .at NULL: none */
};

/* One entry of COUNTERS_SAMPLE; `raw` is the wire value, still a difference where the type says. */
struct pv_counter_value {
	uint64_t index, type;
	uint64_t raw;        /* DOUBLE: the bits; STRING: 1 when text is given */
	struct pv_text text; /* STRING only */
};

/* clang-format off */
/* Of SUSPENSION, BODY, CODE_GONE, TRANSITION; numbers that are not here are data. */
/*
 * Reasons of a collection, as a runtime says them: PV_WHY_NOT_ASKED, not because the program asked for
 * it, else .NET's own number + PV_WHY_FIRST; and how it ran: 0 not said, its number + 1.
 */
enum { PV_WHY_NOT_ASKED = 0, PV_WHY_FIRST = 1, PV_WHYS = 15, PV_HOW_BLOCKING = 1,
	PV_HOW_BACKGROUND, PV_HOW_FOREGROUND, PV_HOWS };
/* Of a heap: the three generations, large objects and pinned ones. */
enum { PV_REGIONS = 5 };

enum pv_stop_reason { PV_STOP_OTHER, PV_STOP_GC, PV_STOP_DOMAIN, PV_STOP_PITCHING,
	PV_STOP_SHUTDOWN, PV_STOP_DEBUGGER = 6, PV_STOP_GC_PREPARES, PV_STOP_REJIT,
	PV_STOP_PROFILER, PV_STOP_REASONS };
enum pv_tier { PV_TIER_UNKNOWN, PV_TIER_PLAIN, PV_TIER_OPTIMIZED, PV_TIER_QUICK, PV_TIER_1,
	PV_TIER_1_LOOP, PV_TIER_COUNTING, PV_TIER_COUNTING_OPTIMIZED, PV_TIER_PRECOMPILED,
	PV_TIERS };
enum pv_code_gone { PV_GONE_PITCHED = 1, PV_GONE_DYNAMIC };
enum pv_transition { PV_INTO_NATIVE, PV_INTO_MANAGED };
/* Of WAITED: for what; QUEUED: for a processor. Numbers that are not here are UNKNOWN. */
enum pv_wait_state { PV_WAIT_UNKNOWN, PV_WAIT_LOCK, PV_WAIT_POLL, PV_WAIT_IO, PV_WAIT_SLEEP,
	PV_WAIT_STOPPED, PV_WAIT_QUEUED, PV_WAIT_GC,
	PV_WAIT_UNSURE, /* or it ran: the stream does not say */ PV_WAIT_STATES };

/* clang-format on */
/*
 * One event. Numbers are all u64 so that the row table can name them by offset. `stack` spans
 * hold method keys outermost first (backtraces); `frames` of a hit innermost first, as on the wire.
 */
struct pv_event {
	uint64_t time;   /* ns on the log's clock; for kinds without a time, the running time */
	uint32_t offset; /* of the event byte from the start of the buffer's events */
	uint16_t row;    /* wire row it came from, for the dump */
	uint8_t kind;    /* enum pv_kind */
			 /* clang-format off */
	union {
		struct { uint64_t type, object, size; struct pv_span stack; } alloc;
		struct { uint64_t method; } call; /* enter, leave, exc_leave */
		struct { uint64_t method, code, size; struct pv_text name; uint64_t started; } jit;
		struct { uint64_t step, generation, collection; } gc;
		struct { uint64_t bytes, collection; } resize;
		struct { struct pv_span pairs; } moves; /* old, new, old, new ... */
		struct { uint64_t type, handle, object; struct pv_span stack; } handle;
		struct { uint64_t object; } finalize;
		/* class, vtable, image, assembly, domain, thread, context: load, unload, name */
		struct {
			uint64_t key, image, domain, owner, flags;
			uint64_t failed; /* 1: the load did not succeed */
			struct pv_text name, mvid;
			uint64_t started;
		} meta;
		struct { uint64_t object; struct pv_span stack; uint64_t type; } thrown;
		struct { uint64_t type, index, method, object; } clause;
		struct { uint64_t object; struct pv_span stack; uint64_t type; } monitor;
		struct { uint64_t collection, summary; } shot; /* HEAP_START */
		/* HEAP_DEAD: type and size only */
		struct {
			uint64_t object, type, size, generation;
			struct pv_span refs;
			uint64_t unsized;
		} heap_object;
		/* one class of a HEAP_SUMMARY */
		struct { uint64_t type, objects, bytes, dead_objects, dead_bytes; } heap_class;
		/* width 2: (slot address, object); width 3: (object, root type, extra) */
		struct { uint64_t collections, width; struct pv_span roots; } roots;
		struct { uint64_t start, size, source, key; struct pv_text name; } root_area;
		struct {
			uint64_t type, thread, timestamp;
			struct pv_span ips, frames;
			struct pv_span offsets; /* (IL, native) of each frame, or empty */
			uint64_t address;
			uint64_t weight; /* hits that it stands for; 0: one */
			uint64_t state, times; /* WAITED: enum pv_wait_state; samples it stands for */
		} hit;
		struct { uint64_t address, size, file_offset; struct pv_text name; } symbol;
		/*
		 * list: into batch->descs or batch->values; ms: absolute time below data version 13
		 */
		struct { uint64_t ms; struct pv_span list; } counters;
		struct { uint64_t type, address, size; struct pv_text name; } helper;
		struct {
			uint64_t methods, full, partial, token, method_id, statements, il, hits,
				line, column;
			struct pv_text assembly, class_name, method, signature, file, guid;
		} coverage;
		struct { uint64_t type; } sync;
		struct { struct pv_text id; } aot;
		struct { struct pv_span codes; } directives;
		/*
		 * gain of a node of the thread's call tree; `back`: its parent is that many
		 * such events earlier in the buffer, 0 = a root; max_ns: longest call so far
		 */
		struct { uint64_t back, method, calls, self_ns, max_ns, exc_leaves; } tree;
		struct { uint64_t user_ns, kernel_ns; } cpu; /* of the event before it */
		/*
		 * of the class `owner`; offset in bytes from an object's start, or of the statics
		 */
		struct { uint64_t owner, offset, is_static; struct pv_text type, name; } field;
		struct { uint64_t owner, parent; } class_parent; /* the class that it derives from */
		/*
		 * of arrays of the class `owner`: where the first one lies, how far the next; bytes
		 */
		struct { uint64_t owner, first, size; } elements;
		/* pairs (offset in the method's code, line of the file from there on) */
		struct { uint64_t method; struct pv_text file; struct pv_span pairs; } lines;
		/* all threads were made to stand: how long until they did, how long they did */
		struct { uint64_t reason, wait_ns, stopped_ns, failed; } stop;
		/* code of a method; version: of its source, 0 = as loaded; why: it is no more */
		struct { uint64_t method, code, size, tier, version, why; } body;
		/* a call between managed and native code that is over; into: enum pv_transition */
		struct { uint64_t method, into, took_ns; } transition;
		/* survivors of a collection, in ranges of objects that lie together */
		struct { uint64_t generation, ranges, bytes, moved_ranges, moved_bytes; } survived;
		/* ended now; stack: method keys outermost first, of its begin */
		struct {
			uint64_t took_ns, failed;
			struct pv_text what, name;
			struct pv_span stack;
		} span;
		/* of the collection that the event before this one began; PV_WHY_*, PV_HOW_* */
		struct { uint64_t reason, how; } collection;
		/* as a collection of generation `collected` leaves it; promoted: what survived in it */
		struct { uint64_t collected, region, bytes, promoted; } left;
		/*
		 * Memory by allocation stack, all sums since the beginning. live: blocks that are
		 * held; most_bytes: held at once; at_once: given back before another was got. The
		 * stack, method keys outermost first, is in the first event of its number only.
		 */
		struct {
			uint64_t number, allocations, bytes, live, live_bytes, most_bytes, at_once;
			struct pv_span stack;
		} held;
		struct { uint64_t object, length; struct pv_text text; } string; /* MESSAGE, too */
		struct { uint64_t object, type; } class_of; /* of the next event only */
		/* of the contention that follows: the thread that has the lock */
		struct { uint64_t object, thread; } holder;
		/* likewise: the runtime's own number of that lock, wherever its object moves */
		struct { uint64_t object, id; } lock;
		/* an extension event: family (the byte's high nibble), kind, its raw fields */
		struct { uint64_t family, kind, value; struct pv_text text; } ext;
	};
			 /* clang-format on */
};

/*
 * heap_object.refs holds pairs (offset from the object's start in bytes, referenced object).
 *
 * EXT_JIT_TIME and EXT_JIT_FAILED have in `started` the ns that compiling took; EXT_LOAD_FAILED in
 * `flags` what it was: 1 a class, 2 an image, 3 an assembly, 7 a vtable. EXT_ASSEMBLY_IN has the
 * context of an assembly in `owner`.
 *
 * What only logs of the 2007 family fill in; 0 in others: `started` (time at which what this event
 * ends began, 0 = not known), `failed`, `collection` (its number), `type` of throws and monitors
 * (the class; their object may be 0), `unsized` (an object whose class and size were not recorded)
 * and hit.address (of native code, absolute or 0).
 */

/* The JSON name of a kind, a literal, never NULL: "?" for values outside the enum. Any thread. */
const char *pv_kind_name(unsigned kind);

#endif
