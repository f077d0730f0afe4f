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
	size_t stride;   /* bytes between two of them */
	bool descending;
	/* NULL, or asked between passes: false stops it, and nothing is said of the order then. */
	bool (*go_on)(void *ctx);
	void *ctx;
};

/*
 * `order` holds n indices, `spare` has room for as many. The result is in `order`. False:
 * cancelled.
 */
bool pv_radix_sort(const struct pv_radix *r, uint32_t *order, uint32_t *spare, size_t n);

#endif
