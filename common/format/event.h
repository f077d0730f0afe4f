/* SPDX-License-Identifier: MIT */
/*
 * The neutral vocabulary: events of all families of inputs in one set of kinds. Decoders produce
 * events; the model, the dump and the encoder consume them. Everything here is wire values:
 * pointers as in the log (masked to the log's pointer size), times in ns on the log's own clock.
 * Only the model turns them into ids.
 *
 * Spans index the pool of the event's batch, texts point into that batch's bytes; both are valid as
 * long as the batch.
 */
#ifndef PV_FORMAT_EVENT_H
#define PV_FORMAT_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* KIND(SYMBOL, name): name is the JSON key in "events", the same with or without backtrace. */
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
	KIND(EXT_IL_MAP, "ext.lines.il_map")                                                       \
	KIND(EXT_PLACE, "ext.lines.place")                                                         \
	KIND(EXT_SPAN, "ext.mark.span")                                                            \
	KIND(EXT_WORK, "ext.mark.work")                                                            \
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

/* ns, the time that a sample of weight 1 stands for in a .nettrace stream. */
enum { PV_NETTRACE_SAMPLE_NS = 1000000 };

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
/*
 * Events requested from the runtime by the profiler of 2007: bits in the intro block of its logs.
 */
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
	struct pv_text section_name; /* only for section PV_SECTION_PERFCOUNTERS */
	struct pv_text name;
	struct pv_text unit_name; /* a unit named by the program; .at NULL: none */
};

/* One entry of COUNTERS_SAMPLE; `raw` is the wire value, for some types a difference. */
struct pv_counter_value {
	uint64_t index, type;
	uint64_t raw;        /* DOUBLE: the bits; STRING: 1 when text is given */
	struct pv_text text; /* STRING only */
};

/* clang-format off */
/* Of SUSPENSION, BODY, CODE_GONE, TRANSITION; further numbers are data. */
/*
 * Reasons of a collection, as given by a runtime: PV_WHY_NOT_ASKED, not on the program's request;
 * else .NET's own number + PV_WHY_FIRST. How a collection ran: 0 unknown, .NET's number + 1.
 */
enum { PV_WHY_NOT_ASKED = 0, PV_WHY_FIRST = 1, PV_WHYS = 15, PV_HOW_BLOCKING = 1,
	PV_HOW_BACKGROUND, PV_HOW_FOREGROUND, PV_HOWS };
/* Of a heap: the three generations, large objects and pinned objects. */
enum { PV_REGIONS = 5 };

enum pv_stop_reason { PV_STOP_OTHER, PV_STOP_GC, PV_STOP_DOMAIN, PV_STOP_PITCHING,
	PV_STOP_SHUTDOWN, PV_STOP_DEBUGGER = 6, PV_STOP_GC_PREPARES, PV_STOP_REJIT,
	PV_STOP_PROFILER, PV_STOP_REASONS };
enum pv_tier { PV_TIER_UNKNOWN, PV_TIER_PLAIN, PV_TIER_OPTIMIZED, PV_TIER_QUICK, PV_TIER_1,
	PV_TIER_1_LOOP, PV_TIER_COUNTING, PV_TIER_COUNTING_OPTIMIZED, PV_TIER_PRECOMPILED,
	PV_TIERS };
enum pv_code_gone { PV_GONE_PITCHED = 1, PV_GONE_DYNAMIC };
enum pv_transition { PV_INTO_NATIVE, PV_INTO_MANAGED };
/*
 * Of WORK. GOES_ON: from here on work for the span, and before too unless another event says
 * otherwise; ENDED: ended on this thread some time ago. Numbers beyond are data.
 */
enum pv_work_step { PV_WORK_GOES_ON, PV_WORK_BEGINS, PV_WORK_ENDS, PV_WORK_ENDED, PV_WORK_STEPS };
/* Of WAITED: the reason; QUEUED: for a processor. Other numbers are UNKNOWN. */
enum pv_wait_state { PV_WAIT_UNKNOWN, PV_WAIT_LOCK, PV_WAIT_POLL, PV_WAIT_IO, PV_WAIT_SLEEP,
	PV_WAIT_STOPPED, PV_WAIT_QUEUED, PV_WAIT_GC,
	PV_WAIT_UNSURE, /* or it ran: not known */ PV_WAIT_STATES };

/* Of IL_MAP, in place of an offset: the runtime's own numbers for code without IL. */
#define PV_IL_NONE   (~UINT64_C(0))
#define PV_IL_PROLOG (~UINT64_C(1))
#define PV_IL_EPILOG (~UINT64_C(2))

/* clang-format on */
/*
 * One event. Numbers are all u64 so that the row table can name them by offset. `stack` spans hold
 * method keys outermost first (backtraces); `frames` of a hit innermost first, as on the wire.
 */
struct pv_event {
	uint64_t time;   /* ns on the log's clock; for kinds without a time, the running time */
	uint32_t offset; /* of the event byte from the start of the buffer's events */
	uint16_t row;    /* wire row, for the dump */
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
			uint64_t weight; /* number of hits; 0: one */
			uint64_t state, times; /* WAITED: enum pv_wait_state; number of samples */
		} hit;
		struct { uint64_t address, size, file_offset; struct pv_text name; } symbol;
		/*
		 * list: into batch->descs or batch->values; ms: absolute time below data version 13
		 */
		struct { uint64_t ms; struct pv_span list; } counters;
		struct { uint64_t type, address, size; struct pv_text name; } helper;
		struct {
			/* no row has both members of a union */
			union { uint64_t methods, token, il; };
			union { uint64_t full, statements, hits; };
			union { uint64_t partial, line; };
			uint64_t method_id;
			struct pv_text assembly, file;
			union { struct pv_text guid, method; };
			union { struct pv_text signature; uint64_t column; };
			struct pv_text class_name;
		} coverage;
		struct { uint64_t type; } sync;
		struct { struct pv_text id; } aot;
		struct { struct pv_span codes; } directives;
		/*
		 * gain of a node of the thread's call tree; `back`: the parent is so many such
		 * events earlier in the buffer, 0 = a root; max_ns: longest call so far
		 */
		struct { uint64_t back, method, calls, self_ns, max_ns, exc_leaves; } tree;
		struct { uint64_t user_ns, kernel_ns; } cpu; /* of the previous event */
		/*
		 * of the class `owner`; offset in bytes from an object's start, or of the statics
		 */
		struct { uint64_t owner, offset, is_static; struct pv_text type, name; } field;
		struct { uint64_t owner, parent; } class_parent; /* base class */
		/* of arrays of the class `owner`: offset of the first element, bytes to the next */
		struct { uint64_t owner, first, size; } elements;
		/* pairs (offset in the method's code, line of the file from there on) */
		struct { uint64_t method; struct pv_text file; struct pv_span pairs; } lines;
		/*
		 * of one body of a method: pairs (offset in the code, offset in the method's IL, or
		 * PV_IL_*); image: key of the module, token: of the method's definition in the
		 * module
		 */
		struct {
			uint64_t code, size, method, image, token;
			struct pv_span pairs;
		} il_map;
		/*
		 * from now on a frame with this address as method is a frame of `method`, with a
		 * call at the address
		 */
		struct { uint64_t address, method; } code_place;
		/* all threads were suspended: time until then, time suspended */
		struct { uint64_t reason, wait_ns, stopped_ns, failed; } stop;
		/*
		 * code of a method; version: of its source, 0 = as loaded; why: reason of its end
		 */
		struct { uint64_t method, code, size, tier, version, why; } body;
		/* a finished call between managed and native code; into: enum pv_transition */
		struct { uint64_t method, into, took_ns; } transition;
		/* survivors of a collection, in ranges of objects that lie together */
		struct { uint64_t generation, ranges, bytes, moved_ranges, moved_bytes; } survived;
		/* ended now; stack: method keys outermost first, of its begin */
		struct {
			uint64_t took_ns, failed;
			struct pv_text what, name;
			struct pv_span stack;
		} span;
		/*
		 * The thread works for span `id` from now on, or until now; ids are the log's own,
		 * never 0. parent: the enclosing span, 0 for none or unknown. After ENDS and ENDED
		 * the span's EXT_SPAN follows. step: enum pv_work_step.
		 */
		struct { uint64_t id, parent, step; } work;
		/* of the collection begun by the previous event; PV_WHY_*, PV_HOW_* */
		struct { uint64_t reason, how; } collection;
		/*
		 * after a collection of generation `collected`; promoted: survivors of this region
		 */
		struct { uint64_t collected, region, bytes, promoted; } left;
		/*
		 * Memory by allocation stack, all sums since the beginning. live: held blocks;
		 * most_bytes: held at once; at_once: freed before another allocation. The stack,
		 * method keys outermost first, is only in the first event with its number.
		 */
		struct {
			uint64_t number, allocations, bytes, live, live_bytes, most_bytes, at_once;
			struct pv_span stack;
		} held;
		struct { uint64_t object, length; struct pv_text text; } string; /* MESSAGE, too */
		struct { uint64_t object, type; } class_of; /* of the next event only */
		/* of the next contention: the thread with the lock */
		struct { uint64_t object, thread; } holder;
		/* likewise: the runtime's own number of the lock, wherever its object moves */
		struct { uint64_t object, id; } lock;
		/* an extension event: family (the byte's high nibble), kind, its raw fields */
		struct { uint64_t family, kind, value; struct pv_text text; } ext;
	};
			 /* clang-format on */
};

/*
 * heap_object.refs holds pairs (offset from the object's start in bytes, referenced object).
 *
 * `started` of EXT_JIT_TIME and EXT_JIT_FAILED is the duration of compiling in ns; `flags` of
 * EXT_LOAD_FAILED the subject: 1 a class, 2 an image, 3 an assembly, 7 a vtable. EXT_ASSEMBLY_IN
 * has the context of an assembly in `owner`.
 *
 * Filled in only by logs of the 2007 family, 0 in others: `started` (time of the begin for an event
 * that ends something, 0 = not known), `failed`, `collection` (number), `type` of throws and
 * monitors (the class; their object may be 0), `unsized` (an object without recorded class and
 * size) and hit.address (of native code, absolute or 0).
 */

/*
 * Frequent kinds without text that describe, begin and end nothing to which a key or thread refers:
 * such an event matters only when it is applied.
 */
static inline _Bool pv_kind_is_plain(unsigned kind)
{
	switch (kind) {
	case PV_KIND_GC_MOVE:
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
	case PV_KIND_GC_FINALIZE_OBJECT_START:
	case PV_KIND_GC_FINALIZE_OBJECT_END:
	case PV_KIND_EXCEPTION_THROW:
	case PV_KIND_EXCEPTION_CLAUSE:
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_ROOTS:
		return 1;
	default:
		return 0;
	}
}

/* Bytes of struct pv_event used by plain kinds; a batch keeps only these. */
enum { PV_PLAIN_BYTES = 64 };
_Static_assert(sizeof((struct pv_event *)0)->heap_object + offsetof(struct pv_event, heap_object) <=
		       PV_PLAIN_BYTES,
	"the largest of them");

/* The JSON name of a kind, a literal, never NULL: "?" for values outside the enum. Any thread. */
const char *pv_kind_name(unsigned kind);

#endif
