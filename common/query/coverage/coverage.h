/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: gaps in a log, computed from the contents. One entry per word of the
 * report's "coverage"; a view's coverage line consists of the entries concerned. Functions with a
 * model need the model's lock.
 */
#ifndef PV_QUERY_COVERAGE_H
#define PV_QUERY_COVERAGE_H

#include <stddef.h>

#include "common/query/views.h"

enum pv_what {
	PV_WHAT_CALLS,
	PV_WHAT_ALLOCATIONS,
	PV_WHAT_ALLOCATION_STACKS,
	PV_WHAT_GC,
	PV_WHAT_MOVES,
	PV_WHAT_HANDLES,
	PV_WHAT_FINALIZERS,
	PV_WHAT_HEAP_SHOTS,
	PV_WHAT_ROOTS,
	PV_WHAT_EXCEPTIONS,
	PV_WHAT_LOCKS,
	PV_WHAT_SAMPLES,
	PV_WHAT_THREADS,
	PV_WHAT_JIT,
	PV_WHAT_COUNTERS,
	PV_WHAT_CODE_COVERAGE,
	PV_WHAT_SPANS,
	PV_WHAT_MARKS,
	PV_WHAT_SUSPENSIONS,
	PV_WHAT_TRANSITIONS,
	PV_WHAT_NAMES,
	PV_WHAT_LOSSES,
	PV_WHAT_DAMAGE,
	PV_WHATS
};

enum pv_coverage_state {
	PV_COMPLETE,
	PV_PARTIAL,
	PV_NOT_RECORDED,
	PV_LOST,
	PV_INFERRED,
	PV_BYPASSED
};

struct pv_coverage {
	enum pv_coverage_state state;
	char detail[320];
	struct pv_groups_cache *groups; /* of the caller; may be NULL */
};

/* The JSON words; literals, never NULL. Any thread. */
const char *pv_what_text(enum pv_what what);
const char *pv_coverage_text(enum pv_coverage_state state);

/* Fills *ret. groups: of the caller, NULL is fine. */
void pv_coverage_of(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_what what,
	struct pv_coverage *ret);

/*
 * Says that a recorded kind has no events: by one thread, if others may have some. A literal, never
 * NULL.
 */
const char *pv_coverage_none(const struct pv_model *m);
/*
 * No sample was met: in a log of Mono's own profiler that goes on there may be some already, since
 * samples are written when a thread's buffer is full, maybe minutes later.
 */
void pv_coverage_none_sampled(const struct pv_model *m, struct pv_coverage *c);

/* Whether the log stops before its end: no entry about events is complete then. */
bool pv_coverage_is_cut(const struct pv_model *m);
/* Makes a complete entry partial in a log that was cut off. */
void pv_coverage_end(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);

/* Appends a phrase to the detail. */
void pv_coverage_say(struct pv_coverage *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Says how much of the input was not read, for a model that was cut or lost its beginning. Cut to
 * `size`; returns the caller's buf, never NULL.
 */
const char *pv_coverage_cut_text(const struct pv_model *m, char *buf, size_t size);
/* coverage_deep.c: how many stacks of events are as deep as they can be. */
void pv_coverage_deep(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* coverage_aot.c: calls of code of Mono's AOT images. */
void pv_coverage_aot(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* coverage_requests.c: of chosen requests, figures not known to be of a certain request. */
void pv_coverage_requests(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* coverage07.c: what a log of 2007 lacks. */
void pv_coverage07(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* coverage_probe.c: what our probes have hooked, by their own counters. */
void pv_coverage_probe(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
void pv_coverage_outside(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* The probe's own counter with this name; 0: the probe did not describe such a counter. */
uint64_t pv_coverage_counter(const struct pv_model *m, const char *name);
/* Child processes of the program, at least; 0: none, or not known. */
uint64_t pv_coverage_children(const struct pv_model *m);
void pv_coverage_say_children(const struct pv_model *m, struct pv_coverage *c);
/* "5 events not read: A 3, B 2", the most frequent by name; with `known`: known and not shown. */
void pv_coverage_say_unread(const struct pv_model *m, struct pv_coverage *c, bool known);

enum { PV_COVERAGE_LINE = 500 };

/* The line of a view, cut to size. groups: as above. */
void pv_coverage_line(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_view view,
	char *buf, size_t size);

#endif
