/* Towards the loop over a batch: allocations as they come. The rules of model_parts.h hold. */
#ifndef PV_MODEL_ALLOCS_PARTS_H
#define PV_MODEL_ALLOCS_PARTS_H

#include "common/model/ground/model_parts.h"

struct pv_alloc_run {
	uint64_t n;              /* events that count */
	uint64_t objects, bytes; /* counts and bytes they stand for */
	int64_t oldest, newest;  /* times */
};

/*
 * Event *at of x->batch, an allocation amid the present cell, and those that follow it up to `end`,
 * to what is none and to the cell's end: *at moves behind them. x->counts holds for all.
 */
bool pv_allocs_run(struct pv_context *x, size_t *at, size_t end, struct pv_alloc_run *ret);

#endif
