/* How long work on a graph says how far it is, and learns that nobody wants it any more. */
#ifndef PV_HEAP_PROGRESS_H
#define PV_HEAP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PV_PROGRESS_STEP = 1 << 16 }; /* objects or references between two words */

/* NULL, or a NULL go_on, is for nobody. */
struct pv_progress {
	void *ctx;
	/* So much is done. False: stop, the work ends without a result. On the worker's thread. */
	bool (*go_on)(void *ctx, const char *phase, uint64_t done, uint64_t total);
};

static inline bool pv_go_on(
	const struct pv_progress *p, const char *phase, uint64_t done, uint64_t total)
{
	return !p || !p->go_on || p->go_on(p->ctx, phase, done, total);
}

#endif
