/* SPDX-License-Identifier: MIT */
/*
 * Facts from a runtime's extension events: stops of all threads with their reason, bodies of
 * methods, calls between managed and native code, survivors of collections; and spans of work that
 * the program's libraries report. Part of the model: written by the ingest thread, read under the
 * lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_RUNTIME_H
#define PV_MODEL_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/event.h"
#include "common/model/calls/work.h"

enum { PV_BODIES_LIST = 65536, PV_SPANS_LIST = 65536, PV_SURVIVED_LIST = 65536 };

struct pv_stop_sum {
	uint64_t count, failed; /* failed: the threads were resumed before they all stood */
	int64_t wait_ns, wait_max_ns, stopped_ns, stopped_max_ns;
};

/* One piece of a method's code. */
struct pv_body {
	int64_t time_ns; /* log clock */
	uint64_t code, size, version;
	uint32_t method; /* id in names */
	uint8_t tier;    /* enum pv_tier, numbers beyond are PV_TIERS - 1 at most */
};

struct pv_tier_sum {
	uint64_t count, bytes;
};

/* Calls of one method into the other world. */
struct pv_transitions {
	uint32_t method;
	uint64_t count[2]; /* by enum pv_transition */
	int64_t total_ns[2], max_ns[2];
};

struct pv_survived {
	int64_t time_ns;
	uint64_t generation, ranges, bytes, moved_ranges, moved_bytes;
};

struct pv_work {
	int64_t start_ns, took_ns;
	uint64_t id, parent; /* of this log; 0: not known, none */
	uint64_t thread;     /* that ended the work */
	uint32_t what, name; /* interned in names.text */
	uint32_t stack;      /* id in stacks */
	bool failed;
};

/* Sums of the spans beyond the list. */
struct pv_spans_rest {
	uint64_t count, failed;
	int64_t sum_ns;
};

struct pv_runtime {
	struct pv_stop_sum stop[PV_STOP_REASONS]; /* unknown reasons are PV_STOP_OTHER */
	uint64_t stops;
	PV_ARRAY(struct pv_body) body; /* first PV_BODIES_LIST */
	struct pv_tier_sum tier[PV_TIERS];
	uint64_t bodies, pitched, dynamic_gone;
	PV_ARRAY(struct pv_transitions) transitions;
	struct pv_map transitions_of; /* method id -> index */
	uint64_t crossings;
	PV_ARRAY(struct pv_survived) survived; /* first PV_SURVIVED_LIST */
	uint64_t survivals;
	PV_ARRAY(struct pv_work) work; /* first PV_SPANS_LIST */
	uint64_t spans;
	struct pv_works works;
	uint64_t in_contexts; /* assemblies whose context is known */
	struct pv_spans_rest rest;
};

struct pv_context;

/* Private to the model. False when out of memory. */
bool pv_runtime_apply(struct pv_context *x, const struct pv_event *e);
void pv_runtime_finish(struct pv_runtime *r);

#endif
