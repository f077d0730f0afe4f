/* SPDX-License-Identifier: MIT */
/*
 * Places in the table of addresses, for loops over many objects. Private to the model: ingest
 * thread. Nothing here fails, no pointer is NULL.
 */
#ifndef PV_MODEL_ADDRESS_REGION_H
#define PV_MODEL_ADDRESS_REGION_H

#include "common/model/objects/addresses.h"

/*
 * Objects that come one after another lie in few regions: the hashes of an object's region nearly
 * always serve the next object. A zeroed region is none, and to be renewed first.
 */
struct pv_region {
	uint64_t number; /* + 1 */
	size_t shift, ousted_shift;
};
/* Makes *r the region of an object. */
static inline void pv_region_renew(struct pv_region *r, uint64_t object)
{
	uint64_t number = (object >> PV_REGION_BITS) + 1;
	if (r->number == number)
		return;
	*r = (struct pv_region){ number, pv_addresses_shift(object),
		pv_addresses_ousted_shift(object) };
}
/* The slot of an object in the region, owned by the table `slot`. */
static inline struct pv_address *pv_region_slot(
	const struct pv_region *r, struct pv_address *slot, uint64_t object)
{
	return &slot[((object >> 4) + r->shift) & (PV_ADDRESSES - 1)];
}
/* Likewise its place among the ousted objects, owned by the table `ousted`. */
static inline struct pv_address *pv_region_ousted(
	const struct pv_region *r, struct pv_address *ousted, uint64_t object)
{
	return &ousted[((object >> 4) + r->ousted_shift) & (PV_ADDRESSES_OUSTED - 1)];
}

#endif
