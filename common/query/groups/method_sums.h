/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: figures of methods by row of a grouping. Figures of a whole recording
 * are kept with the grouping until the model changes, as Home asks for them three times. Immutable
 * once made; live until the last reference is dropped, on any thread.
 */
#ifndef PV_QUERY_METHOD_SUMS_H
#define PV_QUERY_METHOD_SUMS_H

#include "common/model/calls/calls.h"
#include "common/query/groups/call_copy.h"

struct pv_method_sums {
	uint64_t generation; /* of the model, where kept */
	uint32_t refs;       /* atomic */
	struct pv_method_sum v[];
};

/* All 0, with one reference, the caller's. NULL when out of memory. */
struct pv_method_sums *pv_method_sums_create(const struct pv_groups *g);
/*
 * Figures of the whole recording, open calls included (pv_calls_flat()), with a reference for the
 * caller. Under the model's lock. NULL when out of memory.
 */
struct pv_method_sums *pv_method_sums_whole(const struct pv_model *m, const struct pv_groups *g);
/*
 * Figures of methods that share a row, each stack counted once. `row_of` gives the row of a name;
 * numbers from `rows` on are no row. `ret` has rows + 1 entries. `physical` as in queries. Takes
 * the model's lock; false when out of memory.
 */
bool pv_method_totals(struct pv_model *m, bool physical,
	uint32_t (*row_of)(void *ctx, const char *name), void *ctx, size_t rows,
	struct pv_method_sum *ret);
/*
 * Sums up a linked copy by group, into `groups` entries of 0; a group counts once on each path.
 * False: out of memory.
 */
bool pv_method_sums_walk(const struct pv_call_copy *c, struct pv_method_sum *sum, size_t groups);
/* NULL is fine. */
void pv_method_sums_give_back(struct pv_method_sums *s);

#endif
