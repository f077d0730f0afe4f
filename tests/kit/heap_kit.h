/* SPDX-License-Identifier: MIT */
/* Heap shots made by hand: objects and roots become a batch, and that a heap. */
#ifndef TESTS_HEAP_KIT_H
#define TESTS_HEAP_KIT_H

#include "common/heap/graph_build.h"
#include "common/heap/heap.h"

struct heap_kit {
	struct pv_batch batch;
	uint8_t rules; /* data version; 17 unless set */
};

/* One event after the others; spans are copied from `pool` (n words). */
void heap_kit_event(struct heap_kit *k, const struct pv_event *e, const uint64_t *pool, uint32_t n);
void heap_kit_start(struct heap_kit *k);
void heap_kit_end(struct heap_kit *k);
/* `refs`: pairs of offset and address, n of them. */
void heap_kit_object(struct heap_kit *k, uint64_t object, uint64_t type, uint64_t size,
	const uint64_t *refs, uint32_t n);
/* Roots as since data version 15: pairs of slot and object. */
void heap_kit_roots(struct heap_kit *k, const uint64_t *pairs, uint32_t n);
void heap_kit_finish(struct heap_kit *k);

/* The graph of shot `shot`; fails the test when it cannot be made. */
void heap_kit_graph(const struct heap_kit *k, uint32_t shot, bool handles, struct pv_graph *ret);
void heap_kit_heap(const struct heap_kit *k, bool weak, struct pv_heap *ret);

#endif
