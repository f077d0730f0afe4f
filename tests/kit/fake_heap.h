/* SPDX-License-Identifier: MIT */
/*
 * A heap shot made by hand, for tests of the screen. Included once.
 *
 *	static root > Cache 0x1000 > Tile[] 0x2000 > Tile 0x3000, 0x3100, each > Byte[]
 *	stack root  > Job 0x5000 > Tile 0x3100
 *	weak handle > Lost 0x6000 > Lost 0x6100
 */
#ifndef PV_TESTS_FAKE_HEAP_H
#define PV_TESTS_FAKE_HEAP_H

#include "tests/kit/heap_kit.h"

enum { FAKE_CACHE = 0x1000, FAKE_TILES = 0x2000, FAKE_TILE = 0x3000, FAKE_JOB = 0x5000 };

/* Old roots say themselves what they are: object, type, extra. */
static inline void fake_root(struct heap_kit *k, uint64_t object, uint64_t type)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOTS, .time = 90 };
	e.roots.width = 3;
	e.roots.roots = (struct pv_span){ (uint32_t)k->batch.pool.n, 3 };
	heap_kit_event(k, &e, (uint64_t[]){ object, type, 0 }, 3);
}

/* Classes have no names here but their keys: "0xca" and so on. */
static inline void fake_heap(struct pv_heap *ret, bool weak)
{
	struct heap_kit k = { .rules = 12 };
	fake_root(&k, FAKE_CACHE, 3);
	fake_root(&k, FAKE_JOB, 0);
	fake_root(&k, 0x6000, 0x202);
	heap_kit_start(&k);
	heap_kit_object(&k, FAKE_CACHE, 0xca, 32, (uint64_t[]){ 16, FAKE_TILES }, 1);
	heap_kit_object(&k, FAKE_TILES, 0x71e5, 48,
		(uint64_t[]){ 32, FAKE_TILE, 40, FAKE_TILE + 0x100 }, 2);
	for (uint64_t i = 0; i < 2; i++) {
		heap_kit_object(&k, FAKE_TILE + 0x100 * i, 0x71e, 24,
			(uint64_t[]){ 16, 0x4000 + 0x100 * i }, 1);
		heap_kit_object(&k, 0x4000 + 0x100 * i, 0xb7e, 64, NULL, 0);
	}
	heap_kit_object(&k, FAKE_JOB, 0x70b, 40, (uint64_t[]){ 24, FAKE_TILE + 0x100 }, 1);
	heap_kit_object(&k, 0x6000, 0x1057, 16, (uint64_t[]){ 8, 0x6100 }, 1);
	heap_kit_object(&k, 0x6100, 0x1057, 16, NULL, 0);
	heap_kit_end(&k);
	heap_kit_heap(&k, weak, ret);
	heap_kit_finish(&k);
}

#endif
