#include "common/model/addresses.h"

#include <stddef.h>

#include "common/base/map.h"
#include "common/base/mem.h"

#define TABLE (PV_ADDRESSES * sizeof(struct pv_address))

/*
 * Objects are at least 16 bytes long, so no two of a 16 MiB region meet, and objects that were
 * allocated one after another lie side by side here, too. Regions are spread by their hash.
 */
static uint64_t slot_of(uint64_t object)
{
	return ((object >> 4) + pv_hash(object >> 24)) & (PV_ADDRESSES - 1);
}

struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object)
{
	if (!a->slot)
		a->slot = pv_table_alloc(TABLE);
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
	pv_table_free(a->slot, TABLE);
	a->slot = NULL;
}
