/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the order of classes and stacks as people read them, independent of
 * numbers given out while a log was read. Under the model's lock.
 */
#ifndef PV_QUERY_SITE_ORDER_H
#define PV_QUERY_SITE_ORDER_H

#include "common/query/groups/logical.h"

struct pv_model;

/* By group: rank by name, then image. Freed by the caller; NULL when out of memory. */
uint32_t *pv_group_ranks(const struct pv_groups *g);

/*
 * By stack: rank by text, outermost frame first; stacks with the same text share a rank. The empty
 * stack is 0. Freed by the caller; NULL when out of memory.
 */
uint32_t *pv_stack_ranks(
	const struct pv_model *m, const struct pv_logical *l, const struct pv_groups *methods);

#endif
