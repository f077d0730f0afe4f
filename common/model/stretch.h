/*
 * Stretches of calls that came summed up. The two questions are for whoever decodes and applies
 * batches, the rest is private to the model.
 */
#ifndef PV_MODEL_STRETCH_H
#define PV_MODEL_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/digest.h"

enum { PV_SHARED_BITS = 8192 };

struct pv_batch;
struct pv_context;
struct pv_model;
struct pv_thread;

/*
 * Whether the calls of the next batch can come summed up; what the digest has to know is put in.
 * And whether a run of batches that came so can be applied: if not, each is decoded again without.
 * Both look only at what the owner itself changes, and need no lock.
 */
bool pv_model_digests(const struct pv_model *m, struct pv_digest *ret);
bool pv_model_takes(struct pv_model *m, const struct pv_batch *const *b, size_t n);

/* --- private */

enum { PV_STRETCH_MAPS = 64 }; /* as many threads can be amid a stretch */

/* Of the stretch that was applied last for a thread: the tree's nodes. */
struct pv_stretch_map {
	const struct pv_thread *thread;
	uint32_t first; /* the stretch's first node in the digest */
	PV_ARRAY(uint32_t) node;
};

/* Scratch of the owner; all of it can be found again from the model's stores. */
struct pv_stretches {
	PV_ARRAY(uint32_t) hash_of;    /* by node of the call tree: of its path */
	PV_ARRAY(uint32_t) hint;       /* by such a hash, in pairs: a node that may have it */
	PV_ARRAY(uint32_t) hash;       /* of the stretch applied last */
	struct pv_stretch_map map[PV_STRETCH_MAPS];
	size_t map_at, map_next;       /* used last; to be used for another thread */
	struct pv_map described;       /* methods, by a run */
	uint64_t shared_key[PV_SHARED_BITS / 64]; /* a bit for each key of a shared method */
	bool shared_known;                        /* those bits are up to date */
};

void pv_stretches_finish(struct pv_stretches *s);

/* False when out of memory. */
bool pv_stretch_apply(struct pv_context *x, const struct pv_stretch *s);
/* What is known of the stretch applied last for the thread; NULL: nothing. */
const struct pv_stretch_map *pv_stretch_map_of(struct pv_model *m, const struct pv_thread *th);

/* The tree's node for one of that stretch. */
static inline uint32_t pv_stretch_node(const struct pv_stretch_map *map, uint32_t node)
{
	return map && node - map->first < map->node.n ? map->node.v[node - map->first] : 0;
}

#endif
