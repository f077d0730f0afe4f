/*
 * The longest waits for locks, one by one. Those that have not ended are with their threads
 * (pv_thread.wait). Part of the model: written by the ingest thread, read under the lock. Times are
 * ns on the log's clock.
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
	uint64_t holder; /* native id of the thread that had the lock at its start; 0: not said */
	uint32_t thread; /* index of the one that waited */
	uint32_t lock;   /* index; 0: folded */
	uint32_t stack;
	uint32_t ended; /* enum pv_wait_end */
};

/* Valid when zeroed. */
struct pv_waits {
	PV_ARRAY(struct pv_waited) one; /* a heap: none is shorter than its parent, (i - 1) / 2 */
	uint64_t left_out;              /* shorter ones, beyond PV_WAITS_KEPT */
};

/* Takes it, in the place of the shortest if there is no room. False: out of memory. */
bool pv_waits_keep(struct pv_waits *w, const struct pv_waited *one);
void pv_waits_finish(struct pv_waits *w); /* frees it */

#endif
