/* SPDX-License-Identifier: MIT */
/*
 * The times in which threads surely worked for chosen requests, and the spans of these: a
 * restriction of a model. Made once, then read by any thread. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_REQUEST_TIMES_H
#define PV_MODEL_REQUEST_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_request_time {
	int64_t from_ns, to_ns; /* half-open */
};

struct pv_request_thread {
	uint64_t id; /* native */
	size_t first, n;
};

/* Figures of threads within requests, not known which: no request has these figures. */
struct pv_request_rest {
	uint64_t samples, allocations, waits, thrown;
};

/* Valid when zeroed: no request. */
struct pv_request_times {
	PV_ARRAY(struct pv_request_time) time; /* a thread's together, ascending, none overlaps */
	PV_ARRAY(struct pv_request_thread) thread;
	struct pv_map thread_at;     /* native id -> index */
	struct pv_map span;          /* keys of the spans, see below */
	uint64_t requests;           /* chosen */
	int64_t from_ns, to_ns;      /* all times and spans lie in between */
	bool threads_known;          /* the log says what threads worked for */
	bool queries;                /* the log has queries, maybe of other requests */
	unsigned recorded;           /* enum pv_group: likewise */
	struct pv_request_rest rest; /* of the whole log */
};

/* Frees everything. */
void pv_request_times_finish(struct pv_request_times *t);

/* Adds a time of a thread; a thread's times come together, ascending. False: out of memory. */
bool pv_request_times_add(
	struct pv_request_times *t, uint64_t thread, int64_t from_ns, int64_t to_ns);
/* Adds a span, by id, with id 0 by its times. False: out of memory. */
bool pv_request_times_add_span(
	struct pv_request_times *t, uint64_t id, int64_t start_ns, int64_t took_ns);

/* Whether the span was added, with the same arguments. */
bool pv_request_times_span(
	const struct pv_request_times *t, uint64_t id, int64_t start_ns, int64_t took_ns);
/* The number of a thread, from 1; 0: the thread worked for none of the requests. */
uint32_t pv_request_times_thread(const struct pv_request_times *t, uint64_t id);
/* Whether a thread, by number, worked for a request at time `ns`; number 0: never. */
bool pv_request_times_has(const struct pv_request_times *t, uint32_t thread, int64_t ns);
/* How long the thread worked for requests in [from_ns, to_ns), ns; from_ns is at most to_ns. */
int64_t pv_request_times_within(
	const struct pv_request_times *t, uint32_t thread, int64_t from_ns, int64_t to_ns);

#endif
