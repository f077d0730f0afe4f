/*
 * The meanings that a key has had, in the order of their times (ns, log clock), for keys that have
 * had more than one: each is found in time that grows with the logarithm of how many there are.
 * Things are named by ids; 0 is none. Part of the names: threads as in names.h.
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
 * `id` is one more meaning of the key, from `from` on; `only`, from `only_from` on, the one it had
 * when it had no other. False when out of memory.
 */
struct pv_epoch {
	uint32_t id;
	int64_t from;
};
bool pv_epochs_add(struct pv_epochs *e, uint64_t key, struct pv_epoch it, struct pv_epoch only);
/*
 * It begins at another time than was known; of a key with one meaning nothing is kept. False: out
 * of memory.
 */
bool pv_epochs_move(struct pv_epochs *e, uint64_t key, struct pv_epoch it);

/*
 * The newest that begins at or before `time`, and the one after it (without the former: the oldest
 * of all). False: the key has had one meaning at most.
 */
bool pv_epochs_around(const struct pv_epochs *e, uint64_t key, int64_t time, uint32_t *ret_at,
	uint32_t *ret_next);
/* The next meaning of the key; 0: `id` is the newest. */
uint32_t pv_epochs_next(const struct pv_epochs *e, uint64_t key, uint32_t id);

/* `id` as the next of all ids: `first` has the first of each key. False when out of memory. */
bool pv_epochs_link(struct pv_epochs *e, struct pv_map *first, uint64_t key, struct pv_epoch it,
	int64_t (*from)(const void *ctx, uint32_t id), const void *ctx);
void pv_epochs_clear(struct pv_epochs *e); /* empties it */
void pv_epochs_finish(struct pv_epochs *e);

#endif
