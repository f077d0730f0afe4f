/* SPDX-License-Identifier: MIT */
/*
 * Events that name an object only by its address, whose allocation may still come, in another
 * thread's buffer: then that allocation gives the class, not an object there before. Private to the
 * model: ingest thread, with the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_UNRESOLVED_H
#define PV_MODEL_UNRESOLVED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_UNRESOLVED_MOST = 1 << 16 }; /* older events keep the class that they had */

struct pv_unresolved_event {
	uint64_t object; /* address; 0: the event does not wait any more */
	uint64_t place;  /* of the event, see address_log.h */
	int64_t time_ns;
	uint32_t what[2]; /* the kind's own: the counter that got the class */
	uint32_t before;  /* the event before of this object, + 1; 0: none */
	uint32_t unknown; /* 1: no class yet */
};

/* Valid when zeroed. */
struct pv_unresolved {
	PV_ARRAY(struct pv_unresolved_event) one; /* the newest events, oldest first */
	struct pv_map of;                         /* object -> newest event + 1; 0: none waits */
};

struct pv_context;

/*
 * Adds the event at hand, which names `object`; `what` has got the class that was known. The table
 * of addresses notes that the object is asked for; also where the event is not to be counted, so
 * that a part of a log is read like all of it. False when out of memory.
 */
bool pv_unresolved_add(struct pv_context *x, struct pv_unresolved *l, uint64_t object,
	uint32_t what0, uint32_t what1);

/* Counts the event as if the class had been known at once. False when out of memory. */
typedef bool pv_unresolved_classify(
	struct pv_context *x, const struct pv_unresolved_event *waiting, uint32_t class_use);

/*
 * An allocation came. Later events that wait for the object are classified; earlier ones are of
 * another object, and wait no longer. False when out of memory.
 */
bool pv_unresolved_resolve(struct pv_context *x, struct pv_unresolved *l, uint64_t object,
	uint32_t class_use, pv_unresolved_classify *classify);

void pv_unresolved_finish(struct pv_unresolved *l); /* frees the lists */

#endif
