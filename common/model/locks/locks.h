/* SPDX-License-Identifier: MIT */
/*
 * Contended monitors, by object, and waits per (class, stack). A wait runs from a contention to the
 * next done or fail on its thread.
 *
 * The object's allocation may come after its contentions, in another thread's buffer. The last
 * allocation at an address is the newest (unresolved.c) and gives the lock its class, even where an
 * object there before had another; a lock's waits are kept by lock until it is folded. If the
 * object there before was contended, too, events before the allocation are added to the older lock.
 *
 * A log that has the runtime's own number of a lock (EXT_LOCK) leads to its row by number, wherever
 * the object has been moved to. The runtime uses the number again once the object is dead: the
 * class decides.
 *
 * Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_LOCKS_H
#define PV_MODEL_LOCKS_H

#include "common/model/calls/sites.h"
#include "common/model/locks/waited.h"

enum { PV_LOCKS_CAP = 65536 };

struct pv_lock {
	uint64_t object;    /* newest known address; 0 in [0], the "other" row */
	uint64_t id;        /* the runtime's own number of the lock, 0 = not said */
	uint32_t class_use; /* 0 = class not recorded */
	uint64_t contentions, acquired, failed;
	int64_t wait_ns; /* of ended waits */
	int64_t max_wait_ns;
	int64_t first_ns; /* first contention, log clock */
	int64_t last_ns;  /* the last contention in the log */
	bool gone;        /* another object lives at the address now */
};

struct pv_locks {
	PV_ARRAY(struct pv_lock) lock; /* [0] = "other": folded at the cap; unused while zero */
	struct pv_map of;              /* address -> index, 0 = no longer there */
	struct pv_map by_id;           /* the runtime's name of a lock -> index */
	struct pv_sites by_lock; /* count = contentions, amount = wait ns; class_use: the lock */
	struct pv_sites sites;   /* likewise, by class: of locks that were folded */
	struct pv_waits waits;   /* the longest */
	uint64_t contentions, acquired, failed;
	int64_t wait_ns;
	uint64_t holders_said;  /* contentions for which the log names the holder */
	uint64_t unpaired;      /* done or fail without a contention before on the thread */
	uint64_t unknown_class; /* contentions whose object is in no allocation, move or shot */
	uint64_t folded;
	size_t cap; /* PV_LOCKS_CAP, less in tests */
};

struct pv_model;
struct pv_thread;
struct pv_wait;

/*
 * The time of an open wait of a thread inside the restriction, up to the log's last event or the
 * thread's end; ns. With the model's lock.
 */
int64_t pv_locks_open_ns(
	const struct pv_model *m, const struct pv_thread *th, const struct pv_wait *w);
/* Likewise, of all open waits together. */
int64_t pv_locks_open_sum(const struct pv_model *m);

#endif
