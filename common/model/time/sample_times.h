/* SPDX-License-Identifier: MIT */
/*
 * Times of single samples, with the call-tree node of each: kept only where the restriction asks
 * for them (restrict.h), and no more than PV_SAMPLE_TIMES_MOST. Part of the model: written by the
 * ingest thread, read under the lock.
 */
#ifndef PV_MODEL_SAMPLE_TIMES_H
#define PV_MODEL_SAMPLE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_SAMPLE_TIMES_MOST = 1 << 20 };

struct pv_sample_time {
	int64_t time;     /* ns, on the log's clock */
	uint64_t thread;  /* native id; 0: not known */
	uint32_t node;    /* in calls */
	uint32_t samples; /* represented by this entry */
	uint32_t place;   /* node in places; 0: none */
};

struct pv_sample_times {
	PV_ARRAY(struct pv_sample_time) v; /* in the order of the log */
};

/* Private to the model. False when out of memory. */
bool pv_sample_times_add(struct pv_sample_times *to, const struct pv_sample_time *s);
/* Nodes got other numbers: `into` by old number. Never fails: allocates nothing. */
void pv_sample_times_renumber(struct pv_sample_times *to, const uint32_t *into);

#endif
