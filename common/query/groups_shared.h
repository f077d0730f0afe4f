/*
 * Private to the query layer: a grouping that queries share, and the key that finds it. It does not
 * change once it is made, and lives until its last reference is dropped, on any thread.
 */
#ifndef PV_QUERY_GROUPS_SHARED_H
#define PV_QUERY_GROUPS_SHARED_H

#include "common/query/groups.h"
#include "common/query/groups_cache.h"

enum pv_grouped { PV_GROUPED_METHODS, PV_GROUPED_CLASSES, PV_GROUPED_KINDS };

struct pv_groups_shared {
	struct pv_groups g;
	uint64_t nameless; /* ids without a name: of methods but bare addresses, of classes but
			       * "other"; of groupings only by name */
	bool mixed;        /* names changed while it was made: good for one query */
	uint8_t *kind;     /* code_kind.h; NULL: not asked for yet. By the model's lock */
	struct pv_method_sums *sums; /* method_sums.h; likewise */
	struct pv_arena text;        /* names of its rows that are not the model's */
	uint32_t refs;               /* atomic */
};

/* With one reference, the caller's. NULL when out of memory. */
struct pv_groups_shared *pv_groups_shared_create(void);
/* NULL is fine. */
void pv_groups_shared_take(struct pv_groups_shared *s);
void pv_groups_shared_give_back(struct pv_groups_shared *s);

/* Identity of a grouping: two with equal fields are the same. */
struct pv_groups_key {
	uint64_t model;      /* its id */
	uint64_t changes;    /* of its names */
	uint64_t generation; /* of the model, where it rests on more than names; else 0 */
	enum pv_grouped kind;
	enum pv_by group, split, in_by;
	const char *in; /* "": all */
};

/* With a reference for the caller; NULL: there is none. A cache of NULL has none. */
struct pv_groups_shared *pv_groups_cache_find(
	struct pv_groups_cache *c, const struct pv_groups_key *key);
/* It takes a reference. Without memory, or a cache, it is not kept. */
void pv_groups_cache_keep(
	struct pv_groups_cache *c, const struct pv_groups_key *key, struct pv_groups_shared *s);

#endif
