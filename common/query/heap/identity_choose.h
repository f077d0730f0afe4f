/* SPDX-License-Identifier: MIT */
/* Objects in a row of the views on object identity. Any thread. */
#ifndef PV_QUERY_IDENTITY_CHOOSE_H
#define PV_QUERY_IDENTITY_CHOOSE_H

#include "common/base/mem.h"
#include "common/query/views.h"

struct pv_address_list { /* a PV_ARRAY */
	uint64_t *v;
	size_t n, room;
};

/* Number of the later shot. */
uint32_t pv_identity_shot(const struct pv_identity *l);
/* Whether the fate of each class's objects is known (PV_VIEW_SURVIVAL). */
bool pv_identity_tells_fates(const struct pv_identity *l);
/* Whether the table's coverage line says that objects were not followed. NULL is fine. */
bool pv_table_wants_identity(const struct pv_table *t);

/*
 * Addresses, ascending, of objects alive at the later shot of q->identity: of the class row
 * q->select (0: all) under q's grouping, and of cohort q->base - 1 (0: all). `allocated`: only
 * objects new since the base shot. False when out of memory. Takes the model's lock.
 */
bool pv_identity_choose(
	struct pv_model *m, const struct pv_query *q, bool allocated, struct pv_address_list *ret);

#endif
