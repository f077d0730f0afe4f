/* SPDX-License-Identifier: MIT */
/*
 * Options of the modules for Mono and .NET. Words mean the same as for the stock log profiler, so a
 * command line changes by a single word; quotes and backslashes count as there. Three words are
 * accepted without effect: maxsamples= (samples have a ring), debug, and port= (commands come over
 * the control socket).
 */
#ifndef PV_PROBE_MANAGED_ARGS_H
#define PV_PROBE_MANAGED_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pvp_managed_group {
	PVP_MANAGED_CALLS = 1 << 0,
	PVP_MANAGED_ALLOC = 1 << 1,
	PVP_MANAGED_GC = 1 << 2,
	PVP_MANAGED_MOVES = 1 << 3,
	PVP_MANAGED_ROOTS = 1 << 4,
	PVP_MANAGED_HANDLES = 1 << 5,
	PVP_MANAGED_EXCEPTIONS = 1 << 6,
	PVP_MANAGED_MONITORS = 1 << 7,
	PVP_MANAGED_FINALIZERS = 1 << 8,
	PVP_MANAGED_JIT = 1 << 9,
	PVP_MANAGED_SAMPLES = 1 << 10,
	PVP_MANAGED_HEAPSHOTS = 1 << 11,
	PVP_MANAGED_TREE = 1 << 13, /* calls are summed up here */
	PVP_MANAGED_CPU = 1 << 14,  /* processor time with each sample */
	PVP_MANAGED_COUNTERS = 1 << 15,
	PVP_MANAGED_RUNTIME = 1 << 16, /* times of compiling, failures */
	PVP_MANAGED_FIELDS = 1 << 17,  /* names of fields */
	PVP_MANAGED_COVERAGE = 1 << 18,
	PVP_MANAGED_LINES = 1 << 19,    /* of source, for samples */
	PVP_MANAGED_CLASS_OF = 1 << 20, /* the class of objects given by address */
	PVP_MANAGED_MESSAGES = 1 << 21, /* messages of exceptions */
	PVP_MANAGED_KERNEL = 1 << 22,   /* the kernel's functions in samples */
	PVP_MANAGED_AREAS = 1 << 12,    /* owners of the areas of root slots */
};

enum { PVP_MANAGED_TEXT = 1024, PVP_MANAGED_FRAMES = 64 };

struct pvp_managed_options {
	unsigned groups;
	unsigned sample_hz;
	bool sample_real;          /* of waiting threads, too */
	bool shot_at_end;          /* heapshot-on-shutdown */
	unsigned shot_collections; /* a heap shot every so many major collections, 0: none */
	unsigned shot_ms;          /* ms: a shot at the first collection after; 0: none */
	size_t shot_bytes;         /* most memory of a heap shot before it is written */
	bool tree_cpu;             /* with the processor time of each call */
	size_t tree_bytes;         /* most memory of the trees */
	size_t alloc_period;       /* bytes between recorded allocations, 0: all are recorded */
	unsigned frames;           /* of a backtrace, at most PVP_MANAGED_FRAMES */
	bool frames_given;
	unsigned call_depth; /* calls with more callers than this are left out; UINT_MAX: none */
	bool want_report;    /* a report of mprof-report's in place of the log */
	bool stock;          /* without the extensions that `run` asks for */
	bool want_help;      /* nothing is recorded */
	char callspec
		[PVP_MANAGED_TEXT]; /* of methods, as the runtime's own mono_callspec_parse() has it */
	char filter[PVP_MANAGED_TEXT];   /* of methods: managed_filter.h */
	char coverage[PVP_MANAGED_TEXT]; /* likewise: methods whose coverage is wanted */
	char rest[PVP_MANAGED_TEXT];     /* options of the core */
	char words[PVP_MANAGED_TEXT];    /* events listed as on in the log's header */
};

/* `text`: all after "profview", with or without the colon. False: an option is unknown. */
bool pvp_managed_parse(const char *text, struct pvp_managed_options *ret);

#endif
