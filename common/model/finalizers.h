/* Finalizers: runs of them, and the objects finalized by class. Durations are ns. */
#ifndef PV_MODEL_FINALIZERS_H
#define PV_MODEL_FINALIZERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

struct pv_finalized {
	uint64_t objects;         /* ended */
	uint64_t timed;           /* of those, whose beginning was met too */
	int64_t total_ns, max_ns; /* of the timed ones, clipped to the restriction */
};

/* One object on its way, or a run of them. */
struct pv_finalizing {
	uint64_t thread;   /* native id */
	uint32_t epoch;    /* of the thread */
	uint64_t object;
	uint32_t class_use;
	int64_t start_ns;
};

enum { PV_FINALIZING_MAX = 1024 };

struct pv_finalizers {
	struct pv_finalized runs;               /* start .. end pairs on one thread */
	uint64_t started, ended;                /* objects */
	uint64_t unknown_class;                 /* of the ended ones */
	PV_ARRAY(struct pv_finalized) of_class; /* by class use id; [0]: class not recorded */
	PV_ARRAY(struct pv_finalizing) open;    /* private; the oldest go beyond the limit */
};

#endif
