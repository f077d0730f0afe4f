/* SPDX-License-Identifier: MIT */
/*
 * Sorts indices by 64-bit keys in structures: stable, in linear time. Any thread, with its own
 * arrays.
 */
#ifndef PV_HEAP_RADIX_H
#define PV_HEAP_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_radix {
	const void *key; /* of element 0: a uint64_t */
	size_t stride;   /* bytes between two keys */
	bool descending;
	/* NULL, or asked between passes: false stops the sort, with `order` in no certain order. */
	bool (*go_on)(void *ctx);
	void *ctx;
};

/* Sorts the n indices in `order`; `spare` has room for as many. False: cancelled. */
bool pv_radix_sort(const struct pv_radix *r, uint32_t *order, uint32_t *spare, size_t n);

#endif
