/* SPDX-License-Identifier: MIT */
/*
 * Private to the files of identity.h, with its rules on threads. Functions that return bool are
 * false when out of memory only.
 */
#ifndef PV_MODEL_IDENTITY_PARTS_H
#define PV_MODEL_IDENTITY_PARTS_H

#include "common/model/identity/identity.h"

#define PV_LIFE_GONE  (PV_MAP_NONE - 1) /* in the table: nothing lives at the address */
#define PV_LIFE_NEVER INT64_MAX
enum { PV_LIFE_NO_COHORT = UINT16_MAX };

enum pv_life_flags {
	PV_LIFE_MOVED = 1, /* since listed last */
	PV_LIFE_DOUBT = 2, /* the identity may be wrong */
	PV_LIFE_BASE = 4,  /* the base shot lists it */
};

/* --- identity_fate.c */

/* Counts an allocation. */
bool pv_identity_allocated(struct pv_identity *l, uint32_t class_use, uint64_t size);
/* Counts a dead object, before its slot is used for another. */
void pv_identity_died(struct pv_identity *l, const struct pv_life_slot *s);
/* Uncounts an allocation made while the last shot was taken: the shot cannot decide its fate. */
void pv_identity_undecided(struct pv_identity *l, const struct pv_life_slot *s);
/* The last shot lists an object of a generation above 0. */
bool pv_identity_promoted(struct pv_identity *l, uint32_t class_use, uint64_t size);

/* --- identity_count.c */

/* Marks a listed object as doubtful where its address proves nothing. */
void pv_identity_doubt(const struct pv_identity *l, struct pv_life_slot *s);
/* Notes the allocation of an object that was listed already. */
bool pv_identity_allocated_after(
	struct pv_identity *l, uint32_t life, uint32_t site, int64_t allocated_ns);
/* Without moves: pairs vanished objects with new objects, by class and size. */
bool pv_identity_pair(struct pv_identity *l);
/* Sums up the open shot if it is a rung. */
bool pv_identity_count(struct pv_identity *l);

#endif
