/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: who awaits whom, counted, and the usual awaiters. Methods are numbers
 * from 1 on; 0 is none. One thread uses a table. False or NULL: out of memory; finish is fine then
 * too.
 */
#ifndef PV_QUERY_AWAITERS_H
#define PV_QUERY_AWAITERS_H

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_awaiter {
	uint32_t awaited, awaiter;
	uint64_t count;
	bool never; /* `awaiter` was seen not to await, only to wait for what `awaited` sets */
};

/* Empty when zeroed. */
struct pv_awaiters {
	PV_ARRAY(struct pv_awaiter) v;
	struct pv_map at; /* private: (awaited, awaiter) -> index in v */
};

struct pv_usual {
	uint32_t awaiter; /* 0: none is known, or none has half of the counts */
	uint8_t percent;  /* of all counts of the awaited method; 100 only without other awaiters */
};

/* Counts a pair. A method that awaits itself is only nested, and not counted. */
bool pv_awaiters_add(struct pv_awaiters *a, uint32_t awaited, uint32_t awaiter, uint64_t count);

/* Rules a pair out, whatever its counts: `awaited` was seen to set what `awaiter` waits for. */
bool pv_awaiters_never(struct pv_awaiters *a, uint32_t awaited, uint32_t awaiter);

/*
 * Usual awaiters by method, `n` entries, the caller's to free(). `then` is asked about methods
 * unknown to `first`. Circles of usual awaiters are broken at the least certain pair.
 */
struct pv_usual *pv_awaiters_usual(
	const struct pv_awaiters *first, const struct pv_awaiters *then, uint32_t n);

/* Empty afterwards. */
void pv_awaiters_finish(struct pv_awaiters *a);

#endif
