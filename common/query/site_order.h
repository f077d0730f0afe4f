/*
 * Private to the query layer: the order of classes and stacks as people read them, which no number
 * given out while a log was read takes part in. Under the model's lock.
 */
#ifndef PV_QUERY_SITE_ORDER_H
#define PV_QUERY_SITE_ORDER_H

#include "common/query/groups.h"

struct pv_stacks;

/*
 * By group: its place by name, then image. Freed by the caller; NULL when out of memory.
 */
uint32_t *pv_group_ranks(const struct pv_groups *g);

/*
 * By stack: its place by text, outermost frame first; stacks that read the same share one. The
 * empty stack is 0. Freed by the caller; NULL when out of memory.
 */
uint32_t *pv_stack_ranks(const struct pv_stacks *s, const struct pv_groups *methods);

#endif
