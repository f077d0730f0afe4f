#include "common/model/addresses.h"

#include "common/base/mem.h"

#define TABLE (PV_ADDRESSES * sizeof(struct pv_address))
#define OUSTED (PV_ADDRESSES_OUSTED * sizeof(struct pv_address))

bool pv_addresses_make(struct pv_addresses *a)
{
	a->slot = pv_table_alloc(TABLE);
	a->ousted = a->slot ? pv_table_alloc(OUSTED) : NULL;
	if (!a->ousted)
		pv_addresses_finish(a);
	return a->slot != NULL;
}

/* Neighbours stay neighbours, and two that met in the table do not meet here again. */
static size_t ousted_place(uint64_t object)
{
	uint64_t shift = pv_hash(~(object >> PV_REGION_BITS));
	return (size_t)(((object >> 4) + shift) & (PV_ADDRESSES_OUSTED - 1));
}

void pv_addresses_oust(struct pv_address *ousted, const struct pv_address *was)
{
	ousted[ousted_place(was->object)] = *was;
}

struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object)
{
	if (!a->slot && !pv_addresses_make(a))
		return NULL;
	struct pv_address *slot = &a->slot[pv_addresses_place(object)];
	struct pv_address *other = &a->ousted[ousted_place(object)];
	if (slot->object == object || other->object != object)
		return slot;
	struct pv_address again = *other;
	*other = (struct pv_address){ 0 };
	pv_address_set(a->ousted, slot, again);
	return slot;
}

const struct pv_address *pv_addresses_find(const struct pv_addresses *a, uint64_t object)
{
	if (!a->slot)
		return NULL;
	const struct pv_address *s = &a->slot[pv_addresses_place(object)];
	if (s->object != object)
		s = &a->ousted[ousted_place(object)];
	return s->object == object ? s : NULL;
}

uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object)
{
	const struct pv_address *s = pv_addresses_find(a, object);
	return s ? s->class_use : 0;
}

static size_t count(const struct pv_address *table, size_t n)
{
	size_t ret = 0;
	for (size_t i = 0; table && i < n; i++)
		ret += pv_address_used(&table[i]);
	return ret;
}

/* Those in use; an object tells its place. */
static void archive_ones(
	struct pv_archive *a, struct pv_address *table, size_t size, size_t place(uint64_t object))
{
	size_t n = pv_archive_count(a, a->loading ? 0 : count(table, size), size);
	for (size_t i = 0, next = 0; i < n && !a->failed; i++) {
		while (!a->loading && !pv_address_used(&table[next]))
			next++;
		struct pv_address was = a->loading ? (struct pv_address){ 0 } : table[next++];
		uint64_t object = was.object;
		uint32_t class_use = was.class_use, asked = was.asked;
		pv_archive_value(a, object);
		pv_archive_value(a, class_use);
		pv_archive_value(a, asked);
		if (a->loading)
			table[place(object)] = pv_address_of(object, class_use, asked);
	}
}

static size_t slot_place(uint64_t object)
{
	return pv_addresses_place(object);
}

void pv_addresses_archive(struct pv_archive *a, struct pv_addresses *t)
{
	uint8_t any = t->slot != NULL;
	pv_archive_value(a, any);
	a->failed |= a->loading && any && !t->slot && !pv_addresses_make(t);
	if (a->failed || !any)
		return;
	archive_ones(a, t->slot, PV_ADDRESSES, slot_place);
	archive_ones(a, t->ousted, PV_ADDRESSES_OUSTED, ousted_place);
}

void pv_addresses_finish(struct pv_addresses *a)
{
	pv_table_free(a->slot, TABLE);
	pv_table_free(a->ousted, OUSTED);
	*a = (struct pv_addresses){ NULL, NULL };
}
