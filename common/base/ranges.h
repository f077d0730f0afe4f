/* SPDX-License-Identifier: MIT */
/*
 * Address ranges and their values: compiled code, unmanaged symbols. Valid when zeroed. Not
 * thread-safe: the owner's lock is held.
 */
#ifndef PV_BASE_RANGES_H
#define PV_BASE_RANGES_H

#include "common/base/mem.h"

enum {
	PV_RANGE_GUESS = 4096, /* bytes; what the stock reader guesses, too */
	PV_RANGE_RUNS = 32,    /* lengths double at least: enough for 32 bits */
	PV_RANGE_REST = 32,    /* not sorted yet, at most */
};

struct pv_range {
	uint64_t start, size; /* size 0: unknown, up to the next start and PV_RANGE_GUESS */
	uint32_t value;       /* not 0 */
	uint32_t order;       /* private: of equal starts the later range holds */
};

/*
 * Runs, each sorted by start, and a short unsorted rest. A run is at least twice as long as the
 * next, so that runs are few: a range is merged as often as its run doubles.
 */
struct pv_ranges {
	PV_ARRAY(struct pv_range) range;
	uint32_t run[PV_RANGE_RUNS]; /* the ends of all, from the front */
	uint32_t runs;
	uint32_t added;
};

/* False when out of memory. Of ranges with the same start the one added last holds. */
bool pv_ranges_add(struct pv_ranges *r, uint64_t start, uint64_t size, uint32_t value);

/* The value of the range that contains the address, and starts nearest to it; 0: none. */
uint32_t pv_ranges_find(const struct pv_ranges *r, uint64_t address);

/*
 * Whether the invariants of adding hold, for ranges read from a file: a find then ends, and finds.
 */
bool pv_ranges_hold(const struct pv_ranges *r);

/* Frees all; the ranges are empty and usable. */
void pv_ranges_finish(struct pv_ranges *r);

#endif
