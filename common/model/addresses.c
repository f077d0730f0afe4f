#include "common/model/addresses.h"

#include "common/base/mem.h"

#define TABLE (PV_ADDRESSES * sizeof(struct pv_address))

bool pv_addresses_make(struct pv_addresses *a)
{
	a->slot = pv_table_alloc(TABLE);
	return a->slot != NULL;
}

uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object)
{
	if (!a->slot)
		return 0;
	const struct pv_address *s = &a->slot[pv_addresses_place(object)];
	return s->object == object ? s->class_use : 0;
}

void pv_addresses_finish(struct pv_addresses *a)
{
	pv_table_free(a->slot, TABLE);
	a->slot = NULL;
}
