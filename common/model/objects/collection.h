/*
 * One collection, as gc.h lists them. Part of the model: written by the ingest thread, read under
 * the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_COLLECTION_H
#define PV_MODEL_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/format/event.h"

/* Which figures of a collection were recorded. */
enum pv_collection_phases {
	PV_COLLECTION_MARKED = 1,
	PV_COLLECTION_SWEPT = 2,
	PV_COLLECTION_WHY = 4,
	PV_COLLECTION_LEFT = 8,
	PV_COLLECTION_ALL = 15
};

struct pv_collection {
	int64_t start_ns;
	int64_t end_ns;      /* PV_NEVER while open, or when its end is missing */
	int64_t duration_ns; /* start to end, 0 while open; the sum when merged > 1 */
	int64_t pause_ns;    /* of the stops that hold its start or its end; sum when merged */
	int64_t over_ns;     /* when the stop that holds its end was over */
	uint64_t allocated;  /* bytes since the collection before this one started */
	uint32_t merged;     /* collections in this entry: 1 until the list was full */
	uint8_t generation;
	bool concurrent; /* start and end in different stops */
	uint8_t phases;  /* enum pv_collection_phases: which of those below were recorded */
	int64_t mark_ns, sweep_ns;
	uint64_t heap_before; /* bytes, said directly after its start; 0: not said there */
	uint64_t number;      /* as logs of 2007 count them from stage B on, else 0 */
	int64_t stand_ns;     /* of pause_ns: until all threads stood; PV_NEVER: not recorded */
	uint64_t moved;       /* objects */
	uint8_t why, how;     /* PV_WHY_* and PV_HOW_*, with PV_COLLECTION_WHY */
	/* By region, PV_COLLECTION_LEFT: bytes when it was over, and how many survived in it. */
	uint64_t left[PV_REGIONS], promoted[PV_REGIONS];

	/* private */
	uint64_t start_stop, end_stop; /* numbers of those stops, 0 = none */
	int64_t start_pause_ns, end_pause_ns;
	int64_t start_stand_ns, end_stand_ns; /* PV_NEVER likewise */
	uint32_t came;                        /* when, among those in the list */
};

#endif
