/* SPDX-License-Identifier: MIT */
/*
 * Sampling of allocations: selects the allocations to be written, so that a reader can estimate the
 * total (common/base/estimate.h). Each thread counts bytes down to a point drawn at random, on
 * average `period` bytes away, so that no regular program can hide between the points.
 */
#ifndef PV_PROBE_ALLOC_PERIOD_H
#define PV_PROBE_ALLOC_PERIOD_H

#include "probe/core/thread_buf.h"

/* For all threads, before the first allocation; 0: all are written. */
void pvp_alloc_every(uint64_t bytes);

/* The thread's count has run out: draws anew. Whether the allocation is to be written. */
bool pvp_alloc_drawn(void);

/* Whether an allocation of so many bytes is to be written. Any thread, no lock. */
static inline bool pvp_alloc_taken(uint64_t bytes)
{
	return (pvp_tls.alloc_left -= (int64_t)bytes) < 0 && pvp_alloc_drawn();
}

#endif
