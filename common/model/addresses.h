/*
 * Object address -> class, for events that name only an address (throws, locks). A fixed table of
 * 2^20 entries: newest wins, so it knows about the last million objects met.
 */
#ifndef PV_MODEL_ADDRESSES_H
#define PV_MODEL_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"

enum { PV_ADDRESSES = 1 << 20 };

struct pv_address { /* 12 bytes: of a million, the rest would be 4 MiB */
	uint64_t object;
	uint32_t class_use : 31; /* 0 = empty, or not known yet */
	uint32_t lock : 1;       /* this object has a row in locks */
} __attribute__((packed, aligned(4)));

static inline struct pv_address pv_address_of(uint64_t object, uint32_t class_use, bool lock)
{
	return (struct pv_address){ object, class_use & 0x7fffffff, lock };
}

struct pv_addresses {
	struct pv_address *slot; /* NULL until the first object */
};

/*
 * Objects are at least 16 bytes long, so no two of a 16 MiB region meet, and objects that were
 * allocated one after another lie side by side here, too. Regions are spread by their hash.
 */
enum { PV_REGION_BITS = 24 };

static inline size_t pv_addresses_shift(uint64_t object)
{
	return (size_t)pv_hash(object >> PV_REGION_BITS);
}

static inline size_t pv_addresses_place(uint64_t object)
{
	return (size_t)(((object >> 4) + pv_addresses_shift(object)) & (PV_ADDRESSES - 1));
}

bool pv_addresses_make(struct pv_addresses *a);

/* The slot an object has or would take; NULL when out of memory. */
static inline struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object)
{
	return a->slot || pv_addresses_make(a) ? &a->slot[pv_addresses_place(object)] : NULL;
}

/* 0 when the table does not know the object. */
uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object);

void pv_addresses_finish(struct pv_addresses *a);

#endif
