/* SPDX-License-Identifier: MIT */
/*
 * The fate of each class's objects up to the shot that identities are of. An object died young if
 * its allocation was recorded and no heap shot ever listed the object: it was gone by the first
 * shot afterwards. Exact where options.allocs and options.moves hold, the log is whole and its
 * events are in the order of their times; further assumptions are in identity.h.
 */
#ifndef PV_MODEL_IDENTITY_FATE_H
#define PV_MODEL_IDENTITY_FATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_life_fate {
	uint64_t allocated, allocated_bytes; /* allocations were recorded, and the shot decides: */
	uint64_t young, young_bytes;         /* died young, */
	uint64_t later; /* or after a shot had listed them; the others are alive */
	uint64_t promoted, promoted_bytes; /* of all objects listed: generation above 0 */
};

/* Allocations of a class in one size class of pv_alloc_size_of() (allocs.h). */
struct pv_life_size {
	uint32_t class_use;
	unsigned at;
	uint64_t count, bytes;
};

struct pv_life_fates {
	PV_ARRAY(struct pv_life_size) size; /* in no order; at most PV_ALLOC_SIZES of a class */
	struct pv_map size_of;              /* private: class and size -> index */
	PV_ARRAY(struct pv_life_fate) of;   /* by class_use; may be shorter than the names */
	bool generations;                   /* an object was of a generation above 0 */
};

struct pv_identity;
/* True if the objects that died young are known for certain; any thread, pure. */
bool pv_identity_knows_young(const struct pv_identity *l);

#endif
