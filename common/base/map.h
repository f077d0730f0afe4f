/* SPDX-License-Identifier: MIT */
/*
 * u64 -> u32 open-addressing hash map. Keys may be any value, 0 included; the value UINT32_MAX is
 * reserved. Valid when zeroed. Not thread-safe.
 */
#ifndef PV_BASE_MAP_H
#define PV_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/seed.h"

#define PV_MAP_NONE UINT32_MAX

struct pv_map_slot {
	uint64_t key;
	uint32_t value; /* PV_MAP_NONE: empty */
};

struct pv_map {
	struct pv_map_slot *slots;
	size_t mask; /* slots - 1 */
	size_t n;
};

/*
 * Mixes all bits of a key; also good for combining: pv_hash(a ^ pv_hash(b)). The same in every
 * process, so an input can contain keys with equal hashes: not for look-ups.
 */
static inline uint64_t pv_hash(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ (x >> 32);
}

/* First slot to look for a key in. The hash is seeded: no input can choose colliding keys. */
static inline size_t pv_map_place(const struct pv_map *m, uint64_t key)
{
	return pv_hash_place(key) & m->mask;
}

/* PV_MAP_NONE when the key is not there. */
static inline uint32_t pv_map_get(const struct pv_map *m, uint64_t key)
{
	if (!m->slots)
		return PV_MAP_NONE;
	for (size_t i = pv_map_place(m, key);; i = (i + 1) & m->mask)
		if (m->slots[i].value == PV_MAP_NONE || m->slots[i].key == key)
			return m->slots[i].value;
}

/* Sets key to value, replacing an earlier value. False: out of memory, the map is unchanged. */
bool pv_map_set(struct pv_map *m, uint64_t key, uint32_t value);
/*
 * The value of a key, owned by the map until the map changes; PV_MAP_NONE for a new key, to be
 * replaced by the caller at once. NULL when out of memory.
 */
uint32_t *pv_map_at(struct pv_map *m, uint64_t key);
/* Nothing where the key is not there. */
void pv_map_remove(struct pv_map *m, uint64_t key);

/*
 * A map grows by doubling, which takes long for a large map. A large map is near growing when at
 * most PV_MAP_NEAR new keys, or an eighth of its slots, are left until then; a small map never is.
 * pv_map_grown() makes a grown copy of `m`, which is only read and may be replaced by the copy;
 * false when out of memory.
 */
enum { PV_MAP_LARGE = 1 << 16 /* slots */, PV_MAP_NEAR = 1 << 15 };
bool pv_map_is_near(const struct pv_map *m);
bool pv_map_grown(const struct pv_map *m, struct pv_map *ret);

/* An empty map with room for `count` keys; the old content is lost. False when out of memory. */
bool pv_map_make(struct pv_map *m, size_t count);
void pv_map_clear(struct pv_map *m);
void pv_map_finish(struct pv_map *m);

#endif
