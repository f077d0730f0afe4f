#include "common/model/addresses.h"

#include <stdlib.h>

#include "common/base/map.h"

static uint64_t slot_of(uint64_t object)
{
	/* Neighbours stay neighbours in groups of 8, which a walk over the heap likes. */
	return ((pv_hash(object >> 6) << 3) | ((object >> 3) & 7)) & (PV_ADDRESSES - 1);
}

struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object)
{
	if (!a->slot)
		a->slot = calloc(PV_ADDRESSES, sizeof *a->slot);
	return a->slot ? &a->slot[slot_of(object)] : NULL;
}

uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object)
{
	if (!a->slot)
		return 0;
	const struct pv_address *s = &a->slot[slot_of(object)];
	return s->object == object ? s->class_use : 0;
}

void pv_addresses_finish(struct pv_addresses *a)
{
	free(a->slot);
	a->slot = NULL;
}
