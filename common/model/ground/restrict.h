/* SPDX-License-Identifier: MIT */
/* The part of a recording that a report is about. Part of the model: read under its lock. */
#ifndef PV_MODEL_RESTRICT_H
#define PV_MODEL_RESTRICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_model;
struct pv_address_log;
struct pv_request_times;

/*
 * Restriction of a report; all-zero means everything. Set before the first batch.
 *
 * Point events count by their own time and by the thread of their buffer (samples: by the thread
 * that was hit); calls, waits and self time are clipped; `calls` counts enters inside; collections,
 * pauses and shots count by their start. Names count always.
 *
 * A thread's name may come after the thread's events, and a log below header 3.0 has its zero only
 * after a second: for these `scout` is a model with the same log read without a restriction. A
 * thread_name needs the scout, which must live until the restricted model has read the last batch.
 *
 * With requests (request_times.h) events count by time and thread likewise; spans count if chosen.
 */
struct pv_restrict {
	bool ranged;
	int64_t from_ns, to_ns; /* since zero, half-open */
	bool threaded;
	uint64_t thread_id;      /* native id (all its epochs), when thread_name is NULL */
	const char *thread_name; /* borrowed */
	const uint64_t *threads; /* borrowed: native ids in place of thread_id; NULL: none */
	size_t thread_count;
	const struct pv_request_times *requests; /* only what happened in these; NULL: in any */
	const struct pv_model *scout;
	const struct pv_address_log *address_log; /* set by pv_model_know() */
	bool sample_times;                        /* keep times of samples (time/sample_times.h) */
	bool zero_known;                          /* zero_ns is known, on the log's clock */
	int64_t zero_ns;
};

/* Whether not all threads are meant, of any at all times. */
static inline bool pv_restricts_threads(const struct pv_restrict *r)
{
	return r->threaded || r->requests;
}

#endif
