/*
 * Private to the query layer: gaps in a log, computed from its contents. One entry per word of the
 * report's "coverage"; every view's line is made of the entries that concern it. Functions that
 * take a model need its lock.
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

/* Says that there are none although they are recorded: by one thread, if others may have some. A literal, never NULL. */
const char *pv_coverage_none(const struct pv_model *m);

/* Whether the log stops before its end; no event row of such a log is complete. */
bool pv_coverage_is_cut(const struct pv_model *m);
/* Makes an entry that is complete partial in a log that was cut off. */
void pv_coverage_end(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);

/* Appends a phrase to the detail. */
void pv_coverage_say(struct pv_coverage *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Says how much of the input was not read, for a model that was cut or lost its beginning. Returns
 * the caller's buf, which it is cut to fit; never NULL.
 */
const char *pv_coverage_cut_text(const struct pv_model *m, char *buf, size_t size);
/* coverage07.c: what a log of 2007 lacks. */
void pv_coverage07(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* coverage_probe.c: what our probes have hooked, by their own counters. */
void pv_coverage_probe(const struct pv_model *m, enum pv_what what, struct pv_coverage *c);
/* Child processes of the program, at least; 0: it started none, or nothing is known of them. */
uint64_t pv_coverage_children(const struct pv_model *m);
void pv_coverage_say_children(const struct pv_model *m, struct pv_coverage *c);
/* "5 events not read: A 3, B 2", the most frequent ones by name; or those that are `known`. */
void pv_coverage_say_unread(const struct pv_model *m, struct pv_coverage *c, bool known);

enum { PV_COVERAGE_LINE = 500 };

/* Whether a view's line depends on the names that are missing. */
bool pv_coverage_names(enum pv_view view);

/* The line of a view, cut to size. groups: as above. */
void pv_coverage_line(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_view view,
	char *buf, size_t size);

#endif
