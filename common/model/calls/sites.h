/* SPDX-License-Identifier: MIT */
/*
 * Figures per (class, stack): allocations, throws and waits share this type of table. A site's
 * index is its id; [0] is unused. At the cap the quarter of the sites with the least amount (count
 * if there is no amount) folds into the "other" site of its class. Part of the model: written by
 * the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_SITES_H
#define PV_MODEL_SITES_H

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_SITES_CAP = 500000 };

struct pv_site {
	uint32_t class_use; /* id in names; 0 = class not recorded */
	uint32_t stack;     /* id in stacks; 0 = no stack was recorded */
	uint64_t count;     /* allocations, throws, contentions */
	uint64_t amount;    /* bytes, 0, ns waited */
	uint32_t cell;      /* private to the window */
	bool other;         /* the folded rest of this class; its stack is 0 */
};

struct pv_sites {
	PV_ARRAY(struct pv_site) site;
	struct pv_map of;    /* (class_use << 32 | stack) -> index */
	struct pv_map other; /* class_use -> index of the "other" site */
	uint64_t folded;     /* sites folded so far */
	size_t cap;          /* PV_SITES_CAP, less in tests */
	size_t fold_at;      /* private: entries at which the next fold is due */
	uint32_t last;       /* private: index of the last site found, if still there */
};

/* False when out of memory, here and below. */
bool pv_sites_init(struct pv_sites *s);
void pv_sites_finish(struct pv_sites *s);

/*
 * The site's index, made when new; 0 only when out of memory. Beyond the cap the index of the
 * class's "other" site, or of a common site for all classes; the caller makes room first
 * (sites_fold.h).
 */
uint32_t pv_sites_get(struct pv_sites *s, uint32_t class_use, uint32_t stack);

/*
 * Stack i is now stack_into[i], class i class_into[i]; NULL: as before. Sites that have become
 * equal are merged; *ret_remap (may be NULL): their new numbers, owned by the caller (free()).
 */
bool pv_sites_renumber(struct pv_sites *s, const uint32_t *stack_into, const uint32_t *class_into,
	uint32_t **ret_remap);

#endif
