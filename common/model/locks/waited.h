/* SPDX-License-Identifier: MIT */
/*
 * The longest waits for locks, one by one. Open waits are with their threads (pv_thread.wait). Part
 * of the model: written by the ingest thread, read under the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_WAITED_H
#define PV_MODEL_WAITED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_WAITS_KEPT = 4096 };

enum pv_wait_end { PV_WAIT_OPEN, PV_WAIT_GOT, PV_WAIT_GAVE_UP, PV_WAIT_ENDS };

struct pv_waited {
	int64_t start_ns, end_ns;
	uint64_t holder; /* native id of the thread that had the lock at the start; 0: not said */
	uint32_t thread; /* index of the waiting thread */
	uint32_t lock;   /* index; 0: folded */
	uint32_t stack;
	uint32_t ended; /* enum pv_wait_end */
};

/* Valid when zeroed. */
struct pv_waits {
	PV_ARRAY(struct pv_waited) one; /* a heap: parents, (i - 1) / 2, are not longer */
	uint64_t left_out;              /* shorter waits, beyond PV_WAITS_KEPT */
};

/* Keeps a wait; without room, in place of the shortest. False: out of memory. */
bool pv_waits_keep(struct pv_waits *w, const struct pv_waited *one);
void pv_waits_finish(struct pv_waits *w); /* frees the heap */

#endif
