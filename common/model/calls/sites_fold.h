/*
 * Private to the model: room among the sites at their cap, made beside the table that others read.
 * What nobody else reads, the maps, goes to the copy and back. Bools are false when out of memory.
 */
#ifndef PV_MODEL_SITES_FOLD_H
#define PV_MODEL_SITES_FOLD_H

#include "common/model/calls/sites.h"

/* Whether a fold is due before this site, which is new, is added. */
bool pv_sites_are_many(const struct pv_sites *s, uint32_t class_use, uint32_t stack);

/*
 * Folds a quarter of the sites. *ret_remap (may be NULL): old index -> new index, owned by the
 * caller (free()).
 */
bool pv_sites_make_room(struct pv_sites *s, uint32_t **ret_remap);

/* A copy to be changed, while nothing is asked of `s` but its sites. */
bool pv_sites_copy(const struct pv_sites *s, struct pv_sites *ret);
/* The copy is done with: it takes the place of `s`, or is forgotten. */
void pv_sites_settle(struct pv_sites *s, struct pv_sites *copy, bool take);

#endif
