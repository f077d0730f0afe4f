/*
 * Address ranges and their values: compiled code, unmanaged symbols. Valid when zeroed. Not
 * thread-safe: its owner's lock is held.
 */
#ifndef PV_BASE_RANGES_H
#define PV_BASE_RANGES_H

#include "common/base/mem.h"

enum {
	PV_RANGE_GUESS = 4096, /* bytes; what the stock reader guesses, too */
	PV_RANGE_RUNS = 32,    /* as many as double lengths that count in 32 bits */
	PV_RANGE_REST = 32,    /* not sorted yet, at most */
};

struct pv_range {
	uint64_t start, size; /* size 0: unknown, up to the next start and PV_RANGE_GUESS */
	uint32_t value;       /* not 0 */
	uint32_t order;       /* private: of two with one start the later one holds */
};

/*
 * Runs, each sorted by start, and a short rest that is not. A run is at least twice as long as the
 * next one, so that there are few: what is added is merged as often as its run doubles.
 */
struct pv_ranges {
	PV_ARRAY(struct pv_range) range;
	uint32_t run[PV_RANGE_RUNS]; /* the ends of all, from the front */
	uint32_t runs;
	uint32_t added;
};

/* False when out of memory. Of ranges with one start the one added last holds. */
bool pv_ranges_add(struct pv_ranges *r, uint64_t start, uint64_t size, uint32_t value);

/* The value of the range that holds the address and starts nearest to it; 0 when there is none. */
uint32_t pv_ranges_find(const struct pv_ranges *r, uint64_t address);

/* Whether it is as adding leaves it, so that a find ends and finds: of one that was read. */
bool pv_ranges_hold(const struct pv_ranges *r);

/* Frees all; it is empty and usable. */
void pv_ranges_finish(struct pv_ranges *r);

#endif
