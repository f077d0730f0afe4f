/* SPDX-License-Identifier: MIT */
/*
 * Cache of groupings of methods and classes for callers with many queries (a report, a viewer),
 * passed in struct pv_query. A grouping is made anew when names changed, or figures where a
 * grouping rests on more than names; a few used last stay. One cache may serve several models,
 * one after the other or at once, and outlive them.
 *
 * Any thread; the cache's lock is taken inside a model's.
 */
#ifndef PV_QUERY_GROUPS_CACHE_H
#define PV_QUERY_GROUPS_CACHE_H

struct pv_groups_cache;

/* The caller owns it. NULL when out of memory: queries then only take longer. */
struct pv_groups_cache *pv_groups_cache_create(void);
/* After all queries with this cache; tables stay valid. NULL is fine. */
void pv_groups_cache_destroy(struct pv_groups_cache *c);

#endif
