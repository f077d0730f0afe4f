/* SPDX-License-Identifier: MIT */
/*
 * Finalizers: runs of them, and the objects finalized by class. Durations are ns. Part of the
 * model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_FINALIZERS_H
#define PV_MODEL_FINALIZERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

struct pv_finalized {
	uint64_t objects;         /* finalizers that ended */
	uint64_t timed;           /* of `objects`: the beginning was met, too */
	int64_t total_ns, max_ns; /* of the timed finalizers, clipped to the restriction */
};

/* An open finalizer of one object, or an open run of finalizers. */
struct pv_finalizing {
	uint64_t thread; /* native id */
	uint32_t epoch;  /* of the thread */
	uint64_t object;
	uint32_t class_use;
	int64_t start_ns;

	/* Slot + 1, 0: none. */
	uint32_t older, newer;
	uint32_t in_bucket;     /* next slot in the hash bucket */
	uint32_t before, after; /* of the same thread */
	uint32_t at;            /* index of the thread */
};

enum { PV_FINALIZING_MAX = 1024 };

struct pv_finalizers {
	struct pv_finalized runs;               /* start .. end pairs on one thread */
	uint64_t started, ended;                /* objects */
	uint64_t unknown_class;                 /* of the ended finalizers */
	PV_ARRAY(struct pv_finalized) of_class; /* by class use id; [0]: class not recorded */

	/* private: open finalizers, in slots; beyond the limit the oldest go */
	PV_ARRAY(struct pv_finalizing) open;
	/*
	 * The newest, without a slot, as long as nothing else has begun or ended since: most end
	 * before.
	 */
	struct pv_finalizing last;
	bool lasting;                       /* `last` is in use */
	uint32_t oldest, newest, unused;    /* slot + 1; unused ones are linked by `newer` */
	uint32_t bucket[PV_FINALIZING_MAX]; /* likewise, by hash of thread and object */
};

#endif
