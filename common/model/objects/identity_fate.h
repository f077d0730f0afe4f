/*
 * The fate of each class's objects up to the shot that identities are of. An object died young if
 * its allocation was recorded and no heap shot ever listed it: it was gone by the first shot after
 * that. Exact where options.allocs and options.moves hold, the log is whole and its
 * events are in the order of their times; what it rests on besides is in identity.h.
 */
#ifndef PV_MODEL_IDENTITY_FATE_H
#define PV_MODEL_IDENTITY_FATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

struct pv_life_fate {
	uint64_t allocated,
		allocated_bytes;     /* their allocations were recorded, and the shot decides: */
	uint64_t young, young_bytes; /* died young, */
	uint64_t later;              /* or after a shot had listed them; the others are alive */
	uint64_t promoted, promoted_bytes; /* of all that the shot lists: generation above 0 */
};

/* Allocations of a class of one size class, as pv_alloc_size_of() has them (allocs.h). */
struct pv_life_size {
	uint32_t class_use;
	unsigned at;
	uint64_t count, bytes;
};

struct pv_life_fates {
	PV_ARRAY(struct pv_life_size) size; /* in no order; at most PV_ALLOC_SIZES of a class */
	struct pv_map size_of;              /* private: class and size -> index */
	PV_ARRAY(struct pv_life_fate) of;   /* by class_use; may be shorter than the names */
	bool generations;                   /* an object was of another generation than 0 */
};

struct pv_identity;
/* Whether it is certain who died young; any thread, pure. */
bool pv_identity_knows_young(const struct pv_identity *l);

#endif
