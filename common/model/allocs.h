/* Allocations: per class and per (class, stack). Samples taken of allocations are not scaled. */
#ifndef PV_MODEL_ALLOCS_H
#define PV_MODEL_ALLOCS_H

#include "common/model/sites.h"

struct pv_class_allocs {
	uint64_t count, bytes;
};

struct pv_allocs {
	PV_ARRAY(struct pv_class_allocs) class_use; /* by id in names; may be shorter than it */
	/* amount = bytes; without backtraces the stack is the thread's current call path */
	struct pv_sites sites;
	uint64_t count, bytes;
	uint64_t with_backtrace; /* events that brought their own stack */
	uint64_t with_path;      /* events placed on their thread's current call path */
};

#endif
