/*
 * Allocations: per class and per (class, stack). Where a probe wrote only some of them, each counts
 * for as many as it stands for. Part of the model: written by the ingest thread, read under the
 * lock.
 */
#ifndef PV_MODEL_ALLOCS_H
#define PV_MODEL_ALLOCS_H

#include "common/model/calls/sites.h"

struct pv_class_allocs {
	uint64_t count, bytes;
	double variance; /* of bytes; 0 when they are exact */
};

struct pv_allocs {
	PV_ARRAY(struct pv_class_allocs) class_use; /* by id in names; may be shorter than it */
	/* amount = bytes; without backtraces the stack is the thread's current call path */
	struct pv_sites sites;
	uint64_t count, bytes;
	uint64_t period;         /* bytes between two that were written, 0: all were */
	uint64_t samples;        /* of these: events */
	double variance, carry;  /* the latter private: of rounding */
	uint64_t with_backtrace; /* events that brought their own stack */
	uint64_t with_path;      /* events placed on their thread's current call path */
};

#endif
