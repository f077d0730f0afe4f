/* SPDX-License-Identifier: MIT */
/*
 * Object address -> class, for events that name only an address (throws, locks, finalizers). A
 * fixed table of 2^20 slots, where the newest object has the slot: about the last million objects
 * met are known. An object ousted from its slot is kept in another table of 2^18: events may stand
 * in the log after much that was later, as a thread's buffer is written when full. Private to the
 * model: ingest thread. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_ADDRESSES_H
#define PV_MODEL_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"

enum { PV_ADDRESSES = 1 << 20, PV_ADDRESSES_OUSTED = 1 << 18 };

/*
 * A collection moves objects and frees others. Where a log has all moves and all allocations, the
 * table follows them: all entries have age 0. Else an address holds until the next collection
 * starts: each start begins a new age, entries carry the age of their time, and only entries of the
 * asking event's age are believed. Buffers come in any order, so ages are found by time.
 */
enum {
	PV_AGE_NONE = 1023, /* before the ages that are remembered: nothing is known */
	PV_AGES = 16,
	PV_ADDRESS_CLASSES = 1 << 21
};

struct pv_ages {
	bool kept;              /* moves and allocations are in the log: there is a single age */
	bool moved;             /* a move was met */
	uint32_t newest;        /* 0 to PV_AGE_NONE - 1, then from 0 on again */
	uint32_t n;             /* remembered, at most PV_AGES; 0: only age 0 */
	int64_t since[PV_AGES]; /* newest first: the start of the collection */
};

struct pv_address { /* 12 bytes: of a million, the rest would be 4 MiB */
	uint64_t object;
	uint32_t class_use : 21; /* 0 = empty, or not known (yet) */
	uint32_t age : 10;
	uint32_t asked : 1; /* a lock, handle or throw waits for its allocation */
} __attribute__((packed, aligned(4)));

/* A row; a class beyond PV_ADDRESS_CLASSES is not known. */
static inline struct pv_address pv_address_of(
	uint64_t object, uint32_t class_use, uint32_t age, bool asked)
{
	return (struct pv_address){ object,
		class_use < PV_ADDRESS_CLASSES ? class_use & (PV_ADDRESS_CLASSES - 1) : 0,
		age & PV_AGE_NONE, asked };
}

struct pv_addresses {
	struct pv_address *slot;   /* NULL until the first object */
	struct pv_address *ousted; /* NULL as long as `slot` is; placed by a hash of their own */
	struct pv_ages ages;
};

/*
 * Objects are at least 16 bytes long, so no two of a 16 MiB region meet, and objects that were
 * allocated one after another have neighbouring slots. Regions are spread by their hash.
 */
enum { PV_REGION_BITS = 24 };
/* The part of an object's slot that its whole region shares, and the index of the slot. */
static inline size_t pv_addresses_shift(uint64_t object)
{
	return (size_t)pv_hash(object >> PV_REGION_BITS);
}
static inline size_t pv_addresses_place(uint64_t object)
{
	return (size_t)(((object >> 4) + pv_addresses_shift(object)) & (PV_ADDRESSES - 1));
}

struct pv_said { /* by the events directly before an event, see said.c; 0: not said */
	uint64_t place, object, type;
	uint64_t thread; /* in whose buffer, as the last event: */
	bool last;
	uint64_t holder; /* native id of a thread */
	uint64_t lock;   /* the runtime's own number of the lock */
};

/* Likewise for an object in the table of the ousted ones. */
static inline size_t pv_addresses_ousted_shift(uint64_t object)
{
	return (size_t)pv_hash(~(object >> PV_REGION_BITS));
}
/* Neighbours stay neighbours; two objects that met in the first table do not meet here again. */
static inline size_t pv_addresses_ousted_place(uint64_t object)
{
	return (size_t)(((object >> 4) + pv_addresses_ousted_shift(object)) &
			(PV_ADDRESSES_OUSTED - 1));
}

/* Allocates both tables; false when out of memory. */
bool pv_addresses_make(struct pv_addresses *a);
/* True if a slot holds something. */
static inline bool pv_address_used(const struct pv_address *s)
{
	return s->class_use || s->asked;
}

/* Keeps a row that another object is about to replace. */
void pv_addresses_oust(struct pv_address *ousted, const struct pv_address *was);

/* Gives a slot to an object. Another object at the same place of the same region is dead. */
static inline void pv_address_set(
	struct pv_address *ousted, struct pv_address *slot, struct pv_address now)
{
	if ((slot->object ^ now.object) >> PV_REGION_BITS && pv_address_used(slot))
		pv_addresses_oust(ousted, slot);
	*slot = now;
}

/*
 * The slot of an object, owned by the table, or the slot that pv_address_set() would give; NULL
 * when out of memory. An ousted object gets its slot back.
 */
struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object);

/* The row, owned by the tables, of the object at an address; NULL when none is known. */
const struct pv_address *pv_addresses_find(const struct pv_addresses *a, uint64_t object);

/* The class of the object at an address at a time; 0: not known. */
uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object, int64_t time_ns);

/* From here on all moves and allocations are known to be in the log; earlier rows stay. */
void pv_addresses_keep(struct pv_addresses *a);

/* A collection starts. */
void pv_addresses_collected(struct pv_addresses *a, int64_t time_ns);

/* The age of a time, its beginning and its end: an address means one object in between. */
uint32_t pv_addresses_age(const struct pv_addresses *a, int64_t time_ns);
int64_t pv_addresses_since(const struct pv_addresses *a, int64_t time_ns);
int64_t pv_addresses_until(const struct pv_addresses *a, int64_t time_ns);

/* True if a time is in the newest age. */
static inline bool pv_addresses_is_newest(const struct pv_addresses *a, int64_t time_ns)
{
	return a->ages.kept || a->ages.n == 0 || time_ns >= a->ages.since[0];
}

/* True if a collection at this time moves objects of an age: the age before, or its own. */
bool pv_addresses_moves(const struct pv_addresses *a, uint32_t age, int64_t time_ns);
void pv_addresses_finish(struct pv_addresses *a); /* frees the tables */

#endif
