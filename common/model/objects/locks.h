/*
 * Contended monitors, by object, and waits per (class, stack). A wait runs from a contention to the
 * next done or fail on its thread.
 *
 * The object's allocation may come after its contentions, in another thread's buffer. What comes
 * last about an address is newest (unresolved.c): so the class is that one, even where what lived
 * there before had another, and a lock's waits are kept by lock until it is folded. Where what
 * lived there before was contended, too, what comes before the allocation is added to that one.
 *
 * A log that has the runtime's own number of a lock (EXT_LOCK) leads to its row by that, wherever the
 * object has been moved to. The runtime gives it again once the object is dead: the class decides.
 *
 * Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_LOCKS_H
#define PV_MODEL_LOCKS_H

#include "common/model/calls/sites.h"
#include "common/model/objects/waited.h"

enum { PV_LOCKS_CAP = 65536 };

struct pv_lock {
	uint64_t object;    /* its newest known address; 0 in [0], the "other" row */
	uint64_t id;        /* the runtime's own number of it, 0 = not said */
	uint32_t class_use; /* 0 = class not recorded */
	uint64_t contentions, acquired, failed;
	int64_t wait_ns; /* of ended waits */
	int64_t max_wait_ns;
	int64_t first_ns; /* first contention, log clock */
	int64_t last_ns;  /* the one that came last in the log */
	bool gone;        /* another object lives at its address now */
};

struct pv_locks {
	PV_ARRAY(struct pv_lock) lock; /* [0] = "other": folded at the cap; unused while zero */
	struct pv_map of;              /* address -> index, 0 = no longer there */
	struct pv_map by_id;           /* the runtime's name of a lock -> index */
	struct pv_sites by_lock;       /* count = contentions, amount = wait ns; in place of the
					* class stands the lock's index */
	struct pv_sites sites;         /* likewise, by class: of locks that were folded */
	struct pv_waits waits;         /* the longest */
	uint64_t contentions, acquired, failed;
	int64_t wait_ns;
	uint64_t holders_said;  /* contentions of which the log says who has the lock */
	uint64_t unpaired;      /* done or fail without a contention before it on its thread */
	uint64_t unknown_class; /* contentions whose object is in no allocation, move or shot */
	uint64_t folded;
	size_t cap; /* PV_LOCKS_CAP, less in tests */
};

#endif
