/* SPDX-License-Identifier: MIT */
/*
 * Facts about a log, stated by a report before the figures: source, writer, unreadable parts. Plain
 * values taken under one lock. Any thread. Times are ns unless their names say ms.
 */
#ifndef PV_QUERY_FACTS_H
#define PV_QUERY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/query/log_end.h"
#include "common/query/series.h"

struct pv_model;

struct pv_facts {
	bool logging2007;
	const char *text;  /* the kind of stack text, if the input is no log; NULL otherwise */
	const char *stage; /* of a 2007 log: "draft", "A" ... "D"; NULL otherwise */
	unsigned data_version;
	unsigned pointer_size;
	uint64_t event_mask; /* 2007 log, stage A on: events asked for; else 0 */
	unsigned header_major, header_minor;
	unsigned rules;          /* data version by whose rules the events were read */
	uint64_t startup_ns;     /* on the log's clock; 0 before header 3.0 */
	const char *aot_id;      /* NULL: none */
	uint64_t sync_points[4]; /* periodic, world stop, world start, others */
	uint64_t hits[8];        /* samples by type, data versions 4 to 13 */
	uint64_t start_time_ms;  /* since the Unix epoch */
	uint64_t timer_overhead_ns, pid, port;
	uint64_t alloc_period; /* bytes between samples of allocations; 0: all are in the log */
	uint64_t
		children; /* of the program, at least, as our probes count; 0: none, or not known */
	const char *args, *arch, *os; /* never NULL; live as long as the model */
	const char *command;          /* line of the process, likewise; "" not known */
	int64_t duration_ns;          /* latest event minus zero */
	int64_t counted_ns;           /* the part within the range */
	char runtime_version[40];     /* of .NET, by the runtime's folder; "" not known */
	const char *gc_mode; /* of .NET, by its threads: "server", "workstation"; or NULL */
	uint64_t buffers, recordings, damaged, events;
	bool ended, complete, joined;
	char end[PV_LOG_END_LINE]; /* log_end.h */
	uint64_t generation;
};

/* Whether a rule of findings is about the objects of a heap shot (pv_query.heap). */
bool pv_finding_needs_objects(const char *id);
/* Series that show what a rule judges, best first, ended by PV_SERIES_KINDS; static. NULL: none. */
const enum pv_series_kind *pv_finding_proof(const char *id);

/* Takes the model's lock. */
void pv_view_facts(struct pv_model *m, struct pv_facts *ret);

/* Figures of a report outside of lists; 0 for groups missing from the log. */
struct pv_totals {
	unsigned
		known; /* enum pv_group bits: met in the events, or asked for in the header's args */
	uint64_t samples, thrown;
	uint64_t gc_resizes, max_heap_bytes, moved_objects;
	uint64_t handles_created, handles_destroyed, handles_live, objects_finalized;
	uint64_t finalizer_runs;
	int64_t finalizing_ns;
	uint64_t contentions, acquired, failed;
	int64_t wait_ns;
	uint64_t jit_methods, code_bytes, helpers, helper_bytes;
	uint64_t jit_failed, loads, loads_failed;
	int64_t jit_ns, jit_max_ns;
};

/* Takes the model's lock. */
void pv_view_totals(struct pv_model *m, struct pv_totals *ret);

#endif
