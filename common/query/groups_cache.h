/*
 * Groupings of methods and classes that queries keep for the next ones: what asks a model often (a
 * report, a viewer) has one, and gives it along (struct pv_query). Where names changed since, or
 * the figures where a grouping rests on more than names, it is made anew; the few that were used
 * last stay. It may be used for several models, one after the other or at once, and outlive them.
 *
 * Any thread; it has a lock of its own, which is taken inside a model's.
 */
#ifndef PV_QUERY_GROUPS_CACHE_H
#define PV_QUERY_GROUPS_CACHE_H

struct pv_groups_cache;

/* NULL when out of memory, which costs queries time and no more. */
struct pv_groups_cache *pv_groups_cache_create(void);
/* No query that was given it is under way. Tables live on. NULL is fine. */
void pv_groups_cache_destroy(struct pv_groups_cache *c);

#endif
