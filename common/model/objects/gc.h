/* SPDX-License-Identifier: MIT */
/*
 * Collections, pauses, heap size, moves. Times are ns on the log's clock.
 *
 * Collections and pauses are distinct: a stop of the world is a pause; a collection runs from its
 * start to the next end of its generation, which for a concurrent one is in a later stop. The lists
 * are sorted by time under the model's lock, whatever order the buffers came in: entries out of
 * order are put in their place when the lock is taken, or by pv_gc_sort(). Collections that a probe
 * made for a heap shot, and the stops for them, are in neither list nor total (the probe's counter
 * "collections for heap shots" stands before their start on their thread).
 */
#ifndef PV_MODEL_GC_H
#define PV_MODEL_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/order.h"
#include "common/model/objects/collection.h"
#include "common/model/objects/finalizers.h"
#include "common/model/objects/held.h"
#include "common/model/objects/handles.h"
#include "common/model/objects/roots.h"
#include "common/model/objects/spread.h"

enum { PV_GC_LIST = 65536, PV_GC_GENERATIONS = 3 };

struct pv_pause {
	int64_t start_ns;    /* pre-stop */
	int64_t duration_ns; /* to post-start */
	uint32_t merged;     /* when > 1, duration_ns is the sum of so many pauses */
	uint32_t came;       /* private, as of a collection */
};

struct pv_heap_size {
	int64_t time_ns;
	uint64_t bytes;
	bool after; /* said after the end of a collection: nothing about the size before the next */
	uint32_t came; /* private, likewise */
};

struct pv_generation {
	uint64_t count;   /* started (within the restriction) */
	int64_t total_ns; /* start to end, of ended collections */
	int64_t max_ns;
};

/* A stop of the world that may be the stock profiler's at exit (gc_exit.c). */
struct pv_gc_exit {
	uint64_t stop;          /* number of the stop; 0: none */
	int64_t from_ns, to_ns; /* until all threads stood: not counted as a pause */
	int64_t over_ns;        /* the world goes on */
	bool counts;            /* within the restriction */
};

/* Lists of struct pv_gc, for `unsorted`: entries out of their place. */
enum pv_gc_list { PV_GC_COLLECTIONS = 1, PV_GC_PAUSES = 2, PV_GC_SIZES = 4 };

struct pv_gc {
	PV_ARRAY(struct pv_collection) collections;
	PV_ARRAY(struct pv_pause) pauses;
	PV_ARRAY(struct pv_heap_size) sizes; /* resize events, by time */
	uint64_t started[PV_GC_GENERATIONS]; /* within the restriction; higher numbers count as 2 */
	uint64_t pause_count;
	int64_t pause_ns, pause_max_ns;
	uint64_t resizes, max_heap_bytes, heap_bytes; /* heap_bytes: the newest by time */
	int64_t heap_ns;                              /* time of heap_bytes, PV_NEVER = not yet */
	uint64_t moved;                               /* pairs */
	uint64_t moved_between;                       /* of `moved`, between known collections */
	uint64_t folded;                              /* entries merged because a list was full */
	uint64_t forced; /* collections the profiler made for heap shots: counted nowhere else */
	uint64_t with_shots; /* stops of listed collections with a heap shot in them: no pauses */

	/*
	 * Pauses without an entry of their own, by cell: of collections, generation after
	 * generation, then of all stops.
	 */
	uint64_t folded_pauses[(PV_GC_GENERATIONS + 1) * PV_SPREAD_CELLS];
	int64_t folded_pause_max_ns[PV_GC_GENERATIONS];

	/* private */
	uint64_t stops;
	struct pv_gc_exit exit;
	struct pv_gc_pending *pending; /* facts that wait for their collection */
	int64_t folded_max_ns[PV_GC_GENERATIONS];
	int64_t folded_total_ns[PV_GC_GENERATIONS];
	uint64_t roots_since_gc;
	int64_t phase_ns[2][PV_GC_GENERATIONS];           /* open marking, sweeping; PV_NEVER */
	unsigned unsorted;                                /* enum pv_gc_list */
	int64_t latest_ns;                                /* greatest start of the collections */
	struct pv_order by_start;                         /* all collections ... */
	struct pv_order of_generation[PV_GC_GENERATIONS]; /* ... and those not merged */
};

struct pv_context;
struct pv_model;
struct pv_event;

/* gc_phase.c, private to the model: marking or sweeping begins or ends. */
void pv_gc_phase(struct pv_context *x, const struct pv_event *e);

/* Sorts every list: for the ingest thread when reading without the model's lock. */
void pv_gc_sort(struct pv_gc *gc);
/* Derives tables from the lists anew; false when out of memory. */
bool pv_gc_rebuild(struct pv_gc *gc);

/*
 * True if heap shots are made in collections of their own: shots "every so many collections" are
 * made in collections that the program needs. Under the model's lock.
 */
bool pv_gc_shots_have_their_own(const struct pv_model *m);

/* Sums of a generation; higher numbers are PV_GC_GENERATIONS - 1. */
struct pv_generation pv_gc_generation(const struct pv_gc *gc, unsigned generation);

/*
 * Heap size when collection `i` started, and after its end (its last stop included); 0: not said.
 * The size said at the end of the collection before is not the size at the start of this one.
 */
void pv_gc_heap_around(const struct pv_gc *gc, size_t i, uint64_t *ret_before, uint64_t *ret_after);

/* Time for which the stock profiler held up the last stop, counted in no pause; 0: none. */
int64_t pv_gc_exit_ns(const struct pv_gc *gc);

/* Takes the bytes allocated before each collection from a model that knows all collections. */
void pv_gc_take_allocated(struct pv_gc *gc, const struct pv_collection *all, size_t n);

#endif
