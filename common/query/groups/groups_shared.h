/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: a grouping shared by queries, and the key to find one. Immutable once
 * made; lives until the last reference is dropped, on any thread.
 */
#ifndef PV_QUERY_GROUPS_SHARED_H
#define PV_QUERY_GROUPS_SHARED_H

#include "common/query/groups/groups.h"
#include "common/query/groups/groups_cache.h"

enum pv_grouped { PV_GROUPED_METHODS, PV_GROUPED_CLASSES, PV_GROUPED_KINDS };

struct pv_groups_shared {
	struct pv_groups g;
	uint64_t nameless; /* ids without a name: of methods but bare addresses, of classes but
			       * "other"; of groupings only by name */
	bool by_name;      /* each row is one name */
	bool mixed;        /* names changed meanwhile: good for one query */
	uint8_t *kind;     /* code_kind.h; NULL: not asked for yet. By the model's lock */
	struct pv_method_sums *sums; /* method_sums.h; likewise */
	struct pv_async_kept *async; /* logical.h; likewise */
	struct pv_arena text;        /* names of rows that the model does not have */
	uint32_t refs;               /* atomic */
};

/* With one reference, the caller's. NULL when out of memory. */
struct pv_groups_shared *pv_groups_shared_create(void);
/* NULL is fine. */
void pv_groups_shared_take(struct pv_groups_shared *s);
void pv_groups_shared_give_back(struct pv_groups_shared *s);

/* Identity of a grouping: groupings with equal fields are the same. */
struct pv_groups_key {
	uint64_t model;      /* id of the model */
	uint64_t changes;    /* of the model's names */
	uint64_t generation; /* of the model, if the grouping rests on more than names; else 0 */
	enum pv_grouped kind;
	enum pv_by group, split, in_by;
	const char *in; /* "": all */
};

/* With a reference for the caller; NULL: none. A cache of NULL has none. */
struct pv_groups_shared *pv_groups_cache_find(
	struct pv_groups_cache *c, const struct pv_groups_key *key);
/* Takes a reference. Keeps nothing without memory or without a cache. */
void pv_groups_cache_keep(
	struct pv_groups_cache *c, const struct pv_groups_key *key, struct pv_groups_shared *s);

#endif
