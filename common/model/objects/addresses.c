/* SPDX-License-Identifier: MIT */
/* The table of object addresses and their classes, and the ages between collections. */
#include "common/model/objects/addresses.h"

#include <string.h>

#include "common/base/mem.h"

#define TABLE  (PV_ADDRESSES * sizeof(struct pv_address))
#define OUSTED (PV_ADDRESSES_OUSTED * sizeof(struct pv_address))

bool pv_addresses_make(struct pv_addresses *a)
{
	a->slot = pv_table_alloc(TABLE);
	a->ousted = a->slot ? pv_table_alloc(OUSTED) : NULL;
	if (!a->ousted)
		pv_addresses_finish(a);
	return a->slot != NULL;
}

void pv_addresses_oust(struct pv_address *ousted, const struct pv_address *was)
{
	ousted[pv_addresses_ousted_place(was->object)] = *was;
}

struct pv_address *pv_addresses_slot(struct pv_addresses *a, uint64_t object)
{
	if (!a->slot && !pv_addresses_make(a))
		return NULL;
	struct pv_address *slot = &a->slot[pv_addresses_place(object)];
	if (slot->object == object)
		return slot;
	struct pv_address *other = &a->ousted[pv_addresses_ousted_place(object)];
	if (other->object != object)
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
		s = &a->ousted[pv_addresses_ousted_place(object)];
	return s->object == object ? s : NULL;
}

/* --- ages */

static uint32_t age_before(uint32_t age, uint32_t n)
{
	return (age + PV_AGE_NONE - n) % PV_AGE_NONE;
}

/* Index of the remembered age of a time; n: none. */
static uint32_t age_at(const struct pv_ages *a, int64_t time_ns)
{
	uint32_t i = 0;
	while (i < a->n && time_ns < a->since[i])
		i++;
	return i;
}

uint32_t pv_addresses_age(const struct pv_addresses *a, int64_t time_ns)
{
	const struct pv_ages *ages = &a->ages;
	if (ages->kept || ages->n == 0)
		return 0;
	uint32_t i = age_at(ages, time_ns);
	return i < ages->n ? age_before(ages->newest, i) : PV_AGE_NONE;
}

int64_t pv_addresses_since(const struct pv_addresses *a, int64_t time_ns)
{
	const struct pv_ages *ages = &a->ages;
	if (ages->kept || ages->n == 0)
		return INT64_MIN;
	uint32_t i = age_at(ages, time_ns);
	return i < ages->n ? ages->since[i] : INT64_MAX;
}

int64_t pv_addresses_until(const struct pv_addresses *a, int64_t time_ns)
{
	const struct pv_ages *ages = &a->ages;
	uint32_t i = age_at(ages, time_ns);
	if (ages->kept || i == 0)
		return INT64_MAX;
	return i < ages->n ? ages->since[i - 1] : INT64_MIN;
}

bool pv_addresses_moves(const struct pv_addresses *a, uint32_t age, int64_t time_ns)
{
	uint32_t now = pv_addresses_age(a, time_ns);
	return now != PV_AGE_NONE && (age == now || age == age_before(now, 1));
}

/*
 * Called when an age gets the number of an earlier age. A new table costs as much as is put there;
 * clearing this table costs as much as all of its slots, and two collections may be close together.
 */
static void forget_addresses(struct pv_addresses *a)
{
	pv_addresses_finish(a);
}

void pv_addresses_keep(struct pv_addresses *a)
{
	if (a->ages.n)
		forget_addresses(a);
	a->ages = (struct pv_ages){ .kept = true, .moved = a->ages.moved };
}

void pv_addresses_collected(struct pv_addresses *a, int64_t time_ns)
{
	struct pv_ages *ages = &a->ages;
	if (ages->kept)
		return;
	if (ages->n == 0) /* the age before the first collection */
		ages->since[ages->n++] = INT64_MIN;
	if (++ages->newest == PV_AGE_NONE) {
		ages->newest = 0;
		forget_addresses(a);
	}
	if (time_ns < ages->since[0])
		time_ns = ages->since[0];
	ages->n = ages->n < PV_AGES ? ages->n + 1 : PV_AGES;
	memmove(ages->since + 1, ages->since, (ages->n - 1) * sizeof *ages->since);
	ages->since[0] = time_ns;
}

uint32_t pv_addresses_class(const struct pv_addresses *a, uint64_t object, int64_t time_ns)
{
	const struct pv_address *s = pv_addresses_find(a, object);
	uint32_t age = s ? pv_addresses_age(a, time_ns) : PV_AGE_NONE;
	return age != PV_AGE_NONE && s->age == age ? s->class_use : 0;
}

void pv_addresses_finish(struct pv_addresses *a)
{
	pv_table_free(a->slot, TABLE);
	pv_table_free(a->ousted, OUSTED);
	a->slot = a->ousted = NULL;
}
