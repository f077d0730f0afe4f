/* SPDX-License-Identifier: MIT */
/* Kinds of events, and the fields of described events. Private to this folder. */
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
	NT_METHOD_ENTRY, /* precompiled code, at first use */
	NT_METHOD_HERE,  /* in the rundown: loaded some time before */
	NT_MODULE,
	NT_IL_MAP,
	NT_IL_MAP_HERE,
	NT_COUNTERS,
	NT_POOL_ADJUSTED,
	NT_POOL_WORKERS,
	NT_METER_RATE, /* instruments of meters */
	NT_METER_LEVEL,
	NT_METER_CHANGES,
	NT_METER_SPREAD,
	NT_METER_TIME,
	NT_METER_SAYS,
	NT_SPAN,        /* of work: begin, failure or end */
	NT_THREAD_TIME, /* our own event: CPU time of a thread */
	NT_PROCESS,     /* of the stream */
	NT_SETTINGS,    /* in the rundown: the collector's */
	NT_TYPES,       /* from here: parts of a heap shot */
	NT_NODES,
	NT_EDGES,
	NT_ROOTS,
	NT_DEPENDENTS,
	NT_STATICS,
	NT_QUIET /* known, but without a neutral event */
};

struct nt_kind {
	enum nt_event_kind what;
	uint32_t provider, name; /* interned */
	uint32_t full;           /* provider/name, interned; 0: not made yet */
	uint32_t id, version;
	uint32_t field, fields; /* in nettrace.field */
};

/*
 * A field of a described event. The fields of an object, or the element of an array, follow one
 * level deeper.
 */
struct nt_field {
	uint32_t name; /* interned */
	uint8_t type, depth;
	uint16_t count; /* elements of an array of fixed length */
};

#endif
