/*
 * Groupings of methods and classes that queries keep for the next ones: what asks a model often (a
 * report, a viewer) has one, and passes it in struct pv_query. Where names changed since, or
 * the figures where a grouping rests on more than names, it is made anew; the few that were used
 * last stay. It may be used for several models, one after the other or at once, and outlive them.
 *
 * Any thread; it has a lock of its own, which is taken inside a model's.
 */
#ifndef PV_QUERY_GROUPS_CACHE_H
#define PV_QUERY_GROUPS_CACHE_H

struct pv_groups_cache;

/* The caller owns it. NULL when out of memory: queries then only take longer. */
struct pv_groups_cache *pv_groups_cache_create(void);
/* After all queries that use it; tables stay valid. NULL is fine. */
void pv_groups_cache_destroy(struct pv_groups_cache *c);

#endif
