/* SPDX-License-Identifier: MIT */
/*
 * The meanings that a key has had, in the order of their times (ns, log clock), for keys with
 * several meanings. A search takes time that grows with the logarithm of their number. Meanings are
 * named by ids; 0 is none. Part of the names: threads as in names.h.
 */
#ifndef PV_MODEL_EPOCHS_H
#define PV_MODEL_EPOCHS_H

#include "common/base/map.h"
#include "common/base/order.h"

struct pv_epochs {
	struct pv_order order; /* by id */
	struct pv_map root;    /* key -> its tree, once it has had two meanings */
};

/*
 * Adds `it` as one more meaning of the key; `only` is the meaning so far, if there was just one.
 * False when out of memory.
 */
struct pv_epoch {
	uint32_t id;
	int64_t from;
};
bool pv_epochs_add(struct pv_epochs *e, uint64_t key, struct pv_epoch it, struct pv_epoch only);
/*
 * Moves a meaning to another beginning; a key with one meaning has nothing to move. False: out of
 * memory.
 */
bool pv_epochs_move(struct pv_epochs *e, uint64_t key, struct pv_epoch it);

/*
 * The newest meaning that begins at or before `time`, and the next (if none begins before: the
 * oldest of all). False: the key has had one meaning at most.
 */
bool pv_epochs_around(const struct pv_epochs *e, uint64_t key, int64_t time, uint32_t *ret_at,
	uint32_t *ret_next);
/* The next meaning of the key; 0: `id` is the newest. */
uint32_t pv_epochs_next(const struct pv_epochs *e, uint64_t key, uint32_t id);

/*
 * Links `it` as the next of all ids: `first` has the first id of each key. False when out of
 * memory.
 */
bool pv_epochs_link(struct pv_epochs *e, struct pv_map *first, uint64_t key, struct pv_epoch it,
	int64_t (*from)(const void *ctx, uint32_t id), const void *ctx);
void pv_epochs_clear(struct pv_epochs *e); /* empties the maps */
void pv_epochs_finish(struct pv_epochs *e);

#endif
