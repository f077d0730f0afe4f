/* SPDX-License-Identifier: MIT */
/*
 * Memory of native programs by the stack that allocated it, as the probe sums it up: EXT_HELD. All
 * figures are since the beginning of the recording. Part of the model: written by the ingest
 * thread, read under the lock. Bytes and ns.
 */
#ifndef PV_MODEL_HELD_H
#define PV_MODEL_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum {
	PV_HELD_CAP = 200000, /* stacks; further stacks are only in the sum of all */
	PV_HELD_POINTS = 8,
};

struct pv_held_stack {
	uint32_t stack; /* id in stacks; 0: no room, in the program or here */
	uint64_t allocations, bytes;
	uint64_t live, live_bytes;     /* blocks that are held, their bytes */
	uint64_t most_bytes;           /* held at once */
	uint64_t at_once;              /* blocks freed before the next allocation */
	uint64_t past[PV_HELD_POINTS]; /* live_bytes at the points of struct pv_held */
};

struct pv_held {
	PV_ARRAY(struct pv_held_stack) one; /* in order of appearance; [0] is unused */
	struct pv_map of;                   /* number in the log -> index */
	uint64_t live_bytes, most_bytes;    /* of all together: now, and at once at most */
	uint64_t readings;                  /* of these sums; 0: not recorded */
	uint64_t left_out;                  /* sums of stacks beyond the cap */

	/* Points of time, at equal distances, at which the bytes of all stacks were noted. */
	int64_t point_ns[PV_HELD_POINTS];
	uint32_t points, step, since; /* readings from one to the next, and since the last */
	int64_t latest_ns;            /* of a reading */
};

/* Bytes held at point i; at i == points now. */
static inline uint64_t pv_held_at(
	const struct pv_held *h, const struct pv_held_stack *s, uint32_t i)
{
	return i < h->points ? s->past[i] : s->live_bytes;
}

/*
 * True if the bytes held by this stack have grown all the time, and still do at the end;
 * *ret_per_minute: bytes a minute. False too while too little is known.
 */
bool pv_held_grows(
	const struct pv_held *h, const struct pv_held_stack *s, uint64_t *ret_per_minute);

#endif
