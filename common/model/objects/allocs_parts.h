/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: allocations of a batch in a row. Threads, failure and times are as in
 * model_parts.h.
 */
#ifndef PV_MODEL_ALLOCS_PARTS_H
#define PV_MODEL_ALLOCS_PARTS_H

#include "common/model/ground/model_parts.h"

struct pv_alloc_run {
	uint64_t n;              /* events that count */
	uint64_t objects, bytes; /* counts and bytes they stand for */
	int64_t oldest, newest;  /* times */
};

/*
 * Applies event *at of x->batch, an allocation amid the present cell, and the allocations after it
 * up to `end`, to an event of another kind or to the cell's end: *at moves after them. x->counts
 * holds for all. False: out of memory.
 */
bool pv_allocs_run(struct pv_context *x, size_t *at, size_t end, struct pv_alloc_run *ret);

#endif
