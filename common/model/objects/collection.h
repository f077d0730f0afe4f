/* SPDX-License-Identifier: MIT */
/*
 * One collection, as gc.h lists them. Part of the model: written by the ingest thread, read under
 * the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_COLLECTION_H
#define PV_MODEL_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/format/event.h"

/* Figures of a collection that were recorded. */
enum pv_collection_phases {
	PV_COLLECTION_MARKED = 1,
	PV_COLLECTION_SWEPT = 2,
	PV_COLLECTION_WHY = 4,
	PV_COLLECTION_LEFT = 8,
	PV_COLLECTION_ALL = 15
};

struct pv_collection {
	int64_t start_ns;
	int64_t end_ns;      /* PV_NEVER while open, or when the end is missing */
	int64_t duration_ns; /* start to end, 0 while open; the sum when merged > 1 */
	int64_t pause_ns;    /* of the stops that hold the start or the end; sum when merged */
	int64_t over_ns;     /* when the stop that holds the end was over */
	uint64_t allocated;  /* bytes since the collection before this one started */
	uint32_t merged;     /* collections in this entry: 1 until the list was full */
	uint8_t generation;
	bool concurrent; /* start and end in different stops */
	uint8_t phases;  /* enum pv_collection_phases: recorded figures among those below */
	bool with_shot;  /* a heap shot was made in its stop: pause_ns is no pause of the program */
	int64_t mark_ns, sweep_ns;
	uint64_t heap_before; /* bytes, said directly after the start; 0: not said there */
	uint64_t number;      /* as logs of 2007 count collections from stage B on, else 0 */
	int64_t stand_ns;     /* of pause_ns: until all threads stood; PV_NEVER: not recorded */
	uint64_t moved;       /* objects */
	uint8_t why, how;     /* PV_WHY_* and PV_HOW_*, with PV_COLLECTION_WHY */
	/* By region, PV_COLLECTION_LEFT: bytes after the collection, and bytes that survived. */
	uint64_t left[PV_REGIONS], promoted[PV_REGIONS];

	/* private */
	uint64_t start_stop, end_stop; /* numbers of these stops, 0 = none */
	int64_t start_pause_ns, end_pause_ns;
	int64_t start_stand_ns, end_stand_ns; /* PV_NEVER likewise */
	uint32_t came;                        /* order of arrival among the entries of the list */
};

/* The time that the program stood for it; 0: not known, or a heap shot is part of the stop. */
static inline int64_t pv_collection_pause(const struct pv_collection *c)
{
	return c->with_shot ? 0 : c->pause_ns;
}

#endif
