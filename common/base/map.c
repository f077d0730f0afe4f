/* SPDX-License-Identifier: MIT */
/* The hash map: adding, removing, growing. */
#include "common/base/map.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"

enum { FIRST_SLOTS = 64 };

static struct pv_map_slot *find_slot(struct pv_map_slot *slots, size_t mask, uint64_t key)
{
	size_t i = pv_hash_place(key) & mask;
	while (slots[i].value != PV_MAP_NONE && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

bool pv_map_grown(const struct pv_map *m, struct pv_map *ret)
{
	size_t count = m->slots ? (m->mask + 1) * 2 : FIRST_SLOTS;
	struct pv_map_slot *slots = pv_large_alloc(count * sizeof *slots);
	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof *slots);
	for (size_t i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].value != PV_MAP_NONE)
			*find_slot(slots, count - 1, m->slots[i].key) = m->slots[i];
	*ret = (struct pv_map){ slots, count - 1, m->n };
	return true;
}

bool pv_map_make(struct pv_map *m, size_t count)
{
	size_t slots = FIRST_SLOTS;
	pv_map_finish(m);
	if (count == 0)
		return true;
	while (count > slots / 8 * 5)
		slots *= 2;
	m->slots = pv_large_alloc(slots * sizeof *m->slots);
	if (!m->slots)
		return false;
	memset(m->slots, 0xff, slots * sizeof *m->slots);
	m->mask = slots - 1;
	return true;
}

static bool grow_map(struct pv_map *m)
{
	struct pv_map grown;
	if (!pv_map_grown(m, &grown))
		return false;
	free(m->slots);
	*m = grown;
	return true;
}

/* New keys until the map grows. */
static size_t left(const struct pv_map *m)
{
	size_t most = m->slots ? (m->mask + 1) / 8 * 5 : 0;
	return m->n < most ? most - m->n : 0;
}

bool pv_map_is_near(const struct pv_map *m)
{
	size_t slots = m->mask + 1, few = slots / 8 < PV_MAP_NEAR ? slots / 8 : PV_MAP_NEAR;
	return slots >= PV_MAP_LARGE && left(m) <= few;
}

uint32_t *pv_map_at(struct pv_map *m, uint64_t key)
{
	if (left(m) == 0 && !grow_map(m))
		return NULL;
	struct pv_map_slot *s = find_slot(m->slots, m->mask, key);
	m->n += s->value == PV_MAP_NONE;
	s->key = key;
	return &s->value;
}

bool pv_map_set(struct pv_map *m, uint64_t key, uint32_t value)
{
	uint32_t *at = pv_map_at(m, key);
	if (at)
		*at = value;
	return at;
}

/* Keys after the emptied slot move up, unless their search does not pass that slot. */
void pv_map_remove(struct pv_map *m, uint64_t key)
{
	if (!m->slots)
		return;
	size_t gap = (size_t)(find_slot(m->slots, m->mask, key) - m->slots), at = gap;
	if (m->slots[gap].value == PV_MAP_NONE)
		return;
	for (;;) {
		at = (at + 1) & m->mask;
		if (m->slots[at].value == PV_MAP_NONE)
			break;
		size_t first = pv_hash_place(m->slots[at].key) & m->mask;
		if (((at - first) & m->mask) < ((at - gap) & m->mask))
			continue;
		m->slots[gap] = m->slots[at];
		gap = at;
	}
	m->slots[gap].value = PV_MAP_NONE;
	m->n--;
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
