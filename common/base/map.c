#include "common/base/map.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"

enum { FIRST_SLOTS = 64 };

static struct pv_map_slot *find(struct pv_map_slot *slots, size_t mask, uint64_t key)
{
	size_t i = pv_hash(key) & mask;
	while (slots[i].value != PV_MAP_NONE && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

static bool rehash(struct pv_map *m, size_t count)
{
	struct pv_map_slot *slots = pv_large_alloc(count * sizeof *slots);
	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof *slots);
	for (size_t i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].value != PV_MAP_NONE)
			*find(slots, count - 1, m->slots[i].key) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->mask = count - 1;
	return true;
}

bool pv_map_set(struct pv_map *m, uint64_t key, uint32_t value)
{
	if (!m->slots && !rehash(m, FIRST_SLOTS))
		return false;
	if (m->n >= (m->mask + 1) / 8 * 5 && !rehash(m, (m->mask + 1) * 2))
		return false;
	struct pv_map_slot *s = find(m->slots, m->mask, key);
	m->n += s->value == PV_MAP_NONE;
	*s = (struct pv_map_slot){ key, value };
	return true;
}

void pv_map_clear(struct pv_map *m)
{
	if (m->slots)
		memset(m->slots, 0xff, (m->mask + 1) * sizeof *m->slots);
	m->n = 0;
}

void pv_map_finish(struct pv_map *m)
{
	free(m->slots);
	*m = (struct pv_map){ 0 };
}
