/* SPDX-License-Identifier: MIT */
/*
 * Reads the events that a thread has published, for the running state after them and the methods
 * used. On the writer's thread; times are ns.
 */
#ifndef PV_PROBE_SCAN_H
#define PV_PROBE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_batch;

/* Groups of costs in the command stats. */
enum pvp_group {
	PVP_GROUP_CALLS,
	PVP_GROUP_ALLOCATIONS,
	PVP_GROUP_GC,
	PVP_GROUP_EXCEPTIONS,
	PVP_GROUP_LOCKS,
	PVP_GROUP_SAMPLES,
	PVP_GROUP_HEAP,
	PVP_GROUP_COUNTERS,
	PVP_GROUP_NAMES,
	PVP_GROUP_OTHER,
	PVP_GROUPS
};

struct pvp_tally {
	uint64_t events[PVP_GROUPS], bytes[PVP_GROUPS];
};

/* The group of a kind of event, PV_KIND_... */
enum pvp_group pvp_group_of(unsigned kind);

/* Keys known to the caller, each at the place given by its low bits; 0: none. */
enum { PVP_SEEN = 4096 };

/* The place of a key: points into `seen`, never NULL. */
static inline uint64_t *pvp_seen(uint64_t *seen, uint64_t method)
{
	return &seen[(method ^ method >> 12) % PVP_SEEN];
}

struct pvp_scan {
	uint64_t time, method;    /* in: before the first event; out: after the last */
	struct pv_batch *scratch; /* for events that are not hot; owned by the caller */
	uint64_t until;           /* stops before the first later event, 0: never */
	const uint8_t *read_end;  /* out: the last event read */
	uint64_t events;          /* added to */
	struct pvp_tally *tally;  /* added to */
	uint64_t *seen;           /* PVP_SEEN of them: `use` is not called for these */
	void (*use)(void *ctx, uint64_t method); /* for each method named */
	void *ctx;
};

/* False: the bytes were not written by emit.h (memory was overwritten). */
bool pvp_scan(struct pvp_scan *s, const uint8_t *at, const uint8_t *end);

#endif
