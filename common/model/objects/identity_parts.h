/*
 * Private to the files of identity.h, whose rules on threads hold here too. Functions that return
 * bool are false when out of memory only.
 */
#ifndef PV_MODEL_IDENTITY_PARTS_H
#define PV_MODEL_IDENTITY_PARTS_H

#include "common/model/objects/identity.h"

#define PV_LIFE_GONE  (PV_MAP_NONE - 1) /* in the table: nothing lives at the address */
#define PV_LIFE_NEVER INT64_MAX
enum { PV_LIFE_NO_COHORT = UINT16_MAX };

enum pv_life_flags {
	PV_LIFE_MOVED = 1, /* since it was listed last */
	PV_LIFE_DOUBT = 2, /* it may not be what it is taken for */
	PV_LIFE_BASE = 4,  /* the base shot lists it */
};

/* --- identity_fate.c */

/* Counts an allocation. */
bool pv_identity_allocated(struct pv_identity *l, uint32_t class_use, uint64_t size);
/* Before its slot is used for another. */
void pv_identity_died(struct pv_identity *l, const struct pv_life_slot *s);
/* The last shot cannot say whether this one lives, allocated while it was taken. */
void pv_identity_undecided(struct pv_identity *l, const struct pv_life_slot *s);
/* The last shot lists an object of a generation above 0. */
bool pv_identity_promoted(struct pv_identity *l, uint32_t class_use, uint64_t size);

/* --- identity_count.c */

/* The open shot lists it where it was expected: whether that proves anything. */
void pv_identity_doubt(const struct pv_identity *l, struct pv_life_slot *s);
/* The allocation of an object that was listed already. */
bool pv_identity_allocated_after(
	struct pv_identity *l, uint32_t life, uint32_t site, int64_t allocated_ns);
/* Without moves: pairs objects that vanished with those that appeared, by class and size. */
bool pv_identity_pair(struct pv_identity *l);
/* Sums the open shot up, where it is a rung. */
bool pv_identity_count(struct pv_identity *l);

#endif
