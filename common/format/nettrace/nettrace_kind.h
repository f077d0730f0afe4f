/* Kinds of events, and the fields of those that describe themselves. Private to the files of this folder. */
#ifndef PV_FORMAT_NETTRACE_KIND_H
#define PV_FORMAT_NETTRACE_KIND_H

#include <stdint.h>

/* The meaning of an event, by provider, id and name. */
enum nt_event_kind {
	NT_UNKNOWN,
	NT_SAMPLE,
	NT_GC_START,
	NT_GC_END,
	NT_GC_SIZES,
	NT_STOPPING,
	NT_STOPPED,
	NT_GOING,
	NT_GONE_ON,
	NT_ALLOC_TICK,
	NT_ALLOC_SAMPLED,
	NT_THROWN,
	NT_CATCH, /* from here: a handler of an exception begins */
	NT_FINALLY,
	NT_FILTER,
	NT_CATCH_ENDS,
	NT_CONTENDED,
	NT_ACQUIRED,
	NT_JIT_START,
	NT_METHOD_LOAD,
	NT_METHOD_ENTRY, /* that came with code, at its first use */
	NT_METHOD_HERE,  /* of the rundown: it was loaded some time */
	NT_COUNTERS,
	NT_POOL_ADJUSTED,
	NT_POOL_WORKERS,
	NT_METER_RATE, /* instruments of meters */
	NT_METER_LEVEL,
	NT_METER_CHANGES,
	NT_METER_SPREAD,
	NT_METER_TIME,
	NT_METER_SAYS,
	NT_THREAD_TIME, /* of our own: how long a thread has run */
	NT_TYPES,       /* from here: parts of a heap shot */
	NT_NODES,
	NT_EDGES,
	NT_ROOTS,
	NT_DEPENDENTS,
	NT_STATICS,
	NT_QUIET /* known, and without a word in the neutral vocabulary */
};

struct nt_kind {
	enum nt_event_kind what;
	uint32_t provider, name; /* interned */
	uint32_t full;           /* both, interned; 0: not made yet */
	uint32_t id, version;
	uint32_t field, fields; /* in nettrace.field */
};

/*
 * A field of a described event. Fields of an object, and the element of what is an array, follow it
 * one level deeper.
 */
struct nt_field {
	uint32_t name; /* interned */
	uint8_t type, depth;
	uint16_t count; /* elements of an array whose length is fixed */
};

#endif
