/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: room among the sites at their cap, made in a copy while others read the
 * table. The maps, which only the ingest thread reads, are moved to the copy and back. Ingest
 * thread. Functions that return bool are false when out of memory.
 */
#ifndef PV_MODEL_SITES_FOLD_H
#define PV_MODEL_SITES_FOLD_H

#include "common/model/calls/sites.h"

/* True if a fold is due before this new site is added. */
bool pv_sites_are_many(const struct pv_sites *s, uint32_t class_use, uint32_t stack);

/*
 * Folds a quarter of the sites. *ret_remap (may be NULL): old index -> new index, owned by the
 * caller (free()).
 */
bool pv_sites_make_room(struct pv_sites *s, uint32_t **ret_remap);

/* A copy to be changed; until pv_sites_replace() only the sites of `s` may be read. */
bool pv_sites_copy(const struct pv_sites *s, struct pv_sites *ret);
/* Replaces `s` by the copy, or drops the copy. */
void pv_sites_replace(struct pv_sites *s, struct pv_sites *copy, bool take);

#endif
