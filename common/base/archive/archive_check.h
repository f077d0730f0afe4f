/* SPDX-License-Identifier: MIT */
/* Checks of values that an archive has loaded, by the descriptions of shape.h. Pure: any thread. */
#ifndef PV_BASE_ARCHIVE_CHECK_H
#define PV_BASE_ARCHIVE_CHECK_H

#include "common/base/archive/shape.h"

/* One field of adjacent structures. */
struct pv_checked {
	const struct pv_field_row *row;
	const uint64_t *store; /* elements of each, as in struct pv_archive */
	size_t first;          /* index of the first in its list */
	int64_t before;        /* value of the element before, for RISING */
};

/* Whether `n` adjacent values of the field's size, at `v`, are allowed by the field's row. */
bool pv_column_holds(const struct pv_checked *c, const void *v, size_t n);

/* Whether all `n` values are less than `limit`. */
bool pv_all_below_32(const uint32_t *v, size_t n, uint64_t limit);

/*
 * Indices (32 bits) in elements, at `v` and each `stride` bytes further: whether all are below `n`
 * and every way along them comes to 0.
 */
bool pv_chain_holds(const uint8_t *v, size_t stride, size_t n);

#endif
