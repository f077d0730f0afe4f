/* SPDX-License-Identifier: MIT */
/*
 * Progress of long work on a graph, and its cancellation. Called on the thread that does the work.
 */
#ifndef PV_HEAP_PROGRESS_H
#define PV_HEAP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PV_PROGRESS_STEP = 1 << 16 }; /* objects or references between two calls */

/* NULL, or a NULL go_on: no progress is reported and nothing cancels. */
struct pv_progress {
	void *ctx;
	/* So much is done. False: cancelled, the work ends without a result. */
	bool (*go_on)(void *ctx, const char *phase, uint64_t done, uint64_t total);
};

/* Reports progress; false: cancelled. */
static inline bool pv_go_on(
	const struct pv_progress *p, const char *phase, uint64_t done, uint64_t total)
{
	return !p || !p->go_on || p->go_on(p->ctx, phase, done, total);
}

#endif
